package binding

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/loam-data/loam/host/internal/query"
	"github.com/loam-data/loam/host/internal/semantic/compile"
	"github.com/loam-data/loam/host/internal/semantic/layer"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/warehouse"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// Columns asks an engine for the columns of sources that are queries.
type Columns struct {
	Config    Config
	Warehouse warehouse.Warehouse
	Dialect   *dialect.Dialect
	// Asked are the queries that were described, with the error of each that the
	// engine refused.
	Asked map[string]error
	// Lost is why the engine could not be asked; nil = no failure.
	Lost error
}

// Learn describes the queries of sources, workers at a time, and stores their
// columns.
// Shape: whether the semantic layer has new columns.
// Errors: those of ctx. Other failures are in Asked and Lost.
func (d *Columns) Learn(ctx context.Context, state *layer.State, all []*model.Source, workers int) (bool, error) {
	if d.Lost = d.reach(ctx); d.Lost != nil {
		if ctx.Err() != nil {
			return false, d.Lost
		}
		return false, nil
	}
	var mu sync.Mutex
	var found []*model.Query
	var next atomic.Int64
	var running sync.WaitGroup
	for range min(workers, len(all)) {
		running.Go(func() {
			for at := int(next.Add(1)) - 1; at < len(all); at = int(next.Add(1)) - 1 {
				q, err := d.one(ctx, all[at])
				mu.Lock()
				d.settle(all[at].SQL, err)
				if q != nil {
					found = append(found, q)
				}
				lost := d.Lost != nil
				mu.Unlock()
				if lost {
					return
				}
			}
		})
	}
	running.Wait()
	if err := ctx.Err(); err != nil {
		return false, cmp.Or(d.Lost, err)
	}
	slices.SortFunc(found, func(a, b *model.Query) int { return strings.Compare(a.SQL, b.SQL) })
	return len(found) > 0, d.Config.Layer.Learn(ctx, d.Warehouse.ID, state, found)
}

// reach opens the connection, so that what stops that is not taken for a fault of a
// query.
func (d *Columns) reach(ctx context.Context) error {
	limited, cancel := context.WithTimeout(ctx, d.Warehouse.Limits.OrDefault().Timeout)
	defer cancel()
	session, release, err := d.Warehouse.Lease(limited)
	if err != nil {
		return err
	}
	defer release()
	return session.Ping(limited)
}

func (d *Columns) settle(sql string, err error) {
	if err != nil && !OwnFault(err) {
		d.Lost = cmp.Or(d.Lost, err)
		return
	}
	if d.Asked == nil {
		d.Asked = map[string]error{}
	}
	d.Asked[sql] = err
}

// Left returns the sources whose queries can still be described.
func (d *Columns) Left(all []*model.Source) (left []*model.Source) {
	for _, s := range all {
		if _, asked := d.Asked[s.SQL]; !asked && d.Lost == nil {
			left = append(left, s)
		}
	}
	return left
}

// one asks about one query: without running it where the engine can, else for none of
// its rows.
func (d *Columns) one(ctx context.Context, s *model.Source) (*model.Query, error) {
	columns, err := d.Config.Query.Describe(ctx, d.Warehouse.ID, s.SQL)
	if err == nil && len(columns) == 0 {
		var head header
		_, err = d.Config.Query.Run(ctx, query.Request{Connection: d.Warehouse.ID, SQL: compile.Empty(d.Dialect, s.SQL), MaxRows: 1, MaxBytes: -1}, &head)
		columns = head.columns
		if e := sdk.AsError(err, sdk.SourceHost); err != nil && !e.Pos.IsZero() { // it is not one of the query
			moved := *e
			moved.Pos = sdk.Position{}
			err = &moved
		}
	}
	if err != nil || len(columns) == 0 {
		return nil, err
	}
	q := &model.Query{SQL: s.SQL}
	for _, c := range columns {
		at := slices.IndexFunc(q.Columns, func(o model.Column) bool { return o.Name == c.Name })
		switch {
		case at >= 0 && q.Columns[at].Type != c.Type: // which of them a name means is the engine's
			q.Columns[at].Type = sdk.TypeUnspecified
		case at < 0 && c.Name != "":
			q.Columns = append(q.Columns, model.Column{Name: c.Name, Type: c.Type})
		}
	}
	return q, nil
}

// header keeps the columns of a result.
type header struct{ columns []sdk.Column }

func (h *header) Columns(columns []sdk.Column) error {
	h.columns = columns
	return nil
}

func (h *header) Row([][]byte) error { return nil }

// Why returns sentences about the queries with unknown columns and the reasons; "" =
// all are known.
func (d *Columns) Why(all []*model.Source) string {
	var texts []string
	for _, s := range all {
		switch err := d.Asked[s.SQL]; {
		case err != nil:
			texts = append(texts, "The engine refuses the query of "+s.Name+": "+Sentence(err))
		case d.Lost != nil:
			texts = append(texts, "The columns of the query of "+s.Name+" are not known, for the engine could not be asked: "+Sentence(d.Lost))
		}
	}
	return strings.Join(texts, " ")
}
