package compile

import (
	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/plan"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/host/internal/semantic/statement"
	"github.com/loam-data/loam/sdk/dialect"
)

// SourceRows are the rows of a source with values of some fields, as a query reads
// them: for statements about the data that are no queries.
// Concurrency: one goroutine.
type SourceRows struct {
	rows   *rowset
	out    *plan.Project
	fields map[model.Field]plan.Column
}

// NewSourceRows returns the rows of a source. Rows that are in one plan share the
// numbers.
// Errors: *Error for a source that cannot be used.
func NewSourceRows(m *model.Model, d *dialect.Dialect, numbers *plan.Numbers, source model.SourceID) (*SourceRows, error) {
	rows, err := newCompiler(m, d, numbers).newRows(source)
	if err != nil {
		return nil, refusal.From(err)
	}
	return &SourceRows{rows: rows, out: &plan.Project{}, fields: map[model.Field]plan.Column{}}, nil
}

// Value returns the column of a field.
// Shape: equal fields have one column.
// Errors: *Error.
func (s *SourceRows) Value(f model.Field) (plan.Column, error) {
	if known, ok := s.fields[f]; ok {
		return known, nil
	}
	x, err := s.rows.field(0, f)
	if err != nil {
		return plan.Column{}, refusal.From(err)
	}
	name := f.Column
	if f.Dimension != 0 {
		name = s.rows.c.m.Dimension(f.Dimension).Name
	}
	return s.Add(name, x, f), nil
}

// Add adds a column of an expression over the source's row; fields are those that it
// is the value of.
func (s *SourceRows) Add(name string, x expression.Node, fields ...model.Field) plan.Column {
	column := s.out.Compute(s.rows.c.numbers, name, x.Type(), x)
	for _, f := range fields {
		s.fields[f] = column
	}
	return column
}

// Relation is the rows with all columns that were asked for by then.
func (s *SourceRows) Relation() plan.Relation {
	s.out.In = s.rows.relation()
	return s.out
}

// Probe writes a statement that reads a source and gives no row: the engine takes it
// when it can read the source.
// Errors: *Error.
func Probe(m *model.Model, d *dialect.Dialect, source model.SourceID) (string, error) {
	s, err := NewSourceRows(m, d, &plan.Numbers{}, source)
	if err != nil {
		return "", err
	}
	s.Add("hit", expression.Int(1))
	text, err := statement.Write(d, &plan.Filter{In: s.Relation(), Cond: never()}, nil)
	if err != nil {
		return "", refusal.From(err)
	}
	return text, nil
}

// Empty writes a statement that has the columns of a query and no rows.
func Empty(d *dialect.Dialect, query string) string { return statement.Empty(d, query) }

// never is a condition that no row satisfies.
func never() expression.Node {
	return equal(expression.Int(1), expression.Int(0))
}
