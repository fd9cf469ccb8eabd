package catalog

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/loam-data/loam/host/internal/ask"
	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/console/page"
	"github.com/loam-data/loam/host/internal/console/shown"
	"github.com/loam-data/loam/host/internal/review"
	"github.com/loam-data/loam/host/internal/semantic/request"
	"github.com/loam-data/loam/sdk"
)

const (
	// sampleRows is how many rows a sample has, sampleColumns how many columns besides those of the foreign key.
	sampleRows, sampleColumns = 5, 4
	// sampleBytes bounds the rows of one table.
	sampleBytes = 8000
)

// sampleResult is some rows of one table or of the two of a join.
type sampleResult struct {
	// ID is that of the join; "" = none.
	ID     string        `json:"id,omitempty"`
	Tables []sampleTable `json:"tables"`
}

// sampleTable is some rows of a table.
// Shape: Rows have a value for each of Columns; nil is NULL.
type sampleTable struct {
	Title   string      `json:"title"`
	Columns []string    `json:"columns,omitempty"`
	Rows    [][]*string `json:"rows,omitempty"`
	// Withheld are columns whose values the privacy rules keep back.
	Withheld []string `json:"withheld,omitempty"`
	// Error is why there are no rows.
	Error string `json:"error,omitempty"`
	Hint  string `json:"hint,omitempty"`
}

// sink collects the rows of a sample.
type sink struct {
	into  *sampleTable
	raw   [][][]byte // the values of the first columns, for the condition on the other table
	keys  int
	bytes int
}

// Columns implements query.Sink.
func (s *sink) Columns(columns []sdk.Column) error {
	s.into.Columns, s.into.Rows, s.raw = nil, nil, nil
	for _, c := range columns {
		s.into.Columns = append(s.into.Columns, cut(c.Name, maxShown))
	}
	return nil
}

// Row implements query.Sink.
func (s *sink) Row(cells [][]byte) error {
	row := make([]*string, len(cells))
	var keys [][]byte
	for i, cell := range cells {
		row[i] = shownCell(cell)
		s.bytes += len(cell)
		if i < s.keys {
			keys = append(keys, slices.Clone(cell))
		}
	}
	s.into.Rows, s.raw = append(s.into.Rows, row), append(s.raw, keys)
	return nil
}

// shownCell returns a cell as text; nil for NULL.
func shownCell(cell []byte) *string {
	var v any
	if err := json.Unmarshal(cell, &v); err == nil && v == nil {
		return nil
	}
	shown := string(cell)
	if s, ok := v.(string); ok {
		shown = s
	}
	shown = cut(shown, maxShown)
	return &shown
}

// sampleJoin shows the list again, with some rows of the two tables of a join: those that refer, and the rows that they
// refer to.
// Errors: KindNotFound for a join that is no longer there. What the warehouse answers is part of the page.
func (p *pages) sampleJoin(ctx context.Context, r *page.Request) (*page.Outcome, error) {
	s, err := p.scanned(ctx, r)
	if err != nil {
		return nil, err
	}
	overview, err := p.Review.Overview(ctx, s.scope)
	if err != nil {
		return nil, err
	}
	id := r.Param("sample")
	g := overview.Group(id)
	if g == nil {
		return nil, sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "there is no join %q any more", cut(id, maxShown)).WithHint("look at the list again")
	}
	view, err := p.joinsView(ctx, r, s)
	if err != nil {
		return nil, err
	}
	data, ok := view.Data.(*joinsPage)
	if !ok {
		return nil, sdk.Errorf(sdk.KindInternal, sdk.SourceHost, "the list of joins is of another kind").WithHint("report this")
	}
	data.Sample = p.sampleLink(ctx, r, s, &g.Links[0])
	for i := range data.Joins {
		data.Joins[i].Sampled = data.Joins[i].ID == g.Links[0].ID
	}
	return &page.Outcome{View: view}, ctx.Err()
}

// sampleLink reads some rows of the child of a link, and the rows of its parent with their values.
func (p *pages) sampleLink(ctx context.Context, by *page.Request, s *scanned, l *review.Link) *sampleResult {
	out := &sampleResult{ID: l.ID, Tables: make([]sampleTable, 2)}
	child, parent := &out.Tables[0], &out.Tables[1]
	child.Title, parent.Title = "Rows of "+cut(catalog.Display(l.From), maxShown), "Rows of "+cut(catalog.Display(l.To), maxShown)
	keys := p.sample(ctx, by, s, child, ask.SampleRequest{Table: catalog.Display(l.From), Columns: beside(s, l.From, l.Columns)}, len(l.Columns))
	r := ask.SampleRequest{Table: catalog.Display(l.To), Columns: beside(s, l.To, l.ToColumns)}
	if at := slices.IndexFunc(l.Columns, func(c string) bool { return slices.Contains(child.Withheld, c) }); at < 0 && len(l.ToColumns) > 0 {
		if values := firstValues(keys, typeOf(s, l.To, l.ToColumns[0])); len(values) > 0 {
			r.Where = []ask.Condition{{Column: l.ToColumns[0], Op: request.OpIn, Values: values}}
			parent.Title += " to which they refer"
		}
	}
	p.sample(ctx, by, s, parent, r, len(l.ToColumns))
	if parent.Error != "" && r.Where != nil { // its key may be withheld: then there is nothing to compare
		r.Where = nil
		parent.Title = "Rows of " + cut(catalog.Display(l.To), maxShown)
		parent.Error, parent.Hint = "", ""
		p.sample(ctx, by, s, parent, r, len(l.ToColumns))
	}
	return out
}

