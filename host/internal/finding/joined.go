package finding

import (
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/statement"
)

// maxJoined bounds the tables of a statement whose aggregates are compared with measures.
const maxJoined = 6

// joined is a table of a statement.
type joined struct {
	*table
	optional bool
	source   *model.Source // by which the semantic layer knows it
}

// leads reports whether the statement joins the rows of a source with one row at most of each
// other table, by the joins of the semantic layer and no other ones, and loses none.
func (a *asked) leads(s *model.Source, home *statement.Table) bool {
	a.used = map[[2]end]bool{}
	if a.tables[home].optional {
		return false
	}
	for of, j := range a.tables {
		if of == home {
			j.source = s
			continue
		}
		j.source = nil
		for _, one := range sourcesOf(a.model, j.table) {
			if one.Broken != "" || one.Visibility != model.Public {
				continue
			}
			if j.source != nil {
				return false
			}
			j.source = one
		}
		if j.source == nil {
			return false
		}
	}
	for of, j := range a.tables {
		if of != home && !a.path(s, model.Ref{Source: j.source.ID}, func(pair [2]end) bool {
			a.used[pair] = true
			return true
		}) {
			return false
		}
	}
	return a.joinedBy()
}

// joinedBy reports whether the equalities of the statement are the used ones.
func (a *asked) joinedBy() bool {
	written := map[[2]end]bool{}
	for i := range a.block.Joins {
		j := &a.block.Joins[i]
		pair, ok := pairOf(a.schema, j.Left, j.Right)
		if !ok || j.Left.Through || j.Right.Through || !a.used[pair] {
			return false
		}
		written[pair] = true
	}
	return len(written) == len(a.used)
}

// path calls each for the equalities of the joins from a source to that of a reference; false =
// it leads to several rows, in several ways, or may lose rows, or each returned false.
func (a *asked) path(s *model.Source, ref model.Ref, each func([2]end) bool) bool {
	path, err := a.model.Path(s.ID, ref)
	if err != nil || !path.ToOne() || path.Note != "" {
		return false
	}
	for _, step := range path.Steps {
		from, to := a.of(step.From), a.of(step.To)
		if from == nil || to == nil || step.Rest || step.Repeats || step.Inferred || step.Broken != "" || len(step.Equal) == 0 {
			return false
		}
		for _, p := range step.Equal {
			left, right := fieldColumn(a.model, p.From), fieldColumn(a.model, p.To)
			if left == "" || right == "" || !to.optional && from.nullable(left) || !each(ordered(end{int32(from.position), left}, end{int32(to.position), right})) {
				return false
			}
		}
	}
	return true
}

// of returns the table of a source; nil = the statement has none.
func (a *asked) of(id model.SourceID) *joined {
	for _, j := range a.tables {
		if j.source != nil && j.source.ID == id {
			return j
		}
	}
	return nil
}

// reached returns the table of a reference from a source; nil = the statement joins it in another
// way, or not at all.
func (a *asked) reached(s *model.Source, ref model.Ref) *joined {
	of := a.of(ref.Source)
	if of == nil || !a.path(s, ref, func(pair [2]end) bool { return a.used[pair] }) {
		return nil
	}
	return of
}

// nullable reports whether a column may be NULL, also for the lack of a row.
func (j *joined) nullable(column string) bool {
	for i := range j.Columns {
		if j.Columns[i].Name == column {
			return j.Columns[i].Nullable || j.optional
		}
	}
	return true
}
