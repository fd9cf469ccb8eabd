package bigquery_test

import (
	"fmt"
	"strings"
	"testing"

	fixture "github.com/loam-data/loam/e2e/testserver/bigquery"
	"github.com/loam-data/loam/plugins/bigquery"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/conform"
)

// TestScanQueriesDoNotGrow scans few tables and many with as many statements.
func TestScanQueriesDoNotGrow(t *testing.T) {
	t.Parallel()
	sent := map[int]int{}
	for _, n := range []int{2, 300} {
		server := fixture.Start(t)
		var script strings.Builder
		script.WriteString("CREATE SCHEMA lab")
		for i := range n {
			fmt.Fprintf(&script, ";\nCREATE TABLE lab.t%d (id INT64, r STRUCT<a STRING, b ARRAY<STRUCT<c DATE>>>)", i)
		}
		server.Exec(t, script.String()+";")
		s := open(t, server, nil)
		before := len(server.Requests())
		w, sum := scan(t, s, sdk.ScanRequest{MaxBytesScanned: 1 << 30})
		if len(w.found) != n || sum.Columns != int64(2*n) || sum.BytesBilled <= 0 || !sum.Complete || len(w.warnings) > 0 {
			t.Errorf("%d tables: %+v, %v", len(w.found), sum, w.warnings)
		}
		var billed, jobs int64
		for _, r := range since(server, before, "query") {
			if r.MaximumBytesBilled <= 0 || r.MaximumBytesBilled > 1<<30-billed {
				t.Errorf("a catalogue query may bill %d bytes", r.MaximumBytesBilled)
			}
			billed += 10 << 20
			jobs++
		}
		sent[n] = len(server.Requests()) - before
		t.Logf("%d tables: %d requests, %d of them jobs, %d bytes billed", n, sent[n], jobs, sum.BytesBilled)
	}
	if sent[300] > sent[2] {
		t.Errorf("requests by tables: %v", sent)
	}
}

// TestBytesOfAScan is about a scan whose first queries bill all that it may.
func TestBytesOfAScan(t *testing.T) {
	t.Parallel()
	server := start(t)
	s := open(t, server, nil)
	before := len(server.Requests())
	_, err := s.Scan(t.Context(), sdk.ScanRequest{MaxBytesScanned: 10 << 20}, &tables{found: map[string]*sdk.Table{}})
	if e := wantKind(t, err, sdk.KindLimit); !strings.Contains(e.Hint, "scan.max_bytes") {
		t.Errorf("%v (%s)", e, e.Hint)
	}
	if jobs := since(server, before, "query"); len(jobs) != 1 {
		t.Errorf("%d queries ran", len(jobs))
	}
}

// TestScanLeavesOut what the account may not see, with a warning for each.
func TestScanLeavesOut(t *testing.T) {
	t.Parallel()
	server := start(t)
	server.Exec(t, shopSQL)
	server.Close("closed", "")
	s := open(t, server, map[string]any{"datasets": []string{lab, "closed", "nowhere"}})
	w, _ := scan(t, s, sdk.ScanRequest{})
	about := map[string]int{}
	for _, warning := range w.warnings {
		about[warning.Object]++
	}
	if about["closed"] != 1 || about["nowhere"] != 1 || len(about) != 2 || len(w.found) != 3 {
		t.Errorf("%d tables, warnings %v", len(w.found), w.warnings)
	}
}

func TestRowsAndBytesOfTables(t *testing.T) {
	t.Parallel()
	server := start(t)
	w, _ := scan(t, open(t, server, nil), sdk.ScanRequest{})
	if a := w.found["lab.accounts"]; a == nil || a.RowEstimate != 3 || a.ByteEstimate <= 0 {
		t.Errorf("accounts: %+v", a)
	}
}

// TestScanOfManyTables: the number of catalogue queries does not grow with the number of
// tables.
func TestScanOfManyTables(t *testing.T) {
	t.Parallel()
	server := fixture.Start(t)
	server.Exec(t, "CREATE SCHEMA lab;")
	const columns = 20
	list := make([]string, columns)
	for i := range list {
		list[i] = fmt.Sprintf("c%d STRING OPTIONS (description = 'column %d')", i, i)
	}
	seen := 0
	conform.Crowd{
		Connector: bigquery.Connector(), Config: configOf(t, server, reader, nil), Columns: columns,
		Fill: func(from, to int) {
			var script strings.Builder
			for i := from; i < to; i++ {
				fmt.Fprintf(&script, "CREATE TABLE lab.t%05d (%s);\n", i, strings.Join(list, ", "))
			}
			server.Exec(t, script.String())
			seen = len(server.Requests())
		},
		Asked: func() int {
			asked := len(since(server, seen, "query"))
			seen = len(server.Requests())
			return asked
		},
	}.Run(t)
}
