package model

import (
	"iter"
	"strings"
)

// compact gives the texts of a parsed file one memory. Each was an allocation among the parser's
// garbage: of ten thousand files they filled a part of every page that parsing used.
func (f *File) compact() {
	size := 0
	for t := range f.texts() {
		size += len(*t)
	}
	var all strings.Builder
	all.Grow(size)
	for t := range f.texts() {
		all.WriteString(*t)
	}
	rest := all.String()
	for t := range f.texts() {
		*t, rest = rest[:len(*t)], rest[len(*t):]
	}
}

// texts yields the texts of a file that are its own: not those that shared has one copy of for all files, and not
// what few files have.
func (f *File) texts() iter.Seq[*string] {
	return func(yield func(*string) bool) {
		for i := range f.Sources {
			if !f.Sources[i].texts(yield) {
				return
			}
		}
		eachMeasureText(f.Metrics, yield)
	}
}

func (d *SourceDef) texts(yield func(*string) bool) bool {
	for _, t := range []*string{&d.Name.Value, &d.Table.Value, &d.SQL.Value, &d.Description, &d.DefaultTime.Value} {
		if !yield(t) {
			return false
		}
	}
	for i := range d.Grain {
		if !yield(&d.Grain[i].Value) {
			return false
		}
	}
	for _, all := range [][]DimensionDef{d.Dimensions, d.Overrides} {
		for i := range all {
			if c := all[i].Computed; c != nil && !yield(&c.Value) || !yield(&all[i].Description) {
				return false
			}
		}
	}
	for i := range d.Segments {
		s := &d.Segments[i]
		if !yield(&s.Name.Value) || !yield(&s.Expr.Value) || !yield(&s.Description) {
			return false
		}
	}
	for i := range d.Joins {
		j := &d.Joins[i]
		if !yield(&j.To.Value) || !yield(&j.Role.Value) || !yield(&j.On.Value) || !yield(&j.Description) {
			return false
		}
	}
	return eachMeasureText(d.Measures, yield)
}

func eachMeasureText(all []MeasureDef, yield func(*string) bool) bool {
	for i := range all {
		m := &all[i]
		if !yield(&m.Name.Value) || !yield(&m.Expr.Value) || !yield(&m.Description) {
			return false
		}
		if o := m.Options; o != nil && (!yield(&o.Filter.Value) || !yield(&o.Numerator.Value) || !yield(&o.Denominator.Value) || !yield(&o.Measure.Value)) {
			return false
		}
	}
	return true
}
