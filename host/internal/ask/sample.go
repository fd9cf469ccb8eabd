package ask

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/query"
	"github.com/loam-data/loam/host/internal/scan/privacy"
	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/plan"
	"github.com/loam-data/loam/host/internal/semantic/statement"
	"github.com/loam-data/loam/host/internal/warehouse"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/sqlkit"
)

const (
	// DefaultRows is the limit of a sample without one, MaxRows the largest.
	DefaultRows = 10
	MaxRows     = 100
	// maxConditions bounds the conditions of a sample.
	maxConditions = 50
)

// SampleRequest asks for some rows of a table, which must be in the last snapshot.
type SampleRequest struct {
	// Connection "" = the only one.
	Connection connection.ID
	// Table is a name as catalog.Display writes it, or a part of it that is unique.
	Table string
	// Columns none = all.
	Columns []string
	Where   []Condition
	// Limit 0 = DefaultRows.
	Limit int
	// MaxBytes is that of query.Request.
	MaxBytes int
	Progress func(fraction float64, message string)
}

// Sample is how a sample ended.
type Sample struct {
	query.Summary
	// Withheld are the columns that were not asked for, since the catalog withholds their values; never nil.
	Withheld []string
}

// Sample writes some rows of a table to sink. It runs one SELECT, which is made from the dialect's data: names are
// quoted, values are constants.
// Errors: KindNotFound (no snapshot, table or column), KindInvalid, KindDenied (a withheld column in a condition, no
// column that may be shown, a table of another server), and those of query.Service.Run.
func (s *Service) Sample(ctx context.Context, r SampleRequest, sink query.Sink) (Sample, error) {
	if r.Limit < 0 || r.Limit > MaxRows {
		return Sample{}, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "limit is %d", r.Limit).WithHint("ask for 1 to %d rows; sql_execution returns more", MaxRows)
	}
	if r.Limit == 0 {
		r.Limit = DefaultRows
	}
	w, err := s.Warehouses.Choose(ctx, r.Connection)
	if err != nil {
		return Sample{}, err
	}
	known, err := w.Known(ctx)
	if err != nil {
		return Sample{}, err
	}
	d := known.Dialect()
	p, err := s.sampling(w, d, &r)
	if err != nil {
		return Sample{}, err
	}
	out := Sample{Withheld: append([]string{}, p.withheld...)}
	for range 2 { // once more in the dialect of a server that was not known
		if out.Summary, err = s.run(ctx, w.ID, &r, p, d, sink); err == nil {
			break
		}
		other, ok := errors.AsType[*query.OtherDialect](err)
		if !ok {
			return Sample{}, err
		}
		d = other.Is
	}
	out.Notes = append([]string{p.note(out.RowCount)}, out.Notes...)
	return out, err
}

func (s *Service) run(ctx context.Context, id connection.ID, r *SampleRequest, p *sampling, d *dialect.Dialect, sink query.Sink) (query.Summary, error) {
	sql, err := p.sql(d, r)
	if err != nil {
		return query.Summary{}, err
	}
	return s.Query.Run(ctx, query.Request{Connection: id, SQL: sql, MaxRows: r.Limit, MaxBytes: r.MaxBytes, Dialect: d, Progress: r.Progress}, sink)
}

// sampling is a table and those of its columns that a sample shows.
type sampling struct {
	table    *sdk.Table
	shown    []sdk.Column
	withheld []string // of the asked columns
	hidden   map[string]bool
}

// sampling resolves the names of a request against the last snapshot.
func (s *Service) sampling(w warehouse.Warehouse, d *dialect.Dialect, r *SampleRequest) (*sampling, error) {
	snapshot, err := s.Catalogs.Of(string(w.ID)).Latest()
	if err != nil {
		return nil, err
	}
	at, err := snapshot.Find(d, r.Table)
	if err != nil {
		return nil, err
	}
	t, err := snapshot.At(at)
	if err != nil {
		return nil, err
	}
	p := &sampling{table: &t.Table}
	if server := t.Properties[sdk.PropertyForeignServer]; server != "" && !w.Scan.ForeignTables {
		return nil, sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "%s is a table of the server %s, on which the query would run", catalog.Display(t.TableRef), server).
			WithHint("a person allows it with scan.foreign_tables: true of connection %s in loam.yaml", w.ID)
	}
	profile, err := snapshot.Profile(at)
	if err != nil {
		return nil, err
	}
	if p.hidden, err = withheld(p.table, profile, w.Scan); err != nil {
		return nil, err
	}
	return p, p.choose(r.Columns)
}

// withheld returns the columns whose values the project's rules withhold by now. Without a profile they judge by names
// and types.
// Errors: KindInvalid for a broken rule.
func withheld(t *sdk.Table, profile *catalog.Profile, settings connection.Scan) (map[string]bool, error) {
	rules, err := privacy.New(settings.KeepValues, settings.WithholdValues)
	if err != nil {
		return nil, err
	}
	if profile == nil {
		profile = &catalog.Profile{}
	} else {
		profile = profile.Clone()
	}
	for _, c := range t.Columns {
		if profile.Column(c.Name) == nil {
			profile.Stats = append(profile.Stats, sdk.ColumnStats{Column: c.Name})
		}
	}
	rules.Protect(t, profile)
	hidden := map[string]bool{}
	for _, h := range profile.Withheld {
		hidden[h.Column] = true
	}
	return hidden, nil
}

