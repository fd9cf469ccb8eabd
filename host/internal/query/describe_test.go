package query

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/sdk"
)

// describer is a session that names columns without running a statement.
type describer struct {
	sdk.Session
	asked *[]string
}

func (d describer) Validate(_ context.Context, r sdk.ValidateRequest) (sdk.Validation, error) {
	*d.asked = append(*d.asked, r.SQL)
	return sdk.Validation{Columns: []sdk.Column{{Name: "id", Type: sdk.TypeInt64}}}, nil
}

type describers struct {
	*fake
	asked []string
}

func (d *describers) Lease(ctx context.Context, c connection.Connection) (sdk.Session, func(), error) {
	s, release, err := d.fake.Lease(ctx, c)
	return describer{s, &d.asked}, release, err
}

// A statement is described without being run; one that the guard refuses starts nothing.
func TestDescribe(t *testing.T) {
	t.Parallel()
	f := newFake(func(context.Context, sdk.ExecuteRequest, *sdk.RowWriter) error {
		t.Error("it was run")
		return nil
	})
	d := &describers{fake: f}
	s := f.serviceOn(d)
	if _, err := s.Describe(t.Context(), "warehouse", "DELETE FROM t"); sdk.KindOf(err) != sdk.KindNotReadOnly || f.leases.Load() != 0 {
		t.Errorf("%v after %d leases", err, f.leases.Load())
	}
	got, err := s.Describe(t.Context(), "warehouse", "SELECT id FROM t")
	if diff := cmp.Diff([]sdk.Column{{Name: "id", Type: sdk.TypeInt64}}, got); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	if got, err := f.service().Describe(t.Context(), "warehouse", "SELECT id FROM t"); err != nil || got != nil {
		t.Errorf("a session that cannot describe: %v, %v", got, err)
	}
	if len(d.asked) != 1 || f.leases.Load() != 2 || f.releases.Load() != 2 {
		t.Errorf("asked %q, %d leases, %d releases", d.asked, f.leases.Load(), f.releases.Load())
	}
}

// planner is a session with plans.
type planner struct {
	describer
	params *[]sdk.Value
	fails  error
}

func (p planner) Explain(_ context.Context, r sdk.ExplainRequest) (sdk.Explanation, error) {
	*p.asked, *p.params = append(*p.asked, r.SQL), r.Params
	return sdk.Explanation{Format: "text", Text: "a plan", EstimatedRows: -1}, p.fails
}

func (p planner) Validate(ctx context.Context, r sdk.ValidateRequest) (sdk.Validation, error) {
	v, _ := p.describer.Validate(ctx, r)
	return v, p.fails
}

type planners struct {
	*fake
	asked  []string
	params []sdk.Value
	fails  error
}

func (d *planners) Lease(ctx context.Context, c connection.Connection) (sdk.Session, func(), error) {
	s, release, err := d.fake.Lease(ctx, c)
	return planner{describer{s, &d.asked}, &d.params, d.fails}, release, err
}

// What guard and engine refuse is an examination, and what stands before them an error.
func TestExamine(t *testing.T) {
	t.Parallel()
	fault := func(k sdk.Kind) error { return sdk.Errorf(k, sdk.SourceWarehouse, "no") }
	const good, write = "SELECT id FROM t", "SELECT 1; DELETE FROM t"
	for _, tt := range []struct {
		name         string
		sql          string
		fails        error
		lease        error
		params       []sdk.Value
		err, refused sdk.Kind
		readOnly     bool
		engine       bool
	}{
		{name: "good", sql: good, readOnly: true, engine: true},
		{name: "a write", sql: write, refused: sdk.KindNotReadOnly},
		{name: "no SQL", sql: "SELECT '", refused: sdk.KindSyntax},
		{name: "no such column", sql: good, fails: fault(sdk.KindNotFound), refused: sdk.KindNotFound, readOnly: true, engine: true},
		{name: "the engine sees a write", sql: good, fails: fault(sdk.KindNotReadOnly), refused: sdk.KindNotReadOnly, readOnly: true, engine: true},
		{name: "the engine is away", sql: good, fails: fault(sdk.KindUnavailable), err: sdk.KindUnavailable, readOnly: true, engine: true},
		{name: "no session", sql: good, lease: fault(sdk.KindDenied), err: sdk.KindDenied, readOnly: true},
		{name: "parameters that nobody binds", sql: good, params: []sdk.Value{int64(1)}, err: sdk.KindUnsupported},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := newFake(func(context.Context, sdk.ExecuteRequest, *sdk.RowWriter) error {
				t.Error("it was run")
				return nil
			})
			f.leaseErr = tt.lease
			d := &planners{fake: f, fails: tt.fails}
			got, err := f.serviceOn(d).Examine(t.Context(), Request{SQL: tt.sql, Params: tt.params})
			if sdk.KindOf(err) != tt.err || sdk.KindOf(got.Fault) != tt.refused || got.ReadOnly != tt.readOnly || got.Engine != tt.engine {
				t.Errorf("%v, %+v", err, got)
			}
			if tt.refused == sdk.KindNotReadOnly && !tt.engine && f.leases.Load() != 0 {
				t.Error("a connector was asked")
			}
			f.wantSettled(t)
		})
	}
	f := newFake(nil)
	if got, err := f.service().Examine(t.Context(), Request{SQL: good}); err != nil || got.Engine || got.Fault != nil || !got.ReadOnly || got.Dialect == nil {
		t.Errorf("a connector that only the guard helps: %v, %+v", err, got)
	}
}

// A plan is asked for what the guard accepts, with its parameters, and nothing is run.
func TestExplain(t *testing.T) {
	t.Parallel()
	f := newFake(func(context.Context, sdk.ExecuteRequest, *sdk.RowWriter) error {
		t.Error("it was run")
		return nil
	})
	f.description.Capabilities.Params = true
	d := &planners{fake: f}
	s := f.serviceOn(d)
	for _, sql := range []string{"DELETE FROM t", "SELECT 1; DELETE FROM t", "EXPLAIN ANALYZE DELETE FROM t", "ANALYZE DELETE FROM t"} {
		if _, _, err := s.Explain(t.Context(), Request{SQL: sql}); sdk.KindOf(err) != sdk.KindNotReadOnly || f.leases.Load() != 0 {
			t.Errorf("%s: %v after %d leases", sql, err, f.leases.Load())
		}
	}
	got, in, err := s.Explain(t.Context(), Request{SQL: "SELECT ?", Params: []sdk.Value{int64(7)}})
	if diff := cmp.Diff(sdk.Explanation{Format: "text", Text: "a plan", EstimatedRows: -1}, got); err != nil || diff != "" || in == nil || len(d.params) != 1 {
		t.Errorf("%v, parameters %v, dialect %v\n%s", err, d.params, in, diff)
	}
	if _, _, err := f.service().Explain(t.Context(), Request{SQL: "SELECT 1"}); sdk.KindOf(err) != sdk.KindUnsupported || sdk.AsError(err, "").Hint == "" {
		t.Errorf("a session without plans: %v", err)
	}
	f.wantSettled(t)
}
