package privacy

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/loam-data/loam/sdk"
)

// The share of a column's values that must be of a form for the column to be of
// it: less where the form is proof enough in itself, more where codes may be
// written alike.
const (
	clearShare = .2
	someShare  = .5
	vagueShare = .8
	// validShare of the values of a form must have the right check digits: of
	// arbitrary numbers a tenth or less has.
	validShare = .6
)

// column is what is known of a column when its values are judged.
type column struct {
	words []string
	table []string // the words of the table's name
	split func(name string) []string
	typ   sdk.Type
	// key: it is part of a declared primary or foreign key.
	key bool
	// among: the table has other columns about persons.
	among bool
	at    time.Time
	stats *sdk.ColumnStats
	// cells are the column's values in a few rows; nil = NULL.
	cells []*string
	// values are the evidence, as their forms are counted; nil = not yet.
	values []string
	counts *tally
}

// coded reports whether a column holds references or codes by its name or its
// keys: such a one is withheld for what has a form of its own alone.
func (c *column) coded() bool { return c.key || coded(c.words) }

// evidence is what would be kept of a column: all of that is looked at.
func (c *column) evidence() []string {
	values := c.stats.Values
	if !c.stats.ValuesComplete { // else the cells are among them
		for _, v := range c.cells {
			if v != nil {
				values = append(values[:len(values):len(values)], *v)
			}
		}
	}
	if len(values) > 0 && c.typ == sdk.TypeText {
		return values
	}
	values = slices.Concat(values, c.stats.Quantiles)
	for _, v := range []*string{c.stats.Min, c.stats.Max} {
		if v != nil {
			values = append(values, *v)
		}
	}
	return values
}

// tally counts the forms of values.
type tally struct {
	all           int // that are not empty
	shaped, valid [forms]int
}

// add counts a value and returns its form, plain where its check digits are wrong.
func (t *tally) add(v string) form {
	if v == "" {
		return plain
	}
	t.all++
	f, valid := formOf(v)
	t.shaped[f]++
	if !valid {
		return plain
	}
	t.valid[f]++
	return f
}

// counted returns how many values are of a form, none where their check digits
// are right by chance.
func (t *tally) counted(f form) int {
	if float64(t.valid[f]) < validShare*float64(t.shaped[f]) {
		return 0
	}
	return t.valid[f]
}

// certain reports whether there is a value that no column should show.
func (t *tally) certain() bool {
	for f := range forms {
		if f.certain() && t.counted(f) > 0 {
			return true
		}
	}
	return false
}

func (t *tally) share(of ...form) float64 {
	n := 0
	for _, f := range of {
		n += t.counted(f)
	}
	return float64(n) / float64(max(t.all, 1))
}

// most returns the form that most values have.
func (t *tally) most(of ...form) form {
	return slices.MaxFunc(of, func(a, b form) int { return t.counted(a) - t.counted(b) })
}

// contains returns what a column holds by what is in it, "" when nothing personal
// or secret.
func (c *column) contains() string {
	switch c.typ {
	case sdk.TypeBool, sdk.TypeFloat64, sdk.TypeTime, sdk.TypeInterval, sdk.TypeUUID, sdk.TypeGeoWKT, sdk.TypeBytes:
		return ""
	case sdk.TypeDate, sdk.TypeTimestamp, sdk.TypeTimestampTZ:
		return c.births(nil)
	}
	values, t := c.counted()
	if len(values) == 0 {
		return ""
	}
	switch c.typ {
	case sdk.TypeText, sdk.TypeUnspecified, sdk.TypeJSON, sdk.TypeNestedJSON:
	default:
		return c.number(t, values)
	}
	if f := c.form(t, values); f != plain {
		return formNames[f]
	}
	if values[0][0] == '{' || values[0][0] == '[' {
		return c.document(values)
	}
	if c.coded() {
		return ""
	}
	if what := c.births(values); what != "" {
		return what
	}
	return c.text(values)
}

// counted returns the values that are not empty, and how many are of each form.
func (c *column) counted() ([]string, *tally) {
	if c.counts == nil {
		c.counts = &tally{}
		for _, v := range c.evidence() {
			if v != "" {
				c.values = append(c.values, v)
				c.counts.add(v)
			}
		}
	}
	return c.values, c.counts
}

