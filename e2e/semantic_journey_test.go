package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// question is a request to the semantic layer, and SQL by hand that says on the
// sample database what its rows are.
type question struct{ name, request, sql string }

// answered is what sl_query returns.
type answered struct {
	ConnectionID string
	Columns      []struct{ Name, Member, Type, Unit, Format, Provenance string }
	Headers      []string
	Rows         [][]json.RawMessage
	RowCount     int
	Truncated    bool
	Notes        []string
	SQL          string
}

var questions = map[string][]question{
	"chinook": {
		{
			"to-one", `{"measures": ["InvoiceLine.sales", "InvoiceLine.units"], "dimensions": ["Genre.Name"]}`,
			`SELECT g.Name, sum(l.UnitPrice * l.Quantity), sum(l.Quantity) FROM InvoiceLine l JOIN Track t USING (TrackId) JOIN Genre g USING (GenreId) GROUP BY 1 ORDER BY 1`,
		},
		{
			"an invoice counts once for every genre on it", `{"measures": ["Invoice.invoiced", "Invoice.invoices"], "dimensions": ["Genre.Name"]}`,
			`SELECT Name, sum(Total), count(*) FROM (SELECT DISTINCT i.InvoiceId, i.Total, g.Name FROM Invoice i JOIN InvoiceLine l USING (InvoiceId) JOIN Track t USING (TrackId) JOIN Genre g USING (GenreId)) GROUP BY 1 ORDER BY 1`,
		},
		{
			"two facts and their ratio", `{"measures": ["InvoiceLine.sales", "Track.tracks", "sales_per_track"], "dimensions": ["Genre.Name"]}`,
			`SELECT g.Name, (SELECT sum(l.UnitPrice * l.Quantity) FROM InvoiceLine l JOIN Track t USING (TrackId) WHERE t.GenreId = g.GenreId),
				(SELECT count(*) FROM Track t WHERE t.GenreId = g.GenreId),
				(SELECT sum(l.UnitPrice * l.Quantity) FROM InvoiceLine l JOIN Track t USING (TrackId) WHERE t.GenreId = g.GenreId) * 1.0 / (SELECT count(*) FROM Track t WHERE t.GenreId = g.GenreId)
			FROM Genre g ORDER BY 1`,
		},
		{
			"three sources that a join multiplies", `{"measures": ["Artist.row_count", "Album.albums", "Track.tracks", "Track.hours"]}`,
			`SELECT (SELECT count(*) FROM Artist), (SELECT count(*) FROM Album), (SELECT count(*) FROM Track), (SELECT sum(Milliseconds) / 3600000.0 FROM Track)`,
		},
		{
			"to date and a year before", `{"measures": ["Invoice.invoiced", "Invoice.invoiced_so_far", "Invoice.invoiced_year_before"], "dimensions": ["Invoice.InvoiceDate.month"], "date_ranges": [{"from": "2022-01-01", "to": "2023-06-30"}]}`,
			`WITH m(month, total) AS (SELECT date(InvoiceDate, 'start of month'), sum(Total) FROM Invoice GROUP BY 1)
			SELECT month, total, (SELECT sum(total) FROM m s WHERE s.month BETWEEN date(m.month, 'start of year') AND m.month), (SELECT total FROM m s WHERE s.month = date(m.month, '-1 year'))
			FROM m WHERE month BETWEEN '2022-01-01' AND '2023-06-30' ORDER BY 1`,
		},
		{
			"months without rows", `{"measures": ["Invoice.invoiced", "Invoice.invoices"], "dimensions": ["Invoice.InvoiceDate.month"], "filters": ["Customer.Country = 'Chile'"], "date_ranges": [{"from": "2021-01-01", "to": "2021-12-31"}], "fill_gaps": true}`,
			`WITH RECURSIVE m(month) AS (SELECT '2021-01-01' UNION ALL SELECT date(month, '+1 month') FROM m WHERE month < '2021-12-01')
			SELECT month, sum(i.Total), count(i.InvoiceId) FROM m LEFT JOIN (SELECT * FROM Invoice JOIN Customer USING (CustomerId) WHERE Country = 'Chile') i ON date(i.InvoiceDate, 'start of month') = month GROUP BY 1 ORDER BY 1`,
		},
		{
			"share and distinct count, NULL is not equal", `{"measures": ["Invoice.buyers", "Invoice.share_of_all"], "dimensions": ["Customer.Country"], "filters": [{"field": "Customer.Company", "op": "not_equals", "values": ["Apple Inc."]}]}`,
			`SELECT Country, count(DISTINCT CustomerId), sum(Total) / (SELECT sum(Total) FROM Invoice JOIN Customer USING (CustomerId) WHERE Company IS NOT 'Apple Inc.') FROM Invoice JOIN Customer USING (CustomerId) WHERE Company IS NOT 'Apple Inc.' GROUP BY 1 ORDER BY 1`,
		},
		{
			"median", `{"measures": ["Invoice.typical"], "dimensions": ["Customer.Country"]}`,
			`SELECT Country, avg(Total) FROM (SELECT Country, Total, row_number() OVER (PARTITION BY Country ORDER BY Total) AS n, count(*) OVER (PARTITION BY Country) AS c FROM Invoice JOIN Customer USING (CustomerId)) WHERE n IN ((c + 1) / 2, (c + 2) / 2) GROUP BY 1 ORDER BY 1`,
		},
		{
			"average of sums", `{"measures": ["Invoice.per_customer"], "dimensions": ["Customer.Country"]}`,
			`SELECT Country, avg(total) FROM (SELECT Country, CustomerId, sum(Total) AS total FROM Invoice JOIN Customer USING (CustomerId) GROUP BY 1, 2) GROUP BY 1 ORDER BY 1`,
		},
		{
			"a filter through lines is a question whether there is one", `{"measures": ["Invoice.invoiced"], "dimensions": ["Customer.Country"], "filters": ["Genre.Name = 'Jazz'"]}`,
			`SELECT c.Country, sum(Total) FROM Invoice i JOIN Customer c USING (CustomerId) WHERE EXISTS (SELECT 1 FROM InvoiceLine l JOIN Track t USING (TrackId) JOIN Genre g USING (GenreId) WHERE l.InvoiceId = i.InvoiceId AND g.Name = 'Jazz') GROUP BY 1 ORDER BY 1`,
		},
		{
			"members without rows", `{"measures": ["InvoiceLine.sales", "InvoiceLine.row_count"], "dimensions": ["Genre.Name"], "filters": ["Invoice.BillingCountry = 'Chile'"], "include_empty": true}`,
			`SELECT g.Name, sum(x.amount), count(x.amount) FROM Genre g LEFT JOIN (SELECT t.GenreId, l.UnitPrice * l.Quantity AS amount FROM InvoiceLine l JOIN Track t USING (TrackId) JOIN Invoice i USING (InvoiceId) WHERE i.BillingCountry = 'Chile') x USING (GenreId) GROUP BY 1 ORDER BY 1`,
		},
		{
			"a condition on groups, an order, an offset", `{"measures": ["Invoice.invoiced"], "dimensions": ["Customer.Country"], "filters": ["Invoice.invoiced > 40"], "order_by": ["-invoiced"], "offset": 1, "limit": 4}`,
			`SELECT Country, sum(Total) AS s FROM Invoice JOIN Customer USING (CustomerId) GROUP BY 1 HAVING s > 40 ORDER BY s DESC, 1 LIMIT 4 OFFSET 1`,
		},
		{
			"a segment, a default and an aggregate of the request", `{"measures": ["Invoice.invoiced_big", {"expr": "max(Invoice.Total)", "name": "highest"}], "dimensions": ["Customer.Country"]}`,
			`SELECT Country, coalesce(sum(CASE WHEN Total > 10 THEN Total END), 0), max(Total) FROM Invoice JOIN Customer USING (CustomerId) GROUP BY 1 ORDER BY 1`,
		},
		{
			"contains takes its text as it is", `{"measures": ["Track.tracks"], "filters": [{"field": "Track.Name", "op": "contains", "values": [" \\ "]}]}`,
			`SELECT count(*) FROM Track WHERE instr(Name, ' \ ') > 0`,
		},
		{
			"computed and NULL dimensions", `{"measures": ["Track.tracks"], "dimensions": ["Track.is_long"], "filters": ["Track.Composer IS NULL"]}`,
			`SELECT Milliseconds > 300000, count(*) FROM Track WHERE Composer IS NULL GROUP BY 1 ORDER BY 1`,
		},
		{
			"a bridge", `{"measures": ["PlaylistTrack.row_count"], "dimensions": ["Playlist.PlaylistId", "Genre.Name"], "filters": ["Playlist.Name IN ('Grunge', 'Classical')"]}`,
			`SELECT p.PlaylistId, g.Name, count(*) FROM PlaylistTrack pt JOIN Playlist p USING (PlaylistId) JOIN Track t USING (TrackId) JOIN Genre g USING (GenreId) WHERE p.Name IN ('Grunge', 'Classical') GROUP BY 1, 2 ORDER BY 1, 2`,
		},
	},
	"northwind": {
		{
			"names with spaces", `{"measures": ["\"Order Details\".revenue", "\"Order Details\".pieces"], "dimensions": ["Categories.CategoryName"]}`,
			`SELECT CategoryName, sum(d.UnitPrice * Quantity * (1 - Discount)), sum(Quantity) FROM "Order Details" d JOIN Products p USING (ProductID) JOIN Categories USING (CategoryID) GROUP BY 1 ORDER BY 1`,
		},
		{
			"what an order costs counts once for its categories", `{"measures": ["Orders.shipping_cost", "revenue"], "dimensions": ["Categories.CategoryName"]}`,
			`SELECT c.CategoryName, (SELECT sum(Freight) FROM Orders o WHERE EXISTS (SELECT 1 FROM "Order Details" d JOIN Products p USING (ProductID) WHERE d.OrderID = o.OrderID AND p.CategoryID = c.CategoryID)),
				(SELECT sum(d.UnitPrice * Quantity * (1 - Discount)) FROM "Order Details" d JOIN Products p USING (ProductID) WHERE p.CategoryID = c.CategoryID)
			FROM Categories c ORDER BY 1`,
		},
		{
			"a role", `{"measures": ["Orders.late", "Orders.orders"], "dimensions": ["carrier.CompanyName"]}`,
			`SELECT CompanyName, count(CASE WHEN ShippedDate > RequiredDate THEN 1 END), count(*) FROM Orders JOIN Shippers ON ShipVia = ShipperID GROUP BY 1 ORDER BY 1`,
		},
		{
			"weeks", `{"measures": ["Orders.orders"], "dimensions": ["Orders.OrderDate.week"], "date_ranges": [{"from": "1996-12-16", "to": "1997-01-12"}]}`,
			`SELECT date(OrderDate, 'weekday 0', '-6 days'), count(*) FROM Orders WHERE date(OrderDate) BETWEEN '1996-12-16' AND '1997-01-12' GROUP BY 1 ORDER BY 1`,
		},
		{
			"what was never shipped", `{"measures": ["Orders.orders"], "dimensions": ["Customers.Country"], "filters": [{"field": "Orders.ShippedDate", "op": "is_null"}]}`,
			`SELECT Country, count(*) FROM Orders JOIN Customers USING (CustomerID) WHERE ShippedDate IS NULL GROUP BY 1 ORDER BY 1`,
		},
		{
			"nothing was written about these", `{"measures": ["EmployeeTerritories.row_count"], "dimensions": ["Regions.RegionDescription"]}`,
			`SELECT RegionDescription, count(*) FROM EmployeeTerritories JOIN Territories USING (TerritoryID) JOIN Regions USING (RegionID) GROUP BY 1 ORDER BY 1`,
		},
	},
}

