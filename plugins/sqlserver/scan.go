package sqlserver

import (
	"context"
	"strings"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// scan writes the tables and views of the database, as one transaction sees them.
func (r *reading) scan(ctx context.Context, req sdk.ScanRequest, w sdk.ScanWriter) (sdk.ScanSummary, error) {
	if err := r.begin(ctx); err != nil {
		return sdk.ScanSummary{}, err
	}
	return sqlkit.Scan(ctx, r.Query, sqlkit.Catalog{
		Levels: 3, Tables: tablesSQL, Columns: columnsOf("1 = 1"), Keys: keysSQL, Type: types.Of, Column: finish,
		TableProperties:  []string{"temporal", "memory_optimized", "partitions"},
		ColumnProperties: []string{"identity", "masked"},
		DeniedCode:       "229",
	}, req, w)
}

func columnsOf(which string) string { return strings.Replace(columnsSQL, "{which}", which, 1) }
