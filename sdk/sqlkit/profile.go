package sqlkit

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/loam-data/loam/sdk"
)

const (
	// ProfileRows is the size of a table up to which its statistics are of all
	// rows. A larger one is counted on a random choice of about as many: sorting
	// them takes an engine a fraction of a second per column.
	ProfileRows = 200_000
	// SketchRows is the size up to which a sketch is made of all values; one of a
	// random choice could not be compared with another's.
	SketchRows = 10 * ProfileRows
	// maxKeyLength is the longest text, in characters, of a column that may join
	// to others and gets a sketch.
	maxKeyLength = 64
)

// Profiling is how an engine profiles one table: its columns, and the SQL that
// Profile cannot know. Everything should see one state of the data.
type Profiling struct {
	// Table is quoted, as FROM takes it.
	Table string
	// Columns are those that the account may read, in order.
	Columns []ProfiledColumn
	// Count returns the number of rows, exactly up to limit; of more rows it may
	// be an estimate above limit.
	Count func(ctx context.Context, limit int64) (int64, error)
	// Choice returns what FROM takes for a random choice of about rows of the
	// total rows, over the whole table. One whose statements all choose the same
	// rows is best.
	Choice func(total, rows int64) string
	// Sample returns the query for n random rows of the whole table, whose first
	// argument is the select list; nil orders the Choice, or a small table, by
	// Random.
	Sample func(list string, total int64, n int) string
	// Random is an expression that is a new random number per row: "random()".
	Random string
	// Values returns the query for a column's distinct values in ascending order:
	// the value as Text takes it, its count, the sum of all counts, the count of
	// NULLs; all over one and the same choice of rows. nil: GroupedValues.
	Values func(c *ProfiledColumn, from string) string
	// Query runs a query of the connector's own.
	Query Queries
	// Run runs a query for the caller and writes its result, as Execute does.
	Run func(ctx context.Context, sql string, w *sdk.RowWriter) error
}

// ProfiledColumn is a column to profile.
type ProfiledColumn struct {
	Name   string
	Quoted string
	Type   sdk.Type
	// Value is the expression that is grouped and sorted, byte by byte for text;
	// "" = Quoted.
	Value string
	// Shown is the expression of v, a Value, that the query returns; "" = "v".
	Shown string
	// Text appends a shown value in the form of the JSON results, without quotes;
	// nil = what Row.Text returns.
	Text func(dst []byte, shown any) ([]byte, error)
	// NoKey: the column cannot join to others, whatever its type.
	NoKey bool
}

// GroupedValues is the query of an engine with window functions.
func GroupedValues(c *ProfiledColumn, from string) string {
	return fmt.Sprintf(`SELECT %s AS shown, n, SUM(n) OVER (), SUM(CASE WHEN v IS NULL THEN n ELSE 0 END) OVER ()
FROM (SELECT %s AS v, COUNT(*) AS n FROM %s GROUP BY 1) g ORDER BY v`, c.shown(), c.value(), from)
}

func (c *ProfiledColumn) value() string {
	if c.Value != "" {
		return c.Value
	}
	return c.Quoted
}

func (c *ProfiledColumn) shown() string {
	if c.Shown != "" {
		return c.Shown
	}
	return "v"
}

// Profile writes a table's sample and the statistics of its columns: of all its
// rows, or of a random choice when it has more than ProfileRows.
// Units: holds no more values than the request lists; runs one query per column,
// one more for the sketch of a key, and three for the table.
// Errors: KindNotFound for a column that the table has not; those of the engine.
func Profile(ctx context.Context, p Profiling, req *sdk.ProfileRequest, w sdk.ProfileWriter) error {
	run := &profile{Profiling: p, req: req, w: w}
	if err := run.choose(); err != nil {
		return err
	}
	if err := run.measure(ctx); err != nil {
		return err
	}
	if req.SampleRows > 0 {
		if err := p.Run(ctx, run.sampleSQL(), w.Sample()); err != nil {
			return err
		}
	}
	for i := range run.Columns {
		w.Progress(sdk.Progress{Phase: "columns", Done: int64(i), Total: int64(len(run.Columns)), Unit: "columns"})
		stats, err := run.count(ctx, &run.Columns[i])
		if err != nil {
			return err
		}
		if err := w.Stats(stats); err != nil {
			return err
		}
	}
	return nil
}

// profile is a profile under way.
type profile struct {
	Profiling
	req  *sdk.ProfileRequest
	w    sdk.ProfileWriter
	rows int64
	// from is the table, or a random choice of its rows.
	from     string
	complete bool
}