// The same files, requests and rows on every engine.
func TestSemanticLayerAnswers(t *testing.T) {
	t.Parallel()
	for name, e := range engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if name != "postgres" {
				heavy(t, "the samples on "+name)
			}
			checkSamples(t, e, name == "sqlite")
		})
	}
}

// checkSamples asks all questions on an engine, over MCP and on the command line; with
// -short those of one sample, unless all.
func checkSamples(t *testing.T, e engine, all bool) {
	t.Helper()
	for sample, asked := range questions {
		t.Run(sample, func(t *testing.T) {
			if sample == "chinook" && !all {
				heavy(t, "the sample chinook on engines other than SQLite")
			}
			t.Parallel()
			db := openSample(t, sample)
			dir, include := e.create(t, e.statements(sampleTables(t, db)))
			semanticFiles(t, dir, sample)
			scan(t, dir, "--include", include)
			checkValid(t, dir)
			s := stdioServer(t, dir)
			for _, q := range asked {
				t.Run(q.name, func(t *testing.T) {
					if e.keyless && sample == "northwind" && strings.HasPrefix(q.name, "nothing was written") {
						t.Skip("the engine declares no keys")
					}
					want := plainRows(selectRows(t, db, q.sql))
					if len(want) == 0 {
						t.Fatal("the sample has no such rows")
					}
					got := s.semantic(t, q.request)
					rows := plainCells(t, got.Rows)
					if !strings.Contains(q.request, "order_by") { // engines sort texts each in their own way
						slices.Sort(want)
						slices.Sort(rows)
					}
					if diff := cmp.Diff(want, rows); diff != "" {
						t.Errorf("rows (-want +got):\n%s\n%s", diff, got.SQL)
					}
					if got.RowCount != len(want) || got.Truncated || len(got.Columns) != len(got.Headers) || got.ConnectionID != "warehouse" {
						t.Errorf("answer: %+v", got)
					}
				})
			}
			t.Run("on the command line", func(t *testing.T) { checkCommandLine(t, dir, s, asked[0]) })
		})
	}
}

