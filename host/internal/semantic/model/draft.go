package model

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/sdk/dialect"
)

// draft is a source put together, with its expressions parsed. It knows nothing
// of other sources, so that it is made anew only when its own group changes.
type draft struct {
	group         *group
	dialect       *dialect.Dialect
	name          string
	identity      string
	table         Hash // of what a scan found or the engine described
	joins         []join
	calls         *calls
	guesses       *guesses // nil in an outline
	*memberDrafts          // nil in an outline
	*remarks
}

// remarks are what a table has that refers to no other, and that no file is about, none of: the
// outlines of such tables share one.
type remarks struct {
	file   string // of the nearest layer
	broken string
	// mentions are the folded names of roles and sources that it refers to.
	mentions []string
	// days is set where the rows are days; calendar says why they cannot be used, "" =
	// they can.
	days     *CalendarDef
	calendar string
	sieve    sieve // of mentions
	problems []Problem
	warnings []Problem
}

// noRemarks is shared, and never changed.
var noRemarks = &remarks{}

// memberDrafts are the members of a draft, and what it says of itself.
type memberDrafts struct {
	def      SourceDef // the layers in one, without members
	dims     []dimension
	measures []measure
	segments []segment
	members  []named
	// byName are the places of the first indexed dimensions by folded name, until
	// members are there.
	byName  map[string]int32 // below 0: several in other cases, the first is ^
	indexed int
}

// The drafts of members: a definition, where it comes from, and its trees.
type (
	dimension struct {
		*DimensionDef // the file's own, which is never changed, until edit
		edited        bool
		file          string
		column        *Column // of the scanned table, of the described query
		tree          expression.Node
		// typed: a file says the type, not the scan alone.
		typed bool
		// shadows is the column that a computed dimension is called like; "" = none
		// is certain to be there.
		shadows string
		// described: only the engine names it. beside: it is computed, and the query has
		// a column of its name.
		described, beside bool
	}
	measure struct {
		*MeasureDef // as it was written, maybe in a file: never changed
		*MeasureOptions
		Kind         MeasureKind
		Agg          expression.AggregateFunction
		Broken       string
		file         string
		tree, filter expression.Node
		parameter    *expression.Literal
		// parts are the aggregates that the tree is made of, as places of measures.
		parts map[*expression.Name]int
		// whole is the name of the measure that an anonymous one is a part of.
		whole string
	}
	segment struct {
		*SegmentDef // as it was written
		Broken      string
		file        string
		tree        expression.Node
	}
	join struct {
		*JoinDef // as it was written, or made of a key
		Broken   string
		file     string
		key      *ForeignKey // of the scanned table; On is made of it
		target   string      // folded name of the other source
		columns  [][2]string // folded names of the columns that On equates
		tree     expression.Node
	}
)

func newMeasure(d *MeasureDef, file string) measure {
	return measure{MeasureDef: d, MeasureOptions: d.Options.Get(), Kind: d.Kind, Agg: d.Agg, Broken: d.Broken, file: file}
}

func newSegment(d *SegmentDef, file string) segment {
	return segment{SegmentDef: d, Broken: d.Broken, file: file}
}

// rowCount is what every scanned table counts.
var rowCount = MeasureDef{Name: Text{Value: RowCount}, Kind: Simple, Agg: expression.Count, Description: "The number of rows."}

// memberKind tells members of one source apart.
type memberKind uint8

const (
	isDimension memberKind = iota
	isMeasure
	isSegment
)

// named is a member in the order of the folded names.
type named struct {
	kind  memberKind
	place int32
}

// newDraft puts the layers of a group together.
func newDraft(g *group, d *dialect.Dialect) *draft {
	r := &draft{memberDrafts: &memberDrafts{}, remarks: &remarks{broken: g.broken}, group: g, dialect: d, name: g.ref.Name, identity: identity(g.ref), guesses: newGuesses(50_000)}
	if g.table != nil {
		r.base(g.table)
	}
	for _, l := range slices.Concat(g.layers, g.invalid) {
		if at := l.File.Layer(); r.file == "" || at != MemoryLayer && l.Def.Broken == "" {
			r.file = l.File.Path
		}
	}
	for _, l := range g.layers {
		switch {
		case g.broken != "":
		case l.File.Layer() == MemoryLayer:
			r.learn(l)
		default:
			r.merge(l)
		}
	}
	r.complete(g.query)
	r.checkKeys()
	r.days = r.def.Calendar
	r.checkCalendar()
	r.parse()
	r.index()
	r.call()
	r.mentionMetrics()
	r.mentionPeriods()
	r.sieve = sieveOf(slices.Values(r.mentions))
	return r
}

