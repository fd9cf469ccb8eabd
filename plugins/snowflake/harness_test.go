package snowflake_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"

	fixture "github.com/loam-data/loam/e2e/testserver/snowflake"
	"github.com/loam-data/loam/plugins/snowflake"
	"github.com/loam-data/loam/sdk"
)

// configOf returns the configuration of a role on the fixture; extra overrides single
// keys.
func configOf(s *fixture.Server, role string, extra map[string]any) sdk.Config {
	object := map[string]any{
		"account": fixture.DefaultAccount, "host": s.Host, "port": s.Port, "protocol": "http", "user": fixture.DefaultUser,
		"database": fixture.DefaultDatabase, "warehouse": fixture.DefaultWarehouse, "role": role,
	}
	for key, value := range extra {
		object[key] = value
	}
	raw, err := json.Marshal(object)
	if err != nil {
		panic(err)
	}
	return sdk.Config{JSON: raw, Secrets: map[string]sdk.Secret{"password": sdk.NewSecret(fixture.DefaultPassword)}}
}

// open opens a session that ends with the test.
func open(t testing.TB, config sdk.Config) *snowflake.Session {
	t.Helper()
	session, err := snowflake.Connector().Open(t.Context(), sdk.OpenRequest{ConnectionID: "test", Config: config})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := session.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return session.(*snowflake.Session)
}

// result is what a statement gave.
type result struct {
	QueryID string
	Columns []sdk.Column
	Rows    [][]string // as JSON results have them; NULL is "NULL"
	Notices []sdk.Warning
	Summary sdk.Summary
}

// sink adapts a result to sdk.ResultSink.
type sink struct{ *result }

func (s sink) Started(id string) error { s.QueryID = id; return nil }

func (s sink) Columns(c []sdk.Column) error { s.result.Columns = slices.Clone(c); return nil }

func (s sink) Progress(sdk.Progress) {}

func (s sink) Notice(n sdk.Warning) { s.Notices = append(s.Notices, n) }

func (s sink) Batch(b *sdk.Batch) error {
	for row := range b.Rows {
		cells := make([]string, len(b.Columns))
		for i := range b.Columns {
			if cells[i] = "NULL"; !b.Columns[i].IsNull(row) {
				cells[i] = string(b.Columns[i].AppendText(nil, s.result.Columns[i].Type, row))
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
func query(t testing.TB, s sdk.Session, sql string, params ...sdk.Value) *result {
	t.Helper()
	r, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: sql, Params: params})
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
