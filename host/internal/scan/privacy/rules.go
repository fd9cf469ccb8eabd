// Package privacy decides which columns have personal or secret values, which a
// catalog does not keep. It judges by the name of a column, its type and its values.
// In doubt it drops a value: a query can still read it from the warehouse.
package privacy

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"time"

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
	identity       string
	keep, withhold *sqlkit.Filter // nil = nothing
	noRows         bool
	analyzer       *text.Analyzer
	tokens         text.Tokens
}

// New returns rules with the globs over schema.table.column of a project: keep
// goes before what columns look like, withhold before everything.
// Errors: KindInvalid for a glob with an empty part.
func New(keep, withhold []string) (*Rules, error) {
	sum := sha256.Sum256([]byte(strings.Join(keep, "\n") + "\n\n" + strings.Join(withhold, "\n")))
	r := &Rules{analyzer: text.New(), identity: fmt.Sprintf("%d-%x", version, sum[:8])}
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

// version is the number of the rules in this package. Raise it with every change of
// what they take out: profiles made under others are judged again.
const version = 2

// WithholdRows has Protect take all rows out of profiles.
func (r *Rules) WithholdRows() {
	r.noRows = true
	r.identity += "-norows"
}

// Identity names what the rules take out: by equal ones nothing more is.
func (r *Rules) Identity() string { return r.identity }

func selects(f *sqlkit.Filter, t sdk.TableRef, column string) bool {
	return f != nil && f.Match(sdk.TableRef{Catalog: t.Schema, Schema: t.Name, Name: column})
}

// kept reports whether the project has a column's values kept.
func (r *Rules) kept(t sdk.TableRef, column string) bool {
	return selects(r.keep, t, column) && !selects(r.withhold, t, column)
}

// Reopened reports whether a profile lacks values of a column that are kept by
// now: because the project says so, or because its name is not telling any more.
func (r *Rules) Reopened(t *sdk.Table, p *catalog.Profile) bool {
	return slices.ContainsFunc(p.Withheld, func(w catalog.Withheld) bool {
		if selects(r.withhold, t.TableRef, w.Column) {
			return false
		}
		return r.kept(t.TableRef, w.Column) || strings.HasPrefix(w.Reason, byNameReason) && r.byName(t, w.Column) == ""
	})
}

func (r *Rules) byName(t *sdk.Table, column string) string {
	i := slices.IndexFunc(t.Columns, func(c sdk.Column) bool { return c.Name == column })
	if i < 0 {
		return ""
	}
	return named(r.words(column), r.words(t.Name), t.Columns[i].Type)
}

// Protect takes out of a profile what is not to be kept, and reports whether
// there was anything: of a withheld column all values, and everything that is
// one or made of some: bounds, quantiles, and the sketch, for whoever guesses an
// e-mail address or a phone number can tell by its hash that he is right. How
// many values there are and how long stays. Of the other columns it takes out
// single values that are secrets or addresses of persons.
func (r *Rules) Protect(t *sdk.Table, p *catalog.Profile) (changed bool) {
	if r.noRows && p.Sampled {
		p.Sampled, p.Cells, changed = false, nil, true
	}
	for i, v := range r.judge(t, p) {
		s := &p.Stats[i]
		switch {
		case v.reason != "":
			changed = withholdColumn(p, s, v.reason) || changed
		case !v.keep:
			changed = v.column.dropValues() || changed
			changed = v.column.maskCells(p) || changed
		}
	}
	return dropCells(p) || changed
}

// verdict says why a column's values are not kept, with "" when nothing speaks
// against them; keep says that the project has decided so.
type verdict struct {
	column *column
	reason string
	keep   bool
}

// open: nothing was decided yet.
func (v *verdict) open() bool { return v.reason == "" && !v.keep }

const (
	byNameReason  = "it is called like "
	byTypeReason  = "its type is for "
	byValueReason = "its values look like "
)

// judge decides on the columns of a table: first on each by itself, then on those
// left over, knowing what the others are.
func (r *Rules) judge(t *sdk.Table, p *catalog.Profile) []verdict {
	all, columns := make([]verdict, len(p.Stats)), make([]*column, len(p.Stats))
	among := slices.ContainsFunc(p.Withheld, func(w catalog.Withheld) bool { return aboutPersons(w.Reason) })
	table, referring := r.words(t.Name), keys(t)
	at := p.At
	if at.IsZero() {
		at = time.Now()
	}
	for i := range p.Stats {
		s := &p.Stats[i]
		c := &column{words: r.words(s.Column), table: table, split: r.words, typ: sdk.TypeText, key: referring[s.Column], at: at, stats: s, cells: p.Sample(s.Column)}
		native := ""
		if at := slices.IndexFunc(t.Columns, func(c sdk.Column) bool { return c.Name == s.Column }); at >= 0 {
			c.typ, native = t.Columns[at].Type, t.Columns[at].NativeType
		}
		columns[i] = c
		all[i] = r.first(t, c, native)
		among = among || aboutPersons(all[i].reason)
	}
	for i, c := range columns {
		if c.among = among; among && all[i].open() {
			all[i].reason = after(byValueReason, c.contains())
		}
	}
	for i, reason := range byNeighbour(columns) {
		if all[i].open() {
			all[i].reason = reason
		}
	}
	return all
}

// keys returns the columns that primary and foreign keys are made of.
func keys(t *sdk.Table) map[string]bool {
	all := map[string]bool{}
	for _, k := range t.Keys {
		if k.Kind == sdk.KeyPrimary || k.Kind == sdk.KeyForeign {
			for _, name := range k.Columns {
				all[name] = true
			}
		}
	}
	return all
}

// first judges a column by itself.
func (r *Rules) first(t *sdk.Table, c *column, native string) verdict {
	name := c.stats.Column
	switch {
	case selects(r.withhold, t.TableRef, name):
		return verdict{column: c, reason: reasonOwn}
	case r.kept(t.TableRef, name):
		return verdict{column: c, keep: true}
	}
	v := verdict{column: c}
	if v.reason = cmp.Or(after(byNameReason, named(c.words, c.table, c.typ)), after(byTypeReason, typed(native))); v.reason == "" {
		v.reason = after(byValueReason, c.contains())
	}
	return v
}

func after(start, what string) string {
	if what == "" {
		return ""
	}
	return start + what
}

// aboutPersons reports whether a reason says that a table has persons.
func aboutPersons(reason string) bool {
	return slices.ContainsFunc([]string{"name of a person", personNames, "date of birth", birthNames, "e-mail", "persons", "earns", "health"}, func(part string) bool {
		return strings.Contains(reason, part)
	})
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

func withholdColumn(p *catalog.Profile, s *sdk.ColumnStats, reason string) (changed bool) {
	changed = len(s.Values)+len(s.Quantiles)+len(s.Sketch) > 0 || s.Min != nil || s.Max != nil || s.ValuesComplete
	s.Values, s.Counts, s.ValuesComplete = nil, nil, false
	s.Min, s.Max, s.Quantiles, s.Sketch = nil, nil, nil, nil
	if slices.ContainsFunc(p.Withheld, func(w catalog.Withheld) bool { return w.Column == s.Column }) {
		return changed
	}
	p.Withheld = append(p.Withheld, catalog.Withheld{Column: s.Column, Reason: reason})
	return true
}

// Sensitive returns what a single value is that nothing should show, "" when it
// is nothing of that sort: an e-mail address, a secret, the number of an account,
// a card or papers.
func Sensitive(v string) string {
	if f, valid := formOf(v); valid && f.certain() {
		return formNames[f]
	}
	return ""
}

// dropValues takes single values out that no column should show. Numbers that
// have the right check digits by chance stay.
func (c *column) dropValues() (changed bool) {
	_, t := c.counted()
	s := c.stats
	if t.certain() {
		var values []string
		var counts []int64
		for i, v := range s.Values {
			if c.gone(v) {
				changed = true
				continue
			}
			values, counts = append(values, v), append(counts, s.Counts[i])
		}
		if changed {
			s.Values, s.Counts, s.ValuesComplete = values, counts, false
		}
	}
	if s.Min != nil && c.gone(*s.Min) || s.Max != nil && c.gone(*s.Max) {
		s.Min, s.Max, changed = nil, nil, true
	}
	if slices.ContainsFunc(s.Quantiles, c.gone) {
		s.Quantiles, changed = nil, true
	}
	return changed
}

// gone reports whether a value is one that no column should show.
func (c *column) gone(v string) bool {
	_, t := c.counted()
	f, valid := formOf(v)
	return valid && f.certain() && (t.counted(f) > 0 || t.shaped[f] == 0)
}

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
