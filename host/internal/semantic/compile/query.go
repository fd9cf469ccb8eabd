package compile

import (
	"time"

	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/sdk"
)

// Options are what a compilation depends on besides model, dialect and request.
type Options struct {
	// Now is what relative ranges are relative to.
	Now time.Time
	// FiscalYearStart is the month in which the fiscal year of the project starts; 0 = the project has none, and
	// quarters and years are those of the calendar.
	FiscalYearStart time.Month
	// Ended returns an error once nobody waits for the statement any more, as the Err of
	// a context does; nil = somebody always waits.
	Ended func() error
	// NoRows makes a statement that measures no rows: whether the engine takes it is
	// all that it tells.
	NoRows bool
}

// Query is a request as one statement.
type Query struct {
	SQL     string
	Columns []Column
	Plan    Plan
	// Sources are those that the statement reads, each once.
	Sources []model.SourceID
	// Measures are those that the numbers are made of, each once.
	Measures []model.MeasureID
	// Edges are the joins by which a row takes what it has at most one of.
	Edges []*model.Edge
	// Calendars are those that the request goes by periods of.
	Calendars []model.SourceID
	// Notes are what a reader of the numbers has to know.
	Notes []string
}

// Column is a column of the result.
type Column struct {
	Name string `json:"name"`
	// Member is the dimension or measure in full, "" = an ad-hoc one.
	Member     string     `json:"member,omitempty"`
	Type       sdk.Type   `json:"-"`
	Unit       string     `json:"unit,omitempty"`
	Format     string     `json:"format,omitempty"`
	Provenance Provenance `json:"provenance"`
}

// Provenance says who defined a column.
type Provenance string

const (
	Defined  Provenance = "defined"  // the model, as it stands
	Composed Provenance = "composed" // the model, with something of the request: a grain, a filter
	AdHoc    Provenance = "ad_hoc"   // the request
)

// Plan is how a query gets its rows, in words.
type Plan struct {
	Branches   []Branch `json:"branches"`
	Dimensions []string `json:"dimensions,omitempty"`
	// Having are the conditions on measures.
	Having []string `json:"having,omitempty"`
	Notes  []string `json:"notes,omitempty"`
}

// Branch is the part of a plan that aggregates the rows of one home.
type Branch struct {
	Home     string   `json:"home"`
	Measures []string `json:"measures"`
	Joins    []string `json:"joins,omitempty"`
	Filters  []string `json:"filters,omitempty"`
	Fanout   bool     `json:"fanout,omitempty"` // rows are counted once per group
	Classes  []Rollup `json:"rollup,omitempty"` // of Measures, in their order
}

// Rollup says whether values of a measure can be put together from finer groups.
type Rollup string

const (
	Distributive Rollup = "distributive" // sum, count, min, max
	Algebraic    Rollup = "algebraic"    // avg: from a sum and a count
	Holistic     Rollup = "holistic"     // distinct counts, medians
)
