package request

import (
	"github.com/loam-data/loam/sdk/dialect"
)

// DefaultLimit is the limit of a request without one.
const DefaultLimit = 1000

// Request is a request in normal form. Names are references for model.Lookup, as one
// text: orders.revenue, supplier_nation.region.r_name.
type Request struct {
	Measures   []Measure   `json:"measures,omitempty"`
	Dimensions []Dimension `json:"dimensions,omitempty"`
	// DateRanges limit the periods of the result; windows and shifts read rows outside
	// of them.
	DateRanges []DateRange `json:"date_ranges,omitempty"`
	// Filters are combined by AND. A filter with measures limits the groups of the
	// result, and needs a dimension; any other one limits the rows that are aggregated.
	Filters  []Filter `json:"filters,omitempty"`
	Segments []string `json:"segments,omitempty"`
	OrderBy  []Order  `json:"order_by,omitempty"`
	// Limit 0 = DefaultLimit.
	Limit  int `json:"limit,omitempty"`
	Offset int `json:"offset,omitempty"`
	// IncludeEmpty adds the dimension values without rows, FillGaps the missing periods
	// between the first and the last one.
	IncludeEmpty bool `json:"include_empty,omitempty"`
	FillGaps     bool `json:"fill_gaps,omitempty"`
	// Totals adds a row over all groups, and subtotals for equal values of the first
	// dimensions.
	Totals bool `json:"totals,omitempty"`
	// LimitPer keeps the first groups for each value of some dimensions; nil = all.
	LimitPer *LimitPer `json:"limit_per,omitempty"`
	// Rest adds one row over the groups that Limit or LimitPer leaves out.
	Rest bool `json:"rest,omitempty"`
	// TimeZone in which days begin, an IANA name or an offset; "" = UTC.
	TimeZone string `json:"time_zone,omitempty"`
	Fanout   Fanout `json:"fanout,omitempty"`
	// Conform names dimensions of several sources that mean the same: each measure uses
	// the one of its own source.
	Conform map[string][]string `json:"conform,omitempty"`
}

// Summarised reports whether the answer has totals, subtotals or a rest.
func (r Request) Summarised() bool { return r.Totals || r.Rest }

// MostRows returns the most rows of the answer, with totals: no level of subtotals, and
// no rest, has more rows than there are groups.
func (r Request) MostRows() int {
	limit := r.Limit
	if limit == 0 {
		limit = DefaultLimit
	}
	most := limit
	if r.Totals {
		most += limit*max(0, len(r.Dimensions)-1) + 1
	}
	if r.Rest {
		most += limit
	}
	return most
}

// Fanout is the rule for a measure by a finer dimension.
type Fanout string

const (
	FanoutDistinct Fanout = "distinct" // each row counts once per group; the default
	FanoutError    Fanout = "error"    // the request is refused
)

// Measure is a requested measure.
// Shape: either Name alone, or Expr, an aggregate of the portable language, with Name
// for its column ("" = derived from the expression).
type Measure struct {
	Name string
	Expr string
	// Filters of this measure alone.
	Filters []Filter
}

// Dimension is a key to group measures by.
// Shape: Field; or Measure, its value per entity; or Expr, an expression of the portable
// language, which may contain per(measure, key, …).
type Dimension struct {
	Field   string        `json:"field,omitempty"`
	Grain   dialect.Grain `json:"granularity,omitempty"` // of Field, or of Measure
	Via     []string      `json:"via,omitempty"`         // roles or sources on the way to Field
	Expr    string        `json:"expr,omitempty"`
	Measure string        `json:"measure,omitempty"`
	// Per are fields; a time may be followed by its period: orders.created_at.day.
	Per    []string `json:"per,omitempty"`
	Filter string   `json:"filter,omitempty"` // on the rows of Measure
	Name   string   `json:"name,omitempty"`   // of the column; "" = the field's
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
	// Measure is compared instead of Field: its value for the entity of each row, by the
	// keys Per, over the rows that Rows allows. A row without an entity has no value.
	Measure string
	Per     []string
	Rows    string
	// Right replaces Values in a comparison with a measure at a fixed grain.
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

// Operand is a measure at a fixed grain, with which a field is compared.
type Operand struct {
	Measure    string
	Per        []string
	Unfiltered bool    // over all rows, not those of the request
	Times      float64 // 0 = 1
}

// DateRange limits a time dimension.
// Shape: From and To, both included, as days or times ("" = open), or Relative.
type DateRange struct {
	Field    string   `json:"field,omitempty"` // "" = the default time dimension of each measure's home
	Via      []string `json:"via,omitempty"`
	From     string   `json:"from,omitempty"`
	To       string   `json:"to,omitempty"`
	Relative string   `json:"relative,omitempty"` // "last 7 days", "this month", resolved with Options.Now
}

// LimitPer keeps the first N groups for each combination of values of By.
type LimitPer struct {
	By []string `json:"by"` // dimensions, as order keys name them
	N  int      `json:"n"`
}

// Order is a sort key.
type Order struct {
	Field string // a dimension, a measure or the name of a column
	Desc  bool
	Nulls Nulls
}

// Nulls is the place of NULL in an order.
type Nulls string

const (
	NullsLast  Nulls = "last" // the default, in both directions
	NullsFirst Nulls = "first"
)

// MetricTime is the name for the time dimension of each measure: in dimensions, filters
// and ranges it means each measure's own, so that measures of several sources share one
// axis. A member of the model with this name takes precedence.
const MetricTime = "metric_time"
