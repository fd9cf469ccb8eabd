package compile

import (
	"time"

	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// DefaultLimit is how many rows come back when a request does not say.
const DefaultLimit = 1000

// Request is a query in one normal form. Names are references as model.Lookup
// reads them, in one text: orders.revenue, supplier_nation.region.r_name.
type Request struct {
	Measures   []MeasureRef
	Dimensions []DimensionRef
	// Filters all hold. One that names measures limits the groups that are shown, and
	// needs a dimension; any other one limits the rows that are measured.
	Filters  []Filter
	Segments []string
	// DateRanges limit the periods that are shown; windows and shifts read outside.
	DateRanges []DateRange
	OrderBy    []Order
	// Limit 0 = DefaultLimit.
	Limit, Offset int
	// IncludeEmpty adds the members of the dimensions that have no rows to measure,
	// FillGaps the periods between the first and the last one.
	IncludeEmpty bool
	FillGaps     bool
	// Totals adds a row over all groups, and subtotals over those that have the same
	// values of the first dimensions.
	Totals bool
	// LimitPer keeps the first groups of each group of some dimensions; nil = all.
	LimitPer *LimitPer
	// Rest adds what Limit, or LimitPer, leaves out as one row.
	Rest bool
	// TimeZone in which days begin, an IANA name or an offset; "" = UTC.
	TimeZone string
	Fanout   Fanout
}

// Fanout says what a measure by a finer dimension does.
type Fanout string

const (
	FanoutDistinct Fanout = "distinct" // each row counts once per group; the default
	FanoutError    Fanout = "error"    // it is refused
)

// MeasureRef is a measure that is asked for.
// Shape: either Name alone, or Expr, an aggregate of the portable language, with
// Name for its column ("" = made from the expression).
type MeasureRef struct {
	Name string
	Expr string
	// Filters of this measure alone.
	Filters []Filter
}

// DimensionRef is what measures are broken down by.
// Shape: Field; or Measure, its value per entity; or Expr, a value of the portable
// language, which may have per(measure, key, …) in it.
type DimensionRef struct {
	Field string
	Via   []string      // roles or sources on the way to it
	Grain dialect.Grain // of Field, or of Measure
	Name  string        // of the column; "" = the field's
	Expr  string

	Measure string
	// Per are fields; a time may have its period behind it: orders.created_at.day.
	Per    []string
	Filter string // on the rows of Measure
}

// Filter is a condition.
// Shape: exactly one of SQL, a comparison (Field or Measure with Op), And, Or, Not, Any,
// None and All.
type Filter struct {
	SQL string

	Field  string
	Via    []string
	Op     Op
	Values []any // string, json.Number, float64, int64, bool or nil
	// Measure is compared instead of Field: its value for the entity of each row, which
	// Per names, over the rows that Rows allows. A row without an entity has no value.
	Measure string
	Per     []string
	Rows    string
	// Right is what a comparison has instead of Values: a measure at a fixed grain.
	Right *Operand

	And, Or []Filter
	Not     *Filter
	// Some related row, none or each of them satisfies it.
	Any, None, All *Filter
}

// Op is the operator of a structured filter.
type Op string

const (
	OpEquals      Op = "equals"
	OpNotEquals   Op = "not_equals" // and NULL
	OpIn          Op = "in"
	OpNotIn       Op = "not_in" // and NULL
	OpGreater     Op = "gt"
	OpAtLeast     Op = "gte"
	OpLess        Op = "lt"
	OpAtMost      Op = "lte"
	OpBetween     Op = "between"
	OpContains    Op = "contains" // literal, without regard to case
	OpNotContains Op = "not_contains"
	OpStartsWith  Op = "starts_with"
	OpEndsWith    Op = "ends_with"
	OpIsNull      Op = "is_null"
	OpIsNotNull   Op = "is_not_null"
	OpInDateRange Op = "in_date_range"
	OpBefore      Op = "before"
	OpAfter       Op = "after"
)

// Operand is a measure at a fixed grain to compare a field with.
type Operand struct {
	Measure    string
	Per        []string
	Unfiltered bool    // over all rows, not those of the request
	Times      float64 // 0 = 1
}

// DateRange limits a time dimension.
// Shape: From and To, both included, as days or times ("" = open), or Relative.
type DateRange struct {
	Field    string // "" = the default time dimension of each measure's home
	Via      []string
	From, To string
	Relative string // "last 7 days", "this month", resolved with Options.Now
}

// LimitPer keeps the first N groups of those that have the same values of By.
type LimitPer struct {
	By []string // dimensions, as order keys name them
	N  int
}

// Order is a key that the rows are sorted by.
type Order struct {
	Field string // a dimension, a measure or the name of a column
	Desc  bool
	Nulls Nulls
}

// Nulls is where NULL stands in an order.
type Nulls string

const (
	NullsLast  Nulls = "last" // the default, in both directions
	NullsFirst Nulls = "first"
)

// Options are what a compilation depends on besides model, dialect and request.
type Options struct {
	// Now is what relative ranges are relative to.
	Now time.Time
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
