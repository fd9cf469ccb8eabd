package history

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loam-data/loam/host/internal/store"
)

// A start is recorded when the program or the manifest is another one than at the last start of that path.
// A client that names its call like that has its values masked all the same.
func TestStartsOfConnectorsByPath(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "state.db"))
	settings := Default()
	record := func(start Start) {
		t.Helper()
		r := newRig(func(c *Config) { // a process
			c.Store = func(context.Context) (Store, error) { return s, nil }
			c.Settings = func(context.Context) (Settings, error) { return settings, nil }
		})
		if err := r.RecordStart(t.Context(), start); err != nil {
			t.Fatal(err)
		}
		r.Close(t.Context())
	}
	one := Start{"acme/foodb", "/a b/foodb", "aa", "bb"}
	other, moved, described := one, one, one
	other.SHA256, moved.Path, described.Manifest = "cc", "/c/foodb", "dd"
	for _, start := range []Start{one, one, other, moved, moved, other, described, one} {
		record(start)
	}
	settings = Set(true, 0, 0, Shape)
	record(other)
	calls, err := s.Calls(t.Context(), store.CallFilter{Tools: []string{startTool}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range calls {
		got = append(got, c.Arguments)
	}
	const want = `{"connector":"acme/foodb","path":"/a b/foodb","sha256":"aa","manifest":"bb"}
{"connector":"acme/foodb","path":"/a b/foodb","sha256":"cc","manifest":"bb"}
{"connector":"acme/foodb","path":"/c/foodb","sha256":"aa","manifest":"bb"}
{"connector":"acme/foodb","path":"/a b/foodb","sha256":"aa","manifest":"dd"}
{"connector":"acme/foodb","path":"/a b/foodb","sha256":"aa","manifest":"bb"}`
	if strings.Join(got, "\n") != want {
		t.Errorf("recorded are\n%s\nwant\n%s", strings.Join(got, "\n"), want)
	}

	r := newRig(nil)
	c := call("x")
	c.Tool, c.Arguments = startTool, []byte(`{"connector":"Ada Lovelace"}`)
	r.Record(c)
	r.Close(t.Context())
	if len(r.shelf.calls) != 1 || strings.Contains(r.shelf.calls[0].Arguments, "Ada") {
		t.Errorf("a client's call: %+v", r.shelf.calls)
	}
}
