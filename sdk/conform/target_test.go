package conform

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
)

func TestCaseFiles(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		files map[string]string
		want  string // in the error; "" = they load
	}{
		"a pair":            {map[string]string{"a.sql": "SELECT 1\n", "a.json": `{"columns": [{"name": "n", "type": "int64"}], "rows": [[1]]}`}, ""},
		"an error":          {map[string]string{"a.sql": "x", "a.json": `{"error": {"kind": "syntax"}}`}, ""},
		"none":              {map[string]string{"readme.md": "x"}, "no *.sql"},
		"no answer":         {map[string]string{"a.sql": "x"}, "a.sql has no answer"},
		"no statement":      {map[string]string{"a.sql": "x", "a.json": `{"error": {"kind": "syntax"}}`, "b.json": "{}"}, "b.sql is missing"},
		"unknown key":       {map[string]string{"a.sql": "x", "a.json": `{"colums": []}`}, "colums"},
		"unknown type":      {map[string]string{"a.sql": "x", "a.json": `{"columns": [{"name": "n", "type": "integer"}], "rows": []}`}, `unknown type "integer"`},
		"ragged row":        {map[string]string{"a.sql": "x", "a.json": `{"columns": [{"name": "n", "type": "int64"}], "rows": [[1], [1, 2]]}`}, "row 2 has 2 cells for 1"},
		"neither":           {map[string]string{"a.sql": "x", "a.json": `{}`}, "columns or error"},
		"rows and an error": {map[string]string{"a.sql": "x", "a.json": `{"columns": [], "error": {"kind": "syntax"}}`}, "both"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := fstest.MapFS{}
			for file, text := range tt.files {
				folder[file] = &fstest.MapFile{Data: []byte(text)}
			}
			cases, err := LoadCases(folder)
			if tt.want == "" {
				if err != nil || len(cases) != 1 || cases[0].Name != "a" || strings.HasSuffix(cases[0].SQL, "\n") {
					t.Errorf("got %+v and %v", cases, err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want something about %q", err, tt.want)
			}
		})
	}
}

func TestProblemsOfATarget(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change func(*Target)
		want   string
	}{
		"complete":             {func(*Target) {}, ""},
		"nothing to check":     {func(t *Target) { t.Connector = nil }, "neither a Connector nor a Binary"},
		"no server":            {func(t *Target) { t.Server = "" }, "Target.Server"},
		"skip without reason":  {func(t *Target) { t.Skips = map[string]string{"types/covers_nan": " "} }, "no reason"},
		"skip of nothing":      {func(t *Target) { t.Skips = map[string]string{"types/covers_nam": "why"} }, `"types/covers_nam"`},
		"skip of a group":      {func(t *Target) { t.Skips = map[string]string{"profile": "why"} }, ""},
		"skip in another mode": {func(t *Target) { t.Skips = map[string]string{"process/memory": "why"} }, ""},
		"case used twice":      {func(t *Target) { t.Cases = append(t.Cases, t.Cases[0]) }, "used before"},
		"case without answer":  {func(t *Target) { t.Cases = append(t.Cases, Case{Name: "empty"}) }, "columns or error"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			target := newToy(none).target(t)
			tt.change(&target)
			problems := strings.Join(target.problems(), "\n")
			if tt.want == "" && problems != "" || !strings.Contains(problems, tt.want) {
				t.Errorf("got %q, want something about %q", problems, tt.want)
			}
		})
	}
}

// What the author leaves out fails; what is skipped is not run and says why.
func TestMissingPartsFail(t *testing.T) {
	target := newToy(none).target(t)
	target.only, target.pace = []Mode{InProcess}, quickPace
	target.SlowSQL, target.Unreachable, target.Fixture.Reread, target.Attacks = "", nil, nil, nil
	target.Reach.Statements = target.Reach.Statements[:2]
	target.Cases = slices.DeleteFunc(target.Cases, func(c Case) bool { return c.Name == "scalars" || c.Name == "denied" })
	target.Skips = map[string]string{"cancel": "nothing is slow here", "types/covers_nan": "there is no NaN"}
	want := []string{
		"config/offline", "open/unreachable",
		"types/covers_infinity", "types/covers_negative_infinity", "types/covers_empty_text", "types/covers_large_cell",
		"types/covers_invalid_utf8", "types/covers_unicode", "types/covers_large_integer", "types/covers_exact_decimal", "types/covers_raw_bytes",
		"types/type_bool", "types/type_float64", "types/type_bytes", "types/type_decimal", "types/type_uuid", "types/type_interval", "types/type_geo_wkt",
		"errors/covers_denied", "limits/time", "guard/statements", "read_only/attacks",
		"reach/covers_function", "reach/covers_operator", "reach/covers_domain", "reach/covers_cast", "reach/covers_foreign_table",
		"reach/covers_view_trigger", "reach/covers_macro",
		"plan/explain_runs_nothing", "plan/explain_attacks", "plan/validate_runs_nothing", "plan/validate_attacks", "concurrent/cancel_one",
	}
	if diff := cmp.Diff(want, failures(t, target)); diff != "" {
		t.Errorf("failed checks (-want +got):\n%s", diff)
	}
	for _, r := range Examine(t.Context(), target) {
		if reason, named := target.Skips[r.Group]; named && (r.Outcome != Skipped || r.Reason != reason) {
			t.Errorf("%s/%s: %s, %s", r.Group, r.Check, r.Outcome, r.Reason)
		}
	}
}

func TestSecretsToWatch(t *testing.T) {
	t.Parallel()
	secret := func(s string) map[string]sdk.Secret { return map[string]sdk.Secret{"password": sdk.NewSecret(s)} }
	target := Target{Config: sdk.Config{Secrets: secret("correct horse")}, Unreachable: &sdk.Config{Secrets: secret("short")}}
	got := target.secrets()
	if len(got) != 2 || !slices.Contains(got, "correct horse") || !strings.HasPrefix(got[0], "canary-") {
		t.Errorf("got %q, want the configured one and the wrong one", got)
	}
	if _, ok := (&Target{}).wrongSecret(); ok {
		t.Error("a configuration without secrets has a wrong one")
	}
}
