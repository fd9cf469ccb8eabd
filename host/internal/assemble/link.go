package assemble

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/foreignkey"
	"github.com/loam-data/loam/host/internal/relationship"
	"github.com/loam-data/loam/host/internal/semantic/listing"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/sdk"
)

// relationships describes the foreign keys of a table. A label is the description of the only join that leads to the
// other table, where only one foreign key does.
func (o *outline) relationships(links []relationship.Relationship, source *listing.Source) (all []Relationship) {
	for _, l := range links {
		one := Relationship{From: catalog.Display(l.From), To: catalog.Display(l.To), Origin: string(l.Origin)}
		for i, c := range l.Columns {
			one.Columns = append(one.Columns, c+" = "+l.ToColumns[i])
		}
		others := func(r relationship.Relationship) bool { return r.To == l.To && !r.Equal(l.Link) }
		if source != nil && !slices.ContainsFunc(links, others) {
			one.Label = o.label(source, l.To)
		}
		all = append(all, one)
	}
	return all
}

// label returns the description of the join of a source with a table; "" when none or several are described.
func (o *outline) label(source *listing.Source, to sdk.TableRef) (label string) {
	names := spellings(to)
	if at, ok := o.snapshot.Position(to); ok && o.sources[int32(at)] != nil {
		names = append(names, o.sources[int32(at)].ID)
	}
	for _, j := range source.Joins {
		if !slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(unquoted(j.To), unquoted(name)) }) {
			continue
		}
		if label != "" {
			return ""
		}
		label = labelled(clip(j.Description, maxText), j.Described)
	}
	return label
}

// labelled returns a text after its trust, if nobody reviewed it.
func labelled(text string, by model.Trust) string {
	if by == model.Agent || by == model.Imported {
		return "(" + string(by) + ") " + text
	}
	return text
}

// keysOf returns the accepted foreign keys of a table whose both ends exist, with the columns that they refer to.
// Errors: those of reading the snapshot.
func (o *outline) keysOf(t *sdk.Table) (all []relationship.Relationship, err error) {
	for _, r := range o.graph.From[t.TableRef] {
		at, there := o.snapshot.Position(r.To)
		if !there {
			continue
		}
		to := &catalog.Table{Table: *t}
		if r.To != t.TableRef {
			if to, err = o.snapshot.At(at); err != nil {
				return nil, err
			}
		}
		var fits bool
		if r.Link, fits = foreignkey.Fit(r.Link, shapeOf(t), shapeOf(&to.Table)); fits {
			all = append(all, r)
		}
	}
	return all, nil
}

func shapeOf(t *sdk.Table) *foreignkey.Shape {
	s := &foreignkey.Shape{Columns: make([]string, len(t.Columns))}
	for i := range t.Columns {
		s.Columns[i] = t.Columns[i].Name
	}
	for _, k := range t.Keys {
		if k.Kind == sdk.KeyPrimary {
			s.PrimaryKey = k.Columns
		}
	}
	return s
}
