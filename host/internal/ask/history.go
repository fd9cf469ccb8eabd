package ask

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/caller"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/history"
	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/host/internal/store"
	"github.com/loam-data/loam/sdk"
)

const (
	defaultSince = 24 * time.Hour
	maxSince     = 7 * 24 * time.Hour
	// DefaultQueries is the limit of a history without one, MaxQueries the largest.
	DefaultQueries = 20
	MaxQueries     = 100
)

// HistoryRequest asks for the statements that ran lately.
type HistoryRequest struct {
	// Since is an age, "90m" or "7d", or a time in RFC 3339, at most seven days ago; "" = 24 hours ago.
	Since string
	// Tables chooses the statements that read any of them; none = all.
	Tables []string
	// Connection "" = all.
	Connection connection.ID
	// Outcome is ok, error for every other one, or the code of an error; "" = all.
	Outcome string
	// Limit 0 = DefaultQueries.
	Limit int
	// Own is the client that asks, whose runs alone are told; nil = those of all clients.
	Own *caller.Record
	// Named: Own has a named token.
	Named bool
}

// History is the statements that ran lately, the last run first.
type History struct {
	Queries []Past `json:"queries"`
	// Total is the number of statements before the limit.
	Total int `json:"total"`
	// Own says whose runs these are.
	Own       string            `json:"own"`
	Arguments history.Arguments `json:"arguments"`
	Notes     []string          `json:"notes,omitempty"`
}

// Past is a statement that ran, however often. Outcome and RowCount are those of the last run.
type Past struct {
	SQL          string   `json:"sql"`
	ConnectionID *string  `json:"connectionId"`
	Runs         int      `json:"runs"`
	LastRunAt    string   `json:"lastRunAt"` // RFC 3339, UTC
	RowCount     *int     `json:"rowCount"`  // nil = it did not end
	MedianMs     int64    `json:"medianMs"`
	Outcome      string   `json:"outcome"`
	Tables       []string `json:"tables"`
}

// QueryHistory returns the recorded statements, one entry for all runs of one text on a connection.
// Errors: KindInvalid, KindNotFound (connection), KindUnsupported while nothing is recorded, those of the store.
func (s *Service) QueryHistory(ctx context.Context, r HistoryRequest) (*History, error) {
	since, err := s.since(r.Since)
	if err != nil {
		return nil, err
	}
	if r.Limit < 0 || r.Limit > MaxQueries {
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "limit is %d", r.Limit).WithHint("ask for 1 to %d statements", MaxQueries)
	}
	if r.Outcome != "" && r.Outcome != store.OutcomeOK && r.Outcome != store.AnyFailure && !slices.Contains(sdk.Kinds(), sdk.Kind(r.Outcome)) {
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "no run ends with %q", r.Outcome).WithHint("write ok, error, or a code such as %s", sdk.KindTimeout)
	}
	open, err := s.Warehouses.Connections(ctx)
	if err != nil {
		return nil, err
	}
	if r.Connection != "" {
		if _, err := open.Get(r.Connection); err != nil {
			return nil, err
		}
	}
	own, by := ownRuns(&r)
	runs, err := s.History.Runs(ctx, history.RunsFilter{Since: since, Connection: string(r.Connection), Outcome: r.Outcome, By: by})
	if err != nil {
		return nil, err
	}
	h := &History{Queries: []Past{}, Own: own, Arguments: runs.Kept}
	for _, g := range groupRuns(runs.All) {
		if _, err := open.Get(connection.ID(g.connection)); g.connection != "" && err != nil {
			continue // another caller's, or gone
		}
		if len(r.Tables) > 0 && !s.readsAny(ctx, g, r.Tables) {
			continue
		}
		if h.Total++; h.Total <= cmp.Or(r.Limit, DefaultQueries) {
			h.Queries = append(h.Queries, s.past(ctx, g))
		}
	}
	if runs.Unkept > 0 {
		h.Notes = append(h.Notes, fmt.Sprintf("%d runs are not listed: their statements were too long to be recorded.", runs.Unkept))
	}
	if runs.More {
		h.Notes = append(h.Notes, "Only the latest runs were read: ask for a shorter time.")
	}
	return h, nil
}

