package request

import (
	"cmp"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/host/internal/semantic/timerange"
)

// Choice says what a refused part of a request means.
type Choice struct {
	// Code and Member are those of the refusal, Value too where the code is CodeValueNotFound.
	Code          refusal.Code
	Member, Value string
	// Means replaces Member, or Value.
	Means string
}

// Choose returns the request with a choice in place of what was refused. false = the place is not certain: it is
// not found, or one of several that need not mean the same, as those in filters of single measures.
func (r Request) Choose(c Choice) (Request, bool) {
	x := chooser{Choice: c}
	switch c.Code {
	case refusal.CodeAmbiguousPeriod:
		period, ok := timerange.ParseRelative(c.Member)
		if !ok {
			return r, false
		}
		x.period = period
	case refusal.CodeAmbiguousMember, refusal.CodeAmbiguousPath:
		name, err := expression.ParseName(c.Member)
		if err != nil || r.defines(c.Member) {
			return r, false
		}
		x.name = name.Parts
	case refusal.CodeValueNotFound:
	default:
		return r, false
	}
	out := x.request(r)
	return out, !x.failed && x.outer+x.inner > 0 && (x.inner == 0 || x.outer+x.inner == 1)
}

// defines reports whether a name is one that the request gives to something.
func (r Request) defines(name string) bool {
	if r.Conform[name] != nil || strings.EqualFold(name, MetricTime) {
		return true
	}
	return slices.ContainsFunc(r.Measures, func(m Measure) bool { return m.Expr != "" && strings.EqualFold(m.Name, name) })
}

// chooser puts a choice into a copy of a request.
type chooser struct {
	Choice
	name   []string // that is replaced; nil = none
	period timerange.Relative
	// outer and inner count the places: those of the whole request, and those of a single measure or entity.
	outer, inner int
	within       bool // the latter are being read
	failed       bool
}

func (x *chooser) found() {
	if x.within {
		x.inner++
	} else {
		x.outer++
	}
}

func (x *chooser) request(r Request) Request {
	r.Measures = mapped(r.Measures, func(m Measure) Measure {
		if m.Expr == "" {
			m.Name = x.reference(m.Name)
		}
		x.inside(func() { m.Expr, m.Filters = x.expression(m.Expr), mapped(m.Filters, x.filter) })
		return m
	})
	r.Dimensions = mapped(r.Dimensions, func(d Dimension) Dimension {
		d.Field, d.Expr = x.field(d.Field, d.Via), x.expression(d.Expr)
		x.inside(func() {
			d.Measure, d.Per, d.Filter = x.reference(d.Measure), mapped(d.Per, x.reference), x.expression(d.Filter)
		})
		return d
	})
	r.DateRanges = mapped(r.DateRanges, func(d DateRange) DateRange {
		d.Field = x.field(d.Field, d.Via)
		if x.isPeriod(d.Relative) {
			d = x.ranged(d)
		}
		return d
	})
	r.Filters = mapped(r.Filters, x.filter)
	r.Segments = mapped(r.Segments, x.reference)
	r.OrderBy = mapped(r.OrderBy, func(o Order) Order { o.Field = x.reference(o.Field); return o })
	if r.LimitPer != nil {
		r.LimitPer = &LimitPer{By: mapped(r.LimitPer.By, x.reference), N: r.LimitPer.N}
	}
	return r
}

// inside reads the parts of a single measure or entity.
func (x *chooser) inside(read func()) {
	before := x.within
	x.within = true
	read()
	x.within = before
}

func mapped[T any](all []T, change func(T) T) []T {
	out := slices.Clone(all)
	for i := range out {
		out[i] = change(out[i])
	}
	return out
}

func (x *chooser) filter(f Filter) Filter {
	f.SQL = x.expression(f.SQL)
	if x.isValue(f) {
		f.Values = mapped(f.Values, func(v any) any {
			if v == any(x.Value) {
				x.found()
				return x.Means
			}
			return v
		})
	}
	if f.Op == OpInDateRange && len(f.Values) == 1 {
		if text, ok := f.Values[0].(string); ok && x.isPeriod(text) {
			x.found()
			f.Values = []any{x.Means}
		}
	}
	f.Field = x.field(f.Field, f.Via)
	x.inside(func() {
		f.Measure, f.Per, f.Rows = x.reference(f.Measure), mapped(f.Per, x.reference), x.expression(f.Rows)
		if f.Right != nil {
			right := *f.Right
			right.Measure, right.Per = x.reference(right.Measure), mapped(right.Per, x.reference)
			f.Right = &right
		}
	})
	f.And, f.Or = mapped(f.And, x.filter), mapped(f.Or, x.filter)
	for _, inner := range []**Filter{&f.Not, &f.Any, &f.None, &f.All} {
		if *inner != nil {
			changed := x.filter(**inner)
			*inner = &changed
		}
	}
	return f
}

