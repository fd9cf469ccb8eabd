package assemble

import (
	"slices"
	"strconv"
	"strings"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/semantic/listing"
	"github.com/loam-data/loam/sdk"
)

// maxValues is how many values are listed of a column whose values are all known, someValues how many of others.
const maxValues, someValues = 8, 3

// line is a column of a table. Its text has only the parts that are kept.
type line struct {
	name, native, description string
	keys                      []string
	values                    string // "one of a, b" or "e.g. a, b"
}

// String returns "status text; fk; one of open, paid -- whether it was paid".
func (l line) String() string {
	facts := []string{strings.TrimSpace(word(l.name) + " " + l.native)}
	facts = append(facts, l.keys...)
	if l.values != "" {
		facts = append(facts, l.values)
	}
	text := strings.Join(facts, "; ")
	if l.description != "" {
		text += " -- " + l.description
	}
	return text
}

// lines returns the columns of a table in their order. links are the columns of foreign keys that no key of the table
// declares; profile and source may be nil.
func lines(t *sdk.Table, links map[string]bool, profile *catalog.Profile, source *listing.Source) []line {
	all := make([]line, len(t.Columns))
	for i := range t.Columns {
		c := &t.Columns[i]
		l := line{name: c.Name, native: c.NativeType, keys: catalog.Marks(t, c.Name, links[c.Name])}
		l.description = described(c, source)
		if profile != nil {
			l.values = valuesOf(c, profile, l.keys)
		}
		all[i] = l
	}
	return all
}

// described returns what the semantic layer says of a column, and else its comment. A text that nobody reviewed begins
// with its trust.
func described(c *sdk.Column, source *listing.Source) string {
	if source != nil {
		at := slices.IndexFunc(source.Dimensions, func(m listing.Member) bool {
			return m.Expr == "" && strings.EqualFold(strings.Trim(m.Name, `"`), c.Name)
		})
		if at >= 0 {
			if m := &source.Dimensions[at]; m.Description != "" {
				return labelled(clip(m.Description, maxText), m.Described)
			}
		}
	}
	return clip(c.Comment, maxText)
}

// valuesOf returns some values of a column; "" for primary keys, for foreign keys with many values, and for columns whose
// values are not kept.
func valuesOf(c *sdk.Column, p *catalog.Profile, keys []string) string {
	stats := p.Column(c.Name)
	withheld := slices.ContainsFunc(p.Withheld, func(w catalog.Withheld) bool { return w.Column == c.Name })
	if stats == nil || len(stats.Values) == 0 || withheld || slices.Contains(keys, catalog.PrimaryMark) {
		return ""
	}
	head, shown := "e.g. ", min(someValues, len(stats.Values))
	switch {
	case stats.ValuesComplete && len(stats.Values) <= maxValues:
		head, shown = "one of ", len(stats.Values)
	case slices.Contains(keys, catalog.ForeignMark):
		return ""
	}
	var all []string
	for _, v := range stats.Values[:shown] {
		all = append(all, word(v))
	}
	return head + strings.Join(all, ", ")
}

// word returns a name or a value within a line: cut, and in quotes where it has a separator or is empty.
func word(s string) string {
	if s == "" || strings.ContainsAny(s, ",;\"\n\r\t") || s[0] == ' ' || s[len(s)-1] == ' ' {
		return strconv.Quote(clip(s, maxValue))
	}
	return clip(s, maxValue)
}
