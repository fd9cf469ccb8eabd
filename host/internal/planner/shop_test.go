package planner

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/change/form"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/wiki"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// project is the shop as a project on disk: what is proposed and need not wait is applied to it.
type project struct {
	tb      testing.TB
	dir     string
	dialect *dialect.Dialect
	tables  []*model.Table
	// values are the dictionary of the tables.
	values  map[string][]string
	applied []change.Change
	written map[string]change.Hash
	at      time.Time
}

// persons are the files that a person wrote.
var persons = map[string]string{
	"semantic-layer/shop/orders.yaml":       "name: sales.orders\nprimary_key: [id]\ndefault_time_dimension: created_at\nmeasures:\n  - {name: revenue, agg: sum, expr: amount}\n",
	"semantic-layer/shop/subscription.yaml": "name: billing.subscription\nprimary_key: [id]\ndefault_time_dimension: started_at\n",
	"wiki/global/money.md":                  "---\ntitle: Money\n---\n\nAll amounts are gross.\n",
}

var columnTypes = map[string]sdk.Type{"int64": sdk.TypeInt64, "decimal": sdk.TypeDecimal, "text": sdk.TypeText, "timestamp": sdk.TypeTimestamp, "date": sdk.TypeDate, "bool": sdk.TypeBool}

// dictionary are the values of columns, all that there are.
var dictionary = map[string][]string{
	"billing.subscription.status": {"active", "cancelled"},
	"billing.subscription.plan":   {"free", "pro", "team"},
	"sales.orders.status":         {"paid", "refunded", "pending"},
	"crm.customer.segment":        {"retail", "trade"},
}

// shop is the project of most tests.
func shop(tb testing.TB) *project {
	tb.Helper()
	content, err := os.ReadFile("testdata/shop.yaml")
	var doc yaml.Node
	if err == nil {
		err = yaml.Unmarshal(content, &doc)
	}
	if err != nil {
		tb.Fatal(err)
	}
	p := warehouse(tb, doc.Content[0], dictionary)
	for name, text := range persons {
		p.write(name, []byte(text))
	}
	return p
}

// warehouse is a project without files of a person, whose tables have the columns and the values that are given.
func warehouse(tb testing.TB, described *yaml.Node, values map[string][]string) *project {
	tb.Helper()
	p := &project{tb: tb, dir: tb.TempDir(), values: values, written: map[string]change.Hash{}, at: time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)}
	p.dialect = postgres()
	tables := described.Content
	for i := 0; i < len(tables); i += 2 {
		schema, name, _ := strings.Cut(tables[i].Value, ".")
		t := &model.Table{Ref: sdk.TableRef{Schema: schema, Name: name}, Hash: model.Hash{byte(i/2 + 1)}, PrimaryKey: []string{tables[i+1].Content[0].Value}}
		for c := 0; c < len(tables[i+1].Content); c += 2 {
			t.Columns = append(t.Columns, model.Column{Name: tables[i+1].Content[c].Value, Type: columnTypes[tables[i+1].Content[c+1].Value]})
		}
		p.tables = append(p.tables, t)
	}
	return p
}

// postgres is the dialect of the projects.
var postgres = sync.OnceValue(func() *dialect.Dialect {
	var all []dialect.Dialect
	content, err := os.ReadFile("../../../sdk/dialect/testdata/postgres.json")
	if err == nil {
		err = json.Unmarshal(content, &all)
	}
	if err != nil {
		panic(err)
	}
	return &all[0]
})

func (p *project) write(path string, content []byte) {
	full := filepath.Join(p.dir, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		p.tb.Fatal(err)
	}
	if err := os.WriteFile(full, content, 0o644); err != nil {
		p.tb.Fatal(err)
	}
}

func (p *project) read(path string) ([]byte, error) {
	content, err := os.ReadFile(filepath.Join(p.dir, filepath.FromSlash(path)))
	if os.IsNotExist(err) {
		return nil, nil
	}
	return content, err
}

// view is the project as it is.
func (p *project) view() View {
	in := model.Input{Dialect: p.dialect, Tables: p.tables}
	root := filepath.Join(p.dir, "semantic-layer", "shop")
	for _, pattern := range []string{"*.yaml", "_memory/*.yaml"} {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			p.tb.Fatal(err)
		}
		for _, file := range files {
			content, err := os.ReadFile(file)
			if err != nil {
				p.tb.Fatal(err)
			}
			in.Files = append(in.Files, model.Parse(filepath.ToSlash(strings.TrimPrefix(file, root+string(filepath.Separator))), content))
		}
	}
	m := model.Build(in)
	for _, problem := range m.Problems() {
		p.tb.Errorf("the model has a problem: %v", problem)
	}
	w, err := wiki.Open(filepath.Join(p.dir, "wiki"), "")
	if err != nil {
		p.tb.Fatal(err)
	}
	pages, err := w.View(context.Background())
	if err != nil {
		p.tb.Fatal(err)
	}
	return View{
		Model: m, Dialect: p.dialect, Pages: pages, Body: w.Body, Content: p.read, Folder: "wiki/global", Others: []string{"other"},
		Values: func(source, column string) ([]string, bool) {
			values := p.values[source+"."+column]
			return values, values != nil
		},
		Own: func(path string, content []byte) bool { return p.written[path] == change.Of(content) },
		Learned: func(kind change.Kind, connection, target string) (all []change.Change) {
			for _, c := range p.applied {
				if c.Kind == kind && c.Target == target && c.Connection == connection {
					all = append(all, c)
				}
			}
			return all
		},
	}
}

