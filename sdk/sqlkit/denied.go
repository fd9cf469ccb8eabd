package sqlkit

import (
	"fmt"
	"slices"

	"github.com/loam-data/loam/sdk"
)

const (
	tableDenied = 8 // the column of Catalog.Tables
	// maxDenied is how many tables, and how many schemas, a scan warns about one by
	// one.
	maxDenied = 100
)

// denied collects what an account may not read.
type denied struct {
	tables  []string // the first maxDenied
	more    int
	schemas map[string]int // tables in each
}

// add notes a table and reports whether it is denied.
func (d *denied) add(ref sdk.TableRef, what string) bool {
	switch what {
	case "":
		return false
	case "SCHEMA":
		if d.schemas == nil {
			d.schemas = map[string]int{}
		}
		d.schemas[sdk.TableRef{Catalog: ref.Catalog, Name: ref.Schema}.String()]++
	default:
		if len(d.tables) < maxDenied {
			d.tables = append(d.tables, ref.String())
		} else {
			d.more++
		}
	}
	return true
}

// warn tells what was left out, schemas as a whole.
func (d *denied) warn(w sdk.ScanWriter, code string) error {
	var warnings []sdk.Warning
	schemas := make([]string, 0, len(d.schemas))
	for schema := range d.schemas {
		schemas = append(schemas, schema)
	}
	slices.Sort(schemas)
	for _, schema := range schemas[:min(maxDenied, len(schemas))] {
		warnings = append(warnings, sdk.Warning{
			Object: schema, Message: fmt.Sprintf("the account may not use this schema: its tables are left out (%d)", d.schemas[schema]),
		})
	}
	if more := len(schemas) - maxDenied; more > 0 {
		warnings = append(warnings, sdk.Warning{Message: fmt.Sprintf("the account may not use %d more schemas: their tables are left out", more)})
	}
	for _, table := range d.tables {
		warnings = append(warnings, sdk.Warning{Object: table, Message: "the account may not read this table; it is left out"})
	}
	if d.more > 0 {
		warnings = append(warnings, sdk.Warning{Message: fmt.Sprintf("the account may not read %d more tables; they are left out", d.more)})
	}
	for _, warning := range warnings {
		warning.Code = code
		if err := w.Warning(warning); err != nil {
			return err
		}
	}
	return nil
}
