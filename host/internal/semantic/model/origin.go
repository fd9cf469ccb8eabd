package model

import (
	"slices"
	"strings"
)

// Place is a position in the file of a layer. File "" = a scan or the engine's
// description; for some keys only the file is known.
type Place struct {
	Layer Layer
	File  string
	Pos
}

// Origin is the place that a part of a source comes from.
type Origin struct {
	// Kind is the YAML key of the part: "description", "synonyms", "measures",
	// "joins".
	Kind string
	// Name is that of a member, a synonym, the columns of a key, the role or target of
	// a join; "" for what a source has once.
	Name string
	Place
	// Hides are the places in other layers that define it too, the nearest first.
	Hides []Place
}

// Origins returns the origin of each part of a source, in the order of the kinds and
// of the layers. It merges the layers again, so that a model stores nothing for it.
func (m *Model) Origins(s *Source) []Origin {
	o := &origins{draft: s.full(), at: map[string]int{}}
	g := s.draft.group
	o.layers(g.hidden)
	if g.table != nil {
		o.scanned(g.table)
	}
	o.layers(g.layers)
	for i := range s.full().dims {
		if d := &s.full().dims[i]; d.described {
			o.add("dimensions", d.Name.Value, fold(d.Name.Value), Place{Layer: DescribedLayer})
		}
	}
	slices.SortStableFunc(o.all, func(a, b Origin) int { return slices.Index(originKinds, a.Kind) - slices.Index(originKinds, b.Kind) })
	return o.all
}

// originKinds are the kinds in their order.
var originKinds = []string{
	"table", "sql", "description", "synonyms", "ai_context", "primary_key", "unique_keys", "default_time_dimension", "time_zone", "visibility",
	"measures", "metrics", "segments", "dimensions", "dimension descriptions", "joins",
}

type origins struct {
	draft *draft
	all   []Origin
	at    map[string]int // by kind and name
	joins []join         // as the layers have them, beside their origins
	of    []int
}

// add notes that a layer says something. Each layer hides those before it, except
// _memory, which every other one hides.
func (o *origins) add(kind, name, key string, p Place) {
	key = kind + "\x00" + key
	at, known := o.at[key]
	switch {
	case !known:
		o.at[key] = len(o.all)
		o.all = append(o.all, Origin{Kind: kind, Name: name, Place: p})
	case p.Layer == MemoryLayer:
		o.all[at].Hides = append(o.all[at].Hides, p)
	default:
		o.hide(at, p)
	}
}

func (o *origins) hide(at int, p Place) {
	one := &o.all[at]
	one.Place, one.Hides = p, append([]Place{one.Place}, one.Hides...)
}

// adds notes a word of a list: what another layer has too is not hidden by it.
func (o *origins) adds(kind, name string, p Place) {
	if _, known := o.at[kind+"\x00"+fold(name)]; !known {
		o.add(kind, name, fold(name), p)
	}
}

func (o *origins) scanned(t *Table) {
	var p Place
	o.add("table", identity(t.Ref), "", p)
	if t.Comment != "" {
		o.add("description", "", "", p)
	}
	if t.PrimaryKey != nil {
		o.add("primary_key", strings.Join(t.PrimaryKey, ", "), "", p)
	}
	for _, key := range t.UniqueKeys {
		o.adds("unique_keys", strings.Join(key, ", "), p)
	}
	o.add("measures", RowCount, RowCount, p)
	for _, c := range t.Columns {
		o.add("dimensions", c.Name, fold(c.Name), p)
		if c.Comment != "" {
			o.add("dimension descriptions", c.Name, fold(c.Name), p)
		}
	}
	of := &draft{remarks: &remarks{}, group: o.draft.group, dialect: o.draft.dialect, name: o.draft.name}
	of.foreignKeys(t)
	for i := range of.joins {
		o.join(of.joins[i], p)
	}
}

func (o *origins) layers(all []Definition) {
	for _, l := range all {
		if l.Def == nil { // metrics
			o.measures("metrics", l.File.Metrics, l.File)
			continue
		}
		o.source(l)
		o.members(l)
	}
}

