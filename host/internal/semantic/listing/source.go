package listing

import (
	"cmp"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
)

// Source is a source as its files define it, or the metrics.
type Source struct {
	Name, Description string
	// Table as the file names it; "" for a query, and for a table that only a scan knows.
	Table    string
	Synonyms []string
	// Instructions and Examples are for agents.
	Instructions string
	Examples     []string
	// Measures, Dimensions and Segments are the members that queries may use, in the order of the
	// files.
	Measures, Dimensions, Segments []Member
	// Joins are the joins that a file describes.
	Joins []Join

	// Trust is the author of the source; "" = only a scan knows it, and the memory at most added members.
	Trust model.Trust
	// Described is the author of Description; "" without one.
	Described model.Trust

	hidden bool
}

// Join is a described join. To is the name of the other source as the file has it.
type Join struct {
	To, Role, Description string
	// Described is the author of Description.
	Described model.Trust
}

// Member is a measure, a dimension or a segment.
type Member struct {
	// Name is the part of a reference after the source's ID and a dot.
	Name               string
	Label, Description string
	Synonyms           []string
	// Expr describes how it is computed, see formula; "" for a dimension that is a column.
	Expr string
	// Type of a dimension: "string", "number", "time", "boolean" or "".
	Type string
	// Values are those of a dimension, Unit is that of a number or of a measure.
	Values []string
	Unit   string
	// Described is the author of Description; "" without one.
	Described model.Trust
	// Trust is its author. Learned and Verified are set for measures and segments that the memory wrote.
	Trust    model.Trust
	Learned  *model.Learned
	Verified *model.Verified

	reads []string // the names in the formula of a learned one
}

// Source merges the definitions of the entry.
// Shape: the metrics have no name and only measures.
func (e *Entry) Source() *Source {
	b := builder{source: &Source{}, inherits: e.inherits, places: map[string]int{}}
	for _, l := range e.layers {
		b.layer = l.File.Layer()
		memory := b.layer == model.MemoryLayer
		if !memory || l.Def != nil && (l.Def.Description != "" || l.Def.AI.Instructions != "" || l.Def.Synonyms != nil) {
			b.source.Trust = b.source.Trust.Nearer(b.layer.Trust(nil))
		}
		switch {
		case l.Def == nil:
			b.measures.add(measures(l.File.Metrics, b.layer))
		case memory:
			b.learn(l.Def)
		default:
			b.merge(l.Def)
		}
	}
	return b.finish()
}

// builder merges the definitions of a source, lowest layer first.
type builder struct {
	source   *Source
	inherits *model.SourceDef
	layer    model.Layer // of the definition that is merged now
	// places are the indexes of dims, by folded name: columns ignore case.
	dims               []dimension
	places             map[string]int
	measures, segments stack
}

// dimension is the definition of a dimension, with its layer.
type dimension struct {
	model.DimensionDef
	layer     model.Layer
	described model.Layer // of the description
	plain     bool        // a bare column that only a shard's table has
}

func (b *builder) merge(def *model.SourceDef) {
	b.source.Name = parse(def.Name.Value).Name
	b.source.Table = cmp.Or(def.Table.Value, b.source.Table)
	if def.Description != "" {
		b.source.Description, b.source.Described = def.Description, b.layer.Trust(nil)
	}
	b.source.Instructions = cmp.Or(def.AI.Instructions, b.source.Instructions)
	b.source.Synonyms = append(b.source.Synonyms, def.Synonyms...)
	b.source.Examples = append(b.source.Examples, def.AI.Examples...)
	if def.HasVisible {
		b.source.hidden = def.Visibility == model.Hidden
	}
	for i := range def.Overrides {
		b.override(&def.Overrides[i])
	}
	b.addDimensions(def)
	for _, name := range def.Exclude {
		if at, ok := b.places[fold(name.Value)]; ok {
			b.dims[at].Visibility = model.Hidden
		}
	}
	b.measures.add(measures(def.Measures, b.layer))
	b.segments.add(segments(def.Segments, b.layer))
	b.joins(def, true)
}

// joins adds the described joins of a definition. replace = its descriptions precede those of earlier layers.
func (b *builder) joins(def *model.SourceDef, replace bool) {
	for i := range def.Joins {
		j := &def.Joins[i]
		if j.Description == "" || j.Broken != "" {
			continue
		}
		one := Join{To: j.To.Value, Role: j.Role.Value, Description: j.Description, Described: b.layer.Trust(nil)}
		at := slices.IndexFunc(b.source.Joins, func(o Join) bool { return fold(o.To) == fold(one.To) && fold(o.Role) == fold(one.Role) })
		switch {
		case at < 0:
			b.source.Joins = append(b.source.Joins, one)
		case replace:
			b.source.Joins[at] = one
		}
	}
}

// learn adds the definition of a file of _memory, where no other layer defines a value.
func (b *builder) learn(def *model.SourceDef) {
	b.source.Name = parse(def.Name.Value).Name
	if b.source.Description == "" && def.Description != "" {
		b.source.Description, b.source.Described = def.Description, b.layer.Trust(nil)
	}
	b.source.Instructions = cmp.Or(b.source.Instructions, def.AI.Instructions)
	b.source.Synonyms = model.AppendMissing(b.source.Synonyms, def.Synonyms)
	b.source.Examples = model.AppendMissing(b.source.Examples, def.AI.Examples)
	for i := range def.Overrides {
		b.fill(&def.Overrides[i])
	}
	for i := range def.Dimensions {
		b.fill(&def.Dimensions[i])
	}
	b.measures.add(measures(def.Measures, b.layer))
	b.segments.add(segments(def.Segments, b.layer))
	b.joins(def, false)
}

