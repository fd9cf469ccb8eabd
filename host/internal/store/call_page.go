package store

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// Searched bounds the rows that one page of a log reads, and Counted the rows that are counted.
const (
	Searched = 10_000
	Counted  = 10_000
)

// Page says which part of a log to read, the latest first. Rows are numbered in the order in which they were written, so
// that a page does not change while rows are added.
type Page struct {
	// Below chooses rows with a smaller number; 0 = from the last one.
	Below int64
	// Limit is the most rows to return, Search the most rows to look at; 0 = Searched.
	Limit, Search int
}

// Rest says where a log goes on.
type Rest struct {
	// Next is the Page.Below of the next page; 0 = there is none.
	Next int64
	// Stopped: rows older than the searched ones were not looked at, and the page has fewer rows than its limit.
	Stopped bool
}

// CallPage returns a page of the chosen calls, the latest first. It reads at most Page.Search rows of the log, and behind
// them one index where that has the columns of the filter: such a page does not stop.
// CallFilter.Limit has no effect.
func (s *Store) CallPage(ctx context.Context, f CallFilter, p Page) (calls []Call, rest Rest, err error) {
	defer func() { err = explain("read the history of calls", s.path, err) }()
	low, err := s.bound(ctx, &p, "SELECT coalesce(max(id), 0) FROM tool_call")
	if err != nil {
		return nil, rest, err
	}
	where, args := f.where()
	calls, err = s.calls(ctx, callPage+where+` ORDER BY id DESC LIMIT ?`, append(append([]any{p.Below, low}, args...), p.Limit+1)...)
	if err != nil {
		return nil, rest, err
	}
	index, indexed := f.index()
	if missing := p.Limit + 1 - len(calls); missing > 0 && indexed && low > 1 {
		older, err := s.calls(ctx, callsBehind(index, where), append(append([]any{low}, args...), missing)...)
		if err != nil {
			return nil, rest, err
		}
		calls, low = append(calls, older...), 1
	}
	if len(calls) > p.Limit {
		calls = calls[:p.Limit]
		return calls, Rest{Next: calls[p.Limit-1].ID}, nil
	}
	rest, err = s.older(ctx, low, f.Since, `SELECT EXISTS (SELECT 1 FROM tool_call WHERE id < ?)`,
		`SELECT EXISTS (SELECT 1 FROM tool_call INDEXED BY tool_call_started_at WHERE id < ? AND started_at >= ?)`)
	return calls, rest, err
}

// callsBehind finds the numbers of rows in an index alone.
func callsBehind(index, where string) string {
	return `SELECT ` + callColumns + ` FROM tool_call WHERE id IN (SELECT id FROM tool_call INDEXED BY ` + index + ` WHERE id < ? AND ` + where +
		` ORDER BY id DESC LIMIT ?) ORDER BY id DESC`
}

// calls reads the calls of a statement.
func (s *Store) calls(ctx context.Context, query string, args ...any) (calls []Call, err error) {
	rows, err := s.read.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		c, err := scanCall(rows)
		if err != nil {
			return nil, err
		}
		calls = append(calls, c)
	}
	return calls, rows.Err()
}

// callPage finds rows by their number alone: another index would find all rows of a tool, and sort them.
const callPage = `SELECT ` + callColumns + ` FROM tool_call NOT INDEXED WHERE id < ? AND id >= ? AND `

// bound sets Below and Search where they are not set, and returns the smallest number that the page may read.
func (s *Store) bound(ctx context.Context, p *Page, last string) (int64, error) {
	if p.Search == 0 {
		p.Search = Searched
	}
	if p.Below == 0 {
		if err := s.read.QueryRowContext(ctx, last).Scan(&p.Below); err != nil {
			return 0, err
		}
		p.Below++
	}
	return max(1, p.Below-int64(p.Search)), nil
}

// older returns the rest behind the searched rows: whole finds a row with a smaller number, later one that is also young
// enough.
func (s *Store) older(ctx context.Context, low int64, since time.Time, whole, later string) (Rest, error) {
	query, args := whole, []any{low}
	if !since.IsZero() {
		query, args = later, append(args, since.UnixMilli())
	}
	var there bool
	if err := s.read.QueryRowContext(ctx, query, args...).Scan(&there); err != nil || !there {
		return Rest{}, err
	}
	return Rest{Next: low, Stopped: true}, nil
}

// CountCallsOf counts the chosen calls from one index, up to Counted; one more stands for "more". -1 = no index has the
// columns of the filter.
func (s *Store) CountCallsOf(ctx context.Context, f CallFilter) (n int, err error) {
	query, args, ok := f.counting()
	if !ok {
		return -1, nil
	}
	err = s.read.QueryRowContext(ctx, query, args...).Scan(&n)
	return n, explain("count the history of calls", s.path, err)
}

// index returns the index that has all columns of the filter; ok is false if none has.
func (f CallFilter) index() (name string, ok bool) {
	switch {
	case f.Principal != "" || f.Client != "" || f.Key != "" || f.By != nil || f.After > 0 || len(f.Tools) > 0:
		return "", false
	case f.Tool != "":
		return "tool_call_tool", true
	}
	return "tool_call_started_at", true
}

// counting returns the statement of CountCallsOf; ok is false if no index has all columns.
func (f CallFilter) counting() (query string, args []any, ok bool) {
	index, ok := f.index()
	if !ok {
		return "", nil, false
	}
	where, args := f.where()
	if where == "1" {
		return "SELECT count(*) FROM tool_call", nil, true // the number of an index's entries, which is fast
	}
	return "SELECT count(*) FROM (SELECT 1 FROM tool_call INDEXED BY " + index + " WHERE " + where + " LIMIT ?)", append(args, Counted+1), true
}

// CallTools returns the distinct tools of the recorded calls, by name, at most limit. It reads one entry of an index for
// each.
func (s *Store) CallTools(ctx context.Context, limit int) (tools []string, err error) {
	defer func() { err = explain("read the history of calls", s.path, err) }()
	rows, err := s.read.QueryContext(ctx, callTools, limit)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var tool sql.NullString
		if err := rows.Scan(&tool); err != nil {
			return nil, err
		}
		if tool.Valid {
			tools = append(tools, tool.String)
		}
	}
	return tools, rows.Err()
}

const callTools = `WITH RECURSIVE found(tool) AS (SELECT min(tool) FROM tool_call
	UNION ALL SELECT (SELECT min(t.tool) FROM tool_call t WHERE t.tool > found.tool) FROM found WHERE found.tool IS NOT NULL)
	SELECT tool FROM found LIMIT ?`
