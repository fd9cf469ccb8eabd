package conform

import (
	"testing"
	"time"

	"github.com/loam-data/loam/sdk"
)

// Crowd tests that the cost of a scan does not grow with the number of tables, on a database that
// has no other tables.
type Crowd struct {
	Connector *sdk.Connector
	Config    sdk.Config
	// Columns is the number of columns of each table.
	Columns int
	// Fill creates the tables with the numbers from up to, but not including, to.
	Fill func(from, to int)
	// Asked returns the number of statements that the connector has sent to the engine since the
	// last call.
	Asked func() int
}

// Few and Many are the numbers of tables at which a Crowd is scanned.
const (
	Few  = 500
	Many = 5000
)

// Run scans the database with Few and with Many tables. It checks that both scans send the same
// number of statements and return every table, and, if incremental scans are declared, that a scan
// after no change sends every table as unchanged. It is skipped with -short.
func (c Crowd) Run(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skipf("-short: a scan of %d tables", Many)
	}
	asked := map[int]int{}
	made := 0
	for _, tables := range []int{Few, Many} {
		c.Fill(made, tables)
		made = tables
		session, err := c.Connector.Open(t.Context(), sdk.OpenRequest{ConnectionID: "crowd", Config: c.Config, StatementTimeout: patience})
		if err != nil {
			t.Fatal(err)
		}
		since := c.scan(t, session, sdk.ScanRequest{}, tables, tables*c.Columns, asked)
		if c.Connector.Describe().Capabilities.IncrementalScan {
			c.scan(t, session, sdk.ScanRequest{Since: since}, tables, 0, map[int]int{})
		}
		if err := session.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if asked[Few] == 0 || asked[Few] != asked[Many] {
		t.Errorf("the engine is asked %d times for %d tables, and %d times for %d", asked[Few], Few, asked[Many], Many)
	}
}

// scan scans once and counts the statements.
func (c Crowd) scan(t *testing.T, session sdk.Session, req sdk.ScanRequest, tables, columns int, asked map[int]int) (since string) {
	t.Helper()
	c.Asked()
	started := time.Now()
	found := &counted{}
	sum, err := session.Scan(t.Context(), req, found)
	if err != nil {
		t.Fatal(err)
	}
	asked[tables] = c.Asked()
	t.Logf("%d tables, %d columns: %s, %d questions", found.tables, found.columns, time.Since(started).Round(time.Millisecond), asked[tables])
	if sum.Tables != int64(tables) || found.tables != tables || sum.Columns != int64(columns) || found.columns != columns || !sum.Complete {
		t.Errorf("a scan of %d tables and %d columns: %d and %d came, the summary is %+v", tables, columns, found.tables, found.columns, sum)
	}
	return sum.Since
}

// counted counts the tables and columns of a scan.
type counted struct{ tables, columns int }

func (c *counted) Table(t *sdk.Table) error {
	c.tables, c.columns = c.tables+1, c.columns+len(t.Columns)
	return nil
}
func (*counted) Warning(sdk.Warning) error { return nil }
func (*counted) Progress(sdk.Progress)     {}
