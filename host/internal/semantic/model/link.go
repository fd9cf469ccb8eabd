package model

import (
	"fmt"
	"hash/maphash"
	"iter"
	"maps"
	"slices"
	"strconv"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/sdk"
)

// metricMark stands among the names that a source mentions when it has names of
// measures that may be metrics.
const metricMark = "\x00metric"

// changes are the sources that must be linked, and the folded names by which
// others may refer to what changed.
type changes struct {
	names   map[string]bool
	sources map[SourceID]bool
}

func (c *changes) add(s *Source) {
	c.sources[s.ID] = true
	c.names[fold(s.Name)] = true
	if s.ID == Metrics {
		c.names[metricMark] = true
	}
	if s.draft.days != nil {
		c.names[periodMark] = true
	}
	for i := range s.draft.joins {
		if role := s.draft.joins[i].Role.Value; role != "" {
			c.names[fold(role)] = true
		}
	}
}

// link resolves the names of the sources that changed and of those that name
// them; the others are as before.
func (m *Model) link(before *Model, c *changes) {
	m.spread(c)
	m.addGuessed(c)
	edges := before == nil
	ids := sorted(c.sources)
	for _, id := range ids {
		s := m.sources[id]
		if s.whole.Load() || before != nil && int(id) < len(before.sources) && s == before.sources[id] {
			s = newSource(id, s.Name, s.Identity, s.draft)
			m.sources[id] = s
		}
	}
	m.each(ids, func(s *Source) {
		m.shape(s)
		(&linker{model: m, s: s, r: s.full()}).joins()
	})
	for _, id := range ids {
		s := m.sources[id]
		edges = edges || int(id) >= len(before.sources) || before.sources[id] == nil || !sameEdges(s, before.sources[id])
	}
	if before != nil && len(before.order) != len(m.order) {
		edges = true
	}
	if edges {
		m.roles = m.rolesOf()
		m.graph = newGraph(m)
		m.addConsulted(c)
	} else {
		m.roles, m.graph = before.roles, before.graph
	}
	m.linkMembers(before, c)
	m.reduce(before, c.sources)
}

// spread adds the sources that name something that changed.
func (m *Model) spread(c *changes) {
	if len(c.names) == 0 || len(c.sources) == len(m.sources) {
		return
	}
	// What mentions none of the names is told by a sieve, without a look into
	// the maps of ten thousand sources.
	some := sieveOf(maps.Keys(c.names))
	for _, s := range m.sources {
		if s == nil || !s.draft.sieve.meets(&some) {
			continue
		}
		for i := range s.draft.joins {
			j := &s.draft.joins[i]
			if j.Role.Value != "" && c.names[j.target] {
				c.names[fold(j.Role.Value)] = true
			}
		}
	}
	some = sieveOf(maps.Keys(c.names))
	for id, s := range m.sources {
		if s != nil && s.draft.sieve.meets(&some) && !c.sources[SourceID(id)] && slices.ContainsFunc(s.draft.mentions, func(name string) bool { return c.names[name] }) {
			c.sources[SourceID(id)] = true
		}
	}
}

var sieveSeed = maphash.MakeSeed()

// sieve has one of its bits set for each of some names.
type sieve [8]uint64

func sieveOf(names iter.Seq[string]) (bits sieve) {
	for name := range names {
		at := maphash.String(sieveSeed, name) % uint64(64*len(bits))
		bits[at/64] |= 1 << (at % 64)
	}
	return bits
}

// meets reports whether two may have a name in common.
func (s *sieve) meets(o *sieve) bool {
	for i := range s {
		if s[i]&o[i] != 0 {
			return true
		}
	}
	return false
}

// maxGuessed is how many sources are linked again for what is offered in place
// of names that they have wrong.
const maxGuessed = 256

// addGuessed adds the sources with names that nothing has: what could have been
// meant may be another thing now.
func (m *Model) addGuessed(c *changes) {
	left := maxGuessed
	for id, s := range m.sources {
		if s != nil && s.guessed && left > 0 && len(c.names) > 0 {
			c.sources[SourceID(id)] = true
			left--
		}
	}
}

