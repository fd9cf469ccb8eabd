package store

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"time"
)

// Probe is the result of a test run of a measure.
type Probe struct {
	Connection, Member string
	Definition         []byte // a hash
	At                 time.Time
	Period             string // "2026-10", "" = all rows
	Value              string // JSON, "" = none, or withheld
	Rows               int64  // that it was computed from
	Took               time.Duration
	Error              string // "" = it ran
}

// PutProbe stores a probe in place of an earlier one of the same definition and period.
func (s *Store) PutProbe(ctx context.Context, p Probe) error {
	text := func(s string) sql.NullString { return sql.NullString{String: s, Valid: s != ""} }
	_, err := s.write.ExecContext(ctx, `INSERT INTO memory_probe (connection, member, definition, at, period, value, rows, millis, error) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (connection, member, definition, period) DO UPDATE SET at = excluded.at, value = excluded.value, rows = excluded.rows, millis = excluded.millis, error = excluded.error`,
		p.Connection, p.Member, p.Definition, p.At.UnixMilli(), p.Period, text(p.Value), p.Rows, p.Took.Milliseconds(), text(p.Error))
	return explain("keep what a measure was", s.path, err)
}

// Probes returns the probes of a measure under any of its names, the latest first.
// Shape: one for each definition and period; at most limit.
func (s *Store) Probes(ctx context.Context, connection string, names []string, limit int) (all []Probe, err error) {
	defer func() { err = explain("read what a measure was", s.path, err) }()
	if len(names) == 0 {
		return nil, nil
	}
	args := []any{connection}
	for _, name := range names {
		args = append(args, name)
	}
	rows, err := s.read.QueryContext(ctx, `SELECT connection, member, definition, at, period, coalesce(value, ''), rows, millis, coalesce(error, '') FROM memory_probe
		WHERE connection = ? AND member IN (?`+strings.Repeat(", ?", len(names)-1)+`) ORDER BY at DESC, period DESC, definition LIMIT ?`, append(args, limit)...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var p Probe
		var at, millis int64
		if err := rows.Scan(&p.Connection, &p.Member, &p.Definition, &at, &p.Period, &p.Value, &p.Rows, &millis, &p.Error); err != nil {
			return nil, err
		}
		p.At, p.Took = time.UnixMilli(at).UTC(), time.Duration(millis)*time.Millisecond
		all = append(all, p)
	}
	return all, rows.Err()
}
