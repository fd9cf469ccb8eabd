package memory

import (
	"regexp"
	"strings"
	"testing"

	"github.com/loam-data/loam/host/internal/change"
)

// TestShadowed: a measure that a person's file, an imported one or an earlier change defines by the time
// of its approval is not written, and the choices that the refusal names work.
func TestShadowed(t *testing.T) {
	t.Parallel()
	const paid = "\n  - {name: paid, agg: sum, expr: amount, filter: \"status = 'paid'\"}"
	for _, tt := range []struct {
		name, file, content, want string
	}{
		{"a person's file", "semantic-layer/shop/orders.yaml", strings.TrimSpace(ordersYAML) + paid + "\n", "semantic-layer/shop/orders.yaml line 9 defines orders.paid"},
		{"an imported one", "semantic-layer/shop/imported/dbt/orders.yaml", "name: orders\nmeasures:" + paid + "\n", "defines orders.paid"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.settings.Review = "strict"
			s := f.open(t, measure, nil)
			id := string(remember(t, s, "paid = {agg: max, expr: amount}", agent).Captured.Pending[0].ID)
			f.write(t, tt.file, tt.content)
			for _, dry := range []bool{true, false} {
				out, err := s.Approve(t.Context(), Decision{IDs: []string{id}, Actor: person, DryRun: dry})
				if err != nil || out[0].State != "pending" || !strings.Contains(out[0].Problem, tt.want) || !strings.Contains(out[0].Problem, "loam review reject "+id) {
					t.Fatalf("dry %v: %+v, %v", dry, out, err)
				}
			}
			if text := f.read(t, "semantic-layer/shop/_memory/orders.yaml"); text != "" {
				t.Errorf("the overlay is %q", text)
			}
			if out, err := s.Reject(t.Context(), Decision{IDs: []string{id}, Actor: person}); err != nil || out[0].State != "rejected" {
				t.Errorf("%+v, %v", out, err)
			}
		})
	}
}

func TestTaken(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	s := f.open(t, measure, nil)
	remember(t, s, `paid = {agg: sum, expr: amount, filter: "status = 'paid'"}`, agent)
	f.settings.Review = "strict"
	second := remember(t, s, "paid = {agg: max, expr: amount}", codex).Captured.Pending[0]
	id := string(second.ID)
	out, err := s.Approve(t.Context(), Decision{IDs: []string{id}, Actor: person})
	if err != nil || !strings.Contains(out[0].Problem, "orders.paid has another definition") {
		t.Fatalf("%+v, %v", out, err)
	}
	first := regexp.MustCompile(`loam review revert ([0-9a-f]{10}),`).FindStringSubmatch(out[0].Problem)
	if first == nil {
		t.Fatalf("no way out: %s", out[0].Problem)
	}
	if done, err := s.Revert(t.Context(), RevertRequest{IDs: first[1:], Actor: person}); err != nil || done.Changes[0].State != string(change.Reverted) {
		t.Fatalf("%+v, %v", done, err)
	}
	if out, err = s.Approve(t.Context(), Decision{IDs: []string{id}, Actor: person}); err != nil || out[0].State != "applied" || out[0].Problem != "" {
		t.Errorf("%+v, %v", out, err)
	}
	if text := f.read(t, "semantic-layer/shop/_memory/orders.yaml"); !strings.Contains(text, "max") || strings.Contains(text, "paid'") {
		t.Errorf("the overlay is %s", text)
	}
}
