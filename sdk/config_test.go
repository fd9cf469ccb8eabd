package sdk_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/loam-data/loam/sdk"
)

type tlsConfig struct {
	Mode string     `json:"mode" doc:"how much is checked" enum:"off|require|verify" default:"verify"`
	Key  sdk.Secret `json:"key" doc:"client key"`
}

type base struct {
	Host string `json:"host" doc:"server name" required:"true"`
}

type testConfig struct {
	base
	Port     int        `json:"port" doc:"port" default:"5432" min:"1" max:"65535"`
	Ratio    float64    `json:"ratio" doc:"sampling" default:"0.5" min:"0" max:"1"`
	Verbose  bool       `json:"verbose" doc:"talk" harmless:"true"`
	Schemas  []string   `json:"schemas" doc:"schemas" default:"public,sales" format:"path"`
	Facets   []string   `json:"facets" doc:"facets" enum:"keys|comments"`
	Password sdk.Secret `json:"password" doc:"password" required:"true"`
	TLS      tlsConfig  `json:"tls" doc:"encryption"`

	Patience time.Duration `json:"patience" doc:"how long to wait" default:"10s"`
}

func TestConfigSchema(t *testing.T) {
	t.Parallel()
	const want = `{
	"type": "object", "additionalProperties": false, "required": ["host", "password"],
	"properties": {
		"host": {"type": "string", "description": "server name", "x-order": 1},
		"port": {"type": "integer", "description": "port", "default": 5432, "minimum": 1, "maximum": 65535, "x-order": 2},
		"ratio": {"type": "number", "description": "sampling", "default": 0.5, "minimum": 0, "maximum": 1, "x-order": 3},
		"verbose": {"type": "boolean", "description": "talk", "x-harmless": true, "x-order": 4},
		"schemas": {"type": "array", "items": {"type": "string", "format": "path"}, "description": "schemas", "default": ["public", "sales"], "x-order": 5},
		"facets": {"type": "array", "items": {"type": "string", "enum": ["keys", "comments"]}, "description": "facets", "x-order": 6},
		"password": {"type": "string", "description": "password", "x-secret": true, "x-order": 7},
		"tls": {"type": "object", "description": "encryption", "additionalProperties": false, "x-order": 8, "properties": {
			"mode": {"type": "string", "description": "how much is checked", "enum": ["off", "require", "verify"], "default": "verify", "x-order": 1},
			"key": {"type": "string", "description": "client key", "x-secret": true, "x-order": 2}
		}},
		"patience": {"type": "string", "format": "duration", "description": "how long to wait", "default": "10s", "x-order": 9}
	}}`
	got := sdk.ConfigOf[testConfig]().Schema
	var wantAny, gotAny any
	if err := json.Unmarshal([]byte(want), &wantAny); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(got, &gotAny); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(wantAny, gotAny); diff != "" {
		t.Errorf("schema (-want +got):\n%s", diff)
	}
}

