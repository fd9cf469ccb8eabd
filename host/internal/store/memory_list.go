package store

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"time"
)

// MemoryFilter chooses changes; a zero field chooses all.
type MemoryFilter struct {
	States                   []string
	Kind, Connection, Source string
	Connections              []string // nil = any, or none
	Actor                    string
	NotActors                []string // changes of these are left out
	Since                    time.Time
	// ID is a change's id or its beginning. ID and the next fields match few changes.
	ID                        string
	Signature                 []byte
	Run, Path, Target, Undoes string
	// Disputed chooses changes with conflicts.
	Disputed bool
	// Text chooses changes whose target or new value contains it, in capital or small letters.
	Text string
	// Below chooses smaller N, Above greater ones; 0 = all.
	Below, Above int64
	// Oldest returns the oldest changes first.
	Oldest bool
	Limit  int // 0 = all
}

// memoryStates are the values of memory_change.state.
var memoryStates = []string{"pending", "applying", "draft", "applied", "reverted", "rejected", "superseded"}

// few reports whether an index finds the chosen changes by what they are about.
func (f *MemoryFilter) few() bool {
	return f.ID != "" || f.Signature != nil || f.Run != "" || f.Path != "" || f.Target != "" || f.Undoes != ""
}

// conditions returns what is chosen beside the state.
func (f *MemoryFilter) conditions() (where string, args []any) {
	for _, c := range []struct{ column, value string }{
		{"kind", f.Kind}, {"connection", f.Connection}, {"source", f.Source}, {"actor", f.Actor},
		{"run", f.Run}, {"path", f.Path}, {"target", f.Target},
	} {
		if c.value != "" {
			where, args = where+" AND "+c.column+" = ?", append(args, c.value)
		}
	}
	if len(f.Connections) > 0 {
		where += " AND connection IN (?" + strings.Repeat(", ?", len(f.Connections)-1) + ")"
		for _, c := range f.Connections {
			args = append(args, c)
		}
	}
	if len(f.NotActors) > 0 {
		where += " AND actor NOT IN (?" + strings.Repeat(", ?", len(f.NotActors)-1) + ")"
		for _, a := range f.NotActors {
			args = append(args, a)
		}
	}
	if f.Undoes != "" {
		where, args = where+" AND undoes = ? AND undoes <> ''", append(args, f.Undoes) // the index has only those
	}
	if f.Signature != nil {
		where, args = where+" AND signature = ?", append(args, f.Signature)
	}
	if f.ID != "" {
		where, args = where+" AND id >= ? AND id < ?", append(args, f.ID, f.ID+"~") // "~" is after all digits
	}
	if f.Disputed {
		where += ` AND instr(proposal, '"conflicts":[') > 0` // within a text the quotes are escaped; as in the index
	}
	if f.Text != "" {
		like := "%" + strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(f.Text) + "%"
		if strings.IndexFunc(f.Text, escaped) < 0 { // so that few proposals are read as JSON
			where, args = where+` AND (target LIKE ? ESCAPE '\' OR proposal LIKE ? ESCAPE '\')`, append(args, like, like)
		}
		where += ` AND (target LIKE ? ESCAPE '\' OR proposal ->> '$.says' LIKE ? ESCAPE '\')`
		args = append(args, like, like)
	}
	if !f.Since.IsZero() {
		where, args = where+" AND created_at >= ?", append(args, f.Since.UnixMilli())
	}
	return where, args
}

func (f *MemoryFilter) states() []string {
	if len(f.States) == 0 {
		return memoryStates
	}
	return f.States
}

// inStates is the condition on the state. plain keeps its index from being used.
func inStates(states []string, plain string) (where string, args []any) {
	for _, s := range states {
		args = append(args, s)
	}
	return plain + "state IN (?" + strings.Repeat(", ?", len(states)-1) + ")", args
}

// escaped reports whether JSON may write a character otherwise than the text has it.
func escaped(c rune) bool {
	const separators = "\u2028\u2029\ufffd"
	return c < ' ' || strings.ContainsRune(`"\<>&`+separators, c) || c == 0x7f
}

