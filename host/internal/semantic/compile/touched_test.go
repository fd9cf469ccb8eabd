package compile_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// grownRows are the orders of the small shop; the large one has ten times as many of
// everything that a request joins, groups or counts in windows: days and customers too.
const grownRows = 300

// mostGrowth is how many times as much a statement may do on ten times as many rows.
const mostGrowth = 12

// quadratic are requests over an open range: ten times the days are ten times the periods,
// and each period is compared with the sums of every period and group. The condition of a
// window is a range, which SQLite cannot look up in what a CTE holds. On ten times the rows
// of as many days windows_per_entity does 7.5 times as much.
var quadratic = map[string]bool{"windows_per_entity": true}

// How much SQLite does for the statement of each request: the instructions of its
// virtual machine, of which every row that is read, joined, sorted or grouped takes some.
// On ten times as many rows it may do twelve times as much. testdata/touched.txt has the
// figures of the small shop, to two digits.
func TestRowsTouched(t *testing.T) {
	t.Parallel()
	d := engine(t, "sqlite")
	m := shopModel(t, d)
	small, large := openCounted(t), openCounted(t)
	small.run(grown(grownRows))
	large.run(grown(10 * grownRows))
	var got strings.Builder
	for _, tt := range golden {
		q, err := compiled(t, m, d, tt.request)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		n, tenfold := small.steps(q.SQL), large.steps(q.SQL)
		t.Logf("%s: %d, and %.1f times as much", tt.name, n, float64(tenfold)/float64(n))
		if tenfold > mostGrowth*n && !quadratic[tt.name] {
			t.Errorf("%s takes %d instructions, and %d on ten times the rows:\n%s", tt.name, n, tenfold, q.SQL)
		}
		fmt.Fprintf(&got, "%s %.1e\n", tt.name, float64(n))
	}
	path := filepath.Join("testdata", "touched.txt")
	if flag.Lookup("update").Value.String() == "true" {
		if err := os.WriteFile(path, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("run go test -update when what costs more is worth it (-want +got):\n%s", diff)
	}
}

// grown makes a shop of n orders, one on each day, of n / 4 customers.
func grown(n int) string {
	var b strings.Builder
	for statement := range strings.SplitSeq(shopData, ";") {
		if strings.Contains(statement, "CREATE TABLE") {
			b.WriteString(statement + ";")
		}
	}
	fmt.Fprintf(&b, `
CREATE TABLE fiscal_days (day TEXT, quarter TEXT, year INTEGER);
CREATE INDEX a ON orders (customer_id);
CREATE INDEX b ON items (order_id);
CREATE INDEX c ON tickets (customer_id);
CREATE TABLE numbers AS WITH RECURSIVE c(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM c WHERE n < %[1]d - 1) SELECT n FROM c;
CREATE TEMP VIEW dated AS SELECT n, date('2024-03-15', '-' || (%[1]d - n) || ' days') AS day FROM numbers;
INSERT INTO regions SELECT n, 'r' || n FROM numbers WHERE n < %[1]d / 30;
INSERT INTO customers SELECT n, 'c' || n, CASE n %% 3 WHEN 0 THEN 'retail' WHEN 1 THEN 'trade' END, n %% (%[1]d / 20) FROM numbers WHERE n < %[1]d / 5;
INSERT INTO orders SELECT n, n * 7 %% (%[1]d / 4), CASE n %% 3 WHEN 0 THEN 'paid' WHEN 1 THEN 'open' END, n %% 97, day FROM dated;
INSERT INTO items SELECT n, n %% %[1]d, CASE n %% 4 WHEN 0 THEN 'food' WHEN 1 THEN 'toys' WHEN 2 THEN 'tools' END, n %% 6
	FROM (SELECT n FROM numbers UNION ALL SELECT n + %[1]d FROM numbers);
INSERT INTO tickets SELECT n, n %% (%[1]d / 5), CASE n %% 2 WHEN 0 THEN 'bug' END, n %% 9, day FROM dated;
INSERT INTO stock SELECT day, 's' || n %% 9, n %% 50 FROM dated;
INSERT INTO keyless SELECT n, 'x' FROM numbers;
INSERT INTO fiscal_days SELECT day, strftime('%%Y', day, '+1 month') || '-' || (strftime('%%m', day, '+1 month') + 2) / 3, strftime('%%Y', day, '+1 month') FROM dated`, n)
	return b.String()
}

// counted is a database in memory that counts the instructions of statements.
type counted struct {
	t       *testing.T
	tls     *libc.TLS
	db, out uintptr
}

func openCounted(t *testing.T) *counted {
	t.Helper()
	c := &counted{t: t, tls: libc.NewTLS()}
	c.out = c.tls.Alloc(int(unsafe.Sizeof(c.out)))
	t.Cleanup(func() {
		sqlite3.Xsqlite3_close(c.tls, c.db)
		c.tls.Free(int(unsafe.Sizeof(c.out)))
		c.tls.Close()
	})
	name := c.text(":memory:")
	defer libc.Xfree(c.tls, name)
	c.must(sqlite3.Xsqlite3_open(c.tls, name, c.out))
	c.db = libc.AtomicLoadPUintptr(c.out)
	return c
}

func (c *counted) text(s string) uintptr {
	text, err := libc.CString(s)
	if err != nil {
		c.t.Fatal(err)
	}
	return text
}

func (c *counted) must(code int32) {
	c.t.Helper()
	if code != sqlite3.SQLITE_OK {
		c.t.Fatal(errors.New(libc.GoString(sqlite3.Xsqlite3_errmsg(c.tls, c.db))))
	}
}

// run runs statements.
func (c *counted) run(script string) {
	c.t.Helper()
	text := c.text(script)
	defer libc.Xfree(c.tls, text)
	c.must(sqlite3.Xsqlite3_exec(c.tls, c.db, text, 0, 0, 0))
}

// steps runs a query to its end and returns the instructions that it took.
func (c *counted) steps(query string) int {
	c.t.Helper()
	text := c.text(query)
	defer libc.Xfree(c.tls, text)
	c.must(sqlite3.Xsqlite3_prepare_v2(c.tls, c.db, text, -1, c.out, 0))
	statement := libc.AtomicLoadPUintptr(c.out)
	code := int32(sqlite3.SQLITE_ROW)
	for code == sqlite3.SQLITE_ROW {
		code = sqlite3.Xsqlite3_step(c.tls, statement)
	}
	n := sqlite3.Xsqlite3_stmt_status(c.tls, statement, sqlite3.SQLITE_STMTSTATUS_VM_STEP, 0)
	c.must(sqlite3.Xsqlite3_finalize(c.tls, statement))
	return int(n)
}