// isValue reports whether a filter compares the refused member with values.
func (x *chooser) isValue(f Filter) bool {
	if x.Code != refusal.CodeValueNotFound || len(f.Via) > 0 || f.Measure != "" || !slices.Contains([]Op{OpEquals, OpNotEquals, OpIn, OpNotIn}, f.Op) {
		return false
	}
	name, err := expression.ParseName(f.Field)
	return err == nil && name.String() == x.Member
}

func (x *chooser) isPeriod(text string) bool {
	if x.Code != refusal.CodeAmbiguousPeriod || text == "" {
		return false
	}
	period, ok := timerange.ParseRelative(text)
	return ok && period == x.period
}

// ranged returns a range with the chosen days.
func (x *chooser) ranged(d DateRange) DateRange {
	chosen, err := RangeOf("", []string{x.Means})
	if err != nil {
		x.failed = true
		return d
	}
	x.found()
	chosen.Field, chosen.Via = d.Field, d.Via
	return chosen
}

// field replaces a name that has no way of its own.
func (x *chooser) field(text string, way []string) string {
	if len(way) > 0 {
		return text
	}
	return x.reference(text)
}

// reference replaces a name, with its period.
func (x *chooser) reference(text string) string {
	if x.name == nil || text == "" {
		return text
	}
	name, err := expression.ParseName(text)
	if err != nil {
		return text
	}
	if x.is(name) {
		x.found()
		return x.Means
	}
	field, grain, cut := CutGrain(name)
	if !cut {
		return text
	}
	if name, err = expression.ParseName(field); err == nil && x.is(name) {
		x.found()
		return x.Means + "." + string(grain)
	}
	return text
}

func (x *chooser) is(n *expression.Name) bool {
	return slices.EqualFunc(n.Parts, x.name, strings.EqualFold)
}

// expression replaces names in an expression; the rest of its text stays as it is written.
func (x *chooser) expression(text string) string {
	if x.name == nil || text == "" {
		return text
	}
	tree, err := expression.ParseCondition(text)
	if err != nil {
		return text
	}
	var names []*expression.Name
	eachName(tree, func(n *expression.Name) { names = append(names, n) })
	slices.SortFunc(names, func(a, b *expression.Name) int { return compareBegin(b, a) }) // from the end
	for _, n := range names {
		field, _, cut := CutGrain(n)
		of, err := expression.ParseName(field)
		if !x.is(n) && !(cut && err == nil && x.is(of)) {
			continue
		}
		at, length := nameAt(text, n)
		if length == 0 {
			x.failed = true
			return text
		}
		text = text[:at] + x.reference(n.String()) + text[at+length:]
	}
	return text
}

// compareBegin compares where names begin in a text.
func compareBegin(a, b *expression.Name) int {
	return cmp.Or(a.Pos().Line-b.Pos().Line, a.Pos().Column-b.Pos().Column)
}

// nameAt returns the bytes of a name in the text that it was read from; length 0 = they are not found.
func nameAt(text string, n *expression.Name) (at, length int) {
	pos := n.Pos()
	for range pos.Line - 1 {
		_, rest, ok := strings.Cut(text[at:], "\n")
		if !ok {
			return 0, 0
		}
		at = len(text) - len(rest)
	}
	for i := range text[at:] {
		if pos.Column--; pos.Column == 0 {
			at += i
			break
		}
	}
	if pos.Column != 0 {
		return 0, 0
	}
	for end := len(text); end > at; end-- { // the longest text that is this name
		if read, err := expression.ParseName(text[at:end]); err == nil && slices.Equal(read.Parts, n.Parts) && strings.TrimSpace(text[at:end]) == text[at:end] {
			return at, end - at
		}
	}
	return 0, 0
}
