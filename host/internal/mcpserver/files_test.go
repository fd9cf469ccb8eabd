package mcpserver

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/collect"
	"github.com/loam-data/loam/sdk"
)

func (w *world) Push(_ context.Context, r collect.PushRequest) (*collect.Answer, error) {
	id := "4ZQ5LJ2XH7KWM"
	return keep(w, any(r), &collect.Answer{Ingested: 1, Errors: []collect.Fault{}, TenantID: "shop", RunID: &id})
}

func (w *world) BeginIndex(_ context.Context, r collect.IndexRequest, wait time.Duration, progress func(sdk.Progress)) (*collect.Indexed, error) {
	progress(sdk.Progress{Phase: "files", Done: 1, Total: 2})
	return keep(w, any([]any{r, wait}), &collect.Indexed{RunID: "4ZQ5LJ2XH7KWM", Status: "running", Path: r.Path, Skipped: map[string]int{}})
}

// Every argument of the tools of files reaches the use case, in both spellings.
func TestFileTools(t *testing.T) {
	t.Parallel()
	push := collect.PushRequest{
		Repo: "handbook", Tenant: "shop", Files: []json.RawMessage{[]byte(`{"content":"x","path":"a.md"}`), []byte("1")}, Deleted: []json.RawMessage{[]byte(`"b.md"`)},
		Manifest: []byte(`{"pathsAfterPush":["a.md"],"repoSlug":"handbook"}`), Base: "r1", Head: "r2", ClientID: "c1", By: tester,
	}
	index := collect.IndexRequest{Path: "/srv/docs", Include: []string{"*.md"}, Exclude: []string{"x/**"}, MaxFileSize: 2000, ClientID: "c1", By: tester}
	const items = `"files":[{"content":"x","path":"a.md"},1],"deleted":["b.md"],`
	for _, tt := range []struct {
		name, tool, args string
		want             any
	}{
		{
			"a push", "ingest_source_files", `{"repo":"handbook",` + items + `"manifestSnapshot":{"pathsAfterPush":["a.md"],"repoSlug":"handbook"},` +
				`"baseRevision":"r1","headRevision":"r2","tenantId":"shop","clientId":"c1"}`, push,
		},
		{
			"a push in snake case", "ingest_source_files", `{"repo":"handbook",` + items + `"manifest_snapshot":{"pathsAfterPush":["a.md"],"repoSlug":"handbook"},` +
				`"base_revision":"r1","head_revision":"r2","tenant_id":"shop","client_id":"c1"}`, push,
		},
		{
			"a folder", "index_repository", `{"path":"/srv/docs","include":["*.md"],"exclude":["x/**"],"maxFileSize":2000,"waitSeconds":20,"clientId":"c1"}`,
			[]any{index, 20 * time.Second},
		},
		{
			"a folder in snake case", "index_repository", `{"path":"/srv/docs","include":["*.md"],"exclude":["x/**"],"max_file_size":2000,"wait_seconds":20,"client_id":"c1"}`,
			[]any{index, 20 * time.Second},
		},
		{"a folder alone", "index_repository", `{"path":"/srv/docs"}`, []any{collect.IndexRequest{Path: "/srv/docs", By: tester}, time.Duration(0)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			c := connect(t, line{"stdio", "2025-11-25"}, w.everything(), nil)
			if result := checked(t, c, tt.tool, object(t, tt.args)); result.IsError || !strings.Contains(compact(t, result.StructuredContent), "4ZQ5LJ2XH7KWM") {
				t.Fatalf("answered: %s", textOf(t, result))
			}
			w.mu.Lock()
			defer w.mu.Unlock()
			compacted := cmp.Transformer("JSON", func(raw json.RawMessage) string { return strings.ReplaceAll(string(raw), " ", "") })
			if diff := cmp.Diff(tt.want, w.looked, cmpopts.IgnoreFields(change.Actor{}, "Session"), compacted); diff != "" {
				t.Errorf("asked (-want +got):\n%s", diff)
			}
		})
	}
}

func TestFileToolsRefuse(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, tool, args, says string }{
		{"no repository", "ingest_source_files", `{"files":[]}`, "repo"},
		{"files that are no list", "ingest_source_files", `{"repo":"a","files":"x"}`, "files"},
		{"an actor", "ingest_source_files", `{"repo":"a","actor":"the boss"}`, "actor"},
		{"too long a clientId", "ingest_source_files", `{"repo":"a","clientId":"` + strings.Repeat("x", 65) + `"}`, "64"},
		{"no path", "index_repository", `{"include":["*.md"]}`, "path"},
		{"too large a size", "index_repository", `{"path":"/a","maxFileSize":10485761}`, "maxFileSize"},
		{"too long a wait", "index_repository", `{"path":"/a","waitSeconds":51}`, "waitSeconds"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := connect(t, line{"stdio", "2025-11-25"}, newWorld().everything(), nil)
			result := checked(t, c, tt.tool, object(t, tt.args))
			if said := compact(t, result.StructuredContent); !result.IsError || !strings.Contains(said, `"code":"invalid"`) || !strings.Contains(said, tt.says) {
				t.Errorf("answered: %s", said)
			}
		})
	}
}