// addConsulted adds the sources whose names were resolved by what is reachable.
func (m *Model) addConsulted(c *changes) {
	for id, s := range m.sources {
		if s == nil || c.sources[SourceID(id)] || !s.consulted {
			continue
		}
		c.sources[SourceID(id)] = true
		m.remake(SourceID(id))
	}
}

// linkMembers links members until nothing that others could see changes.
func (m *Model) linkMembers(before *Model, c *changes) {
	for round := c.sources; len(round) > 0; {
		m.each(sorted(round), func(s *Source) {
			(&linker{model: m, s: s, r: s.full()}).members()
			s.whole.Store(true)
		})
		w := walker{model: m, fresh: c.sources, stale: map[SourceID]bool{}, seen: map[node]*visit{}}
		for _, id := range sorted(round) {
			w.source(m.sources[id])
		}
		for id := range c.sources {
			m.sources[id].findFlaws()
		}
		if before == nil {
			return
		}
		round = m.affected(before, c, round, w.stale)
	}
}

// affected prepares the sources that are to be linked because of what changed in
// a round: those that are not as they say, and those that name what changed.
func (m *Model) affected(before *Model, c *changes, round, stale map[SourceID]bool) map[SourceID]bool {
	next := &changes{names: map[string]bool{}, sources: stale}
	for id := range round {
		if s := m.sources[id]; int(id) < len(before.sources) && before.sources[id] != nil && !sameUse(s, before.sources[id]) {
			next.names[fold(s.Name)] = true
			if id == Metrics {
				next.names[metricMark] = true
			}
		}
	}
	m.spread(next)
	more := map[SourceID]bool{}
	for id := range next.sources {
		if !c.sources[id] {
			c.sources[id], more[id] = true, true
			m.remake(id)
		}
	}
	return more
}

// remake starts a source anew from its draft, with its joins.
func (m *Model) remake(id SourceID) {
	old := m.sources[id]
	s := newSource(id, old.Name, old.Identity, old.draft)
	m.sources[id] = s
	m.shape(s)
	(&linker{model: m, s: s, r: s.full()}).joins()
}

func sameEdges(a, b *Source) bool {
	return slices.EqualFunc(a.Joins, b.Joins, func(x, y Join) bool {
		return x.To == y.To && x.Role == y.Role && x.Relationship == y.Relationship && x.rest == y.rest && x.Broken == y.Broken && x.total == y.total && slices.Equal(x.Equal, y.Equal)
	})
}

func sorted(set map[SourceID]bool) []SourceID {
	all := make([]SourceID, 0, len(set))
	for id := range set {
		all = append(all, id)
	}
	slices.Sort(all)
	return all
}

func (m *Model) rolesOf() map[string][]JoinID {
	roles := map[string][]JoinID{}
	for _, s := range m.sources {
		if s == nil {
			continue
		}
		for i := range s.Joins {
			if j := &s.Joins[i]; j.Role != "" && j.To != 0 {
				roles[fold(j.Role)] = append(roles[fold(j.Role)], j.ID)
			}
		}
	}
	return roles
}

// linker resolves the names in one source.
type linker struct {
	model *Model
	s     *Source
	r     *draft
	// inside is the dimension that is linked: its own name means its column.
	inside int
}

// problem reports what a resolver says of a name in a text. That something else
// is broken is told there, not once more.
func (l *linker) problem(file, path string, t Text, where sdk.Position, err *sdk.Error) string {
	msg := err.Msg
	if len(err.Candidates) > 0 && err.Code != CodeUnknown {
		msg += "; " + err.Hint
	}
	if err.Code == CodeBroken {
		return msg
	}
	l.s.guessed = l.s.guessed || err.Code == CodeUnknown
	l.s.problems = append(l.s.problems, Problem{
		File: file, Pos: t.At(where), Path: path, Source: l.s.Name, Member: memberOf(path), Msg: msg, Candidates: err.Candidates,
	})
	return msg
}

