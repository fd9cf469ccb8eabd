package model

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"gopkg.in/yaml.v3"
)

var update = flag.Bool("update", false, "write the golden files anew")

// complete compiles the schemas with a complete validator, which also
// validates them by the schema of schemas.
func complete(t *testing.T) map[string]*jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	ids := map[string]string{}
	for name, text := range Schemas() {
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		ids[name] = doc.(map[string]any)["$id"].(string)
		if err := c.AddResource(ids[name], doc); err != nil {
			t.Fatal(err)
		}
	}
	all := map[string]*jsonschema.Schema{}
	for name, id := range ids {
		s, err := c.Compile(id)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all[name] = s
	}
	return all
}

func TestSchemasArePublished(t *testing.T) {
	t.Parallel()
	const docs = "../../../../docs/schemas"
	entries, err := os.ReadDir(docs)
	if err != nil {
		t.Fatal(err)
	}
	schemas := Schemas()
	if len(entries) != len(schemas) {
		t.Errorf("%s has %d files, and there are %d schemas", docs, len(entries), len(schemas))
	}
	for name, text := range schemas {
		published, err := os.ReadFile(filepath.Join(docs, name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(published, text) {
			t.Errorf("%s is published differently", name)
		}
	}
}

func TestSchemasAreClosedAndDescribed(t *testing.T) {
	t.Parallel()
	complete(t)
	var walk func(path string, node any)
	walk = func(path string, node any) {
		object, ok := node.(map[string]any)
		if !ok {
			return
		}
		for _, keyword := range []string{"properties", "$defs"} {
			for name, p := range asObject(object[keyword]) {
				under := path + "/" + name
				if asObject(p)["description"] == nil && !strings.Contains(path, "allOf") && !strings.Contains(path, " if") {
					t.Errorf("%s has no description", under)
				}
				walk(under, p)
			}
		}
		if object["properties"] != nil && object["$ref"] == nil && object["if"] == nil && object["additionalProperties"] != false {
			t.Errorf("%s is open", path)
		}
		walk(path+"/items", object["items"])
		walk(path+"/*", object["additionalProperties"])
	}
	for name, text := range Schemas() {
		var document map[string]any
		if err := json.Unmarshal(text, &document); err != nil {
			t.Fatal(err)
		}
		if document["$schema"] != "https://json-schema.org/draft/2020-12/schema" {
			t.Errorf("%s is of %v", name, document["$schema"])
		}
		walk(name, document)
	}
}

func asObject(v any) map[string]any {
	object, _ := v.(map[string]any)
	return object
}

// fitsCompletely is the verdict of the complete validator on a file.
func fitsCompletely(t *testing.T, all map[string]*jsonschema.Schema, f *File, content []byte) bool {
	t.Helper()
	var value any
	if err := yaml.Unmarshal(content, &value); err != nil {
		return false
	}
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return all[f.schema()].Validate(doc) == nil
}

// beyondSchema are files whose YAML is refused for what a reader of YAML would
// not show a validator.
var beyondSchema = map[string]bool{"two_documents.yaml": true, "merge_key.yaml": true}

// TestInvalidFiles reads every file of testdata/invalid and compares what is said
// of it with the file beside it. The complete validator must refuse what is a
// matter of the schema, and accept what is not.
func TestInvalidFiles(t *testing.T) {
	t.Parallel()
	all := complete(t)
	names, err := filepath.Glob("testdata/invalid/*.yaml")
	if err != nil || len(names) == 0 {
		t.Fatal("no files", err)
	}
	for i, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			if testing.Short() && i%8 != 0 {
				t.Skip("-short: seven of eight invalid files")
			}
			t.Parallel()
			content, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			base := filepath.Base(name)
			path := base
			switch {
			case strings.HasPrefix(base, "metrics_"):
				path = "metrics.yaml"
			case strings.HasPrefix(base, "tables_"):
				path = "_schema/" + base
			}
			f := Parse(path, content)
			m := Build(Input{Files: append(parseExamples(t), f)})
			var lines []string
			for _, p := range m.Problems() {
				lines = append(lines, p.String())
			}
			golden := strings.TrimSuffix(name, ".yaml") + ".golden"
			got := strings.Join(lines, "\n") + "\n"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if len(lines) == 0 {
				t.Error("nothing is wrong with it")
			}
			if beyondSchema[base] {
				return
			}
			if fits := fitsCompletely(t, all, f, content); fits != (len(f.Problems) == 0) {
				t.Errorf("a complete validator accepts it: %t; here: %v", fits, f.Problems)
			}
		})
	}
}

// parseExamples are the files of the example that is valid.
func parseExamples(t *testing.T) (files []*File) {
	t.Helper()
	names, err := filepath.Glob("testdata/example/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if filepath.Base(name) == "metrics.yaml" {
			continue
		}
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, Parse(filepath.Base(name), content))
	}
	return files
}

func TestGoldenFilesAreUsed(t *testing.T) {
	t.Parallel()
	goldens, err := filepath.Glob("testdata/invalid/*.golden")
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range goldens {
		if _, err := os.Stat(strings.TrimSuffix(g, ".golden") + ".yaml"); err != nil {
			t.Errorf("%s belongs to nothing", g)
		}
	}
}

// TestValidFiles checks every valid file of testdata against both validators.
func TestValidFiles(t *testing.T) {
	t.Parallel()
	all := complete(t)
	var count int
	for _, folder := range []string{"example", "tpch", "ktx", "ktx/_schema"} {
		names, err := filepath.Glob("testdata/" + folder + "/*.yaml")
		if err != nil {
			t.Fatal(err)
		}
		count += len(names)
		for _, name := range names {
			content, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			rel, err := filepath.Rel(filepath.Join("testdata", strings.Split(folder, "/")[0]), name)
			if err != nil {
				t.Fatal(err)
			}
			f := Parse(filepath.ToSlash(rel), content)
			if len(f.Problems) > 0 {
				t.Errorf("%s: %v", name, f.Problems)
			}
			if !fitsCompletely(t, all, f, content) {
				t.Errorf("%s: a complete validator refuses it", name)
			}
		}
	}
	if count < 15 {
		t.Errorf("%d files only", count)
	}
}

// TestQuerySchema checks a few queries against the schema of the query.
func TestQuerySchema(t *testing.T) {
	t.Parallel()
	s := complete(t)["semantic-query-v1.json"]
	for query, want := range map[string]bool{
		`{"measures": ["orders.revenue"]}`: true,
		`{"measures": ["orders.revenue", {"expr": "sum(orders.amount)", "name": "x"}], "dimensions": ["customers.segment", {"field": "orders.created_at", "granularity": "month"}], "filters": ["orders.status = 'paid'", {"field": "orders.amount", "op": "gt", "values": [10]}, {"or": [{"field": "a.b", "op": "is_null"}, "c.d = 1"]}], "order_by": [{"field": "orders.revenue", "direction": "desc", "nulls": "last"}], "limit": 10, "include": ["sql", "plan"]}`: true,
		`{"measures": ["orders.revenue"], "limit": -1}`:                                    false,
		`{"measures": ["orders.revenue"], "order": []}`:                                    false,
		`{"dimensions": ["customers.segment"]}`:                                            true,
		`{"measures": ["orders.revenue"], "filters": [{"field": "a.b", "op": "similar"}]}`: false,
	} {
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(query))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(doc); (err == nil) != want {
			t.Errorf("%s: %v", query, err)
		}
	}
	if len(s.Required) > 0 {
		t.Errorf("%v are required, and measures or dimensions are enough", s.Required)
	}
}
