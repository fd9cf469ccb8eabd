package store

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// MemoryMute is an actor whose waiting changes lists leave out.
type MemoryMute struct {
	Actor string
	At    time.Time
	By    string // a JSON object
}

// MemoryMutes returns the muted actors by name, at most limit.
func (s *Store) MemoryMutes(ctx context.Context, limit int) (all []MemoryMute, err error) {
	defer func() { err = explain("list muted actors", s.path, err) }()
	rows, err := s.read.QueryContext(ctx, "SELECT actor, at, muted_by FROM memory_mute ORDER BY actor LIMIT ?", limit)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var m MemoryMute
		var at int64
		if err := rows.Scan(&m.Actor, &at, &m.By); err != nil {
			return nil, err
		}
		m.At = time.UnixMilli(at).UTC()
		all = append(all, m)
	}
	return all, rows.Err()
}

// mute writes the mutes of a batch. The first mute of an actor stays.
func (b *MemoryBatch) mute(ctx context.Context, tx *sql.Tx) error {
	for _, m := range b.Muted {
		if _, err := tx.ExecContext(ctx, "INSERT INTO memory_mute (actor, at, muted_by) VALUES (?, ?, ?) ON CONFLICT (actor) DO NOTHING", m.Actor, m.At.UnixMilli(), m.By); err != nil {
			return err
		}
	}
	for _, actor := range b.Unmuted {
		if _, err := tx.ExecContext(ctx, "DELETE FROM memory_mute WHERE actor = ?", actor); err != nil {
			return err
		}
	}
	return nil
}
