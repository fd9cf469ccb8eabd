//go:build cgo

package sqlserver_test

import (
	"fmt"
	"testing"

	fixture "github.com/loam-data/loam/e2e/testserver/sqlserver"
	"github.com/loam-data/loam/sdk"
)

// counted counts what a scan writes.
type counted struct{ tables, columns int }

func (c *counted) Table(t *sdk.Table) error {
	c.tables++
	c.columns += len(t.Columns)
	return nil
}

func (c *counted) Warning(sdk.Warning) error { return nil }

func (c *counted) Progress(sdk.Progress) {}

// A scan sends as many requests for many tables as for few.
func TestScanOfManyTables(t *testing.T) {
	t.Parallel()
	s := fixture.Start(t)
	session := openWith(t, configFor(t, s.URL(), nil))
	made := 0
	for _, tables := range []int{1, 300} {
		for ; made < tables; made++ {
			if _, err := s.DB().ExecContext(t.Context(), fmt.Sprintf("CREATE TABLE shop.dbo.t%d (id INTEGER PRIMARY KEY, moment TIMESTAMP, name VARCHAR)", made)); err != nil {
				t.Fatal(err)
			}
		}
		before, found := len(s.Requests()), &counted{}
		if _, err := session.Scan(t.Context(), sdk.ScanRequest{}, found); err != nil {
			t.Fatal(err)
		}
		// The transaction's begin and end, tables, keys and columns.
		if n := len(s.Requests()) - before; n != 5 || found.tables != tables || found.columns != 3*tables {
			t.Errorf("%d requests for %d tables with %d columns, want 5 for %d", n, found.tables, found.columns, tables)
		}
	}
}
