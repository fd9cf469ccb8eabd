//go:build cgo

package sqlserver_test

import (
	"fmt"
	"strings"
	"testing"

	fixture "github.com/loam-data/loam/e2e/testserver/sqlserver"
	"github.com/loam-data/loam/plugins/sqlserver"
	"github.com/loam-data/loam/sdk/conform"
)

// A scan sends as many requests for many tables as for few: the transaction's begin and
// end, tables, keys and columns, whatever there is.
func TestScanOfManyTables(t *testing.T) {
	t.Parallel()
	s := fixture.Start(t)
	names := make([]string, 18)
	for i := range names {
		names[i] = fmt.Sprintf(", c%d VARCHAR", i)
	}
	seen := 0
	conform.Crowd{
		Connector: sqlserver.Connector(), Config: configFor(t, s.URL(), nil), Columns: 20,
		Fill: func(from, to int) {
			var script strings.Builder
			for i := from; i < to; i++ {
				fmt.Fprintf(&script, "CREATE TABLE shop.dbo.t%d (id INTEGER PRIMARY KEY, moment TIMESTAMP%s);\n", i, strings.Join(names, ""))
			}
			if _, err := s.DB().ExecContext(t.Context(), script.String()); err != nil {
				t.Fatal(err)
			}
		},
		Asked: func() int {
			asked := len(s.Requests()) - seen
			seen += asked
			return asked
		},
	}.Run(t)
}
