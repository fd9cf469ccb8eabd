package request

import (
	"encoding/json"

	"github.com/loam-data/loam/host/internal/semantic/refusal"
)

const (
	// MaxRequestBytes is the longest request that is accepted.
	MaxRequestBytes = 1 << 20
	// MaxLimit is the most rows that a request may ask for.
	MaxLimit = 1_000_000
	// maxMembers is the most entries of a list of members, maxFilters the most
	// conditions of a request with those inside others, and maxValues the most
	// values of one.
	maxMembers = 1000
	maxFilters = 1000
	maxValues  = 10_000
	// maxName is the longest reference, in bytes.
	maxName = 2000
)

// Normalise reads a request in normal form, or in a similar form of other semantic
// layers or language models. It returns notes about what it changed, one sentence
// each.
//
// It guesses no ambiguous meaning: an unknown or repeated key and a value of a wrong
// type are errors with their place. It does not look names up.
// Shape: null is the same as leaving a key out; connection_id and include belong to
// the call and are ignored. A Request encodes to JSON that Normalise reads back as
// the same Request, without notes.
// Errors: *refusal.Error, CodeInvalidRequest or CodeInvalidExpression.
// Units: the cost is linear in raw, of which MaxRequestBytes are allowed.
func Normalise(raw json.RawMessage) (Request, []string, error) {
	r, _, notes, err := NormaliseCall(raw)
	return r, notes, err
}

// Call is the options of a call beside its request.
type Call struct {
	Connection string // "" = not said
	// SQL and Plan: the answer includes them.
	SQL, Plan bool
}

// NormaliseCall is Normalise that also returns the options of the call.
func NormaliseCall(raw json.RawMessage) (Request, Call, []string, error) {
	n := &normaliser{}
	r := n.read(raw)
	if n.refused != nil {
		return Request{}, Call{}, nil, n.refused
	}
	return r, n.call, n.notes.list(), nil
}

func (n *normaliser) read(raw json.RawMessage) (r Request) {
	value, err := decode(raw)
	if text, ok := value.(string); ok {
		if value, err = decode(json.RawMessage(text)); err == nil {
			n.note("a request", "the request was read from a JSON text")
		}
	}
	if err != nil {
		n.fail(err)
		return r
	}
	o, ok := value.(*object)
	if !ok {
		n.invalid("request", "it must be an object, not %s", ValueWords(value)).Advise(requestExample)
		return r
	}
	requestForm.read(n, "", o, &r)
	if len(r.Measures) == 0 && len(r.Dimensions) == 0 {
		n.invalid("measures", "nothing is asked for").Advise(requestExample)
	}
	return r
}

const requestExample = `write {"measures": ["orders.revenue"], "dimensions": ["customers.segment"], "filters": ["orders.status = 'paid'"]}`

// requestForm reads the keys in an order: order keys may name columns.
var requestForm = form[Request]{
	members: []member[Request]{
		{"connection_id", func(n *normaliser, g given, _ *Request) { n.call.Connection = n.text(g, "an id") }},
		{"measures", (*normaliser).measures},
		{"conform", (*normaliser).conform},
		{"dimensions", (*normaliser).dimensions},
		{"time_dimensions", (*normaliser).timeDimensions},
		{"date_range", (*normaliser).dateRange},
		{"date_ranges", (*normaliser).dateRanges},
		{"filters", (*normaliser).topFilters},
		{"segments", func(n *normaliser, g given, r *Request) { r.Segments = n.names(g) }},
		{"order_by", (*normaliser).orderBy},
		{"limit", (*normaliser).limit},
		{"offset", (*normaliser).offset},
		{"include_empty", func(n *normaliser, g given, r *Request) { r.IncludeEmpty = n.truth(g) }},
		{"fill_gaps", func(n *normaliser, g given, r *Request) { r.FillGaps = n.truth(g) }},
		{"totals", func(n *normaliser, g given, r *Request) { r.Totals = n.truth(g) }},
		{"limit_per", (*normaliser).limitPer},
		{"rest", func(n *normaliser, g given, r *Request) { r.Rest = n.truth(g) }},
		{"time_zone", (*normaliser).timeZone},
		{"fanout", func(n *normaliser, g given, r *Request) {
			r.Fanout = Fanout(n.oneOf(g, string(FanoutDistinct), string(FanoutError))) // distinct too: what is left out may have another default
		}},
		{"include", (*normaliser).include},
	},
	aliases: map[string]string{
		"measure": "measures", "metrics": "measures", "metric": "measures",
		"dimension": "dimensions", "group_by": "dimensions", "groupby": "dimensions",
		"filter": "filters", "where": "filters", "having": "filters",
		"segment": "segments",
		"order":   "order_by", "orderby": "order_by", "sort": "order_by", "sort_by": "order_by",
		"total": "totals", "subtotals": "totals", "others": "rest",
		"row_limit": "limit", "max_rows": "limit", "skip": "offset",
		"timezone": "time_zone", "tz": "time_zone", "fan_out": "fanout", "connection": "connection_id",
		"timedimensions": "time_dimensions", "time_dimension": "time_dimensions",
	},
}

func (n *normaliser) limit(g given, r *Request) {
	r.Limit = n.count(g, MaxLimit)
	switch {
	case r.Limit < 1:
		n.invalid(g.key, "%d rows cannot be asked for", r.Limit).Advise("write a number from 1 to %d, or leave it out for %d rows", MaxLimit, DefaultLimit)
	case r.Limit > MaxLimit:
		n.invalid(g.key, "%d rows are too many; the limit is %d", r.Limit, MaxLimit).Advise("write a number from 1 to %d and page with offset", MaxLimit)
	case r.Limit == DefaultLimit:
		r.Limit = 0
	}
}

func (n *normaliser) offset(g given, r *Request) {
	if r.Offset = n.count(g, maxCount); r.Offset < 0 {
		n.invalid(g.key, "it must not be negative").Advise("write 0 or more, or leave it out")
	}
}

// include reads what the answer shows, which belongs to the call.
func (n *normaliser) include(g given, _ *Request) {
	for _, one := range n.list(g, maxMembers) {
		word := n.oneOf(one, "sql", "plan")
		n.call.SQL = n.call.SQL || word == "sql"
		n.call.Plan = n.call.Plan || word == "plan"
	}
}

// normaliser reads one request. It keeps what it refuses first; what is read after
// that is of no use, so that a reader checks n.refused only where it would go wrong.
type normaliser struct {
	call    Call
	notes   noteList
	filters int // so far
	refused error
}

func (n *normaliser) fail(err error) {
	if n.refused == nil {
		n.refused = err
	}
}

// invalid refuses what stands at a place of the request.
func (n *normaliser) invalid(where, format string, args ...any) *refusal.Error {
	e := refusal.Invalid(where, format, args...)
	n.fail(e)
	return e
}
