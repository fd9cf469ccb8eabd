package store

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// Answer returns the cached answer of a language model; nil = there is none.
func (s *Store) Answer(ctx context.Context, key []byte) (answer []byte, err error) {
	err = s.read.QueryRowContext(ctx, `SELECT answer FROM memory_answer WHERE key = ?`, key).Scan(&answer)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return answer, explain("read an answer", s.path, err)
}

// PutAnswer caches the answer of a language model.
func (s *Store) PutAnswer(ctx context.Context, key, answer []byte, at time.Time) error {
	_, err := s.write.ExecContext(ctx, `INSERT INTO memory_answer (key, answer, at) VALUES (?, ?, ?)
		ON CONFLICT (key) DO UPDATE SET answer = excluded.answer, at = excluded.at`, key, string(answer), at.UnixMilli())
	return explain("keep an answer", s.path, err)
}

// ForgetAnswers deletes the cached answers from before a moment.
func (s *Store) ForgetAnswers(ctx context.Context, before time.Time) error {
	_, err := s.write.ExecContext(ctx, `DELETE FROM memory_answer WHERE at < ?`, before.UnixMilli())
	return explain("forget old answers", s.path, err)
}

// SpendTokens counts the tokens of a language model on a day; a negative number gives tokens back.
// Shape: ok is false, and nothing is counted, where the day's total would exceed most; most 0 = no bound.
func (s *Store) SpendTokens(ctx context.Context, day string, tokens, most int64) (ok bool, err error) {
	err = s.transact(ctx, "count tokens", func(tx *sql.Tx) error {
		var spent int64
		if err := tx.QueryRowContext(ctx, `SELECT coalesce(max(tokens), 0) FROM memory_tokens WHERE day = ?`, day).Scan(&spent); err != nil {
			return err
		}
		if ok = most == 0 || spent+tokens <= most; !ok {
			return nil
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO memory_tokens (day, tokens) VALUES (?, ?) ON CONFLICT (day) DO UPDATE SET tokens = excluded.tokens`,
			day, max(0, spent+tokens))
		return err
	})
	return ok, err
}