// form returns the form that enough of a column's values have, plain when none.
func (c *column) form(t *tally, values []string) form {
	clear := []form{mail, secret, account, card, papers}
	if t.share(clear...) >= clearShare {
		return t.most(clear...)
	}
	dialled := append(clear, phone)
	switch {
	case c.coded() && signed(values) < someShare:
	case t.share(dialled...) >= someShare:
		return t.most(dialled...)
	case t.share(phone, trunk) >= vagueShare && scattered(values, c.stats):
		return phone
	}
	switch {
	case t.share(device) >= vagueShare && !c.hasWord("version", "release", "build", "firmware"):
		return device
	case c.coded():
		return plain
	case t.all >= fewValues && t.share(numbers) >= vagueShare:
		return numbers
	case t.share(code) >= vagueShare:
		return code
	}
	return plain
}

// fewValues are too few to tell digits by their check digits and the like.
const fewValues = 5

// number returns what a column of numbers holds: cards, papers, dates of birth.
func (c *column) number(t *tally, values []string) string {
	switch {
	case t.share(card) >= someShare:
		return formNames[card]
	case c.coded() || t.all < fewValues:
		return ""
	case t.share(numbers, papers) >= vagueShare:
		return formNames[numbers]
	}
	return c.births(values)
}

// hasWord reports whether one of the words is part of the column's name.
func (c *column) hasWord(any ...string) bool {
	return slices.ContainsFunc(any, func(w string) bool { return slices.Contains(c.words, w) })
}

// signed returns the share of values with the sign for a country's number.
func signed(values []string) float64 {
	n := 0
	for _, v := range values {
		if v[0] == '+' || strings.HasPrefix(v, "(+") {
			n++
		}
	}
	return float64(n) / float64(len(values))
}

// The numbers of documents are given one after the other and filled up with
// zeros; those of telephones are far apart and have one zero at most.
const (
	numberRange = 4    // digits that the numbers of one range have in common
	nearby      = 1000 // numbers this close were given one after the other
)

// scattered reports whether numbers of digits alone are as far apart as those of
// telephones are.
func scattered(values []string, s *sdk.ColumnStats) bool {
	if s.Min != nil && s.Max != nil && len(*s.Min) >= numberRange && strings.HasPrefix(*s.Max, (*s.Min)[:numberRange]) {
		return false
	}
	var sorted []int64
	for _, v := range values {
		d, ok := onlyDigits(v)
		if !ok || len(d) < 2 || d[:2] == "00" && (len(d) < 11 || d[2] == '0') {
			return false
		}
		if n, err := strconv.ParseInt(d, 10, 64); err == nil {
			sorted = append(sorted, n)
		}
	}
	if len(sorted) < 2*fewValues {
		return false
	}
	slices.Sort(sorted)
	gaps := make([]int64, len(sorted)-1)
	for i := range gaps {
		gaps[i] = sorted[i+1] - sorted[i]
	}
	slices.Sort(gaps)
	return gaps[len(gaps)/2] >= nearby
}

// maxDocuments is how many documents of a column are taken apart.
const maxDocuments = 100

// document returns what is in the fields of JSON values: each field is judged as
// a column would be.
func (c *column) document(values []string) string {
	fields := map[string][]string{}
	for _, v := range values[:min(len(values), maxDocuments)] {
		var tree any
		if json.Unmarshal([]byte(v), &tree) == nil {
			leaves(tree, "", fields)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		inner := *c
		inner.values, inner.counts, inner.cells = nil, nil, nil // the cells are documents
		inner.words, inner.typ = c.split(name), sdk.TypeText
		inner.stats = &sdk.ColumnStats{Column: name, Values: fields[name], Distinct: int64(len(fields[name])), Rows: c.stats.Rows}
		if name == "" {
			inner.words = c.words
		}
		if what := named(inner.words, c.table, sdk.TypeText); what != "" {
			return "documents with " + what
		}
		if what := inner.contains(); what != "" {
			return what
		}
	}
	return ""
}

// leaves collects the texts and numbers of a document by the field that they are in.
func leaves(tree any, field string, into map[string][]string) {
	switch x := tree.(type) {
	case map[string]any:
		for name, inner := range x {
			if inner == nil {
				continue
			}
			leaves(inner, name, into)
		}
	case []any:
		for _, inner := range x {
			leaves(inner, field, into)
		}
	case string:
		into[field] = append(into[field], x)
	case float64:
		into[field] = append(into[field], strconv.FormatFloat(x, 'f', -1, 64))
	}
}
