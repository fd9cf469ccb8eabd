package bigquery

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"cloud.google.com/go/bigquery"
	"google.golang.org/api/iterator"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// together is how many datasets a catalogue query reads: each is up to five views,
// and a statement may read a thousand.
const together = 100

// scan writes the tables of the datasets.
func (c *call) scan(ctx context.Context, req sdk.ScanRequest, w sdk.ScanWriter) (sdk.ScanSummary, error) {
	run := &scanning{c: c, ctx: ctx, w: w, most: req.MaxBytesScanned, sizes: map[[2]string][2]any{}}
	if err := run.choose(); err != nil || len(run.datasets) == 0 {
		return sdk.ScanSummary{Complete: err == nil}, err
	}
	if len(req.Facets) == 0 || slices.Contains(req.Facets, sdk.FacetEstimates) {
		if err := run.estimates(); err != nil {
			return sdk.ScanSummary{}, err
		}
	}
	sum, err := sqlkit.Scan(ctx, run.query, sqlkit.Catalog{
		Levels: 3, Tables: tablesSQL, Columns: columnsSQL, Keys: keysSQL, Type: typeOf, Column: run.column,
	}, req, w)
	sum.BytesBilled = run.billed
	return sum, err
}

// scanning is a scan under way.
type scanning struct {
	c        *call
	ctx      context.Context // of the scan
	w        sdk.ScanWriter
	datasets []string
	sizes    map[[2]string][2]any // rows and bytes by dataset and table
	most     int64                // bytes that the queries of the scan may bill, 0 = no limit
	billed   int64
	comments map[string]string // of the fields of the column at hand, by path
}

// choose finds the datasets that the scan reads. The lists and the dry runs it asks
// for are free; what the account may not read is told and left out.
func (s *scanning) choose() error {
	named := s.c.s.cfg.scanned()
	homes, err := s.c.locations(s.ctx)
	for _, name := range slices.Sorted(maps.Keys(homes)) {
		switch home, here := homes[name], s.c.s.client.Location; {
		case err != nil || len(named) > 0 && !slices.Contains(named, name):
		case here != "" && !strings.EqualFold(home, here):
			err = s.leave(name, "the dataset is in "+home+", and this connection works in "+here)
		default:
			s.datasets = append(s.datasets, name)
		}
	}
	for _, name := range named {
		if _, seen := homes[name]; err == nil && !seen {
			err = s.leave(name, "there is no such dataset, or the account may not see it")
		}
	}
	for err == nil && len(s.datasets) > 0 {
		var again bool
		if again, err = s.leaveDenied(); !again {
			break
		}
	}
	return err
}

// locations returns the datasets of the project with where they are, which the client's
// list leaves out.
func (c *call) locations(ctx context.Context) (map[string]string, error) {
	homes := map[string]string{}
	list := c.s.client.Datasets(heard(ctx, func(body []byte) error {
		var page struct {
			Datasets []struct {
				Location         string
				DatasetReference struct{ DatasetID string }
			}
		}
		err := json.Unmarshal(body, &page)
		for _, d := range page.Datasets {
			homes[d.DatasetReference.DatasetID] = d.Location
		}
		return err
	}))
	list.PageInfo().MaxSize = 1000
	for {
		if _, err := list.Next(); errors.Is(err, iterator.Done) {
			return homes, nil
		} else if err != nil {
			return nil, err
		}
	}
}

func (s *scanning) leave(dataset, why string) error {
	return s.w.Warning(sdk.Warning{Object: dataset, Message: why + ": it is left out"})
}

// leaveDenied plans a query over all datasets, and leaves out the one that it is
// refused for.
func (s *scanning) leaveDenied() (again bool, err error) {
	for part := range slices.Chunk(s.datasets, together) {
		_, err := s.c.dryRun(s.ctx, over(tablesSQL, s.c.s.cfg.Project, part), nil)
		if kind := sdk.KindOf(err); kind != sdk.KindDenied && kind != sdk.KindNotFound {
			if err != nil {
				return false, err
			}
			continue
		}
		said := sdk.AsError(err, sdk.SourceWarehouse)
		at := slices.IndexFunc(s.datasets, func(d string) bool { return strings.Contains(said.Msg, s.c.s.cfg.Project+":"+d+".") })
		if at < 0 {
			return false, err
		}
		err = s.leave(s.datasets[at], said.Msg)
		s.datasets = slices.Delete(s.datasets, at, at+1)
		return true, err
	}
	return false, nil
}

