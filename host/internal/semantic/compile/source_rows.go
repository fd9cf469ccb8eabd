package compile

import (
	"fmt"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// SourceRows are the rows of a source with values of some fields, as a query reads
// them: for statements about the data that are no queries.
// Concurrency: one goroutine.
type SourceRows struct {
	rows    *rowset
	alias   string
	columns []string
	fields  map[model.Field]expression.Node
}

// NewSourceRows returns the rows of a source under an alias, a plain word.
// Errors: *Error for a source that cannot be used.
func NewSourceRows(m *model.Model, d *dialect.Dialect, source model.SourceID, alias string) (*SourceRows, error) {
	c := &compiler{m: m, d: d, types: map[model.DimensionID]sdk.Type{}}
	c.print = Printer(d)
	rows, err := c.newRows(source)
	if err != nil {
		return nil, fromBelow(err)
	}
	return &SourceRows{rows: rows, alias: alias, fields: map[model.Field]expression.Node{}}, nil
}

// Printer returns the printer of what Value and Cell give.
func Printer(d *dialect.Dialect) expression.Printer {
	return expression.Printer{Dialect: d, Name: cellSQL}
}

// Cell returns a column of a statement as an expression of its type.
func Cell(sql string, t sdk.Type) expression.Node { return cell(sql, t) }

// Value returns the value of a field of a row: alias.k1 and so on.
// Shape: equal fields have equal values.
// Errors: *Error.
func (s *SourceRows) Value(f model.Field) (expression.Node, error) {
	if known, ok := s.fields[f]; ok {
		return known, nil
	}
	value, err := s.rows.field(0, f)
	if err != nil {
		return nil, fromBelow(err)
	}
	text, err := s.rows.c.print.Value(value)
	if err != nil {
		return nil, fromBelow(err)
	}
	name := fmt.Sprintf("k%d", len(s.columns)+1)
	s.columns = append(s.columns, text+" AS "+name)
	s.fields[f] = cell(s.alias+"."+name, value.Type())
	return s.fields[f], nil
}

// SQL writes the rows, with one column more that is always 1: (SELECT … , 1 AS hit
// FROM …) AS alias.
// Errors: *Error.
func (s *SourceRows) SQL() (string, error) {
	from, err := s.rows.from()
	if err != nil {
		return "", fromBelow(err)
	}
	return "(SELECT " + strings.Join(append(s.columns, "1 AS hit"), ", ") + " FROM " + from + ") AS " + s.alias, nil
}
