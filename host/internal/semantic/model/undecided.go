package model

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loam-data/loam/sdk"
)

// undecided names the links between a home and a source of which nobody decided
// whether they are meant: those that start where the home leads, and end where
// something leads to the source. nil = there is none.
func (m *Model) undecided(home SourceID, ref Ref) error {
	from, below := map[SourceID]bool{}, m.graph.below(ref.Source)
	for _, n := range m.closure(home).nodes {
		from[n.source] = true
	}
	var ways []string
	decide := "relationships --status review"
	for _, t := range m.input.Tables {
		if id, _ := m.id(t.Ref); !from[id] {
			continue
		}
		for i, k := range t.Undecided {
			meant := slices.IndexFunc(t.Undecided, func(o ForeignKey) bool {
				to, _ := m.id(o.To)
				return slices.Equal(o.Columns, k.Columns) && below[to]
			})
			if meant != i { // it leads elsewhere, or these columns are named already
				continue
			}
			var ends []string
			for _, o := range t.Undecided {
				if slices.Equal(o.Columns, k.Columns) {
					ends = append(ends, end(o.To, o.ToColumns))
				}
			}
			one := end(t.Ref, k.Columns)
			if to := end(k.To, k.ToColumns); len(ways) == 0 && !strings.ContainsAny(one+to, "'\"`\\$!") { // a shell reads it as it is
				decide = fmt.Sprintf("relationships accept '%s' '%s'", one, to)
			}
			ways = append(ways, one+" may refer to "+list(ends, "or"))
		}
	}
	if len(ways) == 0 {
		return nil
	}
	const most = 3
	if more := len(ways) - most; more > 0 {
		ways = append(ways[:most], fmt.Sprintf("%d more", more))
	}
	return invalid(CodeAmbiguousPath, nil, "no join leads from %s to %s for certain: %s, and nobody decided", m.sources[home].Name, m.sources[ref.Source].Name, list(ways, "and")).
		WithHint("decide which is meant: loam catalog %s", decide)
}

// end is one end of a link as the command line reads it.
func end(ref sdk.TableRef, columns []string) string {
	return ref.String() + "(" + strings.Join(columns, ", ") + ")"
}
