package assertion

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/text"
)

var update = flag.Bool("update", false, "write the golden files")

// known are the names of the shop of the golden files.
var known = text.Words("billing.subscription subscription amount_cents arr plan status sales.orders orders customer_id amount created_at crm.customer customer segment country orders.customer_id crm.customer.id orders.revenue revenue orders.status")

// golden is what a golden file shows of a document.
type golden struct {
	Source     string   `json:"source,omitempty"`
	Removed    int      `json:"removed,omitempty"`
	Signals    Signals  `json:"signals"`
	Sections   []string `json:"sections,omitempty"`
	Marked     []string `json:"marked,omitempty"`
	Fences     []string `json:"fences,omitempty"`
	Statements []shown  `json:"statements,omitempty"`
	Notes      []string `json:"notes,omitempty"`
}

// shown is a statement without what is zero.
type shown struct {
	Quote      string    `json:"quote"`
	Rule       string    `json:"rule"`
	Weak       bool      `json:"weak,omitempty"`
	Attribute  Attribute `json:"attribute"`
	Subject    string    `json:"subject"`
	Value      string    `json:"value,omitempty"`
	Unit       string    `json:"unit,omitempty"`
	Column     string    `json:"column,omitempty"`
	Qualifiers []string  `json:"qualifiers,omitempty"`
	Negative   bool      `json:"negative,omitempty"`
	From       string    `json:"from,omitempty"`
	To         string    `json:"to,omitempty"`
	Formula    *formula  `json:"formula,omitempty"`
}

type formula struct {
	Expr      string   `json:"expr,omitempty"`
	Aggregate string   `json:"aggregate,omitempty"`
	Of        string   `json:"of,omitempty"`
	Table     string   `json:"table,omitempty"`
	Where     []string `json:"where,omitempty"`
	Per       string   `json:"per,omitempty"`
}

func show(d *Document) golden {
	g := golden{Source: d.Source, Removed: d.Removed, Signals: d.Signals, Notes: d.Notes}
	if !d.SourceAt.IsZero() {
		g.Source += " at " + d.SourceAt.Format(time.DateOnly)
	}
	for _, s := range d.Sections {
		line := strings.Join(s.Path, " / ") + " [" + string(s.Language) + "]"
		if s.Glossary {
			line += " glossary"
		}
		g.Sections = append(g.Sections, strings.TrimSpace(line))
		for _, b := range s.Blocks {
			switch {
			case b.Instruction:
				g.Marked = append(g.Marked, "instruction: "+d.Text[b.From:b.To])
			case b.Aside:
				g.Marked = append(g.Marked, "aside: "+d.Text[b.From:b.To])
			}
		}
	}
	for _, f := range d.Fences {
		first, _, _ := strings.Cut(d.Text[f.Code.From:f.Code.To], "\n")
		g.Fences = append(g.Fences, f.Info+": "+first)
	}
	for _, s := range d.Statements {
		g.Statements = append(g.Statements, showStatement(d, s))
	}
	return g
}

func showStatement(d *Document, s Statement) shown {
	out := shown{Quote: d.Text[s.From:s.To], Rule: s.Rule, Weak: s.Weak, Attribute: s.Attribute, Subject: s.Subject, Value: s.Value, Unit: s.Unit, Column: s.Column, Qualifiers: s.Qualifiers, Negative: s.Polarity == Negative}
	if !s.ValidFrom.IsZero() {
		out.From = s.ValidFrom.Format(time.DateOnly)
	}
	if !s.ValidTo.IsZero() {
		out.To = s.ValidTo.Format(time.DateOnly)
	}
	if f := s.Formula; f != nil {
		out.Formula = &formula{Expr: f.Expr, Aggregate: f.Aggregate, Of: f.Of, Table: f.Table, Per: f.Per}
		for _, c := range f.Where {
			text := c.Text
			if c.Excluded {
				text = "not: " + text
			}
			out.Formula.Where = append(out.Formula.Where, text)
		}
	}
	return out
}

// A golden case is a text, testdata/<name>.md, and what is read of it, testdata/<name>.json. Cases in the
// folder "file" are read as files that nobody asked to remember.
func TestGolden(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.md")
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for _, path := range files {
		name := strings.TrimSuffix(path, ".md")
		used[name+".json"] = true
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			o := Options{Asked: !strings.HasSuffix(name, ".file"), Known: func(w string) bool { return known(strings.ToLower(w)) }}
			check(t, name+".json", show(Read(string(text), o)))
		})
	}
	results, err := filepath.Glob("testdata/*.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range results {
		if !used[path] {
			t.Errorf("%s belongs to no text", path)
		}
	}
}

func check(t *testing.T, path string, g golden) {
	t.Helper()
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(g); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}
