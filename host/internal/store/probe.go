package store

import (
	"context"
	"database/sql"
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