// choose keeps the wanted columns, in the order wanted.
func (p *profile) choose() error {
	if len(p.req.Columns) == 0 {
		return nil
	}
	all := p.Columns
	p.Columns = nil
	for _, name := range p.req.Columns {
		i := slices.IndexFunc(all, func(c ProfiledColumn) bool { return c.Name == name })
		if i < 0 {
			i = slices.IndexFunc(all, func(c ProfiledColumn) bool { return strings.EqualFold(c.Name, name) })
		}
		if i < 0 {
			return noColumn(p.req.Table, name, all)
		}
		p.Columns = append(p.Columns, all[i])
	}
	return nil
}

func noColumn(table sdk.TableRef, name string, columns []ProfiledColumn) error {
	names := make([]string, len(columns))
	for i := range columns {
		names[i] = columns[i].Name
	}
	e := sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "table %s has no column %q", table, name).
		WithHint("name columns that the table has")
	e.Candidates = Nearest(name, names)
	return e
}

// measure decides between the whole table and a choice of its rows.
func (p *profile) measure(ctx context.Context) (err error) {
	if p.rows, err = p.Count(ctx, ProfileRows); err != nil {
		return err
	}
	p.from, p.complete = p.Table, p.rows <= ProfileRows
	if !p.complete {
		p.from = p.Choice(p.rows, ProfileRows)
	}
	return nil
}

func (p *profile) sampleSQL() string {
	quoted := make([]string, len(p.Columns))
	for i := range p.Columns {
		quoted[i] = p.Columns[i].Quoted
	}
	list := strings.Join(quoted, ", ")
	if p.Sample != nil {
		return p.Sample(list, p.rows, p.req.SampleRows)
	}
	return fmt.Sprintf("SELECT %s FROM %s ORDER BY %s LIMIT %d", list, p.from, p.Random, p.req.SampleRows)
}

// count returns the statistics of one column.
func (p *profile) count(ctx context.Context, c *ProfiledColumn) (sdk.ColumnStats, error) {
	values := p.Values
	if values == nil {
		values = GroupedValues
	}
	d := NewDistribution(c.Name, p.req, 0, 0)
	first := true
	var text []byte
	err := p.Query(ctx, values(c, p.from), func(r Row) (err error) {
		if first {
			first, d = false, NewDistribution(c.Name, p.req, r.Int(2, 0), r.Int(3, 0))
		}
		if r[0] == nil {
			return nil
		}
		if text, err = c.text(text[:0], r); err == nil {
			c.add(d, text, r.Int(1, 0))
		}
		return err
	})
	if err != nil {
		return sdk.ColumnStats{}, err
	}
	stats := d.Stats(p.complete, false)
	key := c.key() && stats.MaxLength <= maxKeyLength && stats.Distinct > 0
	if key && !p.complete && p.req.SketchSize > 0 {
		if key = p.rows <= SketchRows; key {
			err = p.sketch(ctx, c, d)
		}
	}
	return d.Stats(p.complete, key), err
}

func (c *ProfiledColumn) text(dst []byte, r Row) ([]byte, error) {
	if c.Text != nil {
		return c.Text(dst, r[0])
	}
	return append(dst, r.Text(0)...), nil
}

func (c *ProfiledColumn) add(d *Distribution, text []byte, count int64) {
	switch c.Type {
	case sdk.TypeInt64, sdk.TypeFloat64, sdk.TypeDecimal, sdk.TypeDate, sdk.TypeTime, sdk.TypeTimestamp, sdk.TypeTimestampTZ, sdk.TypeInterval:
		d.Number(text, count)
	case sdk.TypeText:
		d.Text(text, count)
	default:
		d.Other(text, count)
	}
}

// key reports whether values of the column may join tables.
func (c *ProfiledColumn) key() bool {
	switch c.Type {
	case sdk.TypeInt64, sdk.TypeDecimal, sdk.TypeText, sdk.TypeUUID, sdk.TypeDate:
		return !c.NoKey
	default:
		return false
	}
}

// sketch adds every value of the whole table to a column's sketch.
func (p *profile) sketch(ctx context.Context, c *ProfiledColumn, d *Distribution) error {
	var text []byte
	query := fmt.Sprintf("SELECT %s AS shown FROM (SELECT %s AS v FROM %s) x WHERE v IS NOT NULL", c.shown(), c.value(), p.Table)
	return p.Query(ctx, query, func(r Row) (err error) {
		if text, err = c.text(text[:0], r); err == nil {
			d.Sketch(text)
		}
		return err
	})
}
