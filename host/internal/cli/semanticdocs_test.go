package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
)

// section is the part of docs/semantic.md under a heading.
func section(t *testing.T, heading string) string {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "semantic.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(page), "\n"+heading+"\n")
	if !found {
		t.Fatalf("docs/semantic.md has no %q", heading)
	}
	rest, _, _ = strings.Cut(rest, "\n## ")
	return rest
}

// Every code of a refusal is in the table of docs/semantic.md, in the order of the
// declarations, and no other.
func TestEveryCodeIsDocumented(t *testing.T) {
	t.Parallel()
	var got, want []string
	for _, row := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\|").FindAllStringSubmatch(section(t, "## What is refused"), -1) {
		got = append(got, row[1])
	}
	for _, code := range refusal.Codes() {
		want = append(want, string(code))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Every function of the language is in docs/semantic.md, and no other.
func TestEveryFunctionIsDocumented(t *testing.T) {
	t.Parallel()
	var got []string
	for _, row := range regexp.MustCompile(`(?m)^\| (?:numbers|text|time|any|aggregates) \|.*$`).FindAllString(section(t, "### Expressions"), -1) {
		for _, name := range regexp.MustCompile("`(\\w+)`").FindAllStringSubmatch(row, -1) {
			got = append(got, name[1])
		}
	}
	want := expression.Functions()
	for _, a := range expression.Aggregates() {
		want = append(want, string(a))
	}
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