// query is sqlkit.Queries over the chosen datasets.
func (s *scanning) query(ctx context.Context, sql string, row func(sqlkit.Row) error) error {
	done := func() error { return nil }
	switch sql {
	case tablesSQL:
		row = s.table(row)
	case columnsSQL:
		row, done = s.fields(row)
	}
	for part := range slices.Chunk(s.datasets, together) {
		if err := s.rows(ctx, over(sql, s.c.s.cfg.Project, part), row); err != nil {
			return err
		}
	}
	return done()
}

// rows runs one query of the connector's own within what is left of the budget.
func (s *scanning) rows(ctx context.Context, sql string, row func(sqlkit.Row) error) error {
	left := max(s.most-s.billed, 0)
	if s.most > 0 && left == 0 {
		return sdk.Errorf(sdk.KindLimit, sdk.SourceCaller, "the catalogue queries of the scan billed %d bytes, which is all they may", s.billed).
			WithHint("raise scan.max_bytes, or scan fewer datasets at a time: name them in datasets")
	}
	budget := s.c.s.cfg.budget(left)
	billed, err := s.c.values(ctx, &query{sql: sql, budget: budget}, row)
	s.billed += billed
	return err
}

// values runs a query of the connector's own.
func (c *call) values(ctx context.Context, q *query, row func(sqlkit.Row) error) (billed int64, err error) {
	return c.run(ctx, q, func(bigquery.Schema) error { return nil }, func(values []bigquery.Value) error {
		r := make(sqlkit.Row, len(values))
		for i, v := range values {
			r[i] = v
		}
		return row(r)
	})
}

// estimates reads rows and bytes of all tables.
func (s *scanning) estimates() error {
	err := s.rows(s.ctx, storage(s.c.s.cfg.Project, s.c.s.client.Location, s.datasets), func(r sqlkit.Row) error {
		s.sizes[[2]string{r.Text(0), r.Text(1)}] = [2]any{r[2], r[3]}
		return nil
	})
	if kind := sdk.KindOf(err); kind == sdk.KindDenied || kind == sdk.KindNotFound {
		return s.w.Warning(sdk.Warning{
			Object: s.c.s.cfg.Project, Code: sdk.AsError(err, sdk.SourceWarehouse).Code,
			Message: "the account may not see how large tables are: give it roles/bigquery.metadataViewer on the project",
		})
	}
	return err
}

// kinds are the kinds of tables that the frame does not know by BigQuery's names.
var kinds = map[string]string{"CLONE": "BASE TABLE", "SNAPSHOT": "BASE TABLE", "EXTERNAL": "EXTERNAL TABLE"}

// table makes a row of Catalog.Tables of one of tablesSQL.
func (s *scanning) table(row func(sqlkit.Row) error) func(sqlkit.Row) error {
	return func(r sqlkit.Row) error {
		kind := r.Text(3)
		if known, ok := kinds[kind]; ok {
			kind = known
		}
		comment := r.Text(4)
		if plain, err := strconv.Unquote(comment); err == nil {
			comment = plain
		}
		size := s.sizes[[2]string{r.Text(1), r.Text(2)}]
		return row(sqlkit.Row{r[0], r[1], r[2], kind, comment, size[0], size[1], r[5]})
	}
}

// fields makes one row of those of columnsSQL about a column and the fields below it,
// whose comments it keeps for column. The last one is written by done.
func (s *scanning) fields(row func(sqlkit.Row) error) (add func(sqlkit.Row) error, done func() error) {
	var held sqlkit.Row
	done = func() error {
		if held == nil {
			return nil
		}
		return row(held)
	}
	return func(r sqlkit.Row) error {
		if path := r.Text(10); path != r.Text(3) {
			s.comments[path] = r.Text(7)
			return nil
		}
		if err := done(); err != nil {
			return err
		}
		if r.Text(6) == "NULL" {
			r[6] = nil // no default
		}
		held, s.comments = r[:9], map[string]string{}
		return nil
	}, done
}

// column completes a column with the fields of its records.
func (s *scanning) column(c *sdk.Column) {
	found := describe(c.Name, c.NativeType)
	c.Precision, c.Scale, c.Repeated, c.Nullable, c.Fields = found.Precision, found.Scale, found.Repeated, c.Nullable && found.Nullable, found.Fields
	comment(c.Fields, c.Name, s.comments)
}
