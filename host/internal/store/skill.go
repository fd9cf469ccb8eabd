package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/loam-data/loam/sdk"
)

// SkillUse is one use of a skill.
type SkillUse struct {
	ID, Name, Version string // Version "" = none
	Major             int
	Actor             []byte // hash of who used it
	// Call and ReportCall identify the calls that began and reported it; "" = they named none.
	Call, ReportCall string
	Succeeded        *bool // nil = nobody reported it
	At               time.Time
}

// SkillCount counts the uses of a skill since it was first used.
type SkillCount struct {
	Uses, Succeeded, Failed int
	LastAt                  time.Time
}

// SkillKey identifies what is counted: the versions of a skill with one major number.
type SkillKey struct {
	Name  string
	Major int
}

// skillUsesKept is how long single uses are kept.
const skillUsesKept = 90 * 24 * time.Hour

const skillUseColumns = `id, name, version, major, actor, begin_call, report_call, succeeded, at`

// BeginSkillUse stores and counts a use. A use of the actor with the same Call is returned as it is stored, with
// repeated = true.
// Errors: KindLimit (disk full), KindConflict with Retry.
func (s *Store) BeginSkillUse(ctx context.Context, u SkillUse) (stored SkillUse, repeated bool, err error) {
	err = s.transact(ctx, "count a use of a skill", func(tx *sql.Tx) error {
		before, err := skillUseOfCall(ctx, tx, u.Actor, u.Call)
		if before != nil || err != nil {
			if before != nil {
				stored, repeated = *before, true
			}
			return err
		}
		stored, repeated = u, false
		if _, err := tx.ExecContext(ctx, `INSERT INTO skill_use (`+skillUseColumns+`) VALUES (?, ?, ?, ?, ?, ?, '', NULL, ?)`,
			u.ID, u.Name, u.Version, u.Major, u.Actor, u.Call, u.At.UnixMilli()); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM skill_use WHERE at < ?`, u.At.Add(-skillUsesKept).UnixMilli()); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO skill_count (name, major, uses, succeeded, failed, last_at) VALUES (?, ?, 1, 0, 0, ?)
			ON CONFLICT (name, major) DO UPDATE SET uses = uses + 1, last_at = max(last_at, excluded.last_at)`, u.Name, u.Major, u.At.UnixMilli())
		return err
	})
	return stored, repeated, err
}

// skillUseOfCall returns the use that a named call of an actor began or reported; nil = there is none.
func skillUseOfCall(ctx context.Context, tx *sql.Tx, actor []byte, call string) (*SkillUse, error) {
	if call == "" {
		return nil, nil
	}
	return scanSkillUse(tx.QueryRowContext(ctx, `SELECT `+skillUseColumns+` FROM skill_use WHERE actor = ? AND ? IN (begin_call, report_call)`, actor, call))
}

func scanSkillUse(row *sql.Row) (*SkillUse, error) {
	var u SkillUse
	var succeeded sql.NullBool
	var at int64
	err := row.Scan(&u.ID, &u.Name, &u.Version, &u.Major, &u.Actor, &u.Call, &u.ReportCall, &succeeded, &at)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if succeeded.Valid {
		u.Succeeded = &succeeded.Bool
	}
	u.At = time.UnixMilli(at).UTC()
	return &u, err
}

// SkillReport is the outcome of the last use of a skill by an actor.
type SkillReport struct {
	Name, Version string // Version "" = any
	Actor         []byte
	Call          string // "" = the call names none
	Succeeded     bool
}

// ReportSkillUse stores and counts the outcome of the last use, once: a use that has the same outcome already is returned
// with repeated = true.
// Errors: KindNotFound without a use; KindConflict for a use with the other outcome, and for a Call that said something
// else; KindLimit (disk full), KindConflict with Retry.
func (s *Store) ReportSkillUse(ctx context.Context, r SkillReport) (use SkillUse, repeated bool, err error) {
	err = s.transact(ctx, "count the outcome of a skill", func(tx *sql.Tx) error {
		before, err := skillUseOfCall(ctx, tx, r.Actor, r.Call)
		if err != nil {
			return err
		}
		if before != nil {
			use, repeated = *before, true
			if before.ReportCall != r.Call || before.Name != r.Name || r.Version != "" && before.Version != r.Version || *before.Succeeded != r.Succeeded {
				return sdk.Errorf(sdk.KindConflict, sdk.SourceCaller, "the clientId was used for another call").WithHint("give each call a clientId of its own")
			}
			return nil
		}
		last, err := scanSkillUse(tx.QueryRowContext(ctx, `SELECT `+skillUseColumns+` FROM skill_use
			WHERE actor = ? AND name = ? AND (? = '' OR version = ?) ORDER BY n DESC LIMIT 1`, r.Actor, r.Name, r.Version, r.Version))
		switch {
		case err != nil:
			return err
		case last == nil:
			return sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "you have not used the skill %s", r.Name).WithHint("call skill_apply without success first: it returns the skill")
		case last.Succeeded != nil && *last.Succeeded != r.Succeeded:
			return sdk.Errorf(sdk.KindConflict, sdk.SourceCaller, "the use %s of %s has the other outcome already", last.ID, r.Name).WithHint("call skill_apply without success to begin another use")
		}
		use, repeated = *last, last.Succeeded != nil
		if repeated {
			return nil
		}
		return settleSkillUse(ctx, tx, &use, r)
	})
	return use, repeated, err
}

func settleSkillUse(ctx context.Context, tx *sql.Tx, use *SkillUse, r SkillReport) error {
	use.Succeeded, use.ReportCall = &r.Succeeded, r.Call
	if _, err := tx.ExecContext(ctx, `UPDATE skill_use SET succeeded = ?, report_call = ? WHERE id = ?`, r.Succeeded, r.Call, use.ID); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `UPDATE skill_count SET succeeded = succeeded + ?, failed = failed + ? WHERE name = ? AND major = ?`,
		r.Succeeded, !r.Succeeded, use.Name, use.Major)
	return err
}

// SkillCounts returns the counts of all skills that were used.
func (s *Store) SkillCounts(ctx context.Context) (all map[SkillKey]SkillCount, err error) {
	defer func() { err = explain("read the uses of skills", s.path, err) }()
	rows, err := s.read.QueryContext(ctx, `SELECT name, major, uses, succeeded, failed, last_at FROM skill_count`)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	all = map[SkillKey]SkillCount{}
	for rows.Next() {
		var k SkillKey
		var c SkillCount
		var at int64
		if err := rows.Scan(&k.Name, &k.Major, &c.Uses, &c.Succeeded, &c.Failed, &at); err != nil {
			return nil, err
		}
		c.LastAt = time.UnixMilli(at).UTC()
		all[k] = c
	}
	return all, rows.Err()
}
