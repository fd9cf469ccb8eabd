package sqlkit_test

import (
	"testing"

	"github.com/loam-data/loam/sdk/sqlkit"
)

// A code goes before its class; a short SQLSTATE has the class that it has.
func TestLookup(t *testing.T) {
	t.Parallel()
	codes := map[string]sqlkit.Verdict{"42501": sqlkit.AskAdmin}
	classes := map[string]sqlkit.Verdict{"42": sqlkit.ReadsOnly, "0": sqlkit.Gone}
	for state, want := range map[string]sqlkit.Verdict{"42501": sqlkit.AskAdmin, "42601": sqlkit.ReadsOnly, "XX000": sqlkit.Unlisted, "0": sqlkit.Gone, "": sqlkit.Unlisted} {
		if got := sqlkit.Lookup(codes, state, classes, sqlkit.StateClass(state)); got != want {
			t.Errorf("%q: %+v, want %+v", state, got, want)
		}
	}
}
