package validation

import (
	"context"
	"fmt"
	"time"

	"github.com/loam-data/loam/host/internal/semantic/binding"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/sdk"
)

// describePatience is how long a look at files alone waits for a warehouse. The columns
// of queries are then not known, which a note says.
const describePatience = 10 * time.Second

// describe learns the columns of the queries that sources are made of: those that are
// not known, or all of them where the data is asked about.
// Errors: the context's when it ends; those of the layer.
func (v *validation) describe(ctx context.Context) error {
	ids := make([]model.SourceID, len(v.sources))
	for i, s := range v.sources {
		ids[i] = s.ID
	}
	all := v.state.Model.Undescribed(ids)
	limited, cancel := ctx, context.CancelFunc(func() {})
	if v.request.Data {
		all = v.queries()
	} else {
		limited, cancel = context.WithTimeout(ctx, describePatience)
	}
	defer cancel()
	if len(all) == 0 {
		return nil
	}
	asked := &binding.Columns{Config: v.config, Warehouse: v.warehouse, Dialect: v.dialect}
	more, err := asked.Learn(limited, v.state, all, v.workers())
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		asked.Lost = err
	}
	for _, s := range all {
		if refused := asked.Asked[s.SQL]; refused != nil {
			v.add(v.refusedQuery(s, refused))
		}
	}
	if asked.Lost != nil {
		v.report.Notes = append(v.report.Notes, "The columns of "+plural(len(v.unknownOf(asked, all)), "query source")+" are not known, for the warehouse could not be asked: "+binding.Sentence(asked.Lost))
	}
	if !more {
		return nil
	}
	if v.state, err = v.config.Layer.Current(ctx, v.warehouse.ID, v.dialect); err != nil {
		return err
	}
	v.sources = v.selected()
	return nil
}

// queries are the sources that are made of a query.
func (v *validation) queries() (all []*model.Source) {
	for _, s := range v.sources {
		if s.SQL != "" && s.Broken == "" {
			all = append(all, s)
		}
	}
	return all
}

func (v *validation) unknownOf(asked *binding.Columns, all []*model.Source) (unknown []*model.Source) {
	for _, s := range all {
		if _, known := asked.Asked[s.SQL]; !known {
			unknown = append(unknown, s)
		}
	}
	return unknown
}

// refusedQuery is a query that the engine does not take, in its words.
func (v *validation) refusedQuery(s *model.Source, err error) binding.Problem {
	e := sdk.AsError(err, sdk.SourceHost)
	file, text := v.state.Model.SQLText(s)
	at := text.At(e.Pos)
	p := binding.Problem{
		Severity: binding.SeverityError, File: binding.File(v.warehouse.ID, file), Line: int(at.Line), Column: int(at.Column), Path: "sql", Source: s.Name,
		Message: "the engine refuses the query: " + e.Msg,
	}
	if !e.Pos.IsZero() && !text.Exact { // a text over several lines
		p.Message = fmt.Sprintf("the engine refuses the query at its line %d, column %d: %s", e.Pos.Line, e.Pos.Column, e.Msg)
	}
	return p
}
