package review

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/relationship"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

// family is what the links of copies have in common.
type family struct {
	from, to           sdk.TableRef
	columns, toColumns string
	state              State
	at                 time.Time
	by, note           string
	shape              catalog.Hash
}

// fold makes the groups of the links.
// Errors: those of reading the snapshot and of ctx.
func (o *Overview) fold(ctx context.Context, snapshot *catalog.Snapshot) error {
	var groups [][]int
	families := map[family][]int{}
	for i := range o.links {
		if f, ok := familyOf(&o.links[i]); ok {
			families[f] = append(families[f], i)
		} else {
			groups = append(groups, []int{i})
		}
	}
	for f, all := range families {
		if len(all) < relationship.LeastCopies {
			groups = append(groups, alone(all)...)
			continue
		}
		shapes := map[catalog.Hash][]int{}
		for _, i := range all {
			if err := ctx.Err(); err != nil {
				return err
			}
			f.shape = catalog.Hash{}
			if at, ok := snapshot.Position(o.links[i].From); ok {
				var err error
				if f.shape, err = snapshot.Shape(at); err != nil {
					return err
				}
			}
			shapes[f.shape] = append(shapes[f.shape], i)
		}
		for shape, same := range shapes {
			if len(same) < relationship.LeastCopies || shape == (catalog.Hash{}) {
				groups = append(groups, alone(same)...)
				continue
			}
			slices.SortFunc(same, func(a, b int) int { return text.CompareInFamily(o.links[b].From.Name, o.links[a].From.Name) })
			groups = append(groups, same)
		}
	}
	o.order(groups)
	return nil
}

// alone returns a group for each link.
func alone(all []int) (groups [][]int) {
	for _, i := range all {
		groups = append(groups, []int{i})
	}
	return groups
}

// familyOf returns the family of a link; false where the name of its table has no digits.
func familyOf(l *Link) (f family, ok bool) {
	pattern, digits := text.Family(l.From.Name)
	if digits == "" {
		return f, false
	}
	f = family{from: l.From, to: l.To, columns: listed(l.Columns), toColumns: listed(l.ToColumns), state: l.State()}
	f.from.Name = pattern
	if toPattern, toDigits := text.Family(l.To.Name); toDigits == digits {
		f.to.Name = toPattern
	}
	if l.Decision != nil {
		f.at, f.by, f.note = l.Decision.At.UTC(), l.Decision.By, l.Decision.Note
	}
	return f, true
}

// listed returns a text that is unique to a list of names.
func listed(names []string) string {
	var b strings.Builder
	for _, n := range names {
		b.WriteString(strconv.Quote(n))
	}
	return b.String()
}
