package connection

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
)

const canary = "s3cr3t-canary"

// shape is a connector's configuration; its schema is made as connectors make
// theirs.
type shape struct {
	Host     string     `json:"host" doc:"Host."`
	Port     int        `json:"port" doc:"Port."`
	Password sdk.Secret `json:"password" doc:"Password."`
	File     string     `json:"file" doc:"File." format:"path"`
	Folders  []string   `json:"folders" doc:"Folders." format:"path"`
	Tags     []string   `json:"tags" doc:"Tags."`
	TLS      struct {
		Key sdk.Secret `json:"key" doc:"Key."`
		CA  string     `json:"ca" doc:"Certificate." format:"path"`
	} `json:"tls" doc:"TLS."`
}

var schemaJSON = sdk.ConfigOf[shape]().Schema

// secrets knows one reference.
type secrets struct{ asked []string }

func (s *secrets) IsReference(text string) bool { return strings.HasPrefix(text, "env:") }

func (s *secrets) Resolve(_ context.Context, reference string) (sdk.Secret, error) {
	s.asked = append(s.asked, reference)
	if reference == "env:GONE" {
		return sdk.Secret{}, sdk.Errorf(sdk.KindNotFound, sdk.SourceHost, "GONE is not set").WithHint("set it")
	}
	return sdk.NewSecret("value of " + reference), nil
}

func TestSplitConfig(t *testing.T) {
	t.Parallel()
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	absolute := filepath.Join(dir, "abs")
	tests := []struct {
		name       string
		config     map[string]any
		json       string
		references map[string]string
		literals   []string
	}{
		{"nothing", nil, `{}`, map[string]string{}, nil},
		{"plain", map[string]any{"host": "h", "port": int64(5), "unknown": []any{"x", nil, 1.5}}, `{"host":"h","port":5,"unknown":["x",null,1.5]}`, map[string]string{}, nil},
		{"references", map[string]any{"host": "h", "password": "env:P", "tls": map[string]any{"key": "env:K", "ca": ""}}, `{"host":"h","tls":{"ca":""}}`, map[string]string{"password": "env:P", "tls.key": "env:K"}, nil},
		{"values", map[string]any{"password": canary, "tls": map[string]any{"key": map[string]any{"inner": canary}}}, `{"tls":{}}`, map[string]string{}, []string{"password", "tls.key"}},
		{"numbers are values too", map[string]any{"password": int64(1234)}, `{}`, map[string]string{}, []string{"password"}},
		{"null is not given", map[string]any{"password": nil}, `{}`, map[string]string{}, nil},
		{"a reference elsewhere stays text", map[string]any{"host": "env:HOST"}, `{"host":"env:HOST"}`, map[string]string{}, nil},
		{"relative path", map[string]any{"file": "data/a.db", "tls": map[string]any{"ca": "ca.pem"}}, mustJSON(t, map[string]any{"file": filepath.Join(dir, "data/a.db"), "tls": map[string]any{"ca": filepath.Join(dir, "ca.pem")}}), map[string]string{}, nil},
		{"absolute path", map[string]any{"file": absolute}, mustJSON(t, map[string]any{"file": absolute}), map[string]string{}, nil},
		{"absolute path with dots", map[string]any{"file": dir + "/link/../abs"}, mustJSON(t, map[string]any{"file": absolute}), map[string]string{}, nil},
		{"path at home", map[string]any{"file": "~/a.db"}, mustJSON(t, map[string]any{"file": filepath.Join(home, "a.db")}), map[string]string{}, nil},
		{
			"paths in a list",
			map[string]any{"folders": []any{"a", absolute, 1, "~/b"}, "tags": []any{"a"}},
			mustJSON(t, map[string]any{"folders": []any{filepath.Join(dir, "a"), absolute, 1, filepath.Join(home, "b")}, "tags": []any{"a"}}),
			map[string]string{},
			nil,
		},
		{"a path elsewhere stays text", map[string]any{"host": "data/a.db"}, `{"host":"data/a.db"}`, map[string]string{}, nil},
		{"a scalar where an object belongs", map[string]any{"tls": "x"}, `{"tls":"x"}`, map[string]string{}, nil},
		{"digits stay", map[string]any{"port": uint64(math.MaxUint64)}, `{"port":18446744073709551615}`, map[string]string{}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := Connection{ID: "w", Config: tt.config, Dir: dir}
			before := mustJSON(t, c.Config)
			got, err := SplitConfig(c, schemaJSON, (&secrets{}).IsReference)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(Split{JSON: json.RawMessage(tt.json), References: tt.references, Literals: tt.literals}, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if after := mustJSON(t, c.Config); after != before {
				t.Errorf("the connection's own configuration changed to %s", after)
			}
		})
	}
}

func TestSplitConfigRefusals(t *testing.T) {
	t.Parallel()
	if _, err := SplitConfig(Connection{}, json.RawMessage(`{`), nil); sdk.KindOf(err) != sdk.KindInternal {
		t.Errorf("a broken schema: %v", err)
	}
	c := Connection{ID: "w", Config: map[string]any{"ratio": math.NaN()}}
	if _, err := SplitConfig(c, nil, nil); sdk.KindOf(err) != sdk.KindInvalid {
		t.Errorf("a value that is no JSON: %v", err)
	}
}

func TestOpenRequest(t *testing.T) {
	t.Parallel()
	c := Connection{ID: "w", Connector: "x", Config: map[string]any{"host": "h", "password": "env:P"}, Limits: Limits{Timeout: time.Second}}
	got, err := OpenRequest(t.Context(), c, schemaJSON, &secrets{})
	if err != nil {
		t.Fatal(err)
	}
	if string(got.Config.JSON) != `{"host":"h"}` || got.ConnectionID != "w" || got.MaxOpen != DefaultConcurrency || got.StatementTimeout != time.Second || got.MemoryBytes != DefaultMemory {
		t.Errorf("request %+v", got)
	}
	if len(got.Config.Secrets) != 1 || got.Config.Secrets["password"].Reveal() != "value of env:P" {
		t.Errorf("secrets %v", got.Config.Secrets)
	}
	var decoded shape
	if err := got.Config.Decode(&decoded); err != nil || decoded.Password.Reveal() != "value of env:P" {
		t.Errorf("the connector reads %+v, %v", decoded, err)
	}
}

func TestOpenRequestRefusals(t *testing.T) {
	t.Parallel()
	s := &secrets{}
	c := Connection{ID: "w", Config: map[string]any{"password": canary, "tls": map[string]any{"key": "env:K"}}}
	_, err := OpenRequest(t.Context(), c, schemaJSON, s)
	e := sdk.AsError(err, sdk.SourceHost)
	if e == nil || e.Kind != sdk.KindInvalid || !strings.Contains(e.Msg, "config.password") || e.Hint == "" || strings.Contains(e.Error()+e.Hint, canary) {
		t.Errorf("a value: %+v", e)
	}
	if len(s.asked) > 0 {
		t.Errorf("secrets were resolved for nothing: %v", s.asked)
	}
	c.Config = map[string]any{"password": "env:GONE"}
	e = sdk.AsError(errorOf(OpenRequest(t.Context(), c, schemaJSON, s)), sdk.SourceHost)
	if e == nil || e.Kind != sdk.KindNotFound || e.Error() != "connection w, config.password: GONE is not set" || e.Hint != "set it" {
		t.Errorf("a missing secret: %+v", e)
	}
}

func errorOf(_ sdk.OpenRequest, err error) error { return err }

func mustJSON(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
