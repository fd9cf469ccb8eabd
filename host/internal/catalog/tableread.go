package catalog

import "github.com/loam-data/loam/sdk"

// TableRead is a table that a statement reads.
type TableRead struct {
	Table sdk.TableRef
	// Columns are those that the statement names.
	Columns []string
	// Any: the statement may read every column: it selects *, or not all of it is understood.
	Any bool
}