// order is that of the rows.
func (f *MemoryFilter) order() string {
	if f.Oldest {
		return "ASC"
	}
	return "DESC"
}

// numbers returns the statement that chooses the numbers of a page of changes.
// States are read one by one, each in the order of the index, so that a page costs as many rows as it has.
func (f *MemoryFilter) numbers() (query string, args []any) {
	where, values := f.conditions()
	if f.Below > 0 {
		where, values = where+" AND n < ?", append(values, f.Below)
	}
	if f.Above > 0 {
		where, values = where+" AND n > ?", append(values, f.Above)
	}
	limit := -1
	if f.Limit > 0 {
		limit = f.Limit
	}
	if f.few() {
		in, states := inStates(f.states(), "+")
		return "SELECT n FROM memory_change WHERE " + in + where + " ORDER BY +n " + f.order() + " LIMIT ?", append(append(states, values...), limit)
	}
	var each []string
	index := ""
	if f.Disputed {
		index = " INDEXED BY memory_change_disputed"
	}
	for _, state := range f.states() {
		each = append(each, "SELECT n FROM (SELECT n FROM memory_change"+index+" WHERE state = ?"+where+" ORDER BY n "+f.order()+" LIMIT ?)")
		args = append(append(append(args, state), values...), limit)
	}
	return "SELECT n FROM (" + strings.Join(each, " UNION ALL ") + ") ORDER BY n " + f.order() + " LIMIT ?", append(args, limit)
}

// MemoryChanges returns the chosen changes, the latest first, or the oldest.
func (s *Store) MemoryChanges(ctx context.Context, f MemoryFilter) (all []MemoryChange, err error) {
	defer func() { err = explain("list changes", s.path, err) }()
	query, args := f.numbers()
	rows, err := s.read.QueryContext(ctx, `
		SELECT n, id, run, seq, kind, connection, target, path, source, actor, signature, state, version, created_at, applied_at,
			undoes, problem, before_hash, after_hash, proposal, proposed_by, coalesce(decision, ''), coalesce(writing, '')
		FROM memory_change WHERE n IN (`+query+`) ORDER BY n `+f.order(), args...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var c MemoryChange
		var created int64
		var applied sql.NullInt64
		if err := rows.Scan(&c.N, &c.ID, &c.Run, &c.Seq, &c.Kind, &c.Connection, &c.Target, &c.Path, &c.Source, &c.Actor, &c.Signature,
			&c.State, &c.Version, &created, &applied, &c.Undoes, &c.Problem, &c.Before, &c.After, &c.Proposal, &c.ProposedBy, &c.Decision, &c.Writing); err != nil {
			return nil, err
		}
		c.CreatedAt, c.AppliedAt = time.UnixMilli(created).UTC(), moment(applied)
		all = append(all, c)
	}
	return all, rows.Err()
}

// CountMemoryChanges counts the chosen changes on all pages.
// Shape: oldest is zero when there is none.
func (s *Store) CountMemoryChanges(ctx context.Context, f MemoryFilter) (count int, oldest time.Time, err error) {
	var first sql.NullInt64
	query, args := f.count()
	err = s.read.QueryRowContext(ctx, query, args...).Scan(&count, &first)
	return count, moment(first), explain("count changes", s.path, err)
}

// count returns the statement that counts the chosen changes.
func (f *MemoryFilter) count() (query string, args []any) {
	plain, index := "", ""
	switch {
	case f.few():
		plain = "+"
	case f.Disputed:
		index = " INDEXED BY memory_change_disputed"
	}
	in, args := inStates(f.states(), plain)
	where, values := f.conditions()
	return "SELECT count(*), min(created_at) FROM memory_change" + index + " WHERE " + in + where, append(args, values...)
}

// MemoryVersion returns a version that every proposal and decision of any process changes.
func (s *Store) MemoryVersion(ctx context.Context) (version [2]int64, err error) {
	err = s.read.QueryRowContext(ctx, "SELECT coalesce((SELECT max(n) FROM memory_change), 0), coalesce((SELECT max(n) FROM memory_event), 0)").
		Scan(&version[0], &version[1])
	return version, explain("read memory's log", s.path, err)
}
