package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"gopkg.in/yaml.v3"
)

const semanticPage = "../docs/semantic.md"

// semanticProject is a copy of examples/semantic with its database, scanned.
func semanticProject(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../examples/semantic")); err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile(filepath.Join(dir, "shop.sql"))
	if err != nil {
		t.Fatal(err)
	}
	execSQLite(t, dir, string(script))
	if r := loam(t, dir, "scan", "--mode", "structural"); r.code != 0 {
		t.Fatal(r.stderr)
	}
	return dir
}

// block is a fenced block of the page: its language, its text, and where the text
// stands.
type block struct {
	language, text string
	start, end     int
}

var fence = regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```$")

func blocks(page string) (all []block) {
	for _, at := range fence.FindAllStringSubmatchIndex(page, -1) {
		all = append(all, block{page[at[2]:at[3]], page[at[4]:at[5]], at[4], at[5]})
	}
	return all
}

// shell runs a line as a person types it, and returns all that there is to see.
func shell(t testing.TB, dir, line, stdin string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", line)
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(stdin)
	cmd.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// changingWords are what differs from run to run.
var changingWords = []struct {
	pattern *regexp.Regexp
	instead string
}{
	{regexp.MustCompile(`in \d+ ms`), "in 4 ms"},
	{regexp.MustCompile(`"elapsedMs": ?\d+`), `"elapsedMs":4`},
}

// TestSemanticPage runs every command of docs/semantic.md on the example and tests
// its output; UPDATE=1 writes it into the page.
func TestSemanticPage(t *testing.T) {
	heavy(t, "the examples of docs/semantic.md")
	t.Parallel()
	content, err := os.ReadFile(semanticPage)
	if err != nil {
		t.Fatal(err)
	}
	page, dir := string(content), semanticProject(t)
	var got strings.Builder
	done := 0
	for _, b := range blocks(page) {
		if b.language != "console" {
			continue
		}
		got.WriteString(page[done:b.start] + session(t, dir, b.text))
		done = b.end
	}
	if done == 0 {
		t.Fatal("the page has no commands")
	}
	got.WriteString(page[done:])
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(semanticPage, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(strings.Split(page, "\n"), strings.Split(got.String(), "\n")); diff != "" {
		t.Errorf("%s (-want +got), UPDATE=1 accepts:\n%s", semanticPage, diff)
	}
}

// session runs the commands of a block, which stand behind "$ " and may go on
// behind a backslash, and returns it with what they print now.
func session(t *testing.T, dir, text string) string {
	t.Helper()
	var out strings.Builder
	var command string
	for line := range strings.Lines(text) {
		if command == "" && !strings.HasPrefix(line, "$ ") {
			continue // what was printed
		}
		out.WriteString(line)
		command += line
		if strings.HasSuffix(line, "\\\n") {
			continue
		}
		printed, err := shell(t, dir, strings.TrimPrefix(command, "$ "), "")
		for _, c := range changingWords {
			printed = c.pattern.ReplaceAllString(printed, c.instead)
		}
		out.WriteString(printed)
		if exit, failed := err.(*exec.ExitError); failed {
			fmt.Fprintf(&out, "(exit %d)\n", exit.ExitCode())
		} else if err != nil {
			t.Fatal(err)
		}
		command = ""
	}
	return out.String()
}

// Files that the page shows are excerpts of the example, or sound beside it; what
// it asks for compiles.
func TestSemanticPageExamples(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile(semanticPage)
	if err != nil {
		t.Fatal(err)
	}
	dir := semanticProject(t)
	schemas := semanticSchemas(t)
	queries := 0
	for _, b := range blocks(string(content)) {
		switch b.language {
		case "yaml":
			name, rest, _ := strings.Cut(strings.TrimPrefix(b.text, "# "), "\n")
			path := filepath.Join(dir, filepath.FromSlash(name))
			if !strings.HasPrefix(name, "semantic-layer/") {
				t.Errorf("a block of YAML does not begin with the name of its file: %q", name)
				continue
			}
			if file, err := os.ReadFile(path); err == nil {
				excerpt(t, name, string(file), rest)
				continue
			}
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(rest), 0o600); err != nil {
				t.Fatal(err)
			}
			fitsSchema(t, schemas, name, []byte(rest))
		case "json":
			queries++
			if out, err := shell(t, dir, "loam sl query --format sql -", b.text); err != nil {
				t.Errorf("%s\n%s", b.text, out)
			}
			fitsSchema(t, schemas, "query", []byte(b.text))
		}
	}
	if queries == 0 {
		t.Error("the page has no queries")
	}
	if r := loam(t, dir, "sl", "validate", "--json"); r.code != 0 {
		t.Errorf("with the files of the page: %s%s", r.stdout, r.stderr)
	}
}

// excerpt tests that every line of a block is one of the file, in its order.
func excerpt(t *testing.T, name, file, text string) {
	t.Helper()
	lines := strings.Split(file, "\n")
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		at := 0
		for at < len(lines) && lines[at] != line {
			at++
		}
		if at == len(lines) {
			t.Errorf("%s does not have, in this place: %s", name, line)
			return
		}
		lines = lines[at+1:]
	}
}

// semanticSchemas are the published schemas: what of a file name, "query".
func semanticSchemas(t *testing.T) map[string]*jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	ids := map[string]string{}
	for _, kind := range []string{"source", "metrics", "tables", "query"} {
		content, err := os.ReadFile("../docs/schemas/semantic-" + kind + "-v1.json")
		if err != nil {
			t.Fatal(err)
		}
		document, err := jsonschema.UnmarshalJSON(bytes.NewReader(content))
		if err != nil {
			t.Fatal(err)
		}
		ids[kind] = document.(map[string]any)["$id"].(string)
		if err := c.AddResource(ids[kind], document); err != nil {
			t.Fatal(err)
		}
	}
	all := map[string]*jsonschema.Schema{}
	for kind, id := range ids {
		s, err := c.Compile(id)
		if err != nil {
			t.Fatal(err)
		}
		all[kind] = s
	}
	return all
}

// fitsSchema validates a file, or a request, by the schema of its kind.
func fitsSchema(t *testing.T, schemas map[string]*jsonschema.Schema, name string, content []byte) {
	t.Helper()
	kind := "source"
	switch {
	case name == "query":
		kind = "query"
	case filepath.Base(name) == "metrics.yaml":
		kind = "metrics"
	case strings.Contains(name, "/_schema/"):
		kind = "tables"
	}
	var value any
	if err := yaml.Unmarshal(content, &value); err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := schemas[kind].Validate(document); err != nil {
		t.Errorf("%s does not fit the schema of %s: %v", name, kind, err)
	}
}

// Every file of a semantic layer that is shipped fits its schema.
func TestShippedSemanticFiles(t *testing.T) {
	t.Parallel()
	schemas := semanticSchemas(t)
	seen := 0
	for _, root := range []string{"../examples/semantic", "../host/internal/demo/sample"} {
		err := filepath.WalkDir(filepath.Join(root, "semantic-layer"), func(path string, entry os.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			seen++
			content, err := os.ReadFile(path)
			fitsSchema(t, schemas, filepath.ToSlash(path), content)
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
	if seen < 2 {
		t.Errorf("%d files", seen)
	}
}
