package scan

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loam-data/loam/host/internal/relationship"
	"github.com/loam-data/loam/sdk"
)

// The answer of an engine decides, in whatever type it counts; an engine that
// does not understand the first statement gets the second.
func TestValidation(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name    string
		answer  func(sql string) ([]any, error)
		status  relationship.Status // "" = refuted
		queries int
		reason  string
	}{
		{"all there", nil, relationship.Accepted, 1, ""},
		{"as decimals", func(string) ([]any, error) { return []any{"50", "50", "0"}, nil }, relationship.Accepted, 1, ""},
		{"some missing", func(string) ([]any, error) { return []any{int64(50), int64(30), int64(0)}, nil }, relationship.Review, 1, "some values are not"},
		{"most missing", func(string) ([]any, error) { return []any{int64(50), int64(3), int64(0)}, nil }, "", 1, ""},
		{"nothing to look for", func(string) ([]any, error) { return []any{int64(0), nil, int64(0)}, nil }, relationship.Review, 1, "no values"},
		{"joins are not understood", func(sql string) ([]any, error) {
			if strings.Contains(sql, "JOIN") {
				return nil, sdk.Errorf(sdk.KindSyntax, sdk.SourceCaller, "JOIN?")
			}
			return []any{int64(50), int64(50), int64(0)}, nil
		}, relationship.Accepted, 2, ""},
		{"nothing is understood", func(string) ([]any, error) { return nil, errors.New("what?") }, relationship.Review, 2, "the validation failed: what?"},
		{"denied", func(string) ([]any, error) {
			return nil, sdk.Errorf(sdk.KindDenied, sdk.SourceWarehouse, "not yours")
		}, relationship.Review, 1, "not yours"},
		{"more found than looked for", func(string) ([]any, error) { return []any{int64(5), int64(6), int64(0)}, nil }, relationship.Review, 2, "three counts"},
		{"two counts", func(string) ([]any, error) { return []any{int64(5), int64(5)}, nil }, relationship.Review, 2, "three counts"},
		{"no numbers", func(string) ([]any, error) { return []any{"a", "b", "c"}, nil }, relationship.Review, 2, "three counts"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t, shop()...)
			if tc.answer != nil {
				f.executed = func(_ context.Context, sql string) ([]any, error) { return tc.answer(sql) }
			}
			r := f.run(t, Request{})
			status, reason := relationship.Status(""), ""
			if all := r.Relationships.Relationships; len(all) == 1 {
				status, reason = all[0].Status, all[0].Evidence.Reason
			}
			if status != tc.status || !strings.Contains(reason, tc.reason) || r.Queries != tc.queries || len(f.queries) != tc.queries {
				t.Errorf("%q because %q after %d queries, want %q because %q after %d:\n%s", status, reason, r.Queries, tc.status, tc.reason, tc.queries, strings.Join(f.queries, "\n"))
			}
		})
	}
}

// What a person decided is not asked again and comes out of every scan.
func TestDecisions(t *testing.T) {
	t.Parallel()
	f := newFake(t, shop()...)
	link := f.run(t, Request{}).Relationships.Relationships[0].Link
	gone := link
	gone.ToColumns = []string{"number"}
	decisions := relationship.Decisions{{Link: link, Status: relationship.Rejected}, {Link: gone, Status: relationship.Accepted}}
	if err := relationship.PutDecisions(f.dir+"/warehouse.json", decisions); err != nil {
		t.Fatal(err)
	}
	r := f.run(t, Request{Full: true})
	all := r.Relationships.Relationships
	if len(all) != 1 || all[0].Origin != relationship.Person || all[0].Status != relationship.Rejected || len(f.queries) != 0 {
		t.Errorf("%+v after %d queries", all, len(f.queries))
	}
	if len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "s.customers(number)") {
		t.Errorf("notes: %q", r.Notes)
	}
}

// Slow queries do not keep a scan from its end.
func TestValidationTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t, table("customers", "id"))
		for _, name := range strings.Fields("a b c d e f g h i j") {
			f.tables = append(f.tables, table(name+"_fact", "x", "customer_id"))
		}
		f.executed = func(ctx context.Context, _ string) ([]any, error) { return nil, wait(ctx, time.Hour) }
		started := time.Now()
		r := f.run(t, Request{})
		if took := time.Since(started); took != maxValidations || r.Queries != int(maxValidations/maxValidation) {
			t.Errorf("%d queries in %s", r.Queries, took)
		}
		if w := r.Coverage.Warnings; len(w) != 1 || w[0].Code != codeRelationships || r.Relationships.Unchecked == 0 || !strings.HasPrefix(w[0].Message, plural(r.Relationships.Unchecked, "possible relationship")) {
			t.Errorf("warnings: %+v", w)
		}
	})
}

// A statement about a relationship has an id and the tags that the engine takes, so that
// the warehouse's own log says whose it is.
func TestStatementsAreTagged(t *testing.T) {
	t.Parallel()
	f := newFake(t, shop()...)
	f.description.Capabilities.Tags.MaxTags = 4
	f.run(t, Request{})
	if len(f.tags) == 0 {
		t.Fatal("no statement was sent")
	}
	for _, tags := range f.tags {
		if tags["most"] != "4" || tags["request"] == "" {
			t.Errorf("tags %v", tags)
		}
	}
}
