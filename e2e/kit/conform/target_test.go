package conform_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk/conform"
)

func TestProblemsOfATarget(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change func(*conform.Target)
		want   string
	}{
		"complete":          {func(*conform.Target) {}, ""},
		"nothing to check":  {func(t *conform.Target) { t.Connector = nil }, "neither a Connector nor a Binary"},
		"no server":         {func(t *conform.Target) { t.Server = "" }, "Target.Server"},
		"server of no kind": {func(t *conform.Target) { t.Server = "a server" }, "real, fixture or embedded"},
		"skip of no class":  {func(t *conform.Target) { t.SkipsBy = map[conform.Class]map[string]string{"later": {"profile": "why"}} }, `"later"`},
		"skip still to do": {func(t *conform.Target) {
			t.SkipsBy = map[conform.Class]map[string]string{conform.ToDo: {"profile": "why"}}
		}, ""},
		"skip without reason":  {func(t *conform.Target) { t.Skips = map[string]string{"types/covers_nan": " "} }, "no reason"},
		"skip of nothing":      {func(t *conform.Target) { t.Skips = map[string]string{"types/covers_nam": "why"} }, `"types/covers_nam"`},
		"skip of a group":      {func(t *conform.Target) { t.Skips = map[string]string{"profile": "why"} }, ""},
		"skip in another mode": {func(t *conform.Target) { t.Skips = map[string]string{"process/memory": "why"} }, ""},
		"case used twice":      {func(t *conform.Target) { t.Cases = append(t.Cases, t.Cases[0]) }, "used before"},
		"case without answer":  {func(t *conform.Target) { t.Cases = append(t.Cases, conform.Case{Name: "empty"}) }, "columns or error"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			target := newToy(none).target(t)
			tt.change(&target)
			target.Modes = []conform.Mode{} // what is wrong with the target is known before anything runs
			var problems string
			for _, r := range conform.Examine(t.Context(), target, conform.Options{}) {
				problems += r.Reason + "\n"
			}
			if tt.want == "" && problems != "" || !strings.Contains(problems, tt.want) {
				t.Errorf("got %q, want something about %q", problems, tt.want)
			}
		})
	}
}

// What the author leaves out fails; what is skipped is not run and says why.
func TestMissingPartsFail(t *testing.T) {
	target := newToy(none).target(t)
	target.Modes, target.Pace = []conform.Mode{conform.InProcess}, quickPace
	target.SlowSQL, target.Unreachable, target.Fixture.Reread, target.Attacks = "", nil, nil, nil
	target.Reach.Statements = target.Reach.Statements[:2]
	target.Cases = slices.DeleteFunc(target.Cases, func(c conform.Case) bool { return c.Name == "scalars" || c.Name == "denied" })
	target.Skips = map[string]string{"cancel": "nothing is slow here", "types/covers_nan": "there is no NaN"}
	want := []string{
		"config/offline", "open/unreachable",
		"types/covers_infinity", "types/covers_negative_infinity", "types/covers_empty_text", "types/covers_large_cell",
		"types/covers_invalid_utf8", "types/covers_unicode", "types/covers_large_integer", "types/covers_exact_decimal", "types/covers_raw_bytes",
		"types/type_bool", "types/type_float64", "types/type_bytes", "types/type_decimal", "types/type_uuid", "types/type_interval", "types/type_geo_wkt",
		"errors/covers_denied", "limits/time", "limits/time_of_session", "guard/statements", "read_only/attacks",
		"reach/covers_function", "reach/covers_operator", "reach/covers_domain", "reach/covers_cast", "reach/covers_foreign_table",
		"reach/covers_view_trigger", "reach/covers_macro",
		"server/ended", "server/disconnected", "server/dies", "server/left_behind",
		"plan/explain_runs_nothing", "plan/explain_attacks", "plan/validate_runs_nothing", "plan/validate_attacks", "concurrent/cancel_one", "concurrent/wait",
	}
	if diff := cmp.Diff(want, failures(t, target)); diff != "" {
		t.Errorf("failed checks (-want +got):\n%s", diff)
	}
	for _, r := range conform.Examine(t.Context(), target, conform.Options{}) {
		if reason, named := target.Skips[r.Group]; named && (r.Outcome != conform.Skipped || r.Class != conform.ByEngine || r.Reason != reason) {
			t.Errorf("%s/%s: %s, %s", r.Group, r.Check, r.Outcome, r.Reason)
		}
	}
}