// choose fills shown and withheld from the asked columns; none = all.
func (p *sampling) choose(asked []string) error {
	columns := p.table.Columns
	if len(asked) > 0 {
		columns = nil
		for _, name := range asked {
			c, err := p.column(name)
			if err != nil {
				return err
			}
			if !slices.ContainsFunc(columns, func(has sdk.Column) bool { return has.Name == c.Name }) {
				columns = append(columns, c)
			}
		}
	}
	for _, c := range columns {
		if p.hidden[c.Name] {
			p.withheld = append(p.withheld, c.Name)
		} else {
			p.shown = append(p.shown, c)
		}
	}
	if len(p.shown) == 0 {
		return sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "the catalog withholds the values of all these columns: %s", strings.Join(p.withheld, ", ")).
			WithHint("name other columns; a person can allow values with scan.keep_values in loam.yaml")
	}
	return nil
}

// column returns the column of a name, in any case if only one fits.
// Errors: KindNotFound with similar names, KindConflict.
func (p *sampling) column(name string) (sdk.Column, error) {
	var close []sdk.Column
	var names []string
	for _, c := range p.table.Columns {
		names = append(names, c.Name)
		switch {
		case c.Name == name:
			return c, nil
		case strings.EqualFold(c.Name, name):
			close = append(close, c)
		}
	}
	switch len(close) {
	case 1:
		return close[0], nil
	case 0:
		e := sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "%s has no column %q", catalog.Display(p.table.TableRef), name).WithHint("its columns are %s", firstOf(names))
		e.Candidates = sqlkit.Nearest(name, names)
		return sdk.Column{}, e
	}
	return sdk.Column{}, sdk.Errorf(sdk.KindConflict, sdk.SourceCaller, "%s has several columns %q in different case", catalog.Display(p.table.TableRef), name).WithHint("write the name as it is stored")
}

// firstOf lists at most 20 names.
func firstOf(names []string) string {
	const most = 20
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more (entity_details, loam catalog show)", strings.Join(names[:most], ", "), len(names)-most)
}

// sql writes the statement in a dialect.
func (p *sampling) sql(d *dialect.Dialect, r *SampleRequest) (string, error) {
	if d == nil {
		return "", sdk.Errorf(sdk.KindUnsupported, sdk.SourceConnector, "the connector describes no SQL dialect, in which the statement could be written").
			WithHint("install a version of the connector that passes the conformance suite")
	}
	numbers := &plan.Numbers{}
	scan := &plan.Scan{Table: plan.Table{Name: p.table.Name, Path: pathOf(p.table.TableRef, d)}}
	filter, err := p.filter(r.Where, func(c sdk.Column) expression.Node {
		return expression.NewColumn(scan.Field(numbers, c.Name).ID, c.Type)
	})
	if err != nil {
		return "", err
	}
	rows := plan.Relation(scan)
	if filter != nil {
		rows = &plan.Filter{In: scan, Cond: filter}
	}
	shown := &plan.Project{In: rows}
	for _, c := range p.shown {
		shown.Compute(numbers, c.Name, c.Type, scan.Field(numbers, c.Name).Ref())
	}
	return statement.Write(d, &plan.Sort{In: shown, Limit: r.Limit}, nil)
}

// pathOf returns a table's qualified name as the dialect takes it.
func pathOf(ref sdk.TableRef, d *dialect.Dialect) (path []string) {
	if ref.Catalog != "" && len(d.Namespace) > 1 {
		path = append(path, ref.Catalog)
	}
	if ref.Schema != "" {
		path = append(path, ref.Schema)
	}
	return append(path, ref.Name)
}

// filter returns the conditions over columns; nil = there are none.
// Errors: KindInvalid; KindDenied for a withheld column: whoever may compare its values can read them.
func (p *sampling) filter(where []Condition, of func(sdk.Column) expression.Node) (expression.Node, error) {
	if len(where) > maxConditions {
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "where has %d conditions; the limit is %d", len(where), maxConditions).WithHint("write the statement for sql_execution")
	}
	var all []expression.Node
	for i := range where {
		c, err := p.column(where[i].Column)
		if err != nil {
			return nil, err
		}
		if p.hidden[c.Name] {
			return nil, sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "the catalog withholds the values of %s", c.Name).WithHint("compare another column")
		}
		tree, err := where[i].tree(fmt.Sprintf("where[%d]", i), &expression.Name{Parts: []string{c.Name}})
		if err != nil {
			return nil, err
		}
		tree, err = expression.CheckCondition(tree, func(*expression.Name) (sdk.Type, error) { return c.Type, nil })
		if err == nil {
			tree, err = expression.Substitute(tree, func(*expression.Name) (expression.Node, error) { return of(c), nil })
		}
		if err != nil {
			e := *sdk.AsError(err, sdk.SourceCaller)
			e.Msg, e.Pos = fmt.Sprintf("where[%d]: %s", i, e.Msg), sdk.Position{}
			return nil, &e
		}
		all = append(all, tree)
	}
	if len(all) == 0 {
		return nil, nil
	}
	return expression.Conjoin(all...), nil
}

// note says what the rows are.
func (p *sampling) note(rows int) string {
	text := "These are some rows, in no order: neither counts nor sums of them mean anything."
	if rows == 0 {
		text = "No row was found."
	}
	if len(p.withheld) > 0 {
		text += " Not asked for, since the catalog withholds their values: " + strings.Join(p.withheld, ", ") + "."
	}
	return text
}
