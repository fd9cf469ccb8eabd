package shown

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
)

func TestExcerpt(t *testing.T) {
	t.Parallel()
	sql := "select 1,\n\tnothing\u202e from x"
	if diff := cmp.Diff(" nothing· from x\n         ^", excerpt(sql, sdk.Position{Line: 2, Column: 10})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, at := range []sdk.Position{{Line: 0, Column: 1}, {Line: 9, Column: 1}, {Line: 1, Column: 900}, {Line: 1, Column: -1}} {
		if out := excerpt(strings.Repeat("é", 500), at); len(out) > 500 {
			t.Errorf("%v: %q", at, out)
		}
	}
}
