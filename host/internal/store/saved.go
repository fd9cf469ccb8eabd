package store

import (
	"context"
	"encoding/json"
	"errors"
	"time"
)

// SavedQuery names a saved query.
type SavedQuery struct{ Connection, Name string }

// SavedQueryRuns is how often a saved query ran, of the calls that are kept with their arguments.
type SavedQueryRuns struct {
	Runs    int
	Last    time.Time
	Outcome string // of the last run
}

const savedQueryRuns = `SELECT r.connection, r.name, r.runs, r.last_at, r.outcome FROM json_each(?) AS q
	CROSS JOIN saved_query_run AS r ON r.connection = q.value ->> 'Connection' AND r.name = q.value ->> 'Name'`

// SavedQueryRuns returns the runs of saved queries; one that never ran is not among them.
// Units: the time depends on the number of queries, not on that of the calls.
func (s *Store) SavedQueryRuns(ctx context.Context, queries []SavedQuery) (runs map[SavedQuery]SavedQueryRuns, err error) {
	defer func() { err = explain("read the runs of saved queries", s.path, err) }()
	asked, err := json.Marshal(queries)
	if err != nil {
		return nil, err
	}
	rows, err := s.read.QueryContext(ctx, savedQueryRuns, string(asked))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	runs = map[SavedQuery]SavedQueryRuns{}
	for rows.Next() {
		var q SavedQuery
		var one SavedQueryRuns
		var last int64
		if err := rows.Scan(&q.Connection, &q.Name, &one.Runs, &last, &one.Outcome); err != nil {
			return nil, err
		}
		one.Last = time.UnixMilli(last).UTC()
		runs[q] = one
	}
	return runs, rows.Err()
}
