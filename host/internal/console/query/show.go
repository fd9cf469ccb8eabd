package query

import (
	"context"
	"html/template"
	"net/http"
	"strconv"
	"strings"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/console/page"
	"github.com/loam-data/loam/host/internal/console/shown"
	"github.com/loam-data/loam/host/internal/memory"
	"github.com/loam-data/loam/host/internal/semanticquery"
	"github.com/loam-data/loam/sdk"
)

// data is the runner's page.
type data struct {
	Form        Form          `json:"form"`
	Connections []page.Choice `json:"connections"`
	// Recent are the latest queries of this login.
	Recent []Recent `json:"recent,omitempty"`
	// Fault is why the query did not begin; nil = nothing is wrong with it.
	Fault *shown.Fault `json:"fault,omitempty"`
	// Run identifies the statement that runs now; "" = none does.
	Run string `json:"run,omitempty"`
	// Said is what became of the last action.
	Said string `json:"said,omitempty"`
	// Compiled is the statement for the measures; Notes are about it.
	Compiled string   `json:"compiled,omitempty"`
	Notes    []string `json:"notes,omitempty"`
	// Saved is the proposal that was made, and SavedAs its change; "" = nothing was stored.
	Saved   *memory.SuggestedQuery `json:"saved,omitempty"`
	SavedAs string                 `json:"-"`
	// MaySave: queries can be proposed here.
	MaySave bool `json:"maySave,omitempty"`
	// Measures and Dimensions are names to choose from.
	Measures   []string `json:"measures,omitempty"`
	Dimensions []string `json:"dimensions,omitempty"`
	// MaxRows is the largest row limit.
	MaxRows int `json:"maxRows"`
}

// show is the runner with the query of the address: nothing runs.
func (s *service) show(ctx context.Context, r *page.Request) (*page.View, error) {
	f := read(r.Query)
	if id, err := strconv.Atoi(r.Param("recent")); err == nil {
		if old, ok := s.recent.find(r.Session, id); ok {
			f = old
		}
	}
	v, d, err := s.view(ctx, r, f)
	if err != nil {
		return nil, err
	}
	if f.Tab == tabMeasures && len(f.Measures)+len(f.Dimensions) > 0 {
		if err := s.explain(ctx, d); err != nil {
			return nil, err
		}
	}
	return v, nil
}

// view returns the page of a form.
func (s *service) view(ctx context.Context, r *page.Request, f Form) (*page.View, *data, error) {
	registry, err := s.Connections(ctx)
	if err != nil {
		return nil, nil, err
	}
	d := &data{Form: f, Recent: s.recent.list(r.Session), MaySave: s.Propose != nil, MaxRows: maxRows}
	known := false
	for _, c := range registry.All() {
		known = known || string(c.ID) == f.Connection
		d.Connections = append(d.Connections, page.Choice{Value: string(c.ID), Label: string(c.ID) + " (" + c.Connector + ")", Count: -1, Now: string(c.ID) == f.Connection})
	}
	if !known && f.Connection == "" && len(d.Connections) == 1 {
		d.Form.Connection, d.Connections[0].Now, known = d.Connections[0].Value, true, true
	}
	if d.Form.Tab == tabMeasures && known {
		s.names(ctx, d)
	}
	return &page.View{Title: "Query", Command: d.Form.command(), Data: d}, d, nil
}

// faulty is the form with what is wrong with it.
func (s *service) faulty(ctx context.Context, r *page.Request, f Form, fault error) (*page.Outcome, error) {
	if sdk.KindOf(fault) == sdk.KindInternal {
		return nil, fault
	}
	v, d, err := s.view(ctx, r, f)
	if err != nil {
		return nil, err
	}
	d.Fault, v.Status = shown.FaultOf(fault, f.SQL, s.Redact), http.StatusUnprocessableEntity
	return &page.Outcome{View: v}, nil
}

// maxNames bounds the names to choose from, and roomNames the bytes of each list of them.
const maxNames, roomNames = 200, 6_000

// few returns the first names that have room.
func few(all []string) []string {
	room := roomNames
	for i, name := range all {
		const markup = 20
		if room -= markup + len(template.HTMLEscapeString(name)); room < 0 {
			return all[:i]
		}
	}
	return all
}

// names sets the measures of the connection, and the dimensions of the source of the first measure. They are
// suggestions: without them a person writes the names.
func (s *service) names(ctx context.Context, d *data) {
	id := connection.ID(d.Form.Connection)
	names, _ := s.Semantic.MeasureNames(ctx, id, maxNames)
	d.Measures = few(names)
	if len(d.Form.Measures) == 0 {
		return
	}
	source, _, ok := cutLast(d.Form.Measures[0])
	if !ok {
		return
	}
	answer, err := s.Semantic.ReadSource(ctx, semanticquery.SourceRequest{Connection: id, Name: source})
	if err != nil {
		return
	}
	for i := range answer.Dimensions {
		if one := &answer.Dimensions[i]; one.Broken == "" && !one.Internal && len(d.Dimensions) < maxNames {
			d.Dimensions = append(d.Dimensions, semanticquery.MemberName(answer.Qualifier, one.Name))
		}
	}
	d.Dimensions = few(d.Dimensions)
}

// cutLast cuts a name at its last point.
func cutLast(name string) (before, after string, ok bool) {
	at := strings.LastIndexByte(name, '.')
	if at < 0 {
		return name, "", false
	}
	return name[:at], name[at+1:], true
}

// explain compiles the measures of a form and sets the statement, or the fault of the form.
// Errors: internal ones.
func (s *service) explain(ctx context.Context, d *data) error {
	body, err := d.Form.body()
	if err == nil {
		var c *semanticquery.Compiled
		if c, err = s.Semantic.Compile(ctx, semanticquery.Request{Connection: connection.ID(d.Form.Connection), Body: body}); err == nil {
			d.Compiled, d.Notes = c.Query.SQL, c.Notes
			return nil
		}
	}
	if sdk.KindOf(err) == sdk.KindInternal {
		return err
	}
	d.Fault = shown.FaultOf(err, "", s.Redact)
	return nil
}

// compile shows the statement for the measures; nothing runs.
func (s *service) compile(ctx context.Context, r *page.Request) (*page.Outcome, error) {
	f := read(r.Form)
	f.Tab = tabMeasures
	if err := f.check(); err != nil {
		return s.faulty(ctx, r, f, err)
	}
	v, d, err := s.view(ctx, r, f)
	if err != nil {
		return nil, err
	}
	if err := s.explain(ctx, d); err != nil {
		return nil, err
	}
	if d.Fault != nil {
		v.Status = http.StatusUnprocessableEntity
	}
	return &page.Outcome{View: v}, nil
}