// since reads HistoryRequest.Since.
func (s *Service) since(text string) (time.Time, error) {
	now := s.Now()
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		age, ok := defaultSince, true
		if text != "" {
			age, ok = project.ParseAge(text)
		}
		if !ok || age < 0 {
			return time.Time{}, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "since is %q, which is no time", text).
				WithHint("write an age such as 90m or 7d, or a time such as 2026-05-01T12:00:00Z")
		}
		at = now.Add(-age)
	}
	if now.Sub(at) > maxSince {
		return time.Time{}, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "since is more than seven days ago").WithHint("ask for 7d or less; loam history reads further back")
	}
	return at, nil
}

// ownRuns returns whose runs are told, in words and as a filter.
func ownRuns(r *HistoryRequest) (string, *store.CallBy) {
	switch {
	case r.Own == nil:
		return "the calls of all clients of this project", nil
	case r.Named:
		return fmt.Sprintf("the calls with your token, %s", r.Own.Principal), &store.CallBy{Principal: r.Own.Principal, AnyClient: true}
	}
	return fmt.Sprintf("the calls of clients that name themselves %q as you do, over %s", r.Own.Client, r.Own.Transport),
		&store.CallBy{Principal: r.Own.Principal, Client: r.Own.Client, Transport: r.Own.Transport}
}

// ran is all runs of one text on a connection, oldest first.
type ran struct {
	connection, sql string
	runs            []history.Run
}

// groupRuns returns the groups by their last run, latest first.
func groupRuns(runs []history.Run) []*ran {
	type key struct{ connection, sql string }
	known := map[key]*ran{}
	var all []*ran
	for _, r := range runs {
		k := key{r.Connection, r.SQL}
		if known[k] == nil {
			known[k] = &ran{connection: r.Connection, sql: r.SQL}
			all = append(all, known[k])
		}
		known[k].runs = append(known[k].runs, r)
	}
	slices.SortStableFunc(all, func(a, b *ran) int { return b.last().Started.Compare(a.last().Started) })
	return all
}

func (g *ran) last() *history.Run { return &g.runs[len(g.runs)-1] }

func (s *Service) past(ctx context.Context, g *ran) Past {
	last := g.last()
	p := Past{
		SQL: g.sql, Runs: len(g.runs), LastRunAt: last.Started.UTC().Format(time.RFC3339), Outcome: last.Outcome,
		Tables: append([]string{}, s.Tables(ctx, connection.ID(g.connection), g.sql)...),
	}
	if g.connection != "" {
		p.ConnectionID = &g.connection
	}
	if last.Rows != store.NoRows {
		p.RowCount = &last.Rows
	}
	took := make([]time.Duration, len(g.runs))
	for i := range g.runs {
		took[i] = g.runs[i].Elapsed
	}
	slices.Sort(took)
	p.MedianMs = ((took[(len(took)-1)/2] + took[len(took)/2]) / 2).Milliseconds()
	return p
}

// readsAny reports whether a statement reads one of the named tables. Only a text that contains the last part of a name
// is tokenized.
func (s *Service) readsAny(ctx context.Context, g *ran, names []string) bool {
	text := strings.ToLower(g.sql)
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		last := name[strings.LastIndexByte(name, '.')+1:]
		return !strings.ContainsAny(last, "`\"'[]\\") && !strings.Contains(text, strings.ToLower(last)) // a quote may be doubled in the text
	})
	if len(names) == 0 {
		return false
	}
	tables := s.Tables(ctx, connection.ID(g.connection), g.sql)
	return slices.ContainsFunc(names, func(name string) bool { return reads(tables, name) })
}

// reads reports whether a name means one of the tables: the whole name or its end, in any case.
func reads(tables []string, name string) bool {
	return slices.ContainsFunc(tables, func(t string) bool {
		return strings.EqualFold(t, name) || len(t) > len(name) && strings.EqualFold(t[len(t)-len(name)-1:], "."+name)
	})
}
