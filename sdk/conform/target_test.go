package conform

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

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

// The environment limits the modes of a target to one that it has.
func TestModeOfTheEnvironment(t *testing.T) {
	target := &Target{Server: "real server", Connector: &sdk.Connector{}, Binary: "x"}
	all, _ := target.ran()
	for only, want := range map[Mode][]Mode{Binary: {Binary}, Wire: {Wire}, "another": all} {
		t.Setenv(ModeEnv, string(only))
		if got, why := target.ran(); !slices.Equal(got, want) || (why == ModeEnv) != (len(got) == 1 && got[0] == only) {
			t.Errorf("%s: %v, %q", only, got, why)
		}
	}
}
