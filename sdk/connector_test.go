package sdk_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
)

type stubSession struct {
	sdk.Session
	closed *int
}

func (s stubSession) Server() sdk.ServerInfo {
	return sdk.ServerInfo{Product: "Stub", Version: "1.2"}
}

func (s stubSession) Close(context.Context) error { *s.closed++; return nil }

func TestDiagnoseAsksTheConnectorOnlyAboutASoundShape(t *testing.T) {
	t.Parallel()
	c := &sdk.Connector{
		Config: sdk.ConfigOf[testConfig](),
		ValidateConfig: func(sdk.Config) []sdk.Diagnostic {
			return []sdk.Diagnostic{{Severity: sdk.SeverityWarning, Path: "tls.mode", Summary: "is weak"}}
		},
	}
	paths := func(config sdk.Config) (all []string) {
		for _, d := range c.Diagnose(config) {
			all = append(all, d.Path)
		}
		return all
	}
	sound := sdk.Config{JSON: []byte(`{"host": "db"}`), Secrets: map[string]sdk.Secret{"password": sdk.NewSecret("p")}}
	if diff := cmp.Diff([]string{"tls.mode"}, paths(sound)); diff != "" {
		t.Errorf("sound (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"host", "password"}, paths(sdk.Config{})); diff != "" {
		t.Errorf("unsound (-want +got):\n%s", diff)
	}
}

func TestTestConnectionWithoutStagesOfItsOwn(t *testing.T) {
	t.Parallel()
	refused := errors.New("refused")
	type step struct {
		Name, Detail string
		Kind         sdk.Kind
		Warning      bool
	}
	for _, tt := range []struct {
		name   string
		config string
		open   error
		want   []step
		closed int
		found  []sdk.Diagnostic
	}{
		{name: "works", config: `{"host": "db"}`, want: []step{{Name: "config"}, {Name: "open", Detail: "Stub 1.2"}}, closed: 1},
		{
			name: "warned about", config: `{"host": "db"}`, closed: 1,
			found: []sdk.Diagnostic{{Severity: sdk.SeverityWarning, Path: "host", Summary: "is a name of the past"}},
			want:  []step{{Name: "config", Detail: "host: is a name of the past", Warning: true}, {Name: "open", Detail: "Stub 1.2"}},
		},
		{name: "wrong configuration", config: `{}`, want: []step{{Name: "config", Kind: sdk.KindInvalid}}},
		{name: "refused", config: `{"host": "db"}`, open: refused, want: []step{{Name: "config"}, {Name: "open", Kind: sdk.KindInternal}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			closed := 0
			c := &sdk.Connector{
				Config: sdk.ConfigOf[struct {
					Host string `json:"host" doc:"server name" required:"true"`
				}](),
				ValidateConfig: func(sdk.Config) []sdk.Diagnostic { return tt.found },
				Open: func(context.Context, sdk.OpenRequest) (sdk.Session, error) {
					return stubSession{closed: &closed}, tt.open
				},
			}
			var got []step
			err := c.TestConnection(t.Context(), sdk.OpenRequest{Config: sdk.Config{JSON: []byte(tt.config)}}, func(s sdk.TestStep) {
				kind := sdk.Kind("")
				if s.Err != nil {
					kind = s.Err.Kind
				}
				got = append(got, step{s.Name, s.Detail, kind, s.Warning})
			})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("steps (-want +got):\n%s", diff)
			}
			if closed != tt.closed {
				t.Errorf("closed %d times, want %d", closed, tt.closed)
			}
		})
	}
}

func TestDescribeCarriesEverything(t *testing.T) {
	t.Parallel()
	c := &sdk.Connector{
		ID: "acme/foodb", Version: "1.2.3", DisplayName: "FooDB", License: "MIT", EnvPassthrough: []string{"FOO_PROXY"},
		Capabilities: sdk.Capabilities{Explain: true}, Config: sdk.ConfigOf[testConfig](),
	}
	want := sdk.Description{
		ID: "acme/foodb", Version: "1.2.3", SDK: "go/" + sdk.SDKVersion, ContractMinor: sdk.ContractMinor,
		DisplayName: "FooDB", License: "MIT", EnvPassthrough: []string{"FOO_PROXY"},
		Capabilities: sdk.Capabilities{Explain: true}, ConfigSchema: c.Config.Schema,
	}
	if diff := cmp.Diff(want, c.Describe()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
