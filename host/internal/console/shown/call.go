// Package shown has the parts of query pages of the console: rows that become a table and a chart, the fault of a query
// beside its text, and the call that the history gets.
package shown

import (
	"embed"
	"encoding/json"
	"time"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/console/page"
)

//go:embed template/*.html
var templates embed.FS

// Group returns the templates of this package, without a page. The console parses them once.
//
//	{{template "shown.chart" .Data.Chart}}
//	{{template "shown.fault" .Data.Fault}}
func Group() page.Group { return page.Group{Templates: templates} }

// The names of the console's calls in the history.
const (
	ToolSQL      = "console query"
	ToolMeasures = "console sl_query"
	ToolValidate = "console sl_validate"
)

// Call is one question to a warehouse, for the history of calls. Its channel is the console.
type Call struct {
	Tool       string
	Arguments  json.RawMessage
	Connection string
	Started    time.Time
	Elapsed    time.Duration
	// Outcome is "ok" or the kind of the error.
	Outcome string
	// Rows that were delivered, and the bytes of their JSON.
	Rows, Bytes int
	Actor       change.Actor
}
