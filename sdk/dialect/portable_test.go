package dialect_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk/dialect"
)

// Conformance runs the functions that a dialect has; which ones it lacks is
// known here.
func TestMissingFunctions(t *testing.T) {
	t.Parallel()
	all := strings.Join(dialect.PortableFunctions(), " ") // of a dialect that no compiler writes
	for _, tt := range []struct {
		name     string
		dialects []dialect.Dialect
		missing  []string // of each dialect
	}{
		{"sqlite", recorded("sqlite"), []string{"split_part"}},
		{"postgres", recorded("postgres"), []string{""}},
		{"mysql", recorded("mysql"), []string{"", "", "", ""}},
		{"duckdb", recorded("duckdb"), []string{""}},
		{"clickhouse", recorded("clickhouse"), []string{"", all, ""}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var missing []string
			for _, d := range tt.dialects {
				var names []string
				for _, name := range dialect.PortableFunctions() {
					if !slices.ContainsFunc([]string{name, name + "/1", name + "/2"}, func(key string) bool { return d.Functions[key] != "" }) {
						names = append(names, name)
					}
				}
				missing = append(missing, strings.Join(names, " "))
			}
			if diff := cmp.Diff(tt.missing, missing); diff != "" {
				t.Errorf("functions that each dialect lacks (-want +got):\n%s", diff)
			}
		})
	}
}
