package store

import (
	"context"
	"encoding/json"
	"math"
	"strings"
	"time"
)

// EventFilter chooses entries of the memory's log; a zero field chooses all.
type EventFilter struct {
	Verb, Change string
	// Actor is the whole client, user, principal, label or channel of the actor.
	Actor string
	Since time.Time
}

// where returns the condition of a filter.
func (f *EventFilter) where() (text string, args []any) {
	text = "1"
	add := func(condition string, values ...any) {
		text, args = text+" AND "+condition, append(args, values...)
	}
	if f.Change != "" {
		add("change = ?", f.Change)
	}
	if f.Verb != "" {
		add("verb = ?", f.Verb)
	}
	if f.Actor != "" { // a member of the JSON object: within its texts, quotes are escaped
		members := []string{"client", "user", "principal", "label", "channel"}
		name, err := json.Marshal(f.Actor)
		if err != nil {
			panic(err) // a text always encodes
		}
		var values []any
		for _, m := range members {
			values = append(values, `"`+m+`":`+string(name))
		}
		add("(instr(actor, ?) > 0"+strings.Repeat(" OR instr(actor, ?) > 0", len(members)-1)+")", values...)
	}
	if !f.Since.IsZero() {
		add("at >= ?", f.Since.UnixMilli())
	}
	return text, args
}

// index returns how a page finds its rows: those of a change by their index, all others by their number.
func (f *EventFilter) index() string {
	if f.Change != "" {
		return "INDEXED BY memory_event_change"
	}
	return "NOT INDEXED"
}

// EventPage returns a page of the chosen events, the latest first. It reads at most Page.Search rows of the log.
func (s *Store) EventPage(ctx context.Context, f EventFilter, p Page) (events []MemoryEvent, rest Rest, err error) {
	defer func() { err = explain("read memory's log", s.path, err) }()
	if f.Change != "" {
		p.Search = math.MaxInt32 // its index has few rows
	}
	low, err := s.bound(ctx, &p, "SELECT coalesce(max(n), 0) FROM memory_event")
	if err != nil {
		return nil, rest, err
	}
	where, args := f.where()
	events, err = s.events(ctx, `SELECT n, at, actor, verb, change, run, detail FROM memory_event `+f.index()+` WHERE n < ? AND n >= ? AND `+where+` ORDER BY n DESC LIMIT ?`,
		append(append([]any{p.Below, low}, args...), p.Limit+1)...)
	if err != nil {
		return nil, rest, err
	}
	if len(events) > p.Limit {
		events = events[:p.Limit]
		return events, Rest{Next: events[p.Limit-1].N}, nil
	}
	// Events are written as they happen: those before low are older than any later one.
	rest, err = s.older(ctx, low, f.Since, `SELECT EXISTS (SELECT 1 FROM memory_event WHERE n < ?)`,
		`SELECT coalesce((SELECT at FROM memory_event WHERE n < ? ORDER BY n DESC LIMIT 1), -1) >= ?`)
	return events, rest, err
}

// CountEvents counts the chosen events, up to Counted; one more stands for "more". -1 = no index has the columns of the
// filter.
func (s *Store) CountEvents(ctx context.Context, f EventFilter) (n int, err error) {
	if f.Verb != "" || f.Actor != "" || !f.Since.IsZero() {
		return -1, nil
	}
	query, args := "SELECT count(*) FROM memory_event", []any{}
	if f.Change != "" {
		query, args = "SELECT count(*) FROM (SELECT 1 FROM memory_event WHERE change = ? LIMIT ?)", []any{f.Change, Counted + 1}
	}
	err = s.read.QueryRowContext(ctx, query, args...).Scan(&n)
	return n, explain("count memory's log", s.path, err)
}
