package mysql_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/loam-data/loam/e2e/testserver"
	"github.com/loam-data/loam/plugins/mysql"
	"github.com/loam-data/loam/sdk"
)

// configOf returns the configuration of an account on a database; extra overrides
// single keys, and a password of nil leaves it out.
func configOf(db *testserver.MariaDBDatabase, role string, extra map[string]any) sdk.Config {
	object := map[string]any{"host": db.Host, "port": db.Port, "database": db.Name, "user": role}
	for key, value := range extra {
		object[key] = value
	}
	secrets := map[string]sdk.Secret{"password": sdk.NewSecret(testserver.MariaDBPassword)}
	if password, ok := object["password"]; ok && password == nil {
		delete(object, "password")
		secrets = nil
	}
	raw, err := json.Marshal(object)
	if err != nil {
		panic(err)
	}
	return sdk.Config{JSON: raw, Secrets: secrets}
}

// openAs opens a session that ends with the test.
func openAs(t testing.TB, db *testserver.MariaDBDatabase, role string) *mysql.Session {
	t.Helper()
	return openWith(t, sdk.OpenRequest{ConnectionID: "test", Config: configOf(db, role, nil)})
}

func openWith(t testing.TB, req sdk.OpenRequest) *mysql.Session {
	t.Helper()
	session, err := mysql.Connector().Open(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := session.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return session.(*mysql.Session)
}

// result is what a statement gave.
type result struct {
	Columns []sdk.Column
	Rows    [][]any // as Vector.Value gives them, bytes as strings
	Notices []sdk.Warning
	Summary sdk.Summary
}

func (r *result) Started(string) error { return nil }

func (r *result) Columns_(c []sdk.Column) { r.Columns = c }

func (r *result) Progress(sdk.Progress) {}

func (r *result) Notice(n sdk.Warning) { r.Notices = append(r.Notices, n) }

// sink adapts a result to sdk.ResultSink; the field Columns stands in the way.
type sink struct{ *result }

func (s sink) Columns(c []sdk.Column) error {
	s.result.Columns = slices.Clone(c)
	return nil
}

func (s sink) Batch(b *sdk.Batch) error {
	for row := range b.Rows {
		cells := make([]any, len(b.Columns))
		for i := range b.Columns {
			cells[i] = b.Columns[i].Value(s.result.Columns[i].Type, row)
			if raw, ok := cells[i].([]byte); ok {
				cells[i] = string(raw)
			}
		}
		s.Rows = append(s.Rows, cells)
	}
	return nil
}

func execute(ctx context.Context, s sdk.Session, req sdk.ExecuteRequest) (*result, error) {
	r := &result{}
	w := sdk.NewRowWriter(sink{r}, req.Limits)
	err := s.Execute(ctx, req, w)
	if err == nil {
		err = w.Close()
	}
	r.Summary = w.Summary()
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

// slow runs until it is ended, and needs no memory for it.
func slow(tag string) string {
	return fmt.Sprintf("SELECT COUNT(*) FROM seq_1_to_1000000 a, seq_1_to_1000000 b WHERE a.seq + b.seq < 0 /* %s */", tag)
}

// named replaces {db} by the database's name.
func named(db *testserver.MariaDBDatabase, script string) string {
	return strings.ReplaceAll(script, "{db}", db.Name)
}
