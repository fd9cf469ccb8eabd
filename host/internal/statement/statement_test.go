package statement_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loam-data/loam/host/internal/statement"
	"github.com/loam-data/loam/sdk/conform/corpus"
	"github.com/loam-data/loam/sdk/dialect"
)

// dialects returns the dialects that connectors have recorded, the latest of each engine.
func dialects(t testing.TB) map[string]*dialect.Dialect {
	t.Helper()
	files, err := filepath.Glob("../../../sdk/dialect/testdata/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal(err, len(files))
	}
	all := map[string]*dialect.Dialect{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var found []dialect.Dialect
		if err := json.Unmarshal(data, &found); err != nil {
			t.Fatal(err)
		}
		all[strings.TrimSuffix(filepath.Base(file), ".json")] = &found[len(found)-1]
	}
	return all
}

// tables is a schema of tables without a namespace.
type tables map[string]*statement.Table

func (s tables) Table(name []statement.Part) *statement.Table {
	return s[strings.ToLower(name[len(name)-1].Text)]
}

// setup returns the tables that CREATE TABLE statements make.
func setup(statements []string) tables {
	all := tables{}
	for _, s := range statements {
		name, rest, ok := strings.Cut(strings.TrimPrefix(s, "CREATE TABLE "), " (")
		if !ok || !strings.HasPrefix(s, "CREATE TABLE ") {
			continue
		}
		var columns []string
		depth, start := 0, 0
		for i := 0; i <= len(rest); i++ {
			switch {
			case i < len(rest) && rest[i] == '(':
				depth++
			case i < len(rest) && rest[i] == ')' && depth > 0:
				depth--
			case i == len(rest) || depth == 0 && (rest[i] == ',' || rest[i] == ')'):
				if word, _, ok := strings.Cut(strings.TrimSpace(rest[start:i]), " "); ok {
					columns = append(columns, strings.Trim(word, "\"`"))
				}
				start = i + 1
				if i < len(rest) && rest[i] == ')' {
					i = len(rest)
				}
			}
		}
		all[strings.ToLower(strings.Trim(name, "\"`"))] = statement.NewTable(len(all), columns)
	}
	return all
}

// said is a statement in short: per block its tables, joins, conditions and aggregates.
func said(s *statement.Statement) string {
	if s.Reason != "" {
		return "! " + s.Reason
	}
	var all []string
	for _, b := range s.Blocks {
		all = append(all, block(b))
	}
	return strings.Join(all, " | ")
}

