package cli

import (
	"strings"
	"testing"
)

func TestSearchUsage(t *testing.T) {
	t.Parallel()
	f := newFolder(t, "shop")
	for _, c := range []struct {
		args string
		says string
	}{
		{"search", "search for what"},
		{"search --limit 0 x", "1 at least"},
		{"search --value --kind table x", "neither"},
		{"search --kind tabel x", "choose from wiki"},
		{"search -c shpo x", "shop"},
		{"wiki search --limit -1 x", "1 at least"},
	} {
		if code, stdout, stderr := f.loam(t, words(c.args)...); code == 0 || stdout != "" || !strings.Contains(stderr, c.says) {
			t.Errorf("%s: exit %d, %q, %q should say %q", c.args, code, stdout, stderr, c.says)
		}
	}
}