// expr binds the names of a tree to fields.
func (l *linker) expr(file, path string, t Text, tree expression.Node) (*Expr, string) {
	if tree == nil {
		return nil, ""
	}
	if native, ok := tree.(*expression.Native); ok {
		tree = native.Bind(l.known)
	}
	names := expression.Names(tree)
	e := &Expr{Text: t, Tree: tree, Refs: make([]NameRef, 0, len(names))}
	for _, n := range names {
		ref, err := l.named(n.Parts)
		if err != nil {
			return nil, l.problem(file, path, t, n.Pos(), err)
		}
		e.Refs = append(e.Refs, NameRef{Name: n, Ref: ref})
	}
	return e, ""
}

// known tells the references in the engine's own SQL from its other words. A
// word of a source whose columns are not known may be either: only what is
// declared is a reference.
func (l *linker) known(n *expression.Name) int {
	if l.r.declares(n.Parts[0]) {
		return 1
	}
	for k := 2; k <= len(n.Parts); k++ {
		all := l.model.targets(l.s, n.Parts[:k-1])
		for _, t := range all {
			r := l.model.sources[t.source].full()
			if r.find(n.Parts[k-1], isDimension) >= 0 || !r.scanned() && k == len(n.Parts) {
				return k
			}
		}
	}
	return 0
}

// joins links the joins of the source.
func (l *linker) joins() {
	l.inside = -1
	for i := range l.r.joins {
		d := &l.r.joins[i]
		j := &l.s.Joins[i]
		j.ID, j.Role, j.Relationship = member[JoinID](l.s.ID, i), d.Role.Value, d.Relationship
		j.Inferred, j.Description, j.Pos, j.Broken = d.Inferred, d.Description, d.To.Pos, d.Broken
		path := "joins[" + strconv.Itoa(i) + "]"
		to, err := l.joined(d)
		if err != nil {
			if d.key == nil {
				j.Broken = l.problem(d.file, path+".to", d.To, sdk.Position{}, err)
			} else {
				j.Broken = err.Msg // a key to a table outside of the scan
			}
			continue
		}
		j.To = to
		if to == l.s.ID && j.Role == "" && j.Broken == "" {
			j.Broken = l.problem(d.file, path, d.To, sdk.Position{}, invalid(CodeAmbiguous, nil, "a join of %s with itself needs a role", l.s.Name))
		}
		switch {
		case j.Broken != "":
		case d.key != nil:
			l.keyed(j, d)
		default:
			l.condition(j, d, path+".on")
		}
		if !j.Rest && j.Broken == "" {
			j.total = [2]bool{l.model.total(l.s.ID, to, j.Equal, false), l.model.total(to, l.s.ID, j.Equal, true)}
		}
		if len(j.Equal) == 1 && !j.Rest {
			j.landing = [2]string{l.r.scannedColumn(j.Equal[0].From), l.model.sources[to].scannedColumn(j.Equal[0].To)}
		}
	}
}

func (l *linker) joined(d *join) (SourceID, *sdk.Error) {
	ref, ok := split(d.To.Value, l.r.dialect)
	if !ok {
		return 0, invalid(CodeUnknown, nil, "%q names no source", d.To.Value)
	}
	all := l.model.find(namesOfRef(ref))
	switch len(all) {
	case 1:
		return all[0], nil
	case 0:
		near := l.model.guessSources(ref.Name)
		return 0, invalid(CodeUnknown, near, "there is no source called %s%s", d.To.Value, didYouMean(near))
	}
	var candidates []string
	for _, id := range all {
		candidates = append(candidates, l.model.sources[id].Identity)
	}
	return 0, invalid(CodeAmbiguous, candidates, "%s is not unique", d.To.Value)
}

func namesOfRef(r sdk.TableRef) []string {
	names := []string{r.Catalog, r.Schema, r.Name}
	for names[0] == "" {
		names = names[1:]
	}
	return names
}

