package finding_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/finding"
	"github.com/loam-data/loam/host/internal/semanticquery"
)

// The request that is suggested for an aggregate gives the numbers of the statement.
func TestSuggestedRequestsGiveTheSameNumbers(t *testing.T) {
	p := open(t)
	n := 0
	for _, tt := range wrong {
		for _, f := range p.Of(t.Context(), tt.connection, tt.sql, nil) {
			if f.Code != finding.MetricExists {
				continue
			}
			n++
			request := strings.TrimPrefix(f.Suggestion, "Ask sl_query with ")
			compiled, err := p.semantic.Compile(t.Context(), semanticquery.Request{Connection: tt.connection, Body: json.RawMessage(request)})
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(p.dir, "data", string(tt.connection)+".db")
			want, got := rowsOf(t.Context(), t, file, tt.sql), rowsOf(t.Context(), t, file, compiled.Query.SQL)
			if diff := cmp.Diff(want, got); diff != "" || len(want) == 0 {
				t.Errorf("%s\n%s (-statement +request):\n%s", tt.sql, request, diff)
			}
		}
	}
	if n < 9 {
		t.Errorf("%d requests", n)
	}
}

// rowsOf returns the rows of a statement, each as its cells in order, all in order.
func rowsOf(ctx context.Context, t *testing.T, file, statement string) (all []string) {
	t.Helper()
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	rows, err := db.QueryContext(ctx, statement)
	if err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	defer func() { _ = rows.Close() }()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		values, places := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			places[i] = &values[i]
		}
		if err := rows.Scan(places...); err != nil {
			t.Fatal(err)
		}
		cells := make([]string, len(values))
		for i, v := range values {
			if f, is := v.(float64); is {
				v = fmt.Sprintf("%.6g", f)
			}
			cells[i] = fmt.Sprint(v)
		}
		slices.Sort(cells)
		all = append(all, strings.Join(cells, " | "))
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	slices.Sort(all)
	return all
}
