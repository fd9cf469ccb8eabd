package store

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"time"
)

// StatsFilter chooses the calls of a statistic.
type StatsFilter struct {
	Since, Until time.Time // those that began at Since or later, and before Until
	// Connections chooses calls on these, and on none; nil = all.
	Connections []string
}

// ToolStats is the calls of a tool.
type ToolStats struct {
	Tool     string
	Outcomes map[string]int // calls by outcome
	Calls    int
	Bytes    int64 // of all answers
	P50, P95 time.Duration
}

// PeriodStats is the calls of a period.
type PeriodStats struct {
	Calls, Failed int
	Bytes         int64
}

// Reuse counts the calls of a tool that takes a name.
type Reuse struct {
	Runs  int
	Named int // runs whose name is recorded
	Names int // different ones, by connection
}

// where returns the condition of a filter.
func (f StatsFilter) where() (text string, args []any) {
	text, args = "started_at >= ? AND started_at < ?", []any{f.Since.UnixMilli(), f.Until.UnixMilli()}
	if f.Connections != nil {
		text += " AND connection IN (''" + strings.Repeat(", ?", len(f.Connections)) + ")"
		for _, c := range f.Connections {
			args = append(args, c)
		}
	}
	return text, args
}

// ToolStats returns the statistic of each tool that was called, by name. It reads one index, and keeps no call in memory.
func (s *Store) ToolStats(ctx context.Context, f StatsFilter) (all []ToolStats, err error) {
	defer func() { err = explain("read the history of calls", s.path, err) }()
	where, args := f.where()
	if all, err = s.outcomes(ctx, where, args); err != nil {
		return nil, err
	}
	ranked, err := s.read.PrepareContext(ctx, `SELECT duration FROM tool_call INDEXED BY tool_call_tool WHERE tool = ? AND `+where+` ORDER BY duration LIMIT 1 OFFSET ?`)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, ranked.Close()) }()
	for i := range all {
		for _, p := range []struct {
			percent int
			into    *time.Duration
		}{{50, &all[i].P50}, {95, &all[i].P95}} {
			rank := (all[i].Calls*p.percent+99)/100 - 1 // the nearest one
			var micros int64
			err := ranked.QueryRowContext(ctx, append(append([]any{all[i].Tool}, args...), rank)...).Scan(&micros)
			if err != nil && !errors.Is(err, sql.ErrNoRows) { // calls may be deleted meanwhile
				return nil, err
			}
			*p.into = time.Duration(micros) * time.Microsecond
		}
	}
	return all, nil
}

// outcomes returns the counts of each tool, by name.
func (s *Store) outcomes(ctx context.Context, where string, args []any) (all []ToolStats, err error) {
	rows, err := s.read.QueryContext(ctx, `SELECT tool, outcome, count(*), sum(bytes) FROM tool_call INDEXED BY tool_call_tool WHERE `+where+` GROUP BY tool, outcome ORDER BY tool, outcome`, args...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var tool, outcome string
		var calls int
		var bytes int64
		if err := rows.Scan(&tool, &outcome, &calls, &bytes); err != nil {
			return nil, err
		}
		if n := len(all); n == 0 || all[n-1].Tool != tool {
			all = append(all, ToolStats{Tool: tool, Outcomes: map[string]int{}})
		}
		last := &all[len(all)-1]
		last.Outcomes[outcome] = calls
		last.Calls += calls
		last.Bytes += bytes
	}
	return all, rows.Err()
}

// PeriodStats returns the statistic of each period: from one time to the next of bounds.
// Shape: one element less than bounds.
func (s *Store) PeriodStats(ctx context.Context, bounds []time.Time, connections []string) (all []PeriodStats, err error) {
	defer func() { err = explain("read the history of calls", s.path, err) }()
	where, args := StatsFilter{Connections: connections}.where()
	counted, err := s.read.PrepareContext(ctx, `SELECT count(*), coalesce(sum(outcome <> '`+OutcomeOK+`'), 0), coalesce(sum(bytes), 0) FROM tool_call INDEXED BY tool_call_started_at WHERE `+where)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, counted.Close()) }()
	for i := 1; i < len(bounds); i++ {
		args[0], args[1] = bounds[i-1].UnixMilli(), bounds[i].UnixMilli()
		var p PeriodStats
		if err := counted.QueryRowContext(ctx, args...).Scan(&p.Calls, &p.Failed, &p.Bytes); err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

// FirstCall returns when the first recorded call began, and zero without calls.
func (s *Store) FirstCall(ctx context.Context) (time.Time, error) {
	var first sql.NullInt64
	err := s.read.QueryRowContext(ctx, `SELECT min(started_at) FROM tool_call`).Scan(&first)
	return moment(first), explain("read the history of calls", s.path, err)
}

// Reuse counts the calls of a tool by the argument name.
func (s *Store) Reuse(ctx context.Context, tool string, f StatsFilter) (r Reuse, err error) {
	where, args := f.where()
	err = s.read.QueryRowContext(ctx, `SELECT count(*), count(name), count(DISTINCT connection || ' ' || name) FROM
		(SELECT connection, CASE WHEN json_valid(arguments) THEN arguments->>'$.name' END AS name FROM tool_call WHERE tool = ? AND `+where+`)`,
		append([]any{tool}, args...)...).Scan(&r.Runs, &r.Named, &r.Names)
	return r, explain("read the history of calls", s.path, err)
}
