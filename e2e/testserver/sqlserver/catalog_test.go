//go:build cgo

package sqlserver_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/loam-data/loam/e2e/testserver/sqlserver"
)

// TestCatalogue reads the views of sys and INFORMATION_SCHEMA by their columns.
func TestCatalogue(t *testing.T) {
	s, db := started(t)
	s.Exec(t, "CREATE UNIQUE INDEX by_name ON dbo.customers (name, code)")
	for query, want := range map[string]string{
		"SELECT s.name, o.name, RTRIM(o.type), o.type_desc FROM sys.objects o JOIN sys.schemas s ON s.schema_id = o.schema_id WHERE o.type IN ('U', 'V') ORDER BY 1, 2": "dbo|customers|U|USER_TABLE\ndbo|vips|V|VIEW\nsales|orders|U|USER_TABLE",
		"SELECT c.name, y.name, c.max_length, c.precision, c.scale, c.is_nullable, c.is_identity, c.is_computed FROM sys.columns c JOIN sys.types y ON y.user_type_id = c.user_type_id WHERE c.object_id = OBJECT_ID('sales.orders') ORDER BY c.column_id": "id|int|4|10|0|false|true|false\ncustomer_id|int|4|10|0|false|false|false\namount|decimal|9|12|2|false|false|false\n" +
			"at|datetime2|8|27|7|true|false|false\nzoned|datetimeoffset|9|30|3|true|false|false\nfee|money|8|19|4|true|false|false\nkey|uniqueidentifier|16|0|0|true|false|false\nraw|varbinary|8|0|0|true|false|false\ntwice|decimal|9|18|2|true|false|true",
		"SELECT c.name, y.name, c.max_length FROM sys.columns c JOIN sys.types y ON y.user_type_id = c.user_type_id WHERE c.object_id = OBJECT_ID('dbo.vips') ORDER BY c.column_id":                                                                                                                                                                                                                       "id|int|4\nname|nvarchar|100",
		"SELECT k.name, OBJECT_NAME(k.parent_object_id), k.delete_referential_action_desc, p.name, r.name FROM sys.foreign_keys k JOIN sys.foreign_key_columns f ON f.constraint_object_id = k.object_id JOIN sys.columns p ON p.object_id = f.parent_object_id AND p.column_id = f.parent_column_id JOIN sys.columns r ON r.object_id = f.referenced_object_id AND r.column_id = f.referenced_column_id": "fk_customer|orders|CASCADE|customer_id|id",
		"SELECT i.name, i.is_unique, i.is_primary_key, c.name, ic.key_ordinal FROM sys.indexes i JOIN sys.index_columns ic ON ic.object_id = i.object_id AND ic.index_id = i.index_id JOIN sys.columns c ON c.object_id = ic.object_id AND c.column_id = ic.column_id WHERE i.object_id = OBJECT_ID('customers') ORDER BY i.index_id, ic.key_ordinal":                                                     "customers_id_pkey|true|true|id|1\nby_name|true|false|name|1\nby_name|true|false|code|2",
		"SELECT value FROM sys.extended_properties WHERE class = 1 AND major_id = OBJECT_ID('customers') AND minor_id = 0 AND name = 'MS_Description'":                                                                                                                                                                                                                                                    "who buys",
		"SELECT rows FROM sys.partitions WHERE object_id = OBJECT_ID('sales.orders') AND index_id IN (0, 1)":                                                                                                                                                                                                                                                                                              "2",
		"SELECT definition FROM sys.sql_modules WHERE object_id = OBJECT_ID('vips')":                                                                                                "CREATE VIEW dbo.vips AS SELECT id, name FROM dbo.customers WHERE vip = 1",
		"SELECT OBJECT_NAME(parent_object_id), definition FROM sys.default_constraints":                                                                                             "orders|(0)",
		"SELECT definition FROM sys.check_constraints":                                                                                                                              "(amount >= 0)",
		"SELECT name, definition FROM sys.computed_columns":                                                                                                                         "twice|(amount * 2)",
		"SELECT TABLE_SCHEMA, TABLE_NAME, TABLE_TYPE FROM INFORMATION_SCHEMA.TABLES WHERE TABLE_SCHEMA = 'dbo' ORDER BY 2":                                                          "dbo|customers|BASE TABLE\ndbo|vips|VIEW",
		"SELECT COLUMN_NAME, DATA_TYPE, CHARACTER_MAXIMUM_LENGTH FROM INFORMATION_SCHEMA.COLUMNS WHERE TABLE_NAME = 'customers' AND ORDINAL_POSITION < 3 ORDER BY ORDINAL_POSITION": "id|int|<nil>\nname|nvarchar|50",
		"SELECT name FROM shop.sys.databases ORDER BY name":                                                                                                                         "master\nshop",
	} {
		if got, err := text(t.Context(), db, query); err != nil || got != want {
			t.Errorf("%s\n got %q %v\nwant %q", query, got, err, want)
		}
	}
}

// TestCatalogueIsFresh: what has changed, in T-SQL or in DuckDB, is there at the next look.
func TestCatalogueIsFresh(t *testing.T) {
	s, db := started(t)
	const query = "SELECT COUNT(*) FROM sys.tables"
	want := func(n string) {
		t.Helper()
		if got, err := text(t.Context(), db, query); err != nil || got != n {
			t.Errorf("%s tables %v, want %s", got, err, n)
		}
	}
	want("2")
	s.Exec(t, "CREATE TABLE dbo.third (id int)")
	want("3")
	if _, err := s.DB().ExecContext(t.Context(), "CREATE TABLE shop.dbo.fourth (id INTEGER); CREATE TABLE shop.dbo.fifth (id INTEGER)"); err != nil {
		t.Fatal(err)
	}
	conn := session(t, db)
	if _, err := conn.ExecContext(t.Context(), "BEGIN TRANSACTION"); err != nil {
		t.Fatal(err)
	}
	if got, err := text(t.Context(), conn, query); err != nil || got != "5" {
		t.Error("in a transaction:", got, err)
	}
	s.Exec(t, "DROP TABLE dbo.third")
	want("4")
}

// TestLargeCatalogue: the views hold what a large warehouse has.
func TestLargeCatalogue(t *testing.T) {
	s := sqlserver.Start(t)
	const tables, columns = 300, 20
	var b strings.Builder
	for i := range tables {
		fmt.Fprintf(&b, "CREATE TABLE shop.dbo.t%d (id INTEGER PRIMARY KEY", i)
		for c := 1; c < columns; c++ {
			fmt.Fprintf(&b, ", c%d VARCHAR", c)
		}
		b.WriteString(");\n")
	}
	if _, err := s.DB().ExecContext(t.Context(), b.String()); err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("%d|%d|%d", tables, tables*columns, tables)
	if got, err := text(t.Context(), connect(t, s.URL()), "SELECT (SELECT COUNT(*) FROM sys.tables), (SELECT COUNT(*) FROM sys.columns), (SELECT COUNT(*) FROM sys.key_constraints)"); err != nil || got != want {
		t.Errorf("%s %v, want %s", got, err, want)
	}
}
