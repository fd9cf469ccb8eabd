//go:build cgo

package sqlserver

import (
	"context"
	"database/sql"
	"strings"

	"github.com/loam-data/loam/e2e/testserver/tds"
)

// columns are a result's columns as the client is told of them.
func (s *session) columns(ctx context.Context, query tree, rows *sql.Rows) ([]tds.Column, error) {
	types, err := rows.ColumnTypes()
	if err != nil {
		return nil, err
	}
	var names, ducks []string
	for _, t := range types {
		names, ducks = append(names, t.Name()), append(ducks, t.DatabaseTypeName())
	}
	return s.told(ctx, query, names, ducks)
}

// told are the columns of a query that DuckDB gives names and types.
func (s *session) told(ctx context.Context, query tree, names, ducks []string) ([]tds.Column, error) {
	outputs, err := s.outputs(ctx, query)
	if err != nil {
		return nil, err
	}
	outputs = spread(outputs, names)
	columns := make([]tds.Column, len(names))
	for i := range names {
		t, err := told(ducks[i])
		if err != nil {
			return nil, err
		}
		columns[i] = tds.Column{Name: names[i], Type: t, Nullable: true}
		if outputs == nil {
			continue
		}
		columns[i].Name = outputs[i].name
		if declared := outputs[i].typ; declared != nil && plain(stored(*declared)) == plain(ducks[i]) {
			columns[i].Type = *declared
		}
	}
	return columns, nil
}

// plain writes a type of DuckDB in one of its spellings.
func plain(duck string) string {
	return strings.ReplaceAll(duck, "TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ")
}

// spread puts the columns that a * stands for in its place; nil = it cannot be told
// which they are.
func spread(outputs []output, names []string) []output {
	stars := 0
	for _, o := range outputs {
		if o.star != nil {
			stars++
		}
	}
	more := len(names) - len(outputs) + stars
	if outputs == nil || more < 0 || stars == 0 && more > 0 {
		return nil
	}
	if stars == 0 {
		return outputs
	}
	var all []output
	for _, o := range outputs {
		if o.star == nil {
			all = append(all, o)
			continue
		}
		n := more
		if stars > 1 { // the names say it
			for n = 0; len(all)+n < len(names) && has(o.star, names[len(all)+n]); n++ {
			}
		}
		for range n {
			if len(all) == len(names) {
				return nil
			}
			name := names[len(all)]
			all = append(all, output{name: name, typ: o.star[strings.ToLower(name)]})
		}
	}
	if len(all) != len(names) {
		return nil
	}
	return all
}

func has(types map[string]*tds.Type, name string) bool {
	_, ok := types[strings.ToLower(name)]
	return ok
}
