package listing

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
)

// reads returns the names in the formula of a learned member: those of its expression and of its filter.
// Shape: nil for a member that a person wrote, and for an expression in the SQL of an engine; names in quotes are left out.
func reads(details *model.Details, all ...string) (names []string) {
	known := details.Get()
	if known.Learned == nil || known.Dialect != "" {
		return nil
	}
	for _, one := range all {
		tree, err := expression.Parse(one)
		if err != nil { // "" for a count of rows
			continue
		}
		for _, n := range expression.Names(tree) {
			if name := n.String(); !strings.Contains(name, `"`) && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// columns replaces the names that a member reads by the columns behind them: a computed dimension and another learned
// measure stand for what they read themselves. Names of other members and of other sources are left out.
func (s *Source) columns(names []string) (columns []string) {
	names = slices.Clone(names)
	seen := map[string]bool{}
	for len(names) > 0 {
		name := fold(names[0])
		names = names[1:]
		if seen[name] {
			continue
		}
		seen[name] = true
		last := strings.LastIndexByte(name, '.')
		if last >= 0 && name[:last] != fold(s.Name) && fold(parse(name[:last]).Name) != fold(s.Name) {
			continue
		}
		name = name[last+1:]
		within := func(all []Member) *Member {
			at := slices.IndexFunc(all, func(m Member) bool { return fold(m.Name) == name })
			if at < 0 {
				return nil
			}
			return &all[at]
		}
		if m := within(s.Measures); m != nil {
			names = append(names, m.reads...)
			continue
		}
		if d := within(s.Dimensions); d != nil && d.Expr != "" {
			if tree, err := expression.Parse(d.Expr); err == nil {
				for _, n := range expression.Names(tree) {
					if !strings.Contains(n.String(), `"`) {
						names = append(names, n.String())
					}
				}
			}
			continue
		}
		if within(s.Segments) == nil && !slices.Contains(columns, name) {
			columns = append(columns, name)
		}
	}
	return columns
}

// Table returns the table of the source as its files name it; "" for a query and for the metrics.
func (e *Entry) Table() (table string) {
	for _, l := range e.layers {
		switch {
		case l.Def == nil || l.Def.SQL.Value != "":
			return ""
		case l.Def.Table.Value != "":
			table = l.Def.Table.Value
		case table == "":
			table = l.Def.Name.Value
		}
	}
	return table
}
