package relationship

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// One of three copies is asked about, and what a person decides on it is so for all.
func TestCopies(t *testing.T) {
	t.Parallel()
	tables := []Table{made("users", 50, 1, "id"), made("hits_20240101", 20, 1, "hit", "user_id"), made("hits_20240103", 20, 1, "hit", "user_id"), made("hits_20240102", 20, 1, "hit", "user_id")}
	var asked []string
	request := Request{Tables: all(tables...), Validate: func(_ context.Context, c Candidate) (Check, error) {
		asked = append(asked, c.From.Name)
		return Check{Checked: 10, Missing: 1}, nil
	}}
	got := infer(t, request)
	want := []string{"inferred review s.hits_20240101(user_id) → s.users(id)", "inferred review s.hits_20240102(user_id) → s.users(id)", "inferred review s.hits_20240103(user_id) → s.users(id)"}
	if diff := cmp.Diff(want, shown(got)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if diff := cmp.Diff([]string{"hits_20240103"}, asked); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
	for _, r := range got.Relationships {
		if like := r.Evidence.Like; (like == nil) != (r.From.Name == "hits_20240103") || like != nil && like.Name != "hits_20240103" {
			t.Errorf("%s is like %v", r, like)
		}
	}
	request.Decisions = Decisions{{Link: link("hits_20240103", "user_id", "users"), Status: Accepted}}
	want = []string{"person accepted s.hits_20240103(user_id) → s.users(id)", "inferred accepted s.hits_20240101(user_id) → s.users(id)", "inferred accepted s.hits_20240102(user_id) → s.users(id)"}
	if diff := cmp.Diff(want, shown(infer(t, request))); diff != "" {
		t.Errorf("decided (-want +got):\n%s", diff)
	}
	request.Decisions[0].Status = Rejected
	if diff := cmp.Diff([]string{"person rejected s.hits_20240103(user_id) → s.users(id)"}, shown(infer(t, request))); diff != "" {
		t.Errorf("rejected (-want +got):\n%s", diff)
	}
}