func TestConfigDecode(t *testing.T) {
	t.Parallel()
	secret := map[string]sdk.Secret{"password": sdk.NewSecret("p"), "tls.key": sdk.NewSecret("k")}
	var got testConfig
	err := sdk.Config{JSON: []byte(`{"host": "db", "port": 1, "schemas": ["a"], "facets": ["keys"], "tls": {"mode": "off"}, "ratio": null, "patience": "1m30s"}`), Secrets: secret}.Decode(&got)
	if err != nil {
		t.Fatal(err)
	}
	want := testConfig{
		base: base{Host: "db"}, Port: 1, Ratio: 0.5, Schemas: []string{"a"}, Facets: []string{"keys"},
		Password: sdk.NewSecret("p"), TLS: tlsConfig{Mode: "off", Key: sdk.NewSecret("k")}, Patience: 90 * time.Second,
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(testConfig{}, sdk.Secret{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(secret) != 2 {
		t.Error("Decode took the caller's secrets away")
	}

	var defaults testConfig
	if err := (sdk.Config{JSON: []byte(`{"host": "db"}`), Secrets: map[string]sdk.Secret{"password": {}}}).Decode(&defaults); err != nil {
		t.Fatal(err)
	}
	want = testConfig{base: base{Host: "db"}, Port: 5432, Ratio: 0.5, Schemas: []string{"public", "sales"}, TLS: tlsConfig{Mode: "verify"}, Patience: 10 * time.Second}
	if diff := cmp.Diff(want, defaults, cmp.AllowUnexported(testConfig{}, sdk.Secret{})); diff != "" {
		t.Errorf("defaults (-want +got):\n%s", diff)
	}
}

func TestConfigProblems(t *testing.T) {
	t.Parallel()
	password := map[string]sdk.Secret{"password": sdk.NewSecret("p")}
	for _, tt := range []struct {
		name    string
		json    string
		secrets map[string]sdk.Secret
		want    map[string]string // path → summary
	}{
		{name: "fine", json: `{"host": "db"}`, secrets: password},
		{name: "empty", json: ``, want: map[string]string{"host": "is required", "password": "is required"}},
		{name: "null counts as missing", json: `{"host": null}`, secrets: password, want: map[string]string{"host": "is required"}},
		{name: "no object", json: `[]`, secrets: nil, want: map[string]string{"": "must be a JSON object"}},
		{name: "no JSON", json: `{`, secrets: nil, want: map[string]string{"": "must be a JSON object"}},
		{
			name: "unknown keys, also nested", json: `{"host": "db", "hots": 1, "tls": {"modus": 1}}`, secrets: password,
			want: map[string]string{
				"hots":      "unknown key; known keys: host, port, ratio, verbose, schemas, facets, password, tls, patience",
				"tls.modus": "unknown key; known keys: mode, key",
			},
		},
		{
			name: "wrong types", json: `{"host": 1, "port": "5432", "ratio": true, "verbose": "yes", "schemas": "public", "tls": 1}`, secrets: password,
			want: map[string]string{
				"host": "must be a string", "port": "must be an integer", "ratio": "must be a number", "verbose": "must be a boolean",
				"schemas": "must be a list of strings", "tls": "must be a JSON object",
			},
		},
		{name: "a fraction is no integer", json: `{"host": "db", "port": 1.5}`, secrets: password, want: map[string]string{"port": "must be an integer"}},
		{
			name: "out of bounds", json: `{"host": "db", "port": 0, "ratio": 1.01}`, secrets: password,
			want: map[string]string{"port": "must be at least 1", "ratio": "must be at most 1"},
		},
		{
			name: "no duration", json: `{"host": "db", "patience": "soon"}`, secrets: password,
			want: map[string]string{"patience": "must be a duration of a millisecond or more, such as 30s or 5m"},
		},
		{
			name: "too short a duration", json: `{"host": "db", "patience": "1us"}`, secrets: password,
			want: map[string]string{"patience": "must be a duration of a millisecond or more, such as 30s or 5m"},
		},
		{
			name: "a bare number is no duration", json: `{"host": "db", "patience": 30}`, secrets: password,
			want: map[string]string{"patience": "must be a duration of a millisecond or more, such as 30s or 5m"},
		},
		{name: "at the bounds", json: `{"host": "db", "port": 65535, "ratio": 0}`, secrets: password},
		{
			name: "not among the words", json: `{"host": "db", "facets": ["keys", "all"], "tls": {"mode": "on"}}`, secrets: password,
			want: map[string]string{"facets": `has "all"; each must be one of keys, comments`, "tls.mode": "must be one of off, require, verify"},
		},
		{
			name: "a secret in the configuration", json: `{"host": "db", "password": "p"}`, secrets: password,
			want: map[string]string{"password": "is a secret and must be given by reference, not in the configuration"},
		},
		{
			name: "secrets nobody asked for", json: `{"host": "db"}`,
			secrets: map[string]sdk.Secret{"password": {}, "host": {}, "tls.cert": {}},
			want:    map[string]string{"host": "is not a secret of this connector", "tls.cert": "is not a secret of this connector"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			config := sdk.Config{JSON: []byte(tt.json), Secrets: tt.secrets}
			got := map[string]string{}
			for _, d := range sdk.ConfigOf[testConfig]().Validate(config) {
				if d.Severity != sdk.SeverityError {
					t.Errorf("%s: severity %d", d.Path, d.Severity)
				}
				got[d.Path] = d.Summary
			}
			if diff := cmp.Diff(tt.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
			var into testConfig
			err := config.Decode(&into)
			if (err != nil) != (len(got) > 0) || err != nil && sdk.KindOf(err) != sdk.KindInvalid {
				t.Errorf("Decode: %v", err)
			}
		})
	}
}

func TestDecodeListsEveryProblem(t *testing.T) {
	t.Parallel()
	var into testConfig
	err := sdk.Config{JSON: []byte(`{"port": 0}`)}.Decode(&into)
	const want = "host: is required; port: must be at least 1; password: is required"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestConfigOfRefusesBadStructs(t *testing.T) {
	t.Parallel()
	for name, derive := range map[string]func(){
		"no json tag": func() {
			sdk.ConfigOf[struct {
				A string `doc:"a"`
			}]()
		},
		"no doc tag": func() {
			sdk.ConfigOf[struct {
				A string `json:"a"`
			}]()
		},
		"unsupported type": func() {
			sdk.ConfigOf[struct {
				A []int `json:"a" doc:"a"`
			}]()
		},
		"default of another type": func() {
			sdk.ConfigOf[struct {
				A int `json:"a" doc:"a" default:"x"`
			}]()
		},
		"default secret": func() {
			sdk.ConfigOf[struct {
				A sdk.Secret `json:"a" doc:"a" default:"x"`
			}]()
		},
		"bound that is no number": func() {
			sdk.ConfigOf[struct {
				A int `json:"a" doc:"a" min:"x"`
			}]()
		},
		"bound of a string": func() {
			sdk.ConfigOf[struct {
				A string `json:"a" doc:"a" min:"1"`
			}]()
		},
		"enum of an integer": func() {
			sdk.ConfigOf[struct {
				A int `json:"a" doc:"a" enum:"1|2"`
			}]()
		},
		"harmless secret": func() {
			sdk.ConfigOf[struct {
				A sdk.Secret `json:"a" doc:"a" harmless:"true"`
			}]()
		},
		"folder that is no list": func() {
			sdk.ConfigOf[struct {
				A string `json:"a" doc:"a" url:"folder"`
			}]()
		},
		"first bytes at no number": func() {
			sdk.ConfigOf[struct {
				A string `json:"a" doc:"a" url:"file" begins:"FOO" beginsAt:"x"`
			}]()
		},
		"required struct": func() {
			sdk.ConfigOf[struct {
				A base `json:"a" doc:"a" required:"true"`
			}]()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			defer func() {
				if recover() == nil {
					t.Error("ConfigOf did not panic")
				}
			}()
			derive()
		})
	}
}

// The schema says how a file is known and which key lists folders.
func TestSchemaOfFiles(t *testing.T) {
	t.Parallel()
	schema := string(sdk.ConfigOf[struct {
		Path    string   `json:"path" doc:"a" url:"file" extensions:".foo" begins:"FOO" beginsAt:"8"`
		Folders []string `json:"folders" doc:"a" url:"folder" extensions:".a|.b"`
	}]().Schema)
	for _, want := range []string{`"x-begins":"FOO"`, `"x-begins-at":8`, `"x-url":"folder"`, `"x-extensions":[".a",".b"]`} {
		if !strings.Contains(schema, want) {
			t.Errorf("%s is missing in %s", want, schema)
		}
	}
}
