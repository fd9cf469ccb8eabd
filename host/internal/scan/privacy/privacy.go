// Package privacy says which columns' values a catalog does not keep, because
// they are personal or secret: by what a column is called, by its type, by what
// is in it. It errs on the side of not keeping: a value that is not kept can be
// looked up in the warehouse.
package privacy

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// levels are the parts of a column's name that globs are about: schema, table
// and column.
const levels = 3

// reasonOwn is why a column is withheld that the project names.
const reasonOwn = "the project withholds it (scan.withhold_values)"

// Rules are what a project keeps and withholds, and the house's own.
// Concurrency: one goroutine.
type Rules struct {
	keep, withhold *sqlkit.Filter // nil = nothing
	analyzer       *text.Analyzer
	tokens         text.Tokens
}

// New returns rules with the globs over schema.table.column of a project: keep
// goes before what columns look like, withhold before everything.
// Errors: KindInvalid for a glob with an empty part.
func New(keep, withhold []string) (*Rules, error) {
	r := &Rules{analyzer: text.New()}
	for _, list := range []struct {
		globs []string
		into  **sqlkit.Filter
	}{{keep, &r.keep}, {withhold, &r.withhold}} {
		if len(list.globs) == 0 {
			continue
		}
		filter, err := sqlkit.NewFilter(list.globs, nil, levels)
		if err != nil {
			return nil, err
		}
		*list.into = filter
	}
	return r, nil
}

func selects(f *sqlkit.Filter, t sdk.TableRef, column string) bool {
	return f != nil && f.Match(sdk.TableRef{Catalog: t.Schema, Schema: t.Name, Name: column})
}

// kept reports whether the project has a column's values kept.
func (r *Rules) kept(t sdk.TableRef, column string) bool {
	return selects(r.keep, t, column) && !selects(r.withhold, t, column)
}

// Reopened reports whether a profile lacks values of a column that the project
// by now has kept.
func (r *Rules) Reopened(t sdk.TableRef, p *catalog.Profile) bool {
	return slices.ContainsFunc(p.Withheld, func(w catalog.Withheld) bool { return r.kept(t, w.Column) })
}

// Protect takes out of a profile what is not to be kept, and reports whether
// there was anything: of a withheld column all values, and everything that is
// one or made of some: bounds, quantiles, and the sketch, for whoever guesses an
// e-mail address or a phone number can tell by its hash that he is right. How
// many values there are and how long stays. Of the other columns it takes out
// single values that are secrets or addresses of persons.
func (r *Rules) Protect(t *sdk.Table, p *catalog.Profile) (changed bool) {
	columns := make(map[string]*sdk.Column, len(t.Columns))
	for i := range t.Columns {
		columns[t.Columns[i].Name] = &t.Columns[i]
	}
	for i := range p.Stats {
		s := &p.Stats[i]
		reason, keep := r.reason(t, columns[s.Column], s)
		switch {
		case reason != "":
			changed = r.withholdColumn(p, s, reason) || changed
		case !keep:
			changed = dropValues(s) || changed
		}
	}
	return changed
}

// reason returns why a column's values are not kept, "" when nothing speaks
// against them; keep says that the project has decided so.
func (r *Rules) reason(t *sdk.Table, c *sdk.Column, s *sdk.ColumnStats) (reason string, keep bool) {
	switch {
	case selects(r.withhold, t.TableRef, s.Column):
		return reasonOwn, false
	case r.kept(t.TableRef, s.Column):
		return "", true
	case c == nil: // the profile knows a column that the scan does not
		c = &sdk.Column{Name: s.Column, Type: sdk.TypeText}
	}
	words := r.words(c.Name)
	if what := named(words, r.words(t.Name), c.Type); what != "" {
		return "it is called like " + what, false
	}
	if what := typed(c.NativeType); what != "" {
		return "its type is for " + what, false
	}
	if what := contains(s, c.Type, words); what != "" {
		return "its values look like " + what, false
	}
	return "", false
}

func (r *Rules) words(name string) (words []string) {
	r.tokens.Reset()
	r.analyzer.Append(&r.tokens, name, text.Identifier)
	for i := range r.tokens.Len() {
		if term, form := r.tokens.At(i); form == text.Word {
			words = append(words, string(term))
		}
	}
	return words
}

func (r *Rules) withholdColumn(p *catalog.Profile, s *sdk.ColumnStats, reason string) (changed bool) {
	changed = len(s.Values)+len(s.Quantiles)+len(s.Sketch) > 0 || s.Min != nil || s.Max != nil || s.ValuesComplete
	s.Values, s.Counts, s.ValuesComplete = nil, nil, false
	s.Min, s.Max, s.Quantiles, s.Sketch = nil, nil, nil, nil
	if slices.ContainsFunc(p.Withheld, func(w catalog.Withheld) bool { return w.Column == s.Column }) {
		return changed
	}
	p.Withheld = append(p.Withheld, catalog.Withheld{Column: s.Column, Reason: reason})
	return true
}

// dropValues takes single values out that no column should show.
func dropValues(s *sdk.ColumnStats) (changed bool) {
	var values []string
	var counts []int64
	for i, v := range s.Values {
		if sensitive(v) != "" {
			changed = true
			continue
		}
		values, counts = append(values, v), append(counts, s.Counts[i])
	}
	if changed {
		s.Values, s.Counts, s.ValuesComplete = values, counts, false
	}
	if bound(s.Min) || bound(s.Max) {
		s.Min, s.Max, changed = nil, nil, true
	}
	if slices.ContainsFunc(s.Quantiles, func(q string) bool { return sensitive(q) != "" }) {
		s.Quantiles, changed = nil, true
	}
	return changed
}

func bound(value *string) bool { return value != nil && sensitive(*value) != "" }

// typed returns what a native type is made for, if that is personal.
func typed(native string) string {
	native = strings.ToLower(native)
	for _, name := range []string{"inet", "macaddr", "ipv4", "ipv6"} {
		if strings.Contains(native, name) {
			return "addresses of devices"
		}
	}
	return ""
}