// base starts from what a scan found.
func (r *draft) base(t *Table) {
	r.table = t.hash()
	r.def.Description = t.Comment
	for _, k := range t.PrimaryKey {
		r.def.Grain = append(r.def.Grain, Text{Value: k})
	}
	for _, key := range t.UniqueKeys {
		var fields []Text
		for _, k := range key {
			fields = append(fields, Text{Value: k})
		}
		r.def.UniqueKeys = append(r.def.UniqueKeys, fields)
	}
	fields := r.dialect != nil && r.dialect.Forms[dialect.NestedField] != ""
	r.dims = make([]dimension, 0, len(t.Columns))
	for i := range t.Columns {
		c := &t.Columns[i]
		if c.Path != nil && !fields {
			continue
		}
		r.dims = append(r.dims, dimension{DimensionDef: &DimensionDef{Name: Text{Value: c.Name}, Type: typeOf(c.Type), Description: c.Comment}, edited: true, column: c})
	}
	r.measures = []measure{newMeasure(&rowCount, "")}
	r.foreignKeys(t)
}

// foreignKeys makes joins of a table's keys. One that is not the only one to its
// table gets a role.
func (r *draft) foreignKeys(t *Table) {
	count := map[string]int{}
	roles := map[string]int{}
	for i := range t.ForeignKeys {
		k := &t.ForeignKeys[i]
		count[identity(k.To)]++
		roles[fold(k.roleOf())]++
	}
	for i := range t.ForeignKeys {
		k := &t.ForeignKeys[i]
		j := join{JoinDef: &JoinDef{To: Text{Value: identity(k.To)}, Relationship: k.relationship(t), Inferred: k.Inferred}, key: k}
		if count[identity(k.To)] > 1 || k.To == t.Ref {
			if j.Role.Value = k.roleOf(); j.Role.Value == "" && k.To == t.Ref || roles[fold(k.roleOf())] > 1 {
				j.Role.Value = strings.Join(k.Columns, "_") + "_" + k.To.Name
			}
		}
		for c := range k.Columns {
			j.columns = append(j.columns, [2]string{fold(k.Columns[c]), fold(k.ToColumns[c])})
		}
		r.joins = append(r.joins, j)
	}
}

func (r *draft) problem(file, path string, where Text, candidates []string, format string, args ...any) string {
	msg := fmt.Sprintf(format, args...)
	r.problems = append(r.problems, Problem{File: file, Pos: where.Pos, Path: path, Source: r.name, Member: memberOf(path), Msg: msg, Candidates: candidates})
	return msg
}

// dimension returns the place of a dimension by name, in another case where
// there is one only; -1 = none.
func (r *draft) dimension(name string) int {
	if r.members != nil {
		return max(r.find(name, isDimension), -1)
	}
	if r.byName == nil {
		r.byName = make(map[string]int32, cap(r.dims))
	}
	for ; r.indexed < len(r.dims); r.indexed++ {
		key := fold(r.dims[r.indexed].Name.Value)
		if first, twice := r.byName[key]; !twice {
			r.byName[key] = int32(r.indexed)
		} else if first >= 0 {
			r.byName[key] = ^first
		}
	}
	at, found := r.byName[fold(name)]
	if !found {
		return -1
	}
	if at < 0 {
		return slices.IndexFunc(r.dims, func(d dimension) bool { return d.Name.Value == name })
	}
	return int(at)
}

// edit returns the definition of a dimension for changing it.
func (m *dimension) edit() *DimensionDef {
	if !m.edited {
		own := *m.DimensionDef
		m.DimensionDef, m.edited = &own, true
	}
	return m.DimensionDef
}

