package clickhouse

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/proto"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/reach"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// Session is an open connection to a ClickHouse server.
type Session struct {
	sqlkit.Warehouse[*asking, *statement]
	cfg       *config
	dialer    *dialer
	transport transport
	explorer  *reach.Explorer
	natives   map[string]bool // the functions of the server itself
	databases databases
	mode      mode
}

// asking is the work of one call: requests that are read-only each, for which the
// transport has connections of its own.
type asking struct {
	session *Session
	limit   time.Duration // of each statement
}

// engine is what the frame asks of a session.
func (s *Session) engine() sqlkit.Engine[*asking, *statement] {
	return sqlkit.Engine[*asking, *statement]{
		Parse: s.parse,
		Read: func(ctx context.Context, limit time.Duration, f func(context.Context, *asking) error) error {
			ctx, stop := sqlkit.WithTimeout(ctx, limit, 0)
			defer stop()
			return f(ctx, &asking{s, limit})
		},
		// A profile may take longer than one of its statements.
		Snapshot: func(ctx context.Context, limit time.Duration, f func(context.Context, *asking) error) error {
			return f(ctx, &asking{s, limit})
		},
		Check:   (*asking).check,
		Execute: (*asking).execute,
		Ping: func(a *asking, ctx context.Context) error {
			return a.session.ask(ctx, a.limit, "SELECT 1", func(sqlkit.Row) error { return nil })
		},
		Suggest:  s.suggest,
		Scan:     (*asking).scan,
		Shows:    func(st *statement) bool { return !st.query },
		Explain:  (*asking).explain,
		Validate: (*asking).validate,
		Profile:  (*asking).profile,
		Tables:   s.tables,
		QueryLog: (*asking).queryLog,
		Close:    func(context.Context) error { return errors.Join(s.transport.close(), s.dialer.net.Close()) },
	}
}

// check refuses what a statement reaches that leaves the server.
func (a *asking) check(ctx context.Context, st *statement, params []sdk.Value) error {
	if _, err := a.session.bind(st, params); err != nil {
		return err
	}
	return a.session.reaches(ctx, st.SQL, st.Tokens)
}

// run runs a query that carries the settings of the session's mode.
// Errors: those of q.block, and the server's, mapped.
func (s *Session) run(ctx context.Context, limit time.Duration, tags map[string]string, q *query) error {
	settings, err := s.mode.settings(limit, tags)
	if err != nil {
		return err
	}
	if q.id == "" {
		q.id = queryID("")
	}
	q.settings = settings
	return failed(ctx, s.transport.run(ctx, q), q)
}

// ask runs a question of the connector's own and passes its rows to a function.
func (s *Session) ask(ctx context.Context, limit time.Duration, sql string, row func(sqlkit.Row) error) error {
	return s.run(ctx, limit, nil, &query{sql: sql, block: func(b *block) error { return b.each(row) }})
}

// queryID returns the id under which the server runs a query: no two may be the
// same at a time.
func queryID(request string) string {
	id := "loam-" + rand.Text()[:16]
	if request != "" {
		id += "-" + hex.EncodeToString([]byte(request))
	}
	return id
}

// mode is what keeps the account from writing: a profile with readonly = 1,
// under which no setting may be sent, or readonly = 1 in every request.
type mode struct {
	profile bool
	// known are the settings that the server has and the account may change.
	known map[string]bool
	// longest is the account's own max_execution_time in seconds; 0 = none.
	longest  int
	memory   int // bytes; 0 = the account's own limit
	overHTTP bool
}

// settings returns what a request carries.
// Units: the server counts whole seconds; the context's deadline is finer.
func (m *mode) settings(limit time.Duration, tags map[string]string) (proto.Settings, error) {
	if m.profile {
		return nil, nil
	}
	seconds := max(1, int((limit+time.Second-1)/time.Second))
	if m.longest > 0 {
		seconds = min(seconds, m.longest)
	}
	settings := proto.Settings{{Key: "readonly", Value: 1, Important: true}}
	add := func(name string, value any) {
		if m.known[name] {
			settings = append(settings, proto.Setting{Key: name, Value: value, Important: true})
		}
	}
	add("max_execution_time", seconds)
	if m.memory > 0 {
		add("max_memory_usage", m.memory)
	}
	if m.overHTTP {
		add("cancel_http_readonly_queries_on_client_close", 1)
	}
	add("output_format_native_write_json_as_string", 1)
	if len(tags) > 0 {
		comment, err := json.Marshal(tags)
		if err != nil {
			return nil, err
		}
		add("log_comment", string(comment))
	}
	return settings, nil
}
