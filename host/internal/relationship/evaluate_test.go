package relationship

import (
	"compress/gzip"
	"context"
	"database/sql"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
	_ "modernc.org/sqlite"
)

// sample is a database that says nothing of its keys, and those it has.
type sample struct {
	db    *sql.DB
	name  string
	truth []string
}

func open(t testing.TB, name, script string) *sample {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(t.TempDir(), "db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	db.SetMaxOpenConns(1)
	for _, s := range []string{"PRAGMA journal_mode=OFF", "PRAGMA synchronous=OFF", script} {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	s := &sample{db: db, name: name}
	for _, table := range s.strings(t, "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name") {
		for _, row := range s.strings(t, `SELECT '`+table+`(' || group_concat("from", ', ') || ') → ' || "table" || '(' || group_concat("to", ', ') || ')'
			FROM (SELECT * FROM pragma_foreign_key_list('`+table+`') ORDER BY id, seq) GROUP BY id`) {
			s.truth = append(s.truth, strings.ToLower(row))
		}
	}
	return s
}

func (s *sample) strings(t testing.TB, query string) (all []string) {
	t.Helper()
	rows, err := s.db.Query(query)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer rows.Close()
	for rows.Next() {
		var one string
		if err := rows.Scan(&one); err != nil {
			t.Fatal(err)
		}
		all = append(all, one)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

func logical(native string) sdk.Type {
	native = strings.ToUpper(native)
	switch {
	case strings.Contains(native, "INT"):
		return sdk.TypeInt64
	case strings.Contains(native, "CHAR"), strings.Contains(native, "TEXT"):
		return sdk.TypeText
	case strings.Contains(native, "DATE"):
		return sdk.TypeTimestamp
	case strings.Contains(native, "BLOB"):
		return sdk.TypeBytes
	}
	return sdk.TypeFloat64
}

// tables yields the tables with profiles as connectors make them.
func (s *sample) tables(t testing.TB) iter.Seq2[Table, error] {
	return func(yield func(Table, error) bool) {
		for _, name := range s.strings(t, "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name") {
			table := Table{Table: &sdk.Table{TableRef: sdk.TableRef{Name: name}, Kind: sdk.TableBase}}
			for _, c := range s.strings(t, "SELECT name || char(0) || type FROM pragma_table_info('"+name+"')") {
				column, native, _ := strings.Cut(c, "\x00")
				table.Columns = append(table.Columns, sdk.Column{Name: column, NativeType: native, Type: logical(native)})
				table.Stats = append(table.Stats, s.stats(t, name, column, logical(native)))
			}
			if !yield(table, nil) {
				return
			}
		}
	}
}

func (s *sample) stats(t testing.TB, table, column string, typ sdk.Type) sdk.ColumnStats {
	t.Helper()
	rows, err := s.db.Query(fmt.Sprintf("SELECT CAST(v AS TEXT), n FROM (SELECT %q AS v, COUNT(*) AS n FROM %q GROUP BY 1 ORDER BY 1)", column, table))
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	type count struct {
		text sql.NullString
		n    int64
	}
	var all []count
	var total, nulls int64
	for rows.Next() {
		var c count
		if err := rows.Scan(&c.text, &c.n); err != nil {
			t.Fatal(err)
		}
		if total += c.n; !c.text.Valid {
			nulls += c.n
			continue
		}
		all = append(all, c)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	d := sqlkit.NewDistribution(column, &sdk.ProfileRequest{SketchSize: 256}, total, nulls)
	for _, c := range all {
		switch typ {
		case sdk.TypeInt64, sdk.TypeFloat64, sdk.TypeTimestamp:
			d.Number([]byte(c.text.String), c.n)
		case sdk.TypeText:
			d.Text([]byte(c.text.String), c.n)
		default:
			d.Other([]byte(c.text.String), c.n)
		}
	}
	key := typ == sdk.TypeInt64 || typ == sdk.TypeText
	return d.Stats(true, key)
}

// validate is the anti-join that a warehouse is asked.
func (s *sample) validate(ctx context.Context, c Candidate) (n Check, err error) {
	var on, list, to, some []string
	for i, column := range c.Columns {
		on = append(on, fmt.Sprintf("p.%q = c.%q", c.ToColumns[i], column))
		list = append(list, fmt.Sprintf("%q", column))
		to = append(to, fmt.Sprintf("%q", c.ToColumns[i]))
		some = append(some, fmt.Sprintf("%q IS NOT NULL", column))
	}
	err = s.db.QueryRowContext(ctx, fmt.Sprintf(`SELECT COUNT(*), COALESCE(SUM(p.hit IS NULL), 0),
		(SELECT COUNT(*) FROM (SELECT 1 FROM %[1]q GROUP BY %[3]s HAVING COUNT(*) > 1))
		FROM (SELECT DISTINCT %[4]s FROM %[5]q WHERE %[6]s) c LEFT JOIN (SELECT DISTINCT 1 AS hit, %[3]s FROM %[1]q) p ON %[2]s`,
		c.To.Name, strings.Join(on, " AND "), strings.Join(to, ", "), strings.Join(list, ", "), c.From.Name, strings.Join(some, " AND "))).
		Scan(&n.Checked, &n.Missing, &n.Duplicates)
	if c.Unique {
		n.Duplicates = 0
	}
	return n, err
}

// score is how well accepted relationships agree with the declared ones.
type score struct{ right, wrong, missed, validations int }

func (s score) precision() float64 { return float64(s.right) / float64(max(1, s.right+s.wrong)) }
func (s score) recall() float64    { return float64(s.right) / float64(max(1, s.right+s.missed)) }

func (s score) String() string {
	p, r := s.precision(), s.recall()
	return fmt.Sprintf("precision %.3f, recall %.3f, F1 %.3f (%d right, %d wrong, %d missed), %d validations", p, r, 2*p*r/(p+r), s.right, s.wrong, s.missed, s.validations)
}

func (s *sample) evaluate(t testing.TB) score {
	t.Helper()
	result, err := Infer(t.Context(), Request{Tables: s.tables(t), HideKeys: true, Validate: s.validate})
	if err != nil {
		t.Fatal(err)
	}
	n := score{validations: result.Validations}
	left := slices.Clone(s.truth)
	for _, r := range result.Relationships {
		link := strings.ToLower(r.String())
		i := slices.Index(left, link)
		if r.Status != Accepted {
			t.Logf("%s: %s %s, true: %t: %+v", s.name, r.Status, link, i >= 0, r.Evidence)
			continue
		}
		if i < 0 {
			t.Logf("%s: wrong: %s: %+v", s.name, link, r.Evidence)
			n.wrong++
			continue
		}
		left = slices.Delete(left, i, i+1)
		n.right++
	}
	n.missed = len(left)
	t.Logf("%s: %s; missed %q", s.name, n, left)
	if budget := 2 * result.Tables; result.Validations > budget {
		t.Errorf("%s: %d validations of %d tables", s.name, result.Validations, result.Tables)
	}
	return n
}

// script reads a script of the sample databases.
func script(t testing.TB, name string) string {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "..", "..", "e2e", "testdata", "sample", name+".sql.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimPrefix(string(text), "\ufeff")
}

// Precision and recall with the declared keys hidden.
func TestEvaluate(t *testing.T) {
	t.Parallel()
	samples := []*sample{
		open(t, "tpch", tpch(0)), open(t, "Chinook", script(t, "chinook-sqlite")), open(t, "Northwind", script(t, "northwind-sqlite")),
	}
	var all score
	for _, s := range samples {
		n := s.evaluate(t)
		all.right, all.wrong, all.missed, all.validations = all.right+n.right, all.wrong+n.wrong, all.missed+n.missed, all.validations+n.validations
	}
	t.Logf("all: %s", all)
	if all.precision() < .95 || all.recall() < .85 {
		t.Errorf("%s; want at least .95 and .85", all)
	}
}

// With five rows in a hundred that refer to nothing, what is accepted is still
// right.
func TestOrphans(t *testing.T) {
	t.Parallel()
	if n := open(t, "tpch with orphans", tpch(.05)).evaluate(t); n.precision() < .95 {
		t.Errorf("%s; want a precision of .95", n)
	}
}

// tpch generates tables in the shape of TPC-H's, with a share of orphaned rows.
func tpch(orphans float64) string {
	rng := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	b.WriteString(`BEGIN;
CREATE TABLE region (r_regionkey INTEGER, r_name CHAR(25), r_comment VARCHAR(152));
CREATE TABLE nation (n_nationkey INTEGER, n_name CHAR(25), n_regionkey INTEGER REFERENCES region(r_regionkey), n_comment VARCHAR(152));
CREATE TABLE supplier (s_suppkey INTEGER, s_name CHAR(25), s_address VARCHAR(40), s_nationkey INTEGER REFERENCES nation(n_nationkey), s_phone CHAR(15), s_acctbal DECIMAL(15,2));
CREATE TABLE customer (c_custkey INTEGER, c_name VARCHAR(25), c_nationkey INTEGER REFERENCES nation(n_nationkey), c_phone CHAR(15), c_mktsegment CHAR(10));
CREATE TABLE part (p_partkey INTEGER, p_name VARCHAR(55), p_brand CHAR(10), p_size INTEGER, p_retailprice DECIMAL(15,2));
CREATE TABLE partsupp (ps_partkey INTEGER REFERENCES part(p_partkey), ps_suppkey INTEGER REFERENCES supplier(s_suppkey), ps_availqty INTEGER, ps_supplycost DECIMAL(15,2));
CREATE TABLE orders (o_orderkey INTEGER, o_custkey INTEGER REFERENCES customer(c_custkey), o_orderstatus CHAR(1), o_shippriority INTEGER);
CREATE TABLE lineitem (l_orderkey INTEGER REFERENCES orders(o_orderkey), l_partkey INTEGER REFERENCES part(p_partkey), l_suppkey INTEGER REFERENCES supplier(s_suppkey),
	l_linenumber INTEGER, l_quantity INTEGER, l_shipmode CHAR(10), FOREIGN KEY (l_partkey, l_suppkey) REFERENCES partsupp(ps_partkey, ps_suppkey));
`)
	const suppliers, customers, parts, orders = 20, 150, 200, 1500
	row := func(table, format string, values ...any) {
		fmt.Fprintf(&b, "INSERT INTO %s VALUES (%s);\n", table, fmt.Sprintf(format, values...))
	}
	key := func(n int) int { // a key, or one that is gone
		if rng.Float64() < orphans {
			return 9_000_000 + n
		}
		return n
	}
	for i := range 5 {
		row("region", "%d, 'R%d', 'c'", i, i)
	}
	for i := range 25 {
		row("nation", "%d, 'N%d', %d, 'c'", i, i, key(i%5))
	}
	for i := range suppliers {
		row("supplier", "%d, 'Supplier%d', 'a%d', %d, '%d', %d.5", i+1, i, i, key(rng.IntN(25)), i, rng.IntN(9000))
	}
	for i := range customers {
		row("customer", "%d, 'Customer%d', %d, '%d', 'M%d'", i+1, i, key(rng.IntN(25)), i, i%5)
	}
	for i := range parts {
		row("part", "%d, 'part %d', 'B%d', %d, %d.1", i+1, i, i%25, rng.IntN(50)+1, 900+i)
		for j := range 4 {
			row("partsupp", "%d, %d, %d, %d.2", key(i+1), key((i+j*suppliers/4)%suppliers+1), rng.IntN(9999), rng.IntN(1000))
		}
	}
	for i := range orders {
		order := i/8*32 + i%8 + 1                         // the first eight of every 32
		customer := rng.IntN(customers/3)*3 + rng.IntN(2) // a third of them never orders
		row("orders", "%d, %d, 'O', 0", order, key(max(1, customer)))
		for line := range rng.IntN(4) + 1 {
			part, nth := rng.IntN(parts), rng.IntN(4)
			row("lineitem", "%d, %d, %d, %d, %d, 'AIR'", key(order), key(part+1), key((part+nth*suppliers/4)%suppliers+1), line+1, rng.IntN(50)+1)
		}
	}
	b.WriteString("COMMIT;")
	return b.String()
}
