package semanticquery

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

// describing asks an engine for the columns of the queries that sources are made of.
type describing struct {
	service   *Service
	warehouse warehouse.Warehouse
	dialect   *dialect.Dialect
	// asked are the queries that were, with the error of one that the engine refuses.
	asked map[string]error
	// lost says why the engine could not be asked; nil = it could.
	lost error
}

// learn asks about sources, with some statements at once, and keeps what is said.
// Shape: whether the semantic layer knows more than before.
// Errors: the context's when it ends. What else goes wrong is in asked and lost.
func (d *describing) learn(ctx context.Context, state *layer.State, all []*model.Source, workers int) (bool, error) {
	if d.lost = d.reach(ctx); d.lost != nil {
		if ctx.Err() != nil {
			return false, d.lost
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
				lost := d.lost != nil
				mu.Unlock()
				if lost {
					return
				}
			}
		})
	}
	running.Wait()
	if err := ctx.Err(); err != nil {
		return false, cmp.Or(d.lost, err)
	}
	slices.SortFunc(found, func(a, b *model.Query) int { return strings.Compare(a.SQL, b.SQL) })
	return len(found) > 0, d.service.Layer.Learn(ctx, d.warehouse.ID, state, found)
}

// reach opens the connection, so that what stops that is not taken for a fault of a
// query.
func (d *describing) reach(ctx context.Context) error {
	limited, cancel := context.WithTimeout(ctx, d.warehouse.Limits.OrDefault().Timeout)
	defer cancel()
	session, release, err := d.warehouse.Lease(limited)
	if err != nil {
		return err
	}
	defer release()
	return session.Ping(limited)
}

func (d *describing) settle(sql string, err error) {
	if err != nil && !ownFault(err) {
		d.lost = cmp.Or(d.lost, err)
		return
	}
	if d.asked == nil {
		d.asked = map[string]error{}
	}
	d.asked[sql] = err
}

// left are the sources that can still be asked about.
func (d *describing) left(all []*model.Source) (left []*model.Source) {
	for _, s := range all {
		if _, asked := d.asked[s.SQL]; !asked && d.lost == nil {
			left = append(left, s)
		}
	}
	return left
}

// one asks about one query: without running it where the engine can, else for none of
// its rows.
func (d *describing) one(ctx context.Context, s *model.Source) (*model.Query, error) {
	columns, err := d.service.Query.Describe(ctx, d.warehouse.ID, s.SQL)
	if err == nil && len(columns) == 0 {
		var head header
		_, err = d.service.Query.Run(ctx, query.Request{Connection: d.warehouse.ID, SQL: compile.Empty(d.dialect, s.SQL), MaxRows: 1, MaxBytes: -1}, &head)
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

// why says what is not known of queries and why, as sentences; "" = all is known.
func (d *describing) why(all []*model.Source) string {
	var texts []string
	for _, s := range all {
		switch err := d.asked[s.SQL]; {
		case err != nil:
			texts = append(texts, "The engine refuses the query of "+s.Name+": "+sentence(err))
		case d.lost != nil:
			texts = append(texts, "The columns of the query of "+s.Name+" are not known, for the engine could not be asked: "+sentence(d.lost))
		}
	}
	return strings.Join(texts, " ")
}
