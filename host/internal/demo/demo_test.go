package demo

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/wiki"
)

// TestSampleIsFixed: documentation and other tests quote numbers of the sample,
// so a change of its rows is a decision: change the digests with it.
func TestSampleIsFixed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, want string
		rows       iter.Seq[string]
	}{
		{"shop", "ad8bc9322f05ad20f33d5da67ac4cfce44aae2c9264265d2c2eb12ed93a9cc8a", shopStatements()},
		{"crm", "80b133b37ef01c1b978e7c9f37333482262957ad5737da31eb2af3bf91a2d29d", crmStatements()},
	} {
		if got := digest(c.rows); got != c.want {
			t.Errorf("%s: digest %s, want %s", c.name, got, c.want)
		}
	}
}

func digest(rows iter.Seq[string]) string {
	sum := sha256.New()
	for row := range rows {
		sum.Write([]byte(row + "\n"))
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// TestPages: every page of the sample can be read, its links lead somewhere, and
// the glossary is one.
func TestPages(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	mine := filepath.Join(dir, "wiki", "global", "revenue.md")
	if err := os.MkdirAll(filepath.Dir(mine), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(mine, []byte("# Mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := writeProject(dir); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(mine); string(got) != "# Mine" {
		t.Errorf("a page was overwritten: %s", got)
	}
	w, err := wiki.Open(filepath.Join(dir, "wiki"), "")
	if err != nil {
		t.Fatal(err)
	}
	v, err := w.View(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if v.Len() != 5 || v.Problems() != nil {
		t.Errorf("pages %q, problems %v", v.Keys(), v.Problems())
	}
	for _, key := range v.Keys() {
		p, err := v.Page(key)
		if err != nil {
			t.Fatal(err)
		}
		if key != "revenue" && (p.Summary == "" || !p.Reviewed || len(p.Links) == 0) {
			t.Errorf("page %+v", p)
		}
		for _, to := range p.Links {
			if _, err := v.Page(to); err != nil {
				t.Errorf("%s: %v", key, err)
			}
		}
	}
	if got := v.Glossary()["MRR"]; !slices.Equal(got, []string{"monthly recurring revenue"}) {
		t.Errorf("MRR is %q", got)
	}
}

// TestSemanticLayer: every file of the sample says what it should; that its
// names exist in the databases, the tour shows.
func TestSemanticLayer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, err := writeProject(dir); err != nil {
		t.Fatal(err)
	}
	for connection, want := range map[string][]string{
		"shop": {"fiscal.yaml", "metrics.yaml", "order_items.yaml", "orders.yaml", "refunds.yaml"},
		"crm":  {"subscription.yaml", "ticket.yaml"},
	} {
		folder := filepath.Join(dir, "semantic-layer", connection)
		entries, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, entry := range entries {
			names = append(names, entry.Name())
			text, err := os.ReadFile(filepath.Join(folder, entry.Name()))
			if err != nil {
				t.Fatal(err)
			}
			if f := model.Parse(entry.Name(), text); len(f.Problems) > 0 || len(f.Sources) == 0 && len(f.Metrics) == 0 {
				t.Errorf("%s/%s: %v", connection, entry.Name(), f.Problems)
			}
		}
		if diff := cmp.Diff(want, names); diff != "" {
			t.Errorf("files of %s (-want +got):\n%s", connection, diff)
		}
	}
}

func TestBuildKeepsWhatIsThere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	written := 0
	write := func(_ context.Context, path string, rows iter.Seq[string]) error {
		written++
		for row := range rows {
			if !strings.HasPrefix(row, "INSERT") && !strings.HasPrefix(row, "--") {
				t.Errorf("statement %.40q", row)
			}
		}
		return os.WriteFile(path, nil, 0o600)
	}
	if made, err := Build(t.Context(), dir, write); err != nil || !made {
		t.Fatal(made, err)
	}
	if err := os.RemoveAll(filepath.Join(dir, "wiki")); err != nil {
		t.Fatal(err)
	}
	mine := []byte("version: 1\n# mine\n")
	if err := os.WriteFile(filepath.Join(dir, "loam.yaml"), mine, 0o600); err != nil {
		t.Fatal(err)
	}
	if made, err := Build(t.Context(), dir, write); err != nil || made {
		t.Fatal(made, err)
	}
	if got, _ := os.ReadFile(filepath.Join(dir, "loam.yaml")); string(got) != string(mine) {
		t.Errorf("loam.yaml was overwritten: %s", got)
	}
	if _, err := os.Stat(filepath.Join(dir, "wiki")); err == nil {
		t.Error("a project that is there got a wiki")
	}
	if written != 2 {
		t.Errorf("%d databases written, want 2", written)
	}
}