// fill sets what no other layer says about a dimension.
func (b *builder) fill(o *model.DimensionDef) {
	at, ok := b.places[fold(o.Name.Value)]
	if !ok {
		b.dimension(b.inherit(dimension{DimensionDef: *o})) // a new dimension, or a column that only a scan knows
		return
	}
	d := &b.dims[at]
	if o.Broken != "" {
		return
	}
	d.plain = false
	if d.Description == "" && o.Description != "" {
		d.Description, d.described = o.Description, b.layer
	}
	d.Details = d.Details.Under(o.Details)
}

func (b *builder) override(o *model.DimensionDef) {
	if at, ok := b.places[fold(o.Name.Value)]; ok {
		b.dims[at].patch(o, b.layer)
		return
	}
	b.dimension(dimension{DimensionDef: *o}) // a column that only a scan knows
}

func (b *builder) addDimensions(def *model.SourceDef) {
	base := len(b.dims)
	b.dims = slices.Grow(b.dims, len(def.Dimensions))
	for _, d := range def.Dimensions {
		at, ok := b.places[fold(d.Name.Value)]
		switch {
		case ok && at < base:
			b.dims[at].patch(&d, b.layer)
		case ok:
			b.dims[at].Broken = twice
		default:
			one := b.inherit(dimension{DimensionDef: d})
			more := d.Details.Get()
			one.plain = def.Shard && more.Label == "" && d.Description == "" && d.Computed == nil && len(more.Values) == 0 && len(more.Synonyms) == 0
			b.dimension(one)
		}
	}
}

func (b *builder) dimension(d dimension) {
	d.layer = b.layer
	if d.described == model.ScannedLayer { // no other definition described it
		d.described = b.layer
	}
	b.places[fold(d.Name.Value)] = len(b.dims)
	b.dims = append(b.dims, d)
}

// inherit fills in what a dimension leaves out, from the inherited column of its name.
func (b *builder) inherit(d dimension) dimension {
	if b.inherits == nil {
		return d
	}
	at := slices.IndexFunc(b.inherits.Dimensions, func(c model.DimensionDef) bool { return fold(c.Name.Value) == fold(d.Name.Value) })
	if at < 0 {
		return d
	}
	from := dimension{DimensionDef: b.inherits.Dimensions[at], described: model.SchemaLayer}
	from.Name = d.Name
	from.patch(&d.DimensionDef, b.layer)
	return from
}

// patch sets the values that a definition of a layer has, and keeps the others.
func (d *dimension) patch(o *model.DimensionDef, layer model.Layer) {
	d.plain = false
	d.Type = cmp.Or(o.Type, d.Type)
	if o.Description != "" {
		d.Description, d.described = o.Description, layer
	}
	d.Broken = cmp.Or(o.Broken, d.Broken)
	d.Computed = cmp.Or(o.Computed, d.Computed)
	d.Details = d.Details.Over(o.Details)
	if o.HasVisible {
		d.Visibility = o.Visibility
	}
}

// finish returns the source with the members that queries may use.
func (b *builder) finish() *Source {
	b.source.Measures, b.source.Segments = b.listed(&b.measures), b.listed(&b.segments)
	b.source.Dimensions = slices.Grow(b.source.Dimensions, len(b.dims))
	for i := range b.dims {
		d := &b.dims[i]
		if !d.plain && usable(d.Name.Value, d.Broken, d.Visibility) {
			expr := strings.TrimSpace(d.Expr().Value)
			if fold(expr) == fold(d.Name.Value) {
				expr = ""
			}
			more := d.Details.Get()
			b.source.Dimensions = append(b.source.Dimensions, Member{
				Name: b.reference(d.Name.Value), Label: more.Label, Description: d.Description, Synonyms: more.Synonyms, Expr: expr, Type: d.Type.String(), Values: more.Values, Unit: more.Unit,
				Trust: d.layer.Trust(nil), Described: authorOf(d.Description, d.described.Trust(nil)),
			})
		}
	}
	return b.source
}

// listed returns the measures or segments that queries may use.
func (b *builder) listed(s *stack) (all []Member) {
	all = slices.Grow(all, len(s.all))
	for i := range s.all {
		m := &s.all[i]
		if usable(m.name, m.broken, m.visibility) {
			more := m.details.Get()
			all = append(all, Member{
				Name: b.reference(m.name), Label: more.Label, Description: m.description, Synonyms: more.Synonyms, Expr: m.expr, Unit: more.Unit,
				Described: authorOf(m.description, m.layer.Trust(more.Learned)), Trust: m.layer.Trust(more.Learned), Learned: more.Learned, Verified: more.Verified, reads: m.reads,
			})
		}
	}
	return all
}

// authorOf returns the author of a description; "" without one.
func authorOf(description string, author model.Trust) model.Trust {
	if description == "" {
		return ""
	}
	return author
}

// usable reports whether queries may use a member.
func usable(name, broken string, v model.Visibility) bool {
	return name != "" && broken == "" && v != model.Hidden
}

// reference quotes a member's name if needed: for a metric as a name of its own, else as the part
// after the source's name.
func (b *builder) reference(name string) string {
	if b.source.Name == "" {
		return (&expression.Name{Parts: []string{name}}).String()
	}
	const before = "s."
	return (&expression.Name{Parts: []string{"s", name}}).String()[len(before):]
}

// Targets are the names that changes have for a member of the source, which queries call id.
func (s *Source) Targets(id, member string) []string {
	all := []string{id}
	if s.Table != "" { // planners name it in full where its name is of several
		all = append(all, s.Table+"."+member)
	}
	if s.Name != "" { // changes name a source without its schema
		all = append(all, s.Name+"."+member)
	}
	return all
}