// keyed makes the condition of a foreign key.
func (l *linker) keyed(j *Join, d *join) {
	other := l.model.sources[j.To]
	var terms []expression.Node
	e := &Expr{}
	for i, column := range d.key.Columns {
		from, to := l.r.find(column, isDimension), other.full().find(d.key.ToColumns[i], isDimension)
		if from < 0 || to < 0 {
			j.Broken = fmt.Sprintf("the foreign key refers to a column that the scan did not find in %s or %s", l.s.Identity, other.Identity)
			return
		}
		pair := Pair{l.r.column(l.s.ID, from), other.full().column(j.To, to)}
		left := &expression.Name{Parts: []string{l.s.Name, column}}
		right := &expression.Name{Parts: []string{l.model.called(j), d.key.ToColumns[i]}}
		j.Equal = append(j.Equal, pair)
		terms = append(terms, &expression.Binary{Op: expression.Equal, Left: left, Right: right})
		e.Refs = append(e.Refs, NameRef{left, Ref{Source: l.s.ID, Field: pair.From}}, NameRef{right, Ref{Via: right.Parts[:1], Source: j.To, Field: pair.To}})
	}
	e.Tree = expression.Conjoin(terms...)
	e.Value = expression.String(e.Tree)
	j.On = e
	sortPairs(j.Equal)
}

// condition links a condition that was written. Its names are of the source
// itself or of the other one, under its role where it has one.
func (l *linker) condition(j *Join, d *join, path string) {
	e := &Expr{Text: d.On, Tree: d.tree}
	here, there := false, false
	for _, n := range expression.Names(d.tree) {
		ref, err := orFieldOfRecord(n.Parts, func(parts []string) (Ref, *sdk.Error) { return l.side(j, parts) })
		if err != nil {
			j.Broken = l.problem(d.file, path, d.On, n.Pos(), err)
			return
		}
		here, there = here || len(ref.Via) == 0, there || len(ref.Via) > 0
		e.Refs = append(e.Refs, NameRef{n, ref})
	}
	if !here || !there {
		j.Broken = l.problem(d.file, path, d.On, sdk.Position{}, invalid(CodeNoPath, nil, "the condition must compare columns of %s with columns of %s", l.s.Name, l.model.called(j)))
		return
	}
	j.On = e
	l.pairs(j)
}

// side resolves a name in a condition to one of the two sources. A condition
// relates columns: the name of the source only tells the sides apart.
func (l *linker) side(j *Join, parts []string) (Ref, *sdk.Error) {
	before, name := parts[:len(parts)-1], parts[len(parts)-1:]
	other := l.model.sources[j.To]
	switch {
	case len(before) == 1 && fold(before[0]) == fold(l.model.called(j)),
		j.Role != "" && j.To != l.s.ID && l.model.is(other, before),
		j.Role == "" && l.model.is(other, before):
		ref, err := l.joinedField(other, name)
		ref.Via = []string{l.model.called(j)}
		return ref, err
	case len(before) == 0 || l.model.is(l.s, before):
		return l.joinedField(l.s, name)
	}
	return Ref{}, invalid(CodeUnknown, []string{l.s.Name + "." + quoted(name[0]), l.model.called(j) + "." + quoted(name[0])},
		"the condition may name %s and %s only, not %s", l.s.Name, l.model.called(j), before[len(before)-1])
}

// pairs takes a condition apart: columns that it equates, and the rest.
func (l *linker) pairs(j *Join) {
	var rest []expression.Node
	for _, term := range expression.Conjuncts(j.On.Tree) {
		eq, ok := term.(*expression.Binary)
		if !ok || eq.Op != expression.Equal {
			rest = append(rest, term)
			continue
		}
		left, lok := eq.Left.(*expression.Name)
		right, rok := eq.Right.(*expression.Name)
		if !lok || !rok {
			rest = append(rest, term)
			continue
		}
		a, _ := j.On.Ref(left)
		b, _ := j.On.Ref(right)
		switch {
		case len(a.Via) == 0 && len(b.Via) > 0:
			j.Equal = append(j.Equal, Pair{a.Field, b.Field})
		case len(a.Via) > 0 && len(b.Via) == 0:
			j.Equal = append(j.Equal, Pair{b.Field, a.Field})
		default:
			rest = append(rest, term)
		}
	}
	sortPairs(j.Equal)
	j.rest, j.mirrored = l.normal(j, rest, "from", "to"), l.normal(j, rest, "to", "from")
	j.Rest = len(rest) > 0
}