func (p *project) input(text string) Input {
	in := Input{Text: text, Connection: "shop", By: change.Actor{Channel: change.MCP, Client: "claude-code"}, At: p.at, Asked: true}
	if rest, ok := strings.CutPrefix(text, "<!-- no connection -->\n"); ok {
		in.Text, in.Connection = rest, ""
	}
	if rest, ok := strings.CutPrefix(text, "<!-- by codex -->\n"); ok {
		in.Text, in.By.Client = rest, "codex"
	}
	return in
}

// plan plans a text against the project.
func (p *project) plan(text string) *Plan {
	v := p.view()
	in := p.input(text)
	if in.Connection == "" {
		v.Model, v.Dialect = nil, nil
	}
	plan, err := Make(in, v)
	if err != nil {
		p.tb.Fatal(err)
	}
	p.inside(p.tb, plan)
	return plan
}

// inside tests that proposals stay in the folders of memory.
func (p *project) inside(tb testing.TB, plan *Plan) {
	for _, c := range plan.Changes {
		folder, name := path.Split(c.Path)
		if folder != "wiki/global/" && folder != "semantic-layer/shop/_memory/" || strings.HasPrefix(name, ".") || len(name) > 255 {
			tb.Errorf("a proposal is about %q", c.Path)
		}
	}
}

// apply applies what need not wait, or everything.
func (p *project) apply(plan *Plan, in Input, everything bool) {
	for i, proposal := range plan.Changes {
		if len(proposal.Why) > 0 && !everything {
			continue
		}
		var f form.Form = form.Overlay{}
		if strings.HasSuffix(proposal.Path, ".md") {
			f = form.Page{}
		}
		current, err := p.read(proposal.Path)
		if err != nil {
			p.tb.Fatal(err)
		}
		after, err := f.Apply(current, proposal.Blocks)
		if err != nil {
			p.tb.Errorf("%s %s cannot be applied: %v", proposal.Kind, proposal.Target, err)
			continue
		}
		p.write(proposal.Path, after)
		if current == nil || p.written[proposal.Path] == change.Of(current) {
			p.written[proposal.Path] = change.Of(after)
		}
		p.applied = append(p.applied, change.Change{
			ID: change.ID(fmt.Sprintf("%010x", len(p.applied)+1)), Seq: i, Proposal: proposal, State: change.Applied, By: in.By, At: in.At, Reviewed: everything,
		})
	}
	p.at = p.at.Add(time.Hour)
}

// shown is a plan as golden files have it.
func shown(plan *Plan) []byte {
	type changed struct {
		What      string   `json:"what"`
		Path      string   `json:"path"`
		Says      string   `json:"says"`
		Blocks    []string `json:"blocks"`
		Why       []string `json:"why,omitempty"`
		Note      string   `json:"note,omitempty"`
		Conflicts []string `json:"conflicts,omitempty"`
		Level     string   `json:"level,omitempty"`
	}
	out := struct {
		Signals   string     `json:"signals"`
		Changes   []changed  `json:"changes"`
		Questions []Question `json:"questions"`
		Notes     []string   `json:"notes"`
		Skipped   string     `json:"skipped,omitempty"`
	}{Changes: []changed{}, Questions: plan.Questions, Notes: plan.Notes, Skipped: plan.Skipped}
	s := plan.Signals
	out.Signals = fmt.Sprintf("knowledge=%t sl=%t dialect=%s %v", s.Knowledge, s.SL, s.Dialect, s.Reasons)
	for _, c := range plan.Changes {
		one := changed{What: string(c.Kind) + " " + c.Target, Path: c.Path, Says: c.Says, Why: c.Why, Note: c.Note}
		for _, b := range c.Blocks {
			text := b.Place + " ← " + b.After
			if b.Before != "" {
				text += " (was " + b.Before + ")"
			}
			one.Blocks = append(one.Blocks, text)
		}
		for _, conflict := range c.Conflicts {
			one.Conflicts = append(one.Conflicts, strings.TrimSpace(conflict.Says+" "+conflict.Path))
		}
		if c.Verified != nil {
			one.Level = c.Verified.Level
		}
		out.Changes = append(out.Changes, one)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(out); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// kinds of the changes of a plan in short: "page arr", "measure subscription.arr?" where it waits.
func summary(plan *Plan) (all []string) {
	for _, c := range plan.Changes {
		text := string(c.Kind) + " " + c.Target
		if len(c.Why) > 0 {
			text += "?"
		}
		all = append(all, text)
	}
	for _, q := range plan.Questions {
		all = append(all, "ask "+string(q.Code))
	}
	slices.Sort(all)
	return all
}