// source notes what a definition says of the source itself.
func (o *origins) source(l Definition) {
	def, file := l.Def, l.File
	memory := file.Layer() == MemoryLayer
	at := func(p Pos) Place { return Place{file.Layer(), file.Path, p} }
	once := func(says bool, kind, name string, p Pos) {
		if says {
			o.add(kind, name, "", at(p))
		}
	}
	once(def.Description != "", "description", "", def.DescriptionPos)
	once(def.AI.Instructions != "", "ai_context", "", Pos{})
	for _, name := range def.Synonyms {
		o.adds("synonyms", name, at(def.SynonymsPos))
	}
	if memory {
		return
	}
	once(def.Table.Value != "", "table", def.Table.Value, def.Table.Pos)
	once(def.SQL.Value != "", "sql", "", def.SQL.Pos)
	if def.Grain != nil {
		o.add("primary_key", columnNames(def.Grain), "", at(firstPos(def.Grain)))
	}
	for _, key := range def.UniqueKeys {
		o.adds("unique_keys", columnNames(key), at(firstPos(key)))
	}
	once(def.DefaultTime.Value != "", "default_time_dimension", def.DefaultTime.Value, def.DefaultTime.Pos)
	once(def.TimeZone.Value != "", "time_zone", def.TimeZone.Value, def.TimeZone.Pos)
	if c := def.Calendar; c != nil {
		names := make([]Text, len(c.Periods))
		for i := range c.Periods {
			names[i] = c.Periods[i].Name
		}
		o.add("calendar", columnNames(names), "", at(c.Pos))
	}
	once(def.HasVisible, "visibility", "", Pos{})
}

func columnNames(all []Text) string {
	names := make([]string, len(all))
	for i := range all {
		names[i] = all[i].Value
	}
	return strings.Join(names, ", ")
}

// firstPos is the place of the first of some texts.
func firstPos(all []Text) Pos {
	if len(all) == 0 {
		return Pos{}
	}
	return all[0].Pos
}

func (o *origins) measures(kind string, defs []MeasureDef, f *File) {
	for i := range defs {
		if name := defs[i].Name; name.Value != "" {
			o.add(kind, name.Value, name.Value, Place{f.Layer(), f.Path, name.Pos})
		}
	}
}

func (o *origins) members(l Definition) {
	def, file := l.Def, l.File
	o.measures("measures", def.Measures, file)
	for i := range def.Segments {
		if name := def.Segments[i].Name; name.Value != "" {
			o.add("segments", name.Value, name.Value, Place{file.Layer(), file.Path, name.Pos})
		}
	}
	for _, list := range [][]DimensionDef{def.Overrides, def.Dimensions} {
		for i := range list {
			o.dimension(&list[i], Place{file.Layer(), file.Path, list[i].Name.Pos})
		}
	}
	for i := range def.Joins {
		o.join(o.draft.join(&def.Joins[i], file.Path), Place{file.Layer(), file.Path, def.Joins[i].To.Pos})
	}
}

// dimension notes a dimension and its description. A file of _memory that only
// describes one has no part in what it is.
func (o *origins) dimension(d *DimensionDef, p Place) {
	key := fold(d.Name.Value)
	if key == "" {
		return
	}
	_, known := o.at["dimensions\x00"+key]
	if p.Layer != MemoryLayer || !known || d.Computed != nil {
		o.add("dimensions", d.Name.Value, key, p)
	}
	if d.Description != "" {
		o.add("dimension descriptions", d.Name.Value, key, p)
	}
}

// join notes a join. One over the columns of another says it in its place.
func (o *origins) join(j join, p Place) {
	for i := range o.joins {
		if !o.draft.replaces(&j, &o.joins[i]) {
			continue
		}
		if at := o.of[i]; p.Layer == MemoryLayer {
			o.all[at].Hides = append(o.all[at].Hides, p)
		} else {
			o.hide(at, p)
			o.all[at].Name = joinName(&j)
		}
		return
	}
	o.joins, o.of = append(o.joins, j), append(o.of, len(o.all))
	o.all = append(o.all, Origin{Kind: "joins", Name: joinName(&j), Place: p})
}

func joinName(j *join) string {
	if j.Role.Value != "" {
		return j.Role.Value
	}
	return j.To.Value
}
