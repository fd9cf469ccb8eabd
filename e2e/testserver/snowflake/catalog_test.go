package snowflake_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/e2e/testserver/snowflake"
)

// shop is a server with tables that have everything a catalogue tells.
func shop(t *testing.T) *snowflake.Server {
	s := snowflake.Start(t)
	s.Exec(t, `CREATE TABLE customers (id NUMBER(38,0) NOT NULL PRIMARY KEY, name VARCHAR(40) COMMENT 'As written', "lower" FLOAT,
		made TIMESTAMP_NTZ, seen TIMESTAMP_TZ, since TIMESTAMP_LTZ(9), born DATE, tea TIME, doc VARIANT, o OBJECT, a ARRAY, g GEOGRAPHY, b BINARY, ok BOOLEAN,
		price NUMBER(10,2) DEFAULT 0) CLUSTER BY (born, id) COMMENT = 'Who buys';
		CREATE TRANSIENT TABLE orders (id INT, customer_id NUMBER(38,0) REFERENCES customers (id) NOT ENFORCED, UNIQUE (id, customer_id));
		CREATE VIEW buyers AS SELECT id, name FROM customers; CREATE SCHEMA hidden; CREATE TABLE hidden.secrets (id INT);
		INSERT INTO customers (id, name) VALUES (1, 'Ann'), (2, 'Bob')`)
	s.Deny(t, snowflake.Reader, "ANALYTICS.HIDDEN")
	return s
}

func TestInformationSchema(t *testing.T) {
	t.Parallel()
	db := open(t, config(shop(t)))
	tables := read(t, db, `SELECT table_schema, table_name, table_type, comment, row_count, clustering_key, is_transient FROM "ANALYTICS".information_schema.tables
		WHERE table_schema <> 'INFORMATION_SCHEMA' ORDER BY 1, 2`)
	want := [][]string{
		{"PUBLIC", "BUYERS", "VIEW", "NULL", "NULL", "NULL", "NULL"},
		{"PUBLIC", "CUSTOMERS", "BASE TABLE", "Who buys", "2", "LINEAR(BORN,ID)", "NO"},
		{"PUBLIC", "ORDERS", "BASE TABLE", "NULL", "0", "NULL", "YES"},
	}
	if diff := cmp.Diff(want, tables); diff != "" {
		t.Errorf("the tables (-want +got)\n%s", diff)
	}
	columns := read(t, db, `SELECT column_name, data_type, is_nullable, numeric_precision, numeric_scale, datetime_precision, comment
		FROM information_schema.columns WHERE table_name = 'CUSTOMERS' ORDER BY ordinal_position`)
	wantColumns := [][]string{
		{"ID", "NUMBER", "NO", "38", "0", "NULL", "NULL"},
		{"NAME", "TEXT", "YES", "NULL", "NULL", "NULL", "As written"},
		{"lower", "FLOAT", "YES", "NULL", "NULL", "NULL", "NULL"},
		{"MADE", "TIMESTAMP_NTZ", "YES", "NULL", "NULL", "9", "NULL"},
		{"SEEN", "TIMESTAMP_TZ", "YES", "NULL", "NULL", "9", "NULL"},
		{"SINCE", "TIMESTAMP_LTZ", "YES", "NULL", "NULL", "9", "NULL"},
		{"BORN", "DATE", "YES", "NULL", "NULL", "NULL", "NULL"},
		{"TEA", "TIME", "YES", "NULL", "NULL", "9", "NULL"},
		{"DOC", "VARIANT", "YES", "NULL", "NULL", "NULL", "NULL"},
		{"O", "OBJECT", "YES", "NULL", "NULL", "NULL", "NULL"},
		{"A", "ARRAY", "YES", "NULL", "NULL", "NULL", "NULL"},
		{"G", "GEOGRAPHY", "YES", "NULL", "NULL", "NULL", "NULL"},
		{"B", "BINARY", "YES", "NULL", "NULL", "NULL", "NULL"},
		{"OK", "BOOLEAN", "YES", "NULL", "NULL", "NULL", "NULL"},
		{"PRICE", "NUMBER", "YES", "10", "2", "NULL", "NULL"},
	}
	if diff := cmp.Diff(wantColumns, columns); diff != "" {
		t.Errorf("the columns (-want +got)\n%s", diff)
	}
	if views := read(t, db, "SELECT view_definition FROM information_schema.views"); len(views) != 1 || !strings.Contains(views[0][0], "CUSTOMERS") {
		t.Errorf("the views are %v", views)
	}
}

