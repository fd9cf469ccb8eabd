package skill

import (
	"archive/zip"
	"bytes"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"
)

func TestAnalytics(t *testing.T) {
	t.Parallel()
	s := Analytics()
	if !regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`).MatchString(s.Name) || len(s.Description) > 1024 || strings.Contains(s.Description, "\n") {
		t.Errorf("a client would not take the name %q or the description %q", s.Name, s.Description)
	}
	var steps []string
	for _, heading := range regexp.MustCompile(`(?m)^## \d\. (\w+):`).FindAllStringSubmatch(s.Body, -1) {
		steps = append(steps, heading[1])
	}
	if diff := cmp.Diff([]string{"Discover", "Inspect", "Resolve", "Plan", "Query", "Validate", "Capture"}, steps); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
	for _, tool := range []string{
		"connection_list", "discover_data", "wiki_search", "wiki_read", "entity_details",
		"dictionary_search", "sl_read_source", "sl_query", "sql_execution", "memory_ingest", "memory_ingest_status",
	} {
		if !strings.Contains(s.Body, "`"+tool+"`") {
			t.Errorf("%s is not mentioned", tool)
		}
	}
	if lines := strings.Count(s.Body, "\n"); lines > 120 {
		t.Errorf("%d lines: an agent reads all of them each time", lines)
	}
}

func TestFile(t *testing.T) {
	t.Parallel()
	s := Analytics()
	_, rest, opened := strings.Cut(string(s.File()), "---\n")
	head, body, closed := strings.Cut(rest, "---\n\n")
	var frontmatter map[string]string
	if err := yaml.Unmarshal([]byte(head), &frontmatter); err != nil || !opened || !closed {
		t.Fatalf("no frontmatter in %q: %v", s.File(), err)
	}
	if diff := cmp.Diff(map[string]string{"name": s.Name, "description": s.Description}, frontmatter); diff != "" || body != s.Body {
		t.Errorf("frontmatter (-want +got):\n%s", diff)
	}
}

func TestArchive(t *testing.T) {
	t.Parallel()
	s := Analytics()
	archive, err := s.Archive()
	if err != nil {
		t.Fatal(err)
	}
	again, err := s.Archive()
	if err != nil || !bytes.Equal(archive, again) {
		t.Errorf("two archives of one skill differ, %v", err)
	}
	r, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil || len(r.File) != 1 || r.File[0].Name != "loam-analytics/SKILL.md" {
		t.Fatalf("%v, %v", r, err)
	}
	f, err := r.File[0].Open()
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(f)
	if err != nil || f.Close() != nil || !bytes.Equal(text, s.File()) {
		t.Errorf("the archive holds %q, %v", text, err)
	}
}
