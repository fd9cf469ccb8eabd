package semantic

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/console/page"
	"github.com/loam-data/loam/host/internal/console/result"
	"github.com/loam-data/loam/host/internal/console/shown"
	"github.com/loam-data/loam/host/internal/query"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/host/internal/semantic/request"
	"github.com/loam-data/loam/host/internal/semanticquery"
	"github.com/loam-data/loam/host/internal/store"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

// chartMonths is how many months a chart of a measure shows.
const chartMonths = 24

// numbers is what was asked of the warehouse about a measure.
type numbers struct {
	Name string `json:"name"`
	// Values are those of a probe.
	Values []value `json:"values,omitempty"`
	// Chart and Result are those of the months.
	Chart  *shown.Chart   `json:"chart,omitempty"`
	Result *result.Result `json:"result,omitempty"`
	Notes  []string       `json:"notes,omitempty"`
	Fault  *shown.Fault   `json:"fault,omitempty"`
}

// value is what a measure is over a period.
type value struct {
	Period string `json:"period"`
	// Value is as the engine gave it; Null = there is none.
	Value string       `json:"value"`
	Null  bool         `json:"null,omitempty"`
	Unit  string       `json:"unit,omitempty"`
	Took  string       `json:"took,omitempty"`
	Fault *shown.Fault `json:"fault,omitempty"`
}

// probe asks the warehouse what the measure was in the last month, and what it is in all.
func (p *pages) probe(ctx context.Context, r *page.Request) (*page.Outcome, error) {
	return p.ask(ctx, r, "probe", func(ctx context.Context, id connection.ID, name string) (*numbers, error) {
		out := &numbers{Name: name}
		first := p.month()
		last := span{first.AddDate(0, -1, 0).Format(time.DateOnly), first.AddDate(0, 0, -1).Format(time.DateOnly), ""}
		for _, one := range []struct {
			period string
			ranges []span
		}{{last.From[:len("2006-01")], []span{last}}, {"in all", nil}} {
			v, notes, err := p.value(ctx, r, id, asked{Measures: []string{name}, Ranges: one.ranges})
			if refused, ok := errors.AsType[*refusal.Error](err); ok && one.ranges != nil && refused.Code != refusal.CodeBroken {
				out.Notes = append(out.Notes, "It has no value of a month: "+brief(refused.Message, roomLine)+".")
				continue
			}
			if err != nil {
				if sdk.KindOf(err) == sdk.KindInternal || ctx.Err() != nil {
					return nil, err
				}
				v.Fault = shown.FaultOf(err, "", p.Redact)
			}
			v.Period = one.period
			out.Values = append(out.Values, v)
			out.note(notes)
		}
		return out, nil
	})
}

// month is the first day of this month.
func (p *pages) month() time.Time {
	now := p.Now().UTC()
	return time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC)
}

// note adds notes that are not there yet.
func (n *numbers) note(all []string) {
	for _, s := range all {
		known := false
		for _, old := range n.Notes {
			known = known || old == s
		}
		if !known && len(n.Notes) < listedNotes {
			n.Notes = append(n.Notes, s)
		}
	}
}

// value runs a request for one number.
func (p *pages) value(ctx context.Context, r *page.Request, id connection.ID, a asked) (value, []string, error) {
	rows := shown.NewRows(false)
	one := &single{Rows: rows}
	summary, notes, err := p.run(ctx, r, id, a, one)
	if err != nil {
		return value{}, nil, err
	}
	v := value{Unit: brief(one.unit, roomName), Took: summary.Elapsed.Round(time.Millisecond).String(), Null: true}
	if table := rows.Table.Result(summary); len(table.Rows) > 0 && len(table.Rows[0]) > 0 {
		cell := &table.Rows[0][0]
		v.Value, v.Null = cell.Text, cell.Null
	}
	return v, notes, nil
}

// single is a sink that keeps the unit of the first column.
type single struct {
	*shown.Rows
	unit string
}

// Measured keeps the unit.
func (s *single) Measured(c *semanticquery.Compiled, columns []sdk.Column) error {
	if all := c.Columns(columns); len(all) > 0 {
		s.unit = all[0].Unit
	}
	return s.Rows.Measured(c, columns)
}

