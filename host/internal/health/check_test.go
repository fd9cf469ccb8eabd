package health

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/loam-data/loam/sdk"
)

// Several checks that fail for one reason, such as a full disk, tell it and its remedy once; each is a failure.
func TestOneReasonIsToldOnce(t *testing.T) {
	t.Parallel()
	var all []Finding
	k := &check{report: func(f Finding) { all = append(all, f) }, failed: map[string]string{}}
	full := func() error {
		return sdk.Errorf(sdk.KindLimit, sdk.SourceHost, "the disk is full").WithHint("make room")
	}
	k.found("state", "", full())
	k.found("wiki", "3 pages", nil)
	k.found("history", "", full())
	k.found("search", "", sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "not readable"))
	want := []Finding{
		{Subject: "state", Detail: "the disk is full", Err: full(), Mend: []string{"make room"}}, {Subject: "wiki", Detail: "3 pages"},
		{Subject: "history", Detail: "for the same reason as state", Err: full()}, {Subject: "search", Detail: "not readable", Err: full()},
	}
	for i, f := range all {
		if (f.Err == nil) != (want[i].Err == nil) {
			t.Errorf("%s: %v", f.Subject, f.Err)
		}
	}
	if diff := cmp.Diff(want, all, cmpopts.IgnoreFields(Finding{}, "Err")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