// semanticFiles copies a folder of testdata/semantic to a project's warehouse.
func semanticFiles(t testing.TB, dir, name string) {
	t.Helper()
	if err := os.CopyFS(filepath.Join(dir, "semantic-layer", "warehouse"), os.DirFS(filepath.Join("testdata", "semantic", name))); err != nil {
		t.Fatal(err)
	}
}

// checkValid: nothing is wrong with the files, whatever the engine.
func checkValid(t testing.TB, dir string) {
	t.Helper()
	if r := loam(t, dir, "sl", "validate"); r.code != 0 {
		t.Errorf("loam sl validate: exit %d: %s%s", r.code, r.stdout, r.stderr)
	}
}

// checkCommandLine: a person gets what an agent gets.
func checkCommandLine(t *testing.T, dir string, s *server, q question) {
	t.Helper()
	writeFile(t, filepath.Join(dir, "question.json"), q.request)
	r := loam(t, dir, "sl", "query", "--file", "question.json", "--format", "json")
	if r.code != 0 {
		t.Fatalf("loam sl query: exit %d: %s", r.code, r.stderr)
	}
	var typed answered
	unmarshal(t, []byte(r.stdout), &typed)
	asked := s.semantic(t, q.request)
	if diff := cmp.Diff(asked.Headers, typed.Headers); diff != "" {
		t.Errorf("headers (-asked +typed):\n%s", diff)
	}
	if diff := cmp.Diff(plainCells(t, asked.Rows), plainCells(t, typed.Rows)); diff != "" {
		t.Errorf("rows (-asked +typed):\n%s", diff)
	}
	compiled := loam(t, dir, "sl", "query", "--file", "question.json", "--format", "sql")
	if compiled.code != 0 || !strings.Contains(compiled.stdout, "SELECT") {
		t.Fatalf("--format sql: exit %d: %s%s", compiled.code, compiled.stdout, compiled.stderr)
	}
	// What is shown must be what was run.
	ran, failed := s.sql(t.Context(), t, "warehouse", strings.TrimSpace(compiled.stdout), nil)
	if failed != nil {
		t.Fatalf("%+v: %s", failed, compiled.stdout)
	}
	if diff := cmp.Diff(plainCells(t, asked.Rows), plainCells(t, ran.Rows)); diff != "" {
		t.Errorf("rows of the SQL (-asked +ran):\n%s", diff)
	}
}

