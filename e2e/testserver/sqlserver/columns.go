//go:build cgo

package sqlserver

import (
	"context"
	"database/sql"

	"github.com/loam-data/loam/e2e/testserver/tds"
)

// columns are a result's columns as the client is told of them.
func (s *session) columns(ctx context.Context, text string, rows *sql.Rows) ([]tds.Column, error) {
	types, err := rows.ColumnTypes()
	if err != nil {
		return nil, err
	}
	var names, ducks []string
	for _, t := range types {
		names, ducks = append(names, t.Name()), append(ducks, t.DatabaseTypeName())
	}
	return s.told(ctx, text, names, ducks)
}

func (s *session) told(_ context.Context, _ string, names, ducks []string) ([]tds.Column, error) {
	columns := make([]tds.Column, len(names))
	for i := range names {
		t, err := told(ducks[i])
		if err != nil {
			return nil, err
		}
		columns[i] = tds.Column{Name: names[i], Type: t, Nullable: true}
	}
	return columns, nil
}
