package project

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/install/policy"
	"github.com/loam-data/loam/sdk"
)

const acmeKey = "RWTx5Zr1tiHQLwG9keckT0c45M3AGeHD6IvimQHpyRywVWGbP1aVSGav"

func TestConnectors(t *testing.T) {
	t.Parallel()
	p, err := parse("/project", []byte(`version: 1
connectors:
  acme/foodb: "~> 0.3"
connector_indexes: [https://acme.example/index.json, ./mirror, "oci://acme.example/foodb:index", "oci:./layout:index", "oci:/layout:index"]
connector_policy: {trust: [signed], keys: {"acme/*": `+acmeKey+`}, allow_path: false}
`))
	if err != nil {
		t.Fatal(err)
	}
	want := Connectors{
		Versions: map[string]string{"acme/foodb": "~> 0.3"}, Indexes: []string{
			"https://acme.example/index.json", filepath.Join("/project", "mirror"), "oci://acme.example/foodb:index", "oci:" + filepath.Join("/project", "layout:index"), "oci:/layout:index",
		},
		Policy: policy.Policy{Trust: []string{"signed"}, Keys: map[string][]string{"acme/*": {acmeKey}}, NoPath: true},
	}
	if diff := cmp.Diff(want, p.Connectors); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestConnectorProblems(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`connectors: {foodb: "1.0.0"}`:                     "connectors.foodb: is no id of a connector",
		`connectors: {acme/foodb: 1.0}`:                    "connectors.acme/foodb: must be text",
		`connector_indexes: [ftp://acme.example/index]`:    "connector_indexes[0]: must begin with https:// or oci:",
		`connector_policy: {trust: [everything]}`:          "must be signed or pinned or path or local",
		`connector_policy: {keys: {"*": ` + acmeKey + `}}`: "is neither a namespace",
		`connector_policy: {keys: {"acme/*": short}}`:      "must be a public key of minisign",
	} {
		_, err := parse("/project", []byte("version: 1\n"+text+"\n"))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}

func TestMachinePolicy(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "policy.yaml")
	if p, err := MachinePolicy(file); err != nil || p.Trust != nil || p.NoPath {
		t.Errorf("no file is %+v, %v", p, err)
	}
	if err := os.WriteFile(file, []byte("trust: [signed]\nallow_path: false\nkeys:\n  acme/*: ["+acmeKey+"]\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	p, err := MachinePolicy(file)
	if err != nil {
		t.Fatal(err)
	}
	want := policy.Policy{Trust: []string{"signed"}, Keys: map[string][]string{"acme/*": {acmeKey}}, NoPath: true}
	if diff := cmp.Diff(want, p); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err := os.WriteFile(file, []byte("trusted: [signed]\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := MachinePolicy(file); sdk.KindOf(err) != sdk.KindInvalid {
		t.Errorf("a policy with a misspelt key is %v", err)
	}
}
