//go:build cgo

package duckdb_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
)

func TestExplain(t *testing.T) {
	t.Parallel()
	s := open(t, create(t, "CREATE TABLE big AS SELECT i, i % 10 AS g FROM range(10000) t(i)"))
	for sql, c := range map[string]struct {
		params []sdk.Value
		text   string
		rows   int64
	}{
		"SELECT * FROM big":                {nil, "SEQ_SCAN", 10000},
		"SELECT * FROM big WHERE i = $1;":  {[]sdk.Value{int64(7)}, "i=7", 1},
		"FROM big LIMIT 5 -- a few":        {nil, "LIMIT", -1},
		"SELECT i FROM big WHERE i IN (1)": {nil, "i=1", 1},
	} {
		plan, err := s.(sdk.Explainer).Explain(t.Context(), sdk.ExplainRequest{SQL: sql, Params: c.params})
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		if plan.Format != "text" || !strings.Contains(plan.Text, c.text) || plan.EstimatedBytes != -1 {
			t.Errorf("%s: %+v", sql, plan)
		}
		if plan.EstimatedRows != c.rows {
			t.Errorf("%s: %d rows are expected, want %d", sql, plan.EstimatedRows, c.rows)
		}
	}
	for sql, kind := range map[string]sdk.Kind{
		"DELETE FROM big": sdk.KindNotReadOnly, "EXPLAIN SELECT 1": sdk.KindInvalid, "SELECT nope FROM big": sdk.KindNotFound, "ANALYZE SELECT 1": sdk.KindSyntax,
		"PIVOT big ON i USING count(*)": sdk.KindUnsupported,
	} {
		if _, err := s.(sdk.Explainer).Explain(t.Context(), sdk.ExplainRequest{SQL: sql}); sdk.KindOf(err) != kind {
			t.Errorf("%s: %v, want %s", sql, err, kind)
		}
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	s := open(t, create(t, items...))
	v, err := s.(sdk.Validator).Validate(t.Context(), sdk.ValidateRequest{SQL: "SELECT id, [label] AS tags, 1.5::DECIMAL(4,1) AS d FROM items WHERE error('ran')"})
	if err != nil {
		t.Fatal(err)
	}
	want := []sdk.Column{
		{Name: "id", Type: sdk.TypeInt64, NativeType: "INTEGER", Nullable: true},
		{Name: "tags", Type: sdk.TypeNestedJSON, NativeType: "VARCHAR[]", Nullable: true},
		{Name: "d", Type: sdk.TypeDecimal, NativeType: "DECIMAL(4,1)", Nullable: true, Precision: 4, Scale: 1},
	}
	if diff := cmp.Diff(want, v.Columns); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// progress records the progress of a statement, and tells of the first.
type progress struct {
	result
	mu    sync.Mutex
	all   []sdk.Progress
	first chan struct{}
	once  sync.Once
}

func (p *progress) Progress(now sdk.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all = append(p.all, now)
	p.once.Do(func() { close(p.first) })
}

// A long statement tells how far it is; taking it back ends it in the engine,
// and the call returns after that.
func TestProgressAndCancel(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: progress over two million rows")
	}
	s := open(t, create(t, "CREATE TABLE big AS SELECT i, hash(i) AS h FROM range(2000000) t(i)"))
	p := &progress{first: make(chan struct{})}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var canceled time.Time
	go func() {
		<-p.first
		canceled = time.Now()
		cancel()
	}()
	w := sdk.NewRowWriter(p, sdk.Limits{})
	err := s.Execute(ctx, sdk.ExecuteRequest{SQL: "SELECT max(h) FROM (SELECT h FROM big ORDER BY " + strings.Repeat("md5(", 40) + "h::VARCHAR" + strings.Repeat(")", 40) + ")"}, w)
	if sdk.KindOf(err) != sdk.KindCanceled {
		t.Fatalf("got %v", err)
	}
	t.Logf("the statement ended %s after the cancel", time.Since(canceled))
	for i, now := range p.all {
		if now.Unit != "rows" || now.Total <= 0 || now.Done <= 0 || now.Done > now.Total || i > 0 && now.Done < p.all[i-1].Done {
			t.Errorf("progress %d: %+v", i, now)
		}
	}
	query(t, s, "SELECT 1")
}
