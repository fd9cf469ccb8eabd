package wiki

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
)

func TestAliases(t *testing.T) {
	t.Parallel()
	w := wiki(t, made(t, map[string]string{
		"global/arr.md":   "---\naliases: [Annual  recurring revenue, both]\norigin: agent\n---\ntext",
		"global/churn.md": "---\naliases: both\norigin: agent\nreviewed: true\n---\n",
		"global/mrr.md":   "---\norigin: imported\n---\n",
		"global/both.md":  "a page whose key is somebody's alias",
	}), "")
	for _, tc := range []struct{ name, key, trust string }{
		{"annual recurring Revenue", "arr", "agent"}, {"arr", "arr", "agent"}, {"both", "both", "person"}, {"churn", "churn", "reviewed"}, {"mrr", "mrr", "imported"},
	} {
		p, _, err := w.Read(t.Context(), tc.name)
		if err != nil || p.Key != tc.key || p.Trust() != tc.trust {
			t.Errorf("%s: %+v, %v; want the page %s, of %s", tc.name, p, err, tc.key, tc.trust)
		}
	}
	_, err := view(t, w).Page("BOTH")
	e, ok := err.(*sdk.Error) //nolint:errorlint // it is not wrapped
	if !ok || e.Kind != sdk.KindNotFound {
		t.Fatalf("got %v, want that an alias of two pages is none", err)
	}
	if diff := cmp.Diff([]string{"arr", "churn", "both"}, e.Candidates); diff != "" {
		t.Errorf("candidates (-want +got):\n%s", diff)
	}
	closed := view(t, w).Only(func(p *Page) bool { return p.Key != "arr" })
	if _, err := closed.Page("annual recurring revenue"); sdk.KindOf(err) != sdk.KindNotFound {
		t.Errorf("an alias of a page that is not open: %v", err)
	}
}
