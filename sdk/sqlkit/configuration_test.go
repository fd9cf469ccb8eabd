package sqlkit_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

type pairConfig struct {
	Cert string `json:"cert" doc:"a certificate"`
	Key  string `json:"key" doc:"its key"`
}

func pairProblems(c *pairConfig) []sdk.Diagnostic {
	var found []sdk.Diagnostic
	if c.Cert != "" && c.Key == "" {
		found = append(found, sdk.Diagnostic{Severity: sdk.SeverityError, Path: "key", Summary: "is required with cert"})
	}
	if c.Cert == "" {
		found = append(found, sdk.Diagnostic{Severity: sdk.SeverityWarning, Path: "cert", Summary: "is better set"})
	}
	return found
}

func TestDecode(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, json string
		problems   func(*pairConfig) []sdk.Diagnostic
		want       string // of the error
	}{
		{"fine", `{"cert": "a", "key": "b"}`, pairProblems, ""},
		{"a warning is no error", `{}`, pairProblems, ""},
		{"a pair is torn", `{"cert": "a"}`, pairProblems, "key: is required with cert"},
		{"nothing more to check", `{"cert": "a"}`, nil, ""},
		{"not of the schema", `{"crt": "a"}`, pairProblems, "crt: unknown key"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := sqlkit.Decode(sdk.Config{JSON: []byte(tt.json)}, tt.problems)
			if tt.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if e := sdk.AsError(err, ""); e.Kind != sdk.KindInvalid || !strings.Contains(e.Msg, tt.want) || e.Hint == "" {
				t.Errorf("got %+v", e)
			}
		})
	}
}

func TestValidateConfig(t *testing.T) {
	t.Parallel()
	validate := sqlkit.Lifecycle[pairConfig]{Problems: pairProblems}.ValidateConfig
	want := []sdk.Diagnostic{{Severity: sdk.SeverityWarning, Path: "cert", Summary: "is better set"}}
	if diff := cmp.Diff(want, validate(sdk.Config{})); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if found := validate(sdk.Config{JSON: []byte(`{"x": 1}`)}); len(found) != 1 || found[0].Severity != sdk.SeverityError {
		t.Errorf("got %+v", found)
	}
}