func block(b *statement.Block) string {
	if b.Reason != "" {
		return "! " + b.Reason
	}
	var parts []string
	for _, r := range b.Relations {
		switch {
		case r.Table != nil || r.Local:
			parts = append(parts, r.Name[len(r.Name)-1].Text)
		case r.Function:
			parts = append(parts, "function")
		case r.Name != nil:
			parts = append(parts, "?"+r.Name[len(r.Name)-1].Text)
		default:
			parts = append(parts, "query")
		}
	}
	for _, j := range b.Joins {
		parts = append(parts, column(j.Left)+"="+column(j.Right))
	}
	for _, c := range b.Conditions {
		text := column(c.Column) + " "
		if c.Negated {
			text += "NOT "
		}
		text += c.Operator
		for _, v := range c.Values {
			if text += " " + v.Text; !v.Sure && v.Kind == statement.String {
				text += "?"
			}
		}
		if !c.Every {
			text += " (sometimes)"
		}
		parts = append(parts, text)
	}
	for _, a := range b.Aggregates {
		text := a.Name[0].Text + "("
		for _, arg := range a.Args {
			if arg.Column != nil {
				text += column(arg.Column)
			} else {
				text += s(arg)
			}
		}
		if text += ")"; a.Distinct {
			text += " distinct"
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "; ")
}

func s(e *statement.Expr) string {
	if e.Kind == statement.Star {
		return "*"
	}
	return "…"
}

func column(c *statement.Column) string {
	text := "?." + c.Name
	if c.Table != nil {
		text = names[c.Table.ID] + "." + c.Table.Columns[c.Index]
	}
	if c.Nested {
		text += ".*"
	}
	if c.Outer {
		text += "^"
	}
	return text
}

var names = []string{"orders", "customers", "items"}

var shop = tables{
	"orders":    statement.NewTable(0, []string{"id", "customer_id", "status", "total", "ordered_on", "deleted"}),
	"customers": statement.NewTable(1, []string{"id", "name", "country", "email"}),
	"items":     statement.NewTable(2, []string{"id", "order_id", "product_id", "quantity", "price"}),
}

func TestRead(t *testing.T) {
	t.Parallel()
	all := dialects(t)
	for _, tt := range []struct{ engine, sql, want string }{
		{"", "SELECT 1", ""},
		{"", "SELECT * FROM orders WHERE status = 'paid'", "orders; orders.status = paid"},
		{"", "select * from ORDERS o where O.Status <> 'its';", "ORDERS; orders.status <> its"},
		{"", "SELECT * FROM orders WHERE 'paid' = status AND 10 < total", "orders; orders.status = paid; orders.total > 10"},
		{"", "SELECT * FROM orders WHERE status IN ('a', 'b') AND total NOT BETWEEN 1 AND -2 AND ordered_on IS NOT NULL", "orders; orders.status IN a b; orders.total NOT BETWEEN 1 -2; orders.ordered_on NOT IS NULL"},
		{"", "SELECT * FROM orders WHERE status = 'a' OR status LIKE 'b%'", "orders; orders.status = a (sometimes); orders.status LIKE b% (sometimes)"},
		{"", "SELECT * FROM orders WHERE NOT (status = 'a') AND NOT deleted", "orders; orders.status = a (sometimes); orders.deleted NOT IS TRUE"},
		{"", "SELECT * FROM orders WHERE lower(status) = 'a'", "orders"},
		{"", "SELECT sum(CASE WHEN status = 'a' THEN total END) FROM orders", "orders; orders.status = a (sometimes); sum(…)"},
		{"", "SELECT count(*), COUNT(DISTINCT customer_id), max(o.total) FROM orders o", "orders; count(*); count(orders.customer_id) distinct; max(orders.total)"},
		{"", "SELECT sum(total) OVER (PARTITION BY status ORDER BY id) FROM orders", "orders"},
		{"", "SELECT 1 FROM orders o JOIN customers c ON o.customer_id = c.id AND c.country = 'DE'", "orders; customers; orders.customer_id=customers.id; customers.country = DE"},
		{"", "SELECT 1 FROM orders o LEFT JOIN customers c ON c.id = o.customer_id AND c.country = 'DE'", "orders; customers; customers.id=orders.customer_id; customers.country = DE (sometimes)"},
		{"", "SELECT 1 FROM orders o, customers c WHERE o.customer_id = c.id", "orders; customers; orders.customer_id=customers.id"},
		{"", "SELECT 1 FROM orders JOIN customers USING (id)", "orders; customers; orders.id=customers.id"},
		{"", "SELECT id FROM orders JOIN customers USING (id) WHERE id = 3", "orders; customers; orders.id=customers.id; orders.id = 3"},
		{"", "SELECT 1 FROM orders NATURAL JOIN customers", "orders; customers; orders.id=customers.id"},
		{"", "SELECT 1 FROM orders NATURAL JOIN strangers", "! NATURAL joins by columns that are not known"},
		{"", "SELECT 1 FROM orders o JOIN customers c ON o.customer_id = c.id OR o.id = c.id", "orders; customers"},
		{"", "SELECT id FROM orders, customers", `! column "id" is in several tables`},
		{"", "SELECT strange FROM orders", `! there is no column "strange"`},
		{"", "SELECT o.strange FROM orders o", `! there is no column "strange"`},
		{"", "SELECT strange FROM strangers WHERE strange = 'a'", "?strangers; ?.strange = a"},
		{"", "SELECT strange FROM strangers, others", `! it is not known which table has column "strange"`},
		{"", "WITH c AS (SELECT id, country AS land FROM customers) SELECT 1 FROM orders o JOIN c ON o.customer_id = c.id WHERE c.land = 'DE'", "customers | orders; c; orders.customer_id=customers.id; customers.country = DE"},
		{"", "WITH c (k, land) AS (SELECT id, country FROM customers) SELECT 1 FROM c WHERE land = 'DE' AND k = 1", "customers | c; customers.country = DE; customers.id = 1"},
		{"", "SELECT 1 FROM (SELECT * FROM orders) q WHERE q.status = 'a'", "query; orders.status = a | orders"},
		{"", "SELECT 1 FROM (SELECT upper(status) AS status FROM orders) q WHERE q.status = 'a'", "query; ?.status = a | orders"},
		{"", "SELECT 1 FROM (SELECT status FROM orders UNION ALL SELECT country FROM customers) q WHERE status = 'a'", "query; ?.status = a | orders | customers"},
		{"", "SELECT 1 FROM (SELECT status FROM orders UNION ALL SELECT status FROM orders o) q WHERE status = 'a'", "query; orders.status = a | orders | orders"},
		{"", "WITH RECURSIVE t AS (SELECT id FROM orders UNION ALL SELECT t.id + 1 FROM t WHERE t.id < 5) SELECT id FROM t", "orders | t; ?.id < 5 | t"},
		{"", "SELECT 1 FROM customers c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.id AND o.status = 'a')", "customers | orders; orders.status = a"},
		{"", "SELECT 1 FROM orders WHERE customer_id IN (SELECT id FROM customers WHERE country = 'DE')", "orders | customers; customers.country = DE"},
		{"", "SELECT status AS s, count(*) AS n FROM orders GROUP BY s HAVING n > 1 ORDER BY n DESC LIMIT 3", "orders; count(*)"},
		{"", "SELECT upper(status) AS status FROM orders WHERE status = 'a'", "orders"},
		{"", "SELECT status FROM orders UNION SELECT name FROM customers ORDER BY status", "orders | customers"},
		{"", "(SELECT id FROM orders) UNION ALL (SELECT id FROM customers) ORDER BY 1", "orders | customers"},
		{"", "SELECT extract(year FROM ordered_on), cast(total AS varchar(10)), trim(both ' ' from status), interval '1' day, date '2024-01-01' FROM orders", "orders"},
		{"", "SELECT 1 FROM orders o CROSS JOIN LATERAL (SELECT 1) x", "! a LATERAL query is not read"},
		{"", "SELECT id FROM orders QUALIFY row_number() OVER (ORDER BY id) = 1", "! QUALIFY chooses rows by windows"},
		{"", "SELECT * FROM (SELECT id FROM orders QUALIFY 1 = 1) q WHERE status = 'a'", `query; ?.status = a | ! QUALIFY chooses rows by windows`},
		{"", "SELECT 1 FROM orders PIVOT (sum(total) FOR status IN ('a'))", "! PIVOT is not expected there"},
		{"", "SELECT 1 FROM", "! it ends too early"},
		{"", "SELECT 1 FROM (SELECT 1 FROM) q, orders o WHERE o.status = 'a'", "query; orders; orders.status = a | ! ) is not expected there"},
		{"", "SELECT (1", "! its brackets do not match"},
		{"", "SELECT 'a", "! it cannot be split into words: the string that starts here has no end"},
		{"", "SHOW TABLES", "! it is no SELECT"},
		{"", "SELECT 1; SELECT 2", "! SELECT is not expected there"},
		{"", "", "! it is no SELECT"},
		{"postgres", "SELECT 1 FROM orders WHERE status = 'it''s'", "orders; orders.status = it's"},
		{"postgres", `SELECT 1 FROM orders WHERE status::text = 'a' AND E'a' = status AND status = 'b' || 'c'`, "orders; orders.status = a?"},
		{"postgres", `SELECT 1 FROM orders WHERE "status" = 'a' AND "Status" = 'b'`, "orders; orders.status = a; orders.status = b"},
		{"postgres", "SELECT g FROM generate_series(1, 2) g WHERE g > 1", "function"},
		{"postgres", "SELECT count(*) FILTER (WHERE status = 'a') FROM orders", "orders; orders.status = a (sometimes); count(*)"},
		{"postgres", "SELECT status ->> 'a', status -> id FROM orders", "orders"},
		{"bigquery", "SELECT DATE_TRUNC(ordered_on, MONTH), o.status.kind FROM orders o WHERE o.status.kind = 'a'", "orders; orders.status.* = a"},
		{"clickhouse", "SELECT arrayMap(x -> x * 2, [total]), sumIf(total, status = 'a') FROM orders FINAL PREWHERE deleted = 0 LIMIT 1 BY id", "orders; orders.status = a (sometimes); orders.deleted = 0; sumif(orders.total…)"},
		{"sqlserver", "SELECT TOP (5) [o].[status] FROM [dbo].[orders] AS o WITH (NOLOCK) WHERE o.[status] = N'a' ORDER BY DATEADD(day, -1, ordered_on)", "orders; orders.status = a"},
		{"mysql", "SELECT `status` FROM orders USE INDEX (x) WHERE `status` = \"a\" AND total = 'b\\'' LIMIT 1, 2", "orders; orders.status = a; orders.total = b\\'?"},
		{"snowflake", "SELECT status:a.b::string, ordered_on FROM orders WHERE status ILIKE 'x%'", "orders; orders.status ILIKE x%"},
	} {
		for _, name := range []string{"postgres", "mysql", "sqlite", "clickhouse", "duckdb", "bigquery", "snowflake", "sqlserver"} {
			if tt.engine != "" && tt.engine != name {
				continue
			}
			if got := said(statement.New(all[name], shop).Read(tt.sql)); got != tt.want {
				t.Errorf("%s: %s\n got %s\nwant %s", name, tt.sql, got, tt.want)
			}
		}
	}
}

// Most of what analysts write is understood, on each engine.
func TestOrdinaryStatementsAreUnderstood(t *testing.T) {
	t.Parallel()
	for name, d := range dialects(t) {
		schema := setup(corpus.OrdinarySetup(d))
		if len(schema) == 0 {
			continue // no corpus
		}
		r := statement.New(d, schema)
		selects, understood := 0, 0
		for _, sql := range corpus.Ordinary(d) {
			s := r.Read(sql)
			if s.Reason == "it is no SELECT" {
				continue
			}
			selects++
			if s.Understood() {
				understood++
			}
		}
		if selects < 350 || 100*understood < 85*selects {
			t.Errorf("%s: %d of %d statements are understood", name, understood, selects)
		}
		t.Logf("%s: %d of %d", name, understood, selects)
	}
}
