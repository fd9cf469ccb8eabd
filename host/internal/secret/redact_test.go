package secret

import (
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/loam-data/loam/sdk"
)

func TestRedact(t *testing.T) {
	t.Setenv("LOAM_TEST_PASSWORD", `p"ss wörd<1>`)
	r := New(t.TempDir(), slog.New(slog.DiscardHandler))
	if text := r.Redact(`p"ss wörd<1>`); text != `p"ss wörd<1>` {
		t.Errorf("before it is resolved: %q", text)
	}
	if _, err := r.Resolve(t.Context(), "env:LOAM_TEST_PASSWORD"); err != nil {
		t.Fatal(err)
	}
	r.Hide(sdk.NewSecret("0123456789abcdef"))
	r.Hide(sdk.NewSecret("short"))
	r.Hide(sdk.NewSecret("p\"ss wörd<1> and more"))
	for _, c := range []struct{ name, text, want string }{
		{"as it is", `at p"ss wörd<1>.`, "at [redacted]."},
		{"in JSON", `{"sql":"SELECT 'p\"ss wörd\u003c1\u003e'"}`, `{"sql":"SELECT '[redacted]'"}`},
		{"in an address", "mysql://u:p%22ss+w%C3%B6rd%3C1%3E@h p%22ss%20w%C3%B6rd%3C1%3E", "mysql://u:[redacted]@h [redacted]"},
		{"a token", "Bearer 0123456789abcdef0123456789abcdef", "Bearer [redacted][redacted]"},
		{"a short one", "in short", "in short"},
		{"another", "p'ss wörd<1>", "p'ss wörd<1>"},
		{"one that begins with another", `p"ss wörd<1> and more`, "[redacted]"},
	} {
		if got := r.Redact(c.text); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// What is known is bounded, whatever is rotated.
func TestRedactForgets(t *testing.T) {
	t.Parallel()
	r := New(t.TempDir(), slog.New(slog.DiscardHandler))
	var all sync.WaitGroup
	for i := range 2 * maxHidden {
		all.Go(func() {
			r.Hide(sdk.NewSecret("password " + strconv.Itoa(i)))
			_ = r.Redact("password")
		})
	}
	all.Wait()
	r.Hide(sdk.NewSecret("the last one"))
	if n := len(r.given.known); n != maxHidden || strings.Contains(r.Redact("the last one"), "last") {
		t.Errorf("%d are known", n)
	}
}
