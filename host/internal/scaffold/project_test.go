package scaffold

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

func written(t *testing.T, language string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "new")
	files, err := Project{ID: "acme/foodb", Language: language, Version: "v0.0.0"}.Write(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(text, []byte("{{")) && !strings.HasSuffix(name, ".binpb") {
			t.Errorf("%s/%s has a placeholder", language, name)
		}
	}
	return dir
}

func read(t *testing.T, elements ...string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(elements...))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// What a project requires is what the example requires, whose module is tested to be tidy.
func TestGoRequiresWhatTheExampleDoes(t *testing.T) {
	t.Parallel()
	const example = "../../../examples/connector-csv"
	dir := written(t, "go")
	if !bytes.Equal(read(t, dir, "go.sum"), read(t, example, "go.sum")) {
		t.Error("go.sum differs: copy that of examples/connector-csv")
	}
	required := map[string]bool{}
	for line := range strings.Lines(string(read(t, example, "go.mod"))) {
		required[strings.TrimSpace(line)] = true
	}
	for line := range strings.Lines(string(read(t, dir, "go.mod"))) {
		if strings.HasPrefix(line, "\t") && !required[strings.TrimSpace(line)] {
			t.Errorf("go.mod requires %s, the example does not", strings.TrimSpace(line))
		}
	}
	var got, want map[string]any
	if err := json.Unmarshal(read(t, dir, "dialect.json"), &got); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(read(t, example, "dialect.json"), &want); err != nil {
		t.Fatal(err)
	}
	want["Name"] = "foodb"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("dialect.json (-example +template):\n%s", diff)
	}
}

// A project begins from another dialect, whole and under its own name.
func TestLike(t *testing.T) {
	t.Parallel()
	text := read(t, "../../../sdk/dialect/testdata/postgres.json")
	var all []dialect.Dialect
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "new")
	if _, err := (Project{ID: "acme/foodb", Language: "go", Version: "v0.0.0", Like: &all[0]}).Write(dir); err != nil {
		t.Fatal(err)
	}
	var got dialect.Dialect
	if err := json.Unmarshal(read(t, dir, "dialect.json"), &got); err != nil {
		t.Fatal(err)
	}
	want := all[0]
	want.Name, want.Product, want.MinVersion, want.MaxVersion = "foodb", "", "", ""
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("dialect.json (-want +got):\n%s", diff)
	}
	if err := got.Validate(); err != nil {
		t.Error(err)
	}
}

// The Python connector carries the newest contract.
func TestPythonHasTheContract(t *testing.T) {
	t.Parallel()
	dir := written(t, "python")
	frozen := read(t, "../../../proto/released", fmt.Sprintf("1.%d.binpb", sdk.ContractMinor))
	if !bytes.Equal(read(t, dir, "connector.binpb"), frozen) {
		t.Error("connector.binpb is not the newest of proto/released: copy it to template/python/connector.binpb.tmpl")
	}
	var description struct {
		Minor    int `json:"protocol_minor"`
		Dialects []struct {
			Forms map[dialect.Form]string `json:"forms"`
		} `json:"dialects"`
	}
	if err := json.Unmarshal(read(t, dir, "describe.json"), &description); err != nil {
		t.Fatal(err)
	}
	if description.Minor != sdk.ContractMinor || len(description.Dialects) != 1 || len(description.Dialects[0].Forms) < 30 {
		t.Errorf("describe.json has minor %d and %d dialects", description.Minor, len(description.Dialects))
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"", "foodb", "acme/", "/foodb", "acme/foo/db", "Acme/foodb", "acme/../x", "acme/foodb\n"} {
		if _, err := (Project{ID: id, Language: "go"}).Write(filepath.Join(t.TempDir(), "new")); sdk.KindOf(err) != sdk.KindInvalid {
			t.Errorf("%q: %v", id, err)
		}
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "mine"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := (Project{ID: "acme/foodb", Language: "go"}).Write(dir); sdk.KindOf(err) != sdk.KindConflict {
		t.Errorf("a folder with files: %v", err)
	}
}