// shown returns columns of the rows of a SHOW.
func shown(t *testing.T, s *snowflake.Server, query string, columns ...string) [][]string {
	t.Helper()
	rows, err := open(t, config(s)).QueryContext(t.Context(), query)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer func() { _ = rows.Close() }()
	names, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	out := [][]string{}
	for rows.Next() {
		values, targets := make([]*string, len(names)), make([]any, len(names))
		for i := range values {
			targets[i] = &values[i]
		}
		if err := rows.Scan(targets...); err != nil {
			t.Fatal(err)
		}
		var row []string
		for _, c := range columns {
			for i, n := range names {
				if n == c && values[i] != nil {
					row = append(row, *values[i])
				}
			}
		}
		out = append(out, row)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestShow(t *testing.T) {
	t.Parallel()
	s := shop(t)
	s.Grant(t, snowflake.Reader, "INSERT", "TABLE", "ANALYTICS.PUBLIC.ORDERS")
	s.AddExternalFunction(t, "SEND")
	s.AddDatabase(t, "OTHER")
	for _, test := range []struct {
		sql     string
		columns []string
		want    [][]string
	}{
		{`SHOW SCHEMAS IN DATABASE "ANALYTICS"`, []string{"name", "is_current"}, [][]string{{"PUBLIC", "Y"}, {"INFORMATION_SCHEMA", "N"}}},
		{"SHOW TABLES LIKE 'ord%' IN SCHEMA public", []string{"name", "kind", "rows"}, [][]string{{"ORDERS", "TRANSIENT", "0"}}},
		{"SHOW VIEWS", []string{"name"}, [][]string{{"BUYERS"}}},
		{"SHOW OBJECTS IN SCHEMA analytics.public LIMIT 1", []string{"kind"}, [][]string{{"TABLE"}}},
		{"SHOW COLUMNS IN TABLE orders", []string{"column_name"}, [][]string{{"ID"}, {"CUSTOMER_ID"}}},
		{"SHOW DATABASES", []string{"name"}, [][]string{{"ANALYTICS"}, {"OTHER"}}},
		{`SHOW PRIMARY KEYS IN DATABASE "ANALYTICS"`, []string{"schema_name", "table_name", "column_name", "key_sequence"}, [][]string{{"PUBLIC", "CUSTOMERS", "ID", "1"}}},
		{"SHOW UNIQUE KEYS IN TABLE orders", []string{"column_name", "key_sequence"}, [][]string{{"ID", "1"}, {"CUSTOMER_ID", "2"}}},
		{"SHOW IMPORTED KEYS IN DATABASE analytics", []string{"fk_table_name", "fk_column_name", "pk_table_name", "pk_column_name", "key_sequence"},
			[][]string{{"ORDERS", "CUSTOMER_ID", "CUSTOMERS", "ID", "1"}}},
		{"SHOW PARAMETERS LIKE 'timezone' IN SESSION", []string{"key", "value"}, [][]string{{"TIMEZONE", "America/Los_Angeles"}}},
		{"SHOW WAREHOUSES LIKE 'COMPUTE%'", []string{"name", "state", "auto_resume"}, [][]string{{"COMPUTE_WH", "STARTED", "true"}}},
		{"SHOW EXTERNAL FUNCTIONS IN ACCOUNT", []string{"name"}, [][]string{{"SEND"}}},
		{"SHOW USER FUNCTIONS IN ACCOUNT", nil, [][]string{}},
		{"DESCRIBE TABLE orders", []string{"name", "type"}, [][]string{{"ID", "NUMBER(38,0)"}, {"CUSTOMER_ID", "NUMBER(38,0)"}}},
	} {
		if diff := cmp.Diff(test.want, shown(t, s, test.sql, test.columns...)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", test.sql, diff)
		}
	}
	grants := map[string]bool{}
	for _, row := range shown(t, s, `SHOW GRANTS TO ROLE "READER"`, "privilege", "granted_on", "name") {
		grants[strings.Join(row, " ")] = true
	}
	for grant, want := range map[string]bool{
		"INSERT TABLE ANALYTICS.PUBLIC.ORDERS": true, "SELECT TABLE ANALYTICS.PUBLIC.CUSTOMERS": true, "USAGE SCHEMA ANALYTICS.PUBLIC": true,
		"USAGE SCHEMA ANALYTICS.HIDDEN": false, "SELECT TABLE ANALYTICS.HIDDEN.SECRETS": false, "OWNERSHIP TABLE ANALYTICS.PUBLIC.ORDERS": false,
	} {
		if grants[grant] != want {
			t.Errorf("the grant %s is shown: %t", grant, grants[grant])
		}
	}
}

func TestAWrongNameIsAnError(t *testing.T) {
	t.Parallel()
	s := shop(t)
	reader, owner := open(t, config(s)), open(t, config(s, admin))
	for sql, want := range map[string]int{
		"SELECT * FROM hidden.secrets": 2003, "SELECT * FROM analytics.hidden.secrets": 2003, "SELECT 1 FROM nope.information_schema.tables": 2003,
		"SHOW TABLES IN SCHEMA hidden": 2043, "SHOW TABLES IN DATABASE nope": 2043, "USE SCHEMA hidden": 2043, "USE WAREHOUSE nope": 2043,
		"USE ROLE nope": 3013, "SHOW GRANTS TO ROLE nope": 3001, "DESCRIBE TABLE nope": 2003, "SHOW NONSENSE": 2,
	} {
		if _, err := reader.QueryContext(t.Context(), sql); number(err) != want {
			t.Errorf("%s: %v, want %06d", sql, err, want)
		}
	}
	read(t, owner, "SELECT * FROM hidden.secrets")
}

func TestExplainNamesTheTables(t *testing.T) {
	t.Parallel()
	s := shop(t)
	got := read(t, open(t, config(s)), "EXPLAIN USING JSON SELECT * FROM buyers JOIN orders ON customer_id = buyers.id")
	for _, want := range []string{`"ANALYTICS.PUBLIC.CUSTOMERS"`, `"ANALYTICS.PUBLIC.ORDERS"`, `"bytesAssigned":2048`} {
		if !strings.Contains(got[0][0], want) {
			t.Errorf("the plan lacks %s: %s", want, got[0][0])
		}
	}
}

func TestTheHistoryHasStatementsThatRan(t *testing.T) {
	t.Parallel()
	s := shop(t)
	db := open(t, config(s))
	read(t, db, "SELECT count(*) FROM customers")
	_, _ = db.QueryContext(t.Context(), "SELECT nope FROM customers")
	got := read(t, db, `SELECT query_text, execution_status, error_code, rows_produced, DATE_PART(EPOCH_MILLISECOND, start_time) > 1700000000000, user_name
		FROM TABLE("ANALYTICS".information_schema.query_history(END_TIME_RANGE_START => TO_TIMESTAMP_LTZ(1700000000000, 3), RESULT_LIMIT => 10))
		WHERE query_type = 'SELECT' OR error_code IS NOT NULL ORDER BY start_time`)
	want := [][]string{
		{"SELECT count(*) FROM customers", "SUCCESS", "NULL", "1", "true", "LOAM"},
		{"SELECT nope FROM customers", "FAILED_WITH_ERROR", "000904", "0", "true", "LOAM"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the history (-want +got)\n%s", diff)
	}
}

// Structured types are described by two views, whose rows identifiers join to columns and to
// each other; a table that is replaced has new rows.
func TestStructuredTypes(t *testing.T) {
	t.Parallel()
	s := shop(t)
	s.Exec(t, `CREATE TABLE hidden.t (a ARRAY(INT)); CREATE TABLE places (gone ARRAY(INT));
		CREATE OR REPLACE TABLE places (id INT, spot OBJECT(lat FLOAT, tags ARRAY(VARCHAR)), by_day MAP(VARCHAR, NUMBER(9,2)))`)
	db := open(t, config(s))
	columns := read(t, db, "SELECT column_name, data_type, dtd_identifier FROM information_schema.columns WHERE table_name = 'PLACES' ORDER BY ordinal_position")
	if diff := cmp.Diff([][]string{{"ID", "NUMBER", "NULL"}, {"SPOT", "OBJECT", "SPOT"}, {"BY_DAY", "MAP", "BY_DAY"}}, columns); diff != "" {
		t.Errorf("the columns (-want +got)\n%s", diff)
	}
	fields := read(t, db, `SELECT object_schema, object_name, object_type, row_identifier, field_name, ordinal_position, data_type, numeric_precision, numeric_scale,
		datetime_precision, dtd_identifier FROM information_schema.fields ORDER BY row_identifier, ordinal_position`)
	wantFields := [][]string{
		{"PUBLIC", "PLACES", "TABLE", "BY_DAY", "KEY", "1", "TEXT", "NULL", "NULL", "NULL", "NULL"},
		{"PUBLIC", "PLACES", "TABLE", "BY_DAY", "VALUE", "2", "NUMBER", "9", "2", "NULL", "NULL"},
		{"PUBLIC", "PLACES", "TABLE", "SPOT", "lat", "1", "FLOAT", "NULL", "NULL", "NULL", "NULL"},
		{"PUBLIC", "PLACES", "TABLE", "SPOT", "tags", "2", "ARRAY", "NULL", "NULL", "NULL", "SPOT.2"},
	}
	if diff := cmp.Diff(wantFields, fields); diff != "" {
		t.Errorf("the fields (-want +got)\n%s", diff)
	}
	elements := read(t, db, "SELECT object_name, collection_type_identifier, data_type, dtd_identifier FROM information_schema.element_types")
	if diff := cmp.Diff([][]string{{"PLACES", "SPOT.2", "TEXT", "NULL"}}, elements); diff != "" {
		t.Errorf("the elements (-want +got)\n%s", diff)
	}
	s.Exec(t, "CREATE TABLE others (spot OBJECT)")
	for _, query := range []string{
		"SELECT spot:lat FROM places", // of which table, the fixture does not know
		"SELECT by_day[0] FROM places", "SELECT CAST(NULL AS OBJECT(at TIMESTAMP_TZ))", "SELECT NULL::MAP(INT)", "SELECT NULL::MAP",
	} {
		rows, err := db.QueryContext(t.Context(), query)
		if err == nil {
			_ = rows.Close()
			t.Errorf("%s is not refused", query)
		}
	}
}
