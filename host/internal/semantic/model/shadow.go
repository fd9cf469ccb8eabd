package model

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/sdk"
)

// namesItself reports whether the expression of a dimension has the dimension's
// own name in it, which can only be that of a column.
func (r *draft) namesItself(d *dimension) bool {
	_, native := d.tree.(*expression.Native)
	is := func(parts []string) bool {
		if native && len(parts) > 1 { // a field of its value may follow
			parts = parts[:1]
		}
		return len(parts) == 1 && fold(parts[0]) == fold(d.Name.Value)
	}
	return slices.ContainsFunc(expression.Names(d.tree), func(n *expression.Name) bool {
		return is(n.Parts) || len(n.Parts) > 1 && fold(n.Parts[0]) == fold(r.name) && is(n.Parts[1:])
	})
}

// warnShadow warns of a dimension that is called like a column.
func (r *draft) warnShadow(d *dimension) {
	full := &expression.Name{Parts: []string{r.name, d.Name.Value}}
	r.warnings = append(r.warnings, Problem{
		File: d.file, Pos: d.Name.Pos, Path: under("dimensions", d.Name.Value), Source: r.name, Member: d.Name.Value,
		Msg: fmt.Sprintf("is called like a column: in definitions of %s the name alone means the column, and %s means this dimension; "+
			"give the dimension another name to tell them apart", r.name, full),
	})
}

// warnBeside warns of a dimension that hides a column of the query.
func (r *draft) warnBeside(d *dimension) {
	r.warnings = append(r.warnings, Problem{
		File: d.file, Pos: d.Name.Pos, Path: under("dimensions", d.Name.Value), Source: r.name, Member: d.Name.Value,
		Msg: fmt.Sprintf("is called like a column that the query of %s gives: the name means this dimension everywhere, and nothing can use the column; "+
			"give the dimension another name", r.name),
	})
}

// shadowed returns the column that a name means where it stands alone in a
// definition, although a computed dimension is called like it.
func (r *draft) shadowed(name string) (Field, bool) {
	at := r.find(name, isDimension)
	if at < 0 || r.dims[at].shadows == "" {
		return Field{}, false
	}
	return Field{Column: r.dims[at].shadows}, true
}

// column is the field of a column by the place of the dimension of its name.
func (r *draft) column(id SourceID, at int) Field {
	if column := r.dims[at].shadows; column != "" {
		return Field{Column: column}
	}
	return Field{Dimension: member[DimensionID](id, at)}
}

// named resolves a name of a definition. The name alone of a column means the
// column, and so does any name of the dimension in its own expression.
func (l *linker) named(parts []string) (Ref, *sdk.Error) {
	if column, ok := l.r.shadowed(parts[0]); ok && len(parts) == 1 {
		return Ref{Source: l.s.ID, Field: column}, nil
	}
	ref, err := l.model.field(l.s, parts)
	if err == nil && ref.Source == l.s.ID && ref.Dimension != 0 && place(ref.Dimension) == l.inside {
		ref.Field = Field{Column: cmp.Or(l.r.dims[l.inside].shadows, l.s.Dimensions[l.inside].Name)}
	}
	return ref, err
}

// joinedField resolves a name in a join condition, of either of its sources.
func (l *linker) joinedField(of *Source, name []string) (Ref, *sdk.Error) {
	if column, ok := of.full().shadowed(name[0]); ok {
		return Ref{Source: of.ID, Field: column}, nil
	}
	return l.model.field(of, name)
}
