package clickhouse_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/loam-data/loam/e2e/testserver"
	"github.com/loam-data/loam/plugins/clickhouse"
	"github.com/loam-data/loam/sdk"
)

// database is a database of one of the test servers, over one of the protocols.
type database struct {
	name, version string
	base          map[string]any // configuration
	ask           func(ctx context.Context, user, database, sql string) (string, error)
	exec          func(t testing.TB, statements ...string)
}

// old is a database of the 18.16 server, over the native protocol.
func old(t testing.TB, statements ...string) *database {
	t.Helper()
	return onOld(testserver.ClickHouse18(t).Database(t, statements...), "native")
}

// oldHTTP is a database of the 18.16 server, over HTTP.
func oldHTTP(t testing.TB, statements ...string) *database {
	t.Helper()
	return onOld(testserver.ClickHouse18(t).Database(t, statements...), "http")
}

func onOld(db *testserver.ClickHouse18Database, protocol string) *database {
	port := db.Port
	if protocol == "http" {
		port = db.HTTPPort
	}
	return &database{
		name: db.Name, version: db.Version, ask: db.Ask, exec: db.Exec,
		base: map[string]any{"host": db.Host, "port": port, "protocol": protocol, "database": db.Name},
	}
}

// today is a database of today's engine, over HTTP.
func today(t testing.TB, statements ...string) *database {
	t.Helper()
	db := testserver.ClickHouse(t).Database(t, statements...)
	return &database{
		name: db.Name, version: db.Version, ask: db.Ask, exec: db.Exec,
		base: map[string]any{"host": db.Host, "port": db.Port, "protocol": "http", "database": db.Name},
	}
}

// everywhere runs a test on both servers and over both protocols; with -short on the real
// server over the native protocol alone. The suite runs on today's engine over HTTP then.
func everywhere(t *testing.T, test func(t *testing.T, make func(t testing.TB, statements ...string) *database)) {
	t.Helper()
	for name, make := range map[string]func(testing.TB, ...string) *database{
		"18.16 native": old, "18.16 http": oldHTTP, "26.7 http": today,
	} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && name != "18.16 native" {
				t.Skip("-short: the same on the other ClickHouse and over HTTP")
			}
			t.Parallel()
			test(t, make)
		})
	}
}

// config returns the configuration of a user; extra overrides single keys.
func (db *database) config(user string, extra map[string]any) sdk.Config {
	object := maps.Clone(db.base)
	object["user"] = user
	maps.Copy(object, extra)
	raw, err := json.Marshal(object)
	if err != nil {
		panic(err)
	}
	return sdk.Config{JSON: raw, Secrets: map[string]sdk.Secret{"password": sdk.NewSecret(testserver.ClickHousePassword)}}
}

// text returns the answer to a question of the administrator.
func (db *database) text(t testing.TB, sql string) string {
	t.Helper()
	answer, err := db.ask(t.Context(), testserver.ClickHouseAdmin, db.name, sql)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return strings.TrimSuffix(answer, "\n")
}

// openAs opens a session that ends with the test.
func (db *database) openAs(t testing.TB, user string) *clickhouse.Session {
	t.Helper()
	return openWith(t, sdk.OpenRequest{ConnectionID: "test", Config: db.config(user, nil)})
}

func openWith(t testing.TB, req sdk.OpenRequest) *clickhouse.Session {
	t.Helper()
	session, err := clickhouse.Connector().Open(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := session.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return session.(*clickhouse.Session)
}

// result is what a statement gave.
type result struct {
	columns  []sdk.Column
	rows     [][]any // as Vector.Value gives them, bytes as strings
	notices  []sdk.Warning
	progress []sdk.Progress
	summary  sdk.Summary
	id       string
}

// sink adapts a result to sdk.ResultSink.
type sink struct{ *result }

func (s sink) Started(id string) error { s.id = id; return nil }

func (s sink) Columns(c []sdk.Column) error {
	s.columns = slices.Clone(c)
	return nil
}

func (s sink) Batch(b *sdk.Batch) error {
	for row := range b.Rows {
		cells := make([]any, len(b.Columns))
		for i := range b.Columns {
			cells[i] = b.Columns[i].Value(s.columns[i].Type, row)
			if raw, ok := cells[i].([]byte); ok {
				cells[i] = string(raw)
			}
		}
		s.rows = append(s.rows, cells)
	}
	return nil
}

func (s sink) Progress(p sdk.Progress) { s.result.progress = append(s.result.progress, p) }

func (s sink) Notice(n sdk.Warning) { s.notices = append(s.notices, n) }

func execute(ctx context.Context, s sdk.Session, req sdk.ExecuteRequest) (*result, error) {
	r := &result{}
	w := sdk.NewRowWriter(sink{r}, req.Limits)
	err := s.Execute(ctx, req, w)
	if err == nil {
		err = w.Close()
	}
	r.summary = w.Summary()
	return r, err
}

// query runs a statement that must work.
func query(t testing.TB, s sdk.Session, sql string) *result {
	t.Helper()
	r, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: sql})
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return r
}

// wantKind fails the test unless err is a usable error of a kind.
func wantKind(t testing.TB, err error, kind sdk.Kind) *sdk.Error {
	t.Helper()
	e, ok := errors.AsType[*sdk.Error](err)
	if !ok || e.Kind != kind {
		t.Fatalf("got %v (kind %s), want kind %s", err, sdk.KindOf(err), kind)
	}
	if e.Hint == "" && kind != sdk.KindCanceled {
		t.Errorf("%v has no hint", e)
	}
	return e
}

// eventually asks until the answer is yes.
func eventually(t testing.TB, limit time.Duration, what string, ask func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !ask() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("%s: not within %s", what, limit)
		}
	}
}