// nearDimensions are the dimensions with a similar name.
func (r *draft) nearDimensions(name string, g *guesses) []string {
	names := make([]string, 0, len(r.dims))
	for i := range r.dims {
		if r.dims[i].Visibility != Hidden {
			names = append(names, r.dims[i].Name.Value)
		}
	}
	return g.near(name, names)
}

// scanned reports whether a scan found the source's table.
func (r *draft) scanned() bool { return r.group.table != nil }

// index makes the members findable by name. Of two with the same name the
// later one is broken, for nobody could tell which is meant.
func (r *draft) index() {
	r.members = make([]named, 0, len(r.dims)+len(r.measures)+len(r.segments))
	for i := range r.dims {
		r.members = append(r.members, named{isDimension, int32(i)})
	}
	for i := range r.measures {
		if r.measures[i].Name.Value != "" {
			r.members = append(r.members, named{isMeasure, int32(i)})
		}
	}
	for i := range r.segments {
		r.members = append(r.members, named{isSegment, int32(i)})
	}
	slices.SortStableFunc(r.members, func(a, b named) int { return compareFolded(r.spelled(a), fold(r.spelled(b))) })
	r.byName = nil
}

// named returns the members of a name; of several that differ in case the one
// in that very spelling alone.
func (r *draft) named(name string) []named {
	key := fold(name)
	first, found := slices.BinarySearchFunc(r.members, key, func(m named, key string) int { return compareFolded(r.spelled(m), key) })
	if !found {
		return nil
	}
	last := first
	for last < len(r.members) && compareFolded(r.spelled(r.members[last]), key) == 0 {
		last++
	}
	return r.members[first:last]
}

// spelled is the name of a member as it was written.
func (r *draft) spelled(m named) string {
	switch m.kind {
	case isDimension:
		return r.dims[m.place].Name.Value
	case isMeasure:
		return r.measures[m.place].Name.Value
	}
	return r.segments[m.place].Name.Value
}

// find returns the member of a kind that a name means: in that very spelling,
// else the only one in another; -1 = none, -2 = several.
func (r *draft) find(name string, kind memberKind) int {
	near := -1
	for _, m := range r.named(name) {
		switch {
		case m.kind != kind:
		case r.spelled(m) == name:
			return int(m.place)
		case near == -1:
			near = int(m.place)
		default:
			near = -2
		}
	}
	return near
}

// metricsDraft is the draft of the source that metrics belong to.
func metricsDraft(in *Input) *draft {
	r := &draft{memberDrafts: &memberDrafts{}, remarks: &remarks{}, group: &group{}, dialect: in.Dialect, name: "metrics", identity: "metrics", guesses: newGuesses(50_000)}
	for _, f := range in.Files {
		if f.Kind == MetricsFile {
			r.group.layers = append(r.group.layers, Definition{File: f})
		}
	}
	r.group.settle()
	for _, l := range r.group.layers {
		if l.File.Layer() == MemoryLayer {
			r.learnMeasures(l.File.Metrics, l.File.Path)
			continue
		}
		r.file = l.File.Path
		r.mergeMeasures(&SourceDef{Measures: l.File.Metrics}, l.File.Path)
	}
	r.parse()
	r.index()
	r.call()
	r.mentionMetrics()
	r.mentionPeriods()
	r.sieve = sieveOf(slices.Values(r.mentions))
	return r
}

// mentionMetrics notes that a single name may be that of a metric.
func (r *draft) mentionMetrics() {
	for i := range r.measures {
		m := &r.measures[i]
		names := []string{m.Numerator.Value, m.Denominator.Value, m.Measure.Value}
		if m.Kind == Derived && m.tree != nil {
			for _, n := range expression.Names(m.tree) {
				if _, part := m.parts[n]; !part && len(n.Parts) == 1 {
					names = append(names, n.Parts[0])
				}
			}
		}
		for _, n := range names {
			if n != "" && r.find(n, isMeasure) < 0 {
				r.mentions = appendNew(r.mentions, metricMark)
			}
		}
	}
}