// toolSample is the name of a sample in the history of calls.
const toolSample = "console sample"

// sample reads some rows into a table, records the question, and returns the values of its first columns.
func (p *pages) sample(ctx context.Context, by *page.Request, s *scanned, into *sampleTable, r ask.SampleRequest, keys int) [][][]byte {
	r.Connection, r.Limit, r.MaxBytes = s.ID, sampleRows, sampleBytes
	rows := &sink{into: into, keys: keys}
	call := shown.Call{Tool: toolSample, Connection: string(s.ID), Started: p.Now(), Outcome: "ok", Actor: by.Actor}
	call.Arguments, _ = json.Marshal(map[string]any{"table": r.Table, "columns": r.Columns}) // texts always encode
	out, err := p.Ask.Sample(ctx, r, rows)
	call.Elapsed, call.Rows, call.Bytes = p.Now().Sub(call.Started), len(into.Rows), rows.bytes
	if err != nil {
		e := sdk.AsError(err, sdk.SourceHost)
		call.Outcome = string(e.Kind)
		into.Columns, into.Rows, into.Error = nil, nil, "The rows cannot be read: "+string(e.Kind)
		if p.Redact != nil {
			into.Error, into.Hint = cut(p.Redact(e.Msg), maxTitle), cut(p.Redact(e.Hint), maxTitle)
		}
		p.Record(ctx, call)
		return nil
	}
	p.Record(ctx, call)
	for _, w := range out.Withheld {
		into.Withheld = append(into.Withheld, cut(w, maxShown))
	}
	return rows.raw
}

// firstValues returns the different values of the first column of rows, without NULL, for a comparison with a column.
func firstValues(rows [][][]byte, with sdk.Type) (all ask.Values) {
	for _, row := range rows {
		if len(row) == 0 {
			continue
		}
		var one ask.Values
		if err := json.Unmarshal(append(append([]byte{'['}, row[0]...), ']'), &one); err != nil || len(one) != 1 {
			continue
		}
		v := one[0]
		switch of := v.(type) {
		case string:
			if numeric(with) { // numbers come as texts, so that they keep their digits
				v = json.Number(of)
			}
		case json.Number, bool:
		default:
			continue
		}
		if !slices.Contains(all, v) {
			all = append(all, v)
		}
	}
	return all
}

func numeric(t sdk.Type) bool {
	return t == sdk.TypeInt64 || t == sdk.TypeDecimal || t == sdk.TypeFloat64
}

// beside returns the columns of a foreign key with the first ones of their table; none = all, where the table is gone.
func beside(s *scanned, ref sdk.TableRef, columns []string) []string {
	at, ok := s.snapshot.Position(ref)
	if !ok {
		return columns
	}
	t, err := s.snapshot.At(at)
	if err != nil {
		return columns
	}
	all := slices.Clone(columns)
	for _, c := range t.Columns {
		if len(all) == len(columns)+sampleColumns {
			break
		}
		if !slices.Contains(all, c.Name) {
			all = append(all, c.Name)
		}
	}
	return all
}

// typeOf returns the type of a column; TypeUnspecified where the snapshot does not know it.
func typeOf(s *scanned, ref sdk.TableRef, column string) sdk.Type {
	at, ok := s.snapshot.Position(ref)
	if !ok {
		return sdk.TypeUnspecified
	}
	t, err := s.snapshot.At(at)
	if err != nil {
		return sdk.TypeUnspecified
	}
	if i := slices.IndexFunc(t.Columns, func(c sdk.Column) bool { return c.Name == column }); i >= 0 {
		return t.Columns[i].Type
	}
	return sdk.TypeUnspecified
}

// tableActions are those of the page of a table.
func (p *pages) tableActions() map[string]page.Action {
	actions := map[string]page.Action{}
	if p.Record != nil {
		actions["sample"] = page.Action{Do: p.sampleTable, Query: true}
	}
	if p.Memory != nil {
		actions["describe"] = page.Action{Do: p.describe}
	}
	return actions
}

// sampleTable shows the page of a table again, with some of its rows.
func (p *pages) sampleTable(ctx context.Context, r *page.Request) (*page.Outcome, error) {
	f, err := p.findTable(ctx, r)
	if err != nil {
		return nil, err
	}
	view, err := p.tableView(ctx, r, f)
	if err != nil {
		return nil, err
	}
	rows := sampleTable{Title: "Rows of " + cut(f.display, maxShown)}
	p.sample(ctx, r, f.scanned, &rows, ask.SampleRequest{Table: f.display, Columns: beside(f.scanned, f.table.TableRef, nil)}, 0)
	if data, ok := view.Data.(*tablePage); ok {
		data.Sample = &sampleResult{Tables: []sampleTable{rows}}
	}
	return &page.Outcome{View: view}, ctx.Err()
}
