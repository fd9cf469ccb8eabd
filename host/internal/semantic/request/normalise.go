package request

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
)

const (
	// MaxRequestBytes is the longest request that is looked at.
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

// Normalise reads a request in its one normal form, or in one of the shapes that
// other semantic layers and models use for the same thing. notes say what was
// changed, one sentence each.
//
// Nothing that could mean two things is guessed: an unknown key, a key said twice,
// or a value of another type is refused with its place. Names are not looked up.
// Shape: null is the same as leaving a key out; connection_id and include belong
// to the call and are passed over. A Request encodes to a form that gives itself,
// without notes.
// Errors: *Error, CodeInvalidRequest or CodeInvalidExpression.
// Units: the cost is linear in raw, of which MaxRequestBytes are allowed.
func Normalise(raw json.RawMessage) (Request, []string, error) {
	r, _, notes, err := NormaliseCall(raw)
	return r, notes, err
}

// Call is what a request says of the call that it came with.
type Call struct {
	Connection string // "" = not said
	// SQL and Plan are to be in the answer.
	SQL, Plan bool
}

// NormaliseCall is Normalise with what belongs to the call.
func NormaliseCall(raw json.RawMessage) (Request, Call, []string, error) {
	n := &normaliser{}
	if err := n.read(raw); err != nil {
		return Request{}, Call{}, nil, err
	}
	return n.r, n.call, n.notes.list(), nil
}

// normaliser reads one request.
type normaliser struct {
	r       Request
	call    Call
	notes   noteList
	filters int // so far
}

func (n *normaliser) read(raw json.RawMessage) error {
	value, err := decode(raw)
	if err != nil {
		return err
	}
	if text, ok := value.(string); ok {
		if value, err = decode(json.RawMessage(text)); err != nil {
			return err
		}
		n.note("a request", "the request was read from a JSON text")
	}
	o, ok := value.(*object)
	if !ok {
		return refusal.Invalid("request", "it must be an object, not %s", ValueWords(value)).Advise(requestExample)
	}
	fields, err := n.keys("", o, requestKeys, requestAliases)
	if err != nil {
		return err
	}
	for _, f := range requestFields {
		for _, given := range fields[f.key] {
			if err := f.read(n, given); err != nil {
				return err
			}
		}
	}
	if len(n.r.Measures) == 0 && len(n.r.Dimensions) == 0 {
		return refusal.Invalid("measures", "nothing is asked for").Advise(requestExample)
	}
	return nil
}

const requestExample = `write {"measures": ["orders.revenue"], "dimensions": ["customers.segment"], "filters": ["orders.status = 'paid'"]}`

// given is what stands under a key.
type given struct {
	key   string // as it was written, with the place before it
	value any
}

// requestField is a key of a request and who reads it. The order is that of
// reading: order keys may name columns.
type requestField struct {
	key  string
	read func(*normaliser, given) error
}

var requestFields = []requestField{
	{"connection_id", (*normaliser).connection},
	{"measures", (*normaliser).measures},
	{"dimensions", (*normaliser).dimensions},
	{"time_dimensions", (*normaliser).timeDimensions},
	{"date_range", (*normaliser).dateRange},
	{"date_ranges", (*normaliser).dateRanges},
	{"filters", (*normaliser).topFilters},
	{"segments", (*normaliser).segments},
	{"order_by", (*normaliser).orderBy},
	{"limit", (*normaliser).limit},
	{"offset", (*normaliser).offset},
	{"include_empty", func(n *normaliser, g given) error { return n.truth(g, &n.r.IncludeEmpty) }},
	{"fill_gaps", func(n *normaliser, g given) error { return n.truth(g, &n.r.FillGaps) }},
	{"totals", func(n *normaliser, g given) error { return n.truth(g, &n.r.Totals) }},
	{"limit_per", (*normaliser).limitPer},
	{"rest", func(n *normaliser, g given) error { return n.truth(g, &n.r.Rest) }},
	{"time_zone", (*normaliser).timeZone},
	{"fanout", (*normaliser).fanout},
	{"include", (*normaliser).include},
}

var requestKeys = func() (all []string) {
	for _, f := range requestFields {
		all = append(all, f.key)
	}
	return all
}()

// requestAliases are other words for the keys, after spelling: orderBy is order_by.
var requestAliases = map[string]string{
	"measure": "measures", "metrics": "measures", "metric": "measures",
	"dimension": "dimensions", "group_by": "dimensions", "groupby": "dimensions",
	"filter": "filters", "where": "filters", "having": "filters",
	"segment": "segments",
	"order":   "order_by", "orderby": "order_by", "sort": "order_by", "sort_by": "order_by",
	"total": "totals", "subtotals": "totals", "others": "rest",
	"row_limit": "limit", "max_rows": "limit", "skip": "offset",
	"timezone": "time_zone", "tz": "time_zone", "fan_out": "fanout", "connection": "connection_id",
	"timedimensions": "time_dimensions", "time_dimension": "time_dimensions",
}

// answerKey is how answers spell connection_id. It is no other shape.
const answerKey = "connectionId"

// mergeable keys may be said in several ways at once: what they say adds up.
var mergeable = []string{"filters"}

// keys sorts what an object says by its canonical keys.
// Errors: an unknown key with the nearest one; a key said twice.
func (n *normaliser) keys(where string, o *object, known []string, aliases map[string]string) (map[string][]given, error) {
	fields := map[string][]given{}
	for i, key := range o.keys {
		canonical := key
		if !slices.Contains(known, key) {
			canonical = snake(key)
			if alias, ok := aliases[canonical]; ok {
				canonical = alias
			}
			if !slices.Contains(known, canonical) {
				return nil, unknownKey(where, key, known)
			}
		}
		if o.values[i] == nil {
			continue
		}
		if before := fields[canonical]; len(before) > 0 && !slices.Contains(mergeable, canonical) {
			return nil, refusal.Invalid(inside(where, key), "%s says the same as %s", refusal.Quote(key), refusal.Quote(before[0].key)).Advise("say it once, as %q", canonical)
		}
		if canonical != key && key != answerKey {
			n.note("key "+key, fmt.Sprintf("%s was read as %s", refusal.Quote(inside(where, key)), canonical))
		}
		fields[canonical] = append(fields[canonical], given{inside(where, key), o.values[i]})
	}
	return fields, nil
}

func unknownKey(where, key string, known []string) *refusal.Error {
	if where == "" {
		where = "request"
	}
	near := refusal.Nearest(snake(key), known)
	e := refusal.Invalid(where, "there is no key %s", refusal.Quote(key)).Meant(near)
	if len(near) > 0 {
		return e.Advise("write %q, or leave it out", near[0])
	}
	return e.Advise("leave it out; the keys are %s", refusal.Listed(known))
}

// inside is the place of a key.
func inside(where, key string) string {
	if where == "" {
		return refusal.Short(key)
	}
	return where + "." + refusal.Short(key)
}

// snake spells a key in snake case: timeDimensions, time-dimensions and
// "time dimensions" are time_dimensions.
func snake(key string) string {
	if len(key) > maxName {
		return key
	}
	var b strings.Builder
	for i, r := range key {
		switch {
		case r == '-' || r == ' ':
			b.WriteByte('_')
		case 'A' <= r && r <= 'Z':
			if i > 0 && 'a' <= key[i-1] && key[i-1] <= 'z' {
				b.WriteByte('_')
			}
			b.WriteRune(r + 'a' - 'A')
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// list reads a list; a single entry, or a list as JSON in a text, stands for one.
// Units: at most most entries.
func (n *normaliser) list(g given, most int) ([]given, error) {
	var all []any
	switch v := g.value.(type) {
	case []any:
		all = v
	case string:
		inner, ok := decodeList(v)
		if !ok {
			n.note("single", fmt.Sprintf("%s was read as a list of one", g.key))
			return []given{{g.key, v}}, nil
		}
		n.note("encoded", fmt.Sprintf("%s was read from a JSON text", g.key))
		all = inner
	default:
		n.note("single", fmt.Sprintf("%s was read as a list of one", g.key))
		return []given{{g.key, v}}, nil
	}
	if len(all) > most {
		return nil, refusal.Invalid(g.key, "it has %d entries; the limit is %d", len(all), most).Advise("ask for less at once")
	}
	entries := make([]given, len(all))
	for i, v := range all {
		entries[i] = given{fmt.Sprintf("%s[%d]", g.key, i), v}
	}
	return entries, nil
}

// decodeList reads a list that is written as JSON in a text. No reference and no
// expression begins as one.
func decodeList(text string) ([]any, bool) {
	if !strings.HasPrefix(strings.TrimSpace(text), "[") {
		return nil, false
	}
	v, err := decode(json.RawMessage(text))
	all, ok := v.([]any)
	return all, err == nil && ok
}

// text reads a text that is not empty.
func (g given) text(what string) (string, error) {
	s, ok := g.value.(string)
	switch {
	case !ok:
		return "", refusal.Invalid(g.key, "%s is a text, not %s", what, ValueWords(g.value)).Advise("write it in quotes")
	case strings.TrimSpace(s) == "":
		return "", refusal.Invalid(g.key, "the text is empty").Advise("write %s, or leave the key out", what)
	}
	return s, nil
}

// name reads a reference.
func (n *normaliser) name(g given) (string, error) {
	s, err := g.text("a name")
	if err != nil {
		return "", err
	}
	if err := checkName(g.key, s); err != nil {
		return "", err
	}
	return n.trimmed(g.key, s), nil
}

func checkName(where, s string) error {
	if len(s) > maxName {
		return refusal.Invalid(where, "the name has %d bytes; the limit is %d", len(s), maxName).Advise("write source.name")
	}
	_, err := ParseName(where, s)
	return err
}

// ParseName reads a reference of the request.
func ParseName(where, text string) (*expression.Name, error) {
	n, err := expression.ParseName(text)
	if err != nil {
		return nil, refusal.InExpression(where, text, err)
	}
	return n, nil
}

// trimmed drops spaces around a text.
func (n *normaliser) trimmed(where, s string) string {
	t := strings.TrimSpace(s)
	if t != s {
		n.note("space", fmt.Sprintf("spaces around %s were dropped", where))
	}
	return t
}

// expression reads an expression of the portable language.
func (g given) expression() (string, expression.Node, error) {
	s, err := g.text("an expression")
	if err != nil {
		return "", nil, err
	}
	tree, err := expression.ParseValue(s)
	if err != nil {
		return "", nil, refusal.InExpression(g.key, s, err)
	}
	return s, tree, nil
}

// condition reads a filter in the portable language.
func (g given) condition() (string, error) {
	s, err := g.text("an expression")
	if err != nil {
		return "", err
	}
	if _, err := expression.ParseCondition(s); err != nil {
		return "", refusal.InExpression(g.key, s, err)
	}
	return s, nil
}

// column reads the name of a column of the result.
func (g given) column() (string, error) {
	s, err := g.text("the name of a column")
	if err != nil {
		return "", err
	}
	if len(s) > maxName {
		return "", refusal.Invalid(g.key, "the name has %d bytes; the limit is %d", len(s), maxName).Advise("write a shorter name")
	}
	if strings.ContainsFunc(s, func(r rune) bool { return refusal.Visible(r) != r }) {
		return "", refusal.Invalid(g.key, "the name %s has characters that cannot be seen", refusal.Quote(s)).Advise("write a name of letters, digits and spaces")
	}
	return s, nil
}
