package semantic

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/console/page"
	"github.com/loam-data/loam/host/internal/console/shown"
	"github.com/loam-data/loam/host/internal/semanticquery"
	"github.com/loam-data/loam/host/internal/semanticquery/validation"
	"github.com/loam-data/loam/host/internal/store"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

// maxClaims bounds the claims and checks of a page.
const maxClaims = 40

// claim is something that is declared about the data of a source: if it is wrong, its numbers are.
type claim struct {
	Kind string `json:"kind"`
	Says string `json:"says"`
	// Inferred: nobody declared it.
	Inferred bool `json:"inferred,omitempty"`
}

// claimsOf lists the claims of a source.
func claimsOf(a *semanticquery.SourceAnswer) (all []claim) {
	add := func(kind, says string, inferred bool) {
		if len(all) < maxClaims {
			all = append(all, claim{kind, brief(says, roomLine), inferred})
		}
	}
	if len(a.PrimaryKey) > 0 {
		add("primary key", strings.Join(a.PrimaryKey, ", ")+" tells the rows apart and is never NULL", false)
	}
	for _, key := range a.UniqueKeys {
		add("unique key", "no two rows have the same "+strings.Join(key, ", "), false)
	}
	for i := range a.Joins {
		j := &a.Joins[i]
		if j.Broken != "" || j.To == "" {
			continue
		}
		switch j.Relationship {
		case "many_to_one":
			add("join", "each row leads to at most one row of "+j.Name+": "+j.On, j.Inferred)
		case "one_to_one":
			add("join", "a row and one of "+j.Name+" lead to each other: "+j.On, j.Inferred)
		case "one_to_many":
			add("join", "each row of "+j.Name+" leads to at most one row: "+j.On, j.Inferred)
		}
	}
	return all
}

// checked is the outcome of comparing the claims with the data.
type checked struct {
	Checks []check      `json:"checks"`
	More   int          `json:"more,omitempty"`
	Error  string       `json:"error,omitempty"`
	Notes  []string     `json:"notes,omitempty"`
	Fault  *shown.Fault `json:"fault,omitempty"`
	Took   string       `json:"took"`
}

// check is one question to the data.
type check struct {
	Kind     string   `json:"kind"`
	Status   string   `json:"status"`
	About    string   `json:"about"`
	Message  string   `json:"message"`
	Place    string   `json:"place,omitempty"`
	Examples []string `json:"examples,omitempty"`
	SQL      string   `json:"sql,omitempty"`
}

// checkSource compares what a source declares with the data.
func (p *pages) checkSource(ctx context.Context, r *page.Request) (*page.Outcome, error) {
	v, err := p.source(ctx, r)
	if err != nil {
		return nil, err
	}
	v.Data.(*sourceData).Checking = true
	p.check(v, r, connection.ID(r.Path("connection")), r.Path("source"))
	return &page.Outcome{View: v}, nil
}

// check has a view end with the checks of a source.
func (p *pages) check(v *page.View, r *page.Request, id connection.ID, source string) {
	v.Command = "loam sl validate -c " + text.ShellWord(string(id)) + " --data " + text.ShellWord(source)
	v.ThenTemplate = "semantic.checks"
	v.Then = func(ctx context.Context) (any, error) {
		started := p.Now()
		report, err := p.Semantic.Validate(ctx, validation.Request{Connection: id, Sources: []string{source}, Data: true})
		arguments, _ := json.Marshal(map[string]any{"connectionId": id, "sources": []string{source}, "data": true}) // texts always encode
		c := shown.Call{
			Tool: shown.ToolValidate, Arguments: arguments, Connection: string(id), Started: started, Elapsed: p.Now().Sub(started), Outcome: store.OutcomeOK,
			Rows: store.NoRows, Actor: r.Actor,
		}
		if err != nil {
			c.Outcome = string(sdk.KindOf(err))
		}
		p.Record(ctx, c)
		out := &checked{Checks: []check{}, Took: c.Elapsed.Round(time.Millisecond).String()}
		if err != nil {
			if sdk.KindOf(err) == sdk.KindInternal {
				return nil, err
			}
			out.Fault = shown.FaultOf(err, "", p.Redact)
			return out, nil
		}
		for i := range report.Connections {
			p.report(out, &report.Connections[i])
		}
		return out, nil
	}
}

// report adds the checks of a connection.
func (p *pages) report(out *checked, of *validation.ConnectionReport) {
	out.Error = brief(p.Redact(of.Error), roomText)
	out.Notes, _ = briefAll(of.Notes, listedNotes, roomLine)
	for i := range of.Checks {
		c := &of.Checks[i]
		if len(out.Checks) == maxClaims {
			out.More = len(of.Checks) - maxClaims
			return
		}
		about := c.Source
		if c.Join != "" {
			about += " → " + c.Join
		}
		if len(c.Columns) > 0 {
			about += ": " + strings.Join(c.Columns, ", ")
		}
		one := check{
			Kind: strings.ReplaceAll(string(c.Kind), "_", " "), Status: string(c.Status), About: brief(about, roomName), Message: brief(p.Redact(c.Message), 2*roomLine),
			SQL: brief(c.SQL, roomLine),
		}
		if c.File != "" {
			one.Place = placed(semanticquery.Place{File: c.File, Line: c.Line})
		}
		one.Examples, _ = briefAll(c.Examples, 5, roomName)
		out.Checks = append(out.Checks, one)
	}
}
