package validation

import (
	"slices"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/scan/privacy"
	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/sdk"
)

// withheld knows which fields' values no report shows: those that a scan would not
// keep, and texts that no profile has looked at.
// Concurrency: one goroutine.
type withheld struct {
	validation *validation
	rules      *privacy.Rules
	tables     map[model.SourceID]*shownColumns
}

// shownColumns is what is known of a source's columns.
type shownColumns struct {
	table *sdk.Table
	// looked are the columns whose values a profile has looked at and kept.
	looked map[string]bool
	// never are those that are withheld.
	never map[string]bool
}

// showable reports whether values of all fields of a source may be shown.
func (w *withheld) showable(source model.SourceID, fields []model.Field) bool {
	for _, f := range fields {
		if !w.field(source, f) {
			return false
		}
	}
	return true
}

// field reports whether a field's values may be shown: when those of every column
// that it is made of may.
func (w *withheld) field(source model.SourceID, f model.Field) bool {
	m := w.validation.state.Model
	if f.Dimension == 0 {
		return w.column(source, f.Column)
	}
	d := m.Dimension(f.Dimension)
	if d.Expr == nil {
		return w.column(source, d.Column)
	}
	native := false
	expression.Walk(d.Expr.Tree, func(n expression.Node) bool {
		_, is := n.(*expression.Native) // which may name columns that nobody declares
		native = native || is
		return !native
	})
	return !native && !slices.ContainsFunc(d.Expr.Refs, func(r model.NameRef) bool { return !w.field(r.Source, r.Field) })
}

func (w *withheld) column(source model.SourceID, name string) bool {
	known := w.known(source)
	if known == nil || known.never[name] {
		return false
	}
	i := slices.IndexFunc(known.table.Columns, func(c sdk.Column) bool { return c.Name == name })
	return known.looked[name] || i >= 0 && plain(known.table.Columns[i].Type)
}

// plain types hold no text that could say who somebody is.
func plain(t sdk.Type) bool {
	switch t {
	case sdk.TypeInt64, sdk.TypeDecimal, sdk.TypeFloat64, sdk.TypeBool, sdk.TypeDate, sdk.TypeTimestamp, sdk.TypeTimestampTZ:
		return true
	}
	return false
}

// known returns what is known of a source's columns; nil = nothing may be shown.
func (w *withheld) known(id model.SourceID) *shownColumns {
	if known, ok := w.tables[id]; ok {
		return known
	}
	if w.tables == nil {
		w.tables = map[model.SourceID]*shownColumns{}
		rules, err := privacy.New(w.validation.warehouse.Scan.KeepValues, w.validation.warehouse.Scan.WithholdValues)
		if err == nil { // the project file is checked where it is read
			w.rules = rules
		}
	}
	if w.rules != nil {
		w.tables[id] = w.look(w.validation.state.Model.Source(id))
	}
	return w.tables[id]
}

func (w *withheld) look(s *model.Source) *shownColumns {
	known := &shownColumns{table: &sdk.Table{TableRef: s.Table}, looked: map[string]bool{}, never: map[string]bool{}}
	if at, ok := w.position(s); ok {
		t, err := w.validation.state.Snapshot.At(at)
		if err != nil {
			return nil
		}
		p, err := w.validation.state.Snapshot.Profile(at)
		if err != nil {
			return nil
		}
		known.table = &t.Table
		if p != nil {
			for _, stats := range p.Stats {
				known.looked[stats.Column] = true
			}
			for _, c := range p.Withheld {
				known.never[c.Column] = true
			}
		}
	} else {
		for i := range s.Dimensions {
			if d := &s.Dimensions[i]; d.Expr == nil {
				known.table.Columns = append(known.table.Columns, sdk.Column{Name: d.Column, Type: declared(d)})
			}
		}
	}
	// The rules of now, for what they say of names and types.
	p := &catalog.Profile{}
	for _, c := range known.table.Columns {
		p.Stats = append(p.Stats, sdk.ColumnStats{Column: c.Name})
	}
	w.rules.Protect(known.table, p)
	for _, c := range p.Withheld {
		known.never[c.Column] = true
	}
	return known
}

func (w *withheld) position(s *model.Source) (int, bool) {
	if !s.Scanned || w.validation.state.Snapshot == nil {
		return 0, false
	}
	return w.validation.state.Snapshot.Position(s.Table)
}

// declared is the type that a file gives a column.
func declared(d *model.Dimension) sdk.Type {
	switch d.Type {
	case model.Number:
		return sdk.TypeDecimal
	case model.Time:
		return sdk.TypeTimestamp
	case model.Boolean:
		return sdk.TypeBool
	}
	return sdk.TypeText
}
