package saved

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/loam-data/loam/host/internal/approved"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/console/page"
	"github.com/loam-data/loam/host/internal/console/result"
	"github.com/loam-data/loam/host/internal/savedquery"
	"github.com/loam-data/loam/host/internal/store"
	"github.com/loam-data/loam/host/internal/text"
)

// Units: characters of the shown statement and of other texts, and the number of shown columns.
const (
	maxSQL     = 12_000
	maxText    = 3000
	maxColumns = 100
)

// Query is the page of one saved query.
type Query struct {
	approved.Shown
	// Checks are those of the file; no warehouse is asked for them.
	Checks []savedquery.Check `json:"checks"`
	Fields []Field            `json:"-"`
	// MaxRows is the limit of the form.
	MaxRows int `json:"-"`
	// Change is the last one that wrote or would write the file; nil = none.
	Change *Change `json:"change,omitempty"`
	// Filled are addresses of this page with the values of an example.
	Filled []Example `json:"-"`
	// Notice says why nothing was run; "" = something was, or nothing was asked for.
	Notice string `json:"notice,omitempty"`
}

// Example is the address of the form with the values of an example.
type Example struct{ Label, URL string }

// Change is a change of the query's file.
type Change struct {
	ID    string `json:"id"`
	State string `json:"state"`
	Actor string `json:"actor"`
}

// Text is the statement, cut for showing.
func (q *Query) Text() string { return result.Short(q.SQL, maxSQL) }

// Columns are the first declared columns, with their names cut.
func (q *Query) Columns() (all []savedquery.Column) {
	for _, c := range q.Output[:min(len(q.Output), maxColumns)] {
		all = append(all, savedquery.Column{Name: result.Short(c.Name, maxName), Type: result.Short(c.Type, maxName)})
	}
	return all
}

// More is the number of declared columns behind Columns.
func (q *Query) More() int { return max(0, len(q.Output)-maxColumns) }

// Prose are the description and the constraints, cut.
func (q *Query) Prose() []string {
	all := []string{result.Short(q.Description, maxText)}
	if q.Constraints != nil {
		all = append(all, "Constraints: "+result.Short(*q.Constraints, maxText))
	}
	return all
}

// Tagged lists the tags.
func (q *Query) Tagged() string { return result.Short(strings.Join(q.Tags, ", "), maxText) }

// shown is about how many bytes the texts of the page have.
func (q *Query) shown() int {
	const field, column = 300, 60
	size := min(len(q.SQL), maxSQL) + column*min(len(q.Output), maxColumns)
	for _, text := range q.Prose() {
		size += len(text)
	}
	for _, f := range q.Fields {
		size += field + len(f.About) + len(f.Value)
		for _, o := range f.Options {
			size += len(o.Value) + len(o.Label)
		}
	}
	return size
}

// Calls is the address of the runs by agents in the history.
func (q *Query) Calls() string {
	return page.Link("history") + "?" + url.Values{"tool": {agentTool}, "connection": {string(q.ConnectionID)}}.Encode()
}

// agentTool is the tool with which agents run saved queries.
const agentTool = "execute_approved_query"

func (s *Services) show(ctx context.Context, r *page.Request) (*page.View, error) {
	return s.view(ctx, r, r.Query)
}

// view returns the page of a query whose form has the given values.
func (s *Services) view(ctx context.Context, r *page.Request, given url.Values) (*page.View, error) {
	name, id := r.Path("name"), connection.ID(r.Path("connection"))
	shown, err := s.Queries.Show(ctx, name, id)
	if err != nil {
		return nil, err
	}
	q := &Query{Shown: *shown, Fields: fields(shown.Parameters, given), MaxRows: rowsOf(given)}
	checked, err := s.Queries.Check(ctx, name, id, false)
	if err != nil {
		return nil, err
	}
	for _, c := range checked {
		q.Checks = append(q.Checks, c.Checks...)
	}
	if q.Change, err = s.change(ctx, q.File); err != nil {
		return nil, err
	}
	for i, e := range shown.Examples {
		q.Filled = append(q.Filled, Example{fmt.Sprintf("example %d", i+1), page.Link(root, string(id), name) + "?" + filled(shown.Parameters, e).Encode()})
	}
	command := "loam queries show -c " + text.ShellWord(string(q.ConnectionID)) + " " + text.ShellWord(q.Name) + " --json"
	return &page.View{Title: result.Short(shown.Title, maxAbout), Command: command, Data: q}, nil
}

// change finds the last change of a file.
func (s *Services) change(ctx context.Context, file string) (*Change, error) {
	opened, err := s.State.Get(ctx)
	if err != nil {
		return nil, err
	}
	all, err := opened.MemoryChanges(ctx, store.MemoryFilter{Path: file, Limit: 1})
	if err != nil || len(all) == 0 {
		return nil, err
	}
	return &Change{ID: all[0].ID, State: all[0].State, Actor: result.Short(all[0].Actor, maxName)}, nil
}

// filled returns the values of an example as fields of the form.
func filled(parameters []savedquery.Parameter, example map[string]any) url.Values {
	values := url.Values{}
	for i := range parameters {
		p := &parameters[i]
		if v := example[p.Name]; v != nil {
			values[prefix+p.Name] = typed(p, v)
		}
	}
	return values
}