// chart asks the warehouse for the measure by month and draws it.
func (p *pages) chart(ctx context.Context, r *page.Request) (*page.Outcome, error) {
	return p.ask(ctx, r, "chart", func(ctx context.Context, id connection.ID, name string) (*numbers, error) {
		out := &numbers{Name: name}
		first, by := p.month(), r.Field("time")
		rows := shown.NewRows(true)
		summary, notes, err := p.run(ctx, r, id, asked{
			Measures: []string{name}, Dimensions: []dimension{{cmp.Or(by, request.MetricTime), monthly}},
			Ranges: []span{{first.AddDate(0, 1-chartMonths, 0).Format(time.DateOnly), first.AddDate(0, 1, -1).Format(time.DateOnly), by}},
		}, &single{Rows: rows})
		if err != nil {
			if sdk.KindOf(err) == sdk.KindInternal || ctx.Err() != nil {
				return nil, err
			}
			out.Fault = shown.FaultOf(err, "", p.Redact)
			return out, nil
		}
		out.note(notes)
		out.Chart, out.Result = rows.Chart(), rows.Table.Result(summary)
		return out, nil
	})
}

// checkMeasure compares what the measure rests on with the data.
func (p *pages) checkMeasure(ctx context.Context, r *page.Request) (*page.Outcome, error) {
	v, d, err := p.describe(ctx, r)
	if err != nil {
		return nil, err
	}
	if d.Checkable == "" {
		return nil, sdk.Errorf(sdk.KindUnsupported, sdk.SourceCaller, "%s rests on no source whose keys and joins could be checked", d.Name).WithHint("check the sources of the measures that it uses")
	}
	d.Asking = "check"
	p.check(v, r, connection.ID(d.Connection), d.Checkable)
	return &page.Outcome{View: v}, nil
}

// ask shows the measure, and then what the warehouse answers. Leaving the page ends the statement.
func (p *pages) ask(ctx context.Context, r *page.Request, what string, answer func(ctx context.Context, id connection.ID, name string) (*numbers, error)) (*page.Outcome, error) {
	v, d, err := p.describe(ctx, r)
	if err != nil {
		return nil, err
	}
	d.Asking = what
	v.Command = "loam sl query -c " + text.ShellWord(d.Connection) + " -m " + text.ShellWord(d.Name)
	v.ThenTemplate = "semantic.numbers"
	v.Then = func(ctx context.Context) (any, error) { return answer(ctx, connection.ID(d.Connection), d.Name) }
	return &page.Outcome{View: v}, nil
}

// measured receives the rows of a request.
type measured interface {
	Measured(c *semanticquery.Compiled, columns []sdk.Column) error
	Row(cells [][]byte) error
}

// counter is the sink of a request; it counts what is delivered.
type counter struct {
	measured
	rows, bytes int
}

// Columns implements semanticquery.Sink.
func (c *counter) Columns(compiled *semanticquery.Compiled, columns []sdk.Column) error {
	return c.Measured(compiled, columns)
}

// Row implements semanticquery.Sink.
func (c *counter) Row(cells [][]byte) error {
	c.rows++
	for _, cell := range cells {
		c.bytes += len(cell)
	}
	return c.measured.Row(cells)
}

// run runs a request within the limits of a tool and records the call. It returns the notes on the request and its rows.
func (p *pages) run(ctx context.Context, r *page.Request, id connection.ID, a asked, sink measured) (query.Summary, []string, error) {
	started := p.Now()
	counted := &counter{measured: sink}
	compiled, summary, err := p.Semantic.Run(ctx, semanticquery.Request{Connection: id, Body: a.body(), MaxBytes: p.AnswerSize}, counted)
	call := shown.Call{
		Tool: shown.ToolMeasures, Arguments: a.body(), Connection: string(id), Started: started, Elapsed: p.Now().Sub(started), Outcome: store.OutcomeOK,
		Rows: counted.rows, Bytes: counted.bytes, Actor: r.Actor,
	}
	if err != nil {
		call.Outcome, call.Rows = string(sdk.KindOf(err)), store.NoRows
	}
	p.Record(ctx, call)
	if err != nil {
		return query.Summary{}, nil, err
	}
	notes := append(append([]string{}, compiled.Notes...), summary.Notes...)
	summary.Notes = nil
	return summary, notes, nil
}