// arguments decodes a request for CallTool.
func arguments(t testing.TB, request string) map[string]any {
	t.Helper()
	args := map[string]any{}
	unmarshal(t, []byte(request), &args)
	return args
}

// semantic asks sl_query and returns the answer with its SQL; a refusal fails
// the test.
func (s *server) semantic(t *testing.T, request string) *answered {
	t.Helper()
	args, got := arguments(t, request), &answered{}
	args["include"] = []string{"sql"}
	if failed := s.ask(t, "sl_query", args, got); failed != nil {
		t.Fatalf("%s: %+v", request, failed)
	}
	return got
}

// refusal asks sl_query for what it must refuse.
func (s *server) refusal(t *testing.T, request string) *failure {
	t.Helper()
	var got json.RawMessage
	failed := s.ask(t, "sl_query", arguments(t, request), &got)
	if failed == nil {
		t.Fatalf("%s was answered: %s", request, got)
	}
	return failed
}

// plainRows writes rows as what every engine agrees on: numbers to a millionth,
// days without their midnight.
func plainRows(rows [][]any) []string {
	lines := make([]string, len(rows))
	for i, row := range rows {
		cells := make([]string, len(row))
		for j, cell := range row {
			cells[j] = "null"
			if cell != nil {
				cells[j] = plain(fmt.Sprint(cell))
			}
		}
		lines[i] = strings.Join(cells, " | ")
	}
	return lines
}

func plainCells(t testing.TB, rows [][]json.RawMessage) []string {
	t.Helper()
	all := make([][]any, len(rows))
	for i, row := range rows {
		all[i] = make([]any, len(row))
		for j, raw := range row {
			var cell any
			unmarshal(t, raw, &cell)
			if number, ok := cell.(float64); ok {
				cell = strconv.FormatFloat(number, 'f', -1, 64)
			}
			all[i][j] = cell
		}
	}
	return plainRows(all)
}

func plain(cell string) string {
	switch cell {
	case "true":
		cell = "1"
	case "false":
		cell = "0"
	}
	if n, err := strconv.ParseFloat(cell, 64); err == nil {
		return strings.TrimSuffix(strings.TrimRight(strconv.FormatFloat(n, 'f', 6, 64), "0"), ".")
	}
	return strings.TrimSuffix(strings.TrimSuffix(cell, "T00:00:00"), " 00:00:00")
}
