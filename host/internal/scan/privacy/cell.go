package privacy

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/sdk"
)

// Masked stands in a row where a value is not kept.
const Masked = "(withheld)"

// dropCells takes the cells out of columns that are withheld, and of those of which
// nothing was counted: nobody has judged them.
func dropCells(p *catalog.Profile) (changed bool) {
	had := len(p.Cells)
	p.Cells = slices.DeleteFunc(p.Cells, func(c catalog.Cells) bool {
		return p.Column(c.Column) == nil || slices.ContainsFunc(p.Withheld, func(w catalog.Withheld) bool { return w.Column == c.Column })
	})
	return len(p.Cells) < had
}

// maskCells takes single cells out that no column should show, and out of running
// text what it quotes of them.
func (c *column) maskCells(p *catalog.Profile) (changed bool) {
	at := slices.IndexFunc(p.Cells, func(one catalog.Cells) bool { return one.Column == c.stats.Column })
	if at < 0 {
		return false
	}
	values := slices.Clone(c.cells)
	for i, v := range values {
		if v == nil {
			continue
		}
		masked := *v
		switch {
		case c.gone(masked):
			masked = Masked
		case c.prose() && strings.Contains(masked, " "):
			masked = Text(masked)
		}
		if masked != *v {
			values[i], changed = &masked, true
		}
	}
	if changed {
		p.Cells[at].Values = values
	}
	return changed
}

// prose reports whether the column may hold running text.
func (c *column) prose() bool {
	return c.typ == sdk.TypeText || c.typ == sdk.TypeJSON || c.typ == sdk.TypeNestedJSON || c.typ == sdk.TypeUnspecified
}
