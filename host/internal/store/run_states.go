package store

import (
	"context"
	"errors"
)

// RunStates counts the runs of all kinds by their state.
func (s *Store) RunStates(ctx context.Context) (counts map[RunState]int, err error) {
	defer func() { err = explain("count runs", s.path, err) }()
	rows, err := s.read.QueryContext(ctx, `SELECT state, count(*) FROM run GROUP BY state`)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	counts = map[RunState]int{}
	for rows.Next() {
		var state RunState
		var n int
		if err := rows.Scan(&state, &n); err != nil {
			return nil, err
		}
		counts[state] = n
	}
	return counts, rows.Err()
}

// SchemaVersion returns the version of the store's schema.
func (s *Store) SchemaVersion(ctx context.Context) (int64, error) {
	version, err := schemaVersion(ctx, s.read)
	return version, explain("read the version of the state store", s.path, err)
}
