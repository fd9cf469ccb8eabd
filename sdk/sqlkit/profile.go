package sqlkit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/loam-data/loam/sdk"
)

const (
	// ProfileRows is the number of rows up to which a whole table is profiled. Of a
	// larger one about as many random rows are read: an engine sorts these in a
	// fraction of a second per column.
	ProfileRows = 200_000
	// sketchFactor times as many rows a table may have for a sketch of all its
	// values; one of a random choice could not be compared with another's.
	sketchFactor = 10
	// sampleFactor times as many rows as a sample has are chosen to take it from.
	sampleFactor = 1000
	// maxKeyLength is the longest text, in characters, of a column that may join
	// to others and gets a sketch.
	maxKeyLength = 64
)

// Profiling is the engine-specific part of a table's profile: its columns and its
// SQL. All queries should see one state of the data.
type Profiling struct {
	// Table is quoted, as FROM takes it.
	Table string
	// Columns are those that the account may read, in order.
	Columns []ProfiledColumn
	// Rows to count at most; 0 = ProfileRows. See RowsWithin.
	Rows int64
	// Known is the number of rows; 0 = they are counted by the aggregate Counted, whose
	// default is COUNT(*).
	Known   int64
	Counted string
	// Count returns the number of rows, exactly up to limit; of more rows it may
	// be an estimate above limit. nil = Known or Counted.
	Count func(ctx context.Context, limit int64) (int64, error)
	// Choice returns an item for FROM that chooses about rows of the total rows at
	// random, over the whole table. Best is one that chooses the same rows in every
	// statement.
	Choice func(total, rows int64) string
	// Sample returns the query for n random rows of the whole table, whose first
	// argument is the select list; nil orders a Choice of some, or a small table,
	// by Random.
	Sample func(list string, total int64, n int) string
	// Random is an expression that is a new random number per row: "random()".
	Random string
	// Values returns the query for a column's distinct values in ascending order: the
	// value, its count, the sum of all counts, the count of NULLs; all over one and
	// the same choice of rows. A column of NULLs only has one row. For a column with
	// a Size, the fifth is the size of a value that is not sent, and the value is
	// NULL. nil = GroupedValues.
	Values func(c *ProfiledColumn, from string) string
	// Run runs a query and writes its result, as Execute does, so that values have
	// the same form in a profile and in a result. It may return sdk.ErrLimit of w.
	Run func(ctx context.Context, sql string, w *sdk.RowWriter) error
	// Query replaces Run for reading values where each value has a type of its own.
	Query Queries
}

// ProfiledColumn is a column to profile.
type ProfiledColumn struct {
	Name   string
	Quoted string
	// Type decides how values are counted: as numbers, as text or otherwise.
	Type sdk.Type
	// Value is the expression that is grouped and sorted, byte by byte for text;
	// "" = Quoted.
	Value string
	// Shown is the expression of v, a Value, that the query returns; "" = "v".
	Shown string
	// Size is an expression for the size of v, in characters of text or else in
	// bytes: a value of more than 512 is counted by its size and not sent, because it
	// would not be listed. "" sends every value whole.
	Size string
	// NoKey: the column cannot join to others, whatever its type.
	NoKey bool
	// TypeOf returns the type of the first value of a row of Query; nil = Type.
	TypeOf func(Row) sdk.Type
}

// RowsWithin returns Profiling.Rows for a table whose size is known and whose profile runs
// a number of statements over the chosen rows, each of which reads the bytes of these rows.
// Shape: 0 where the budget, in bytes, is 0 or suffices, or the size is unknown.
func RowsWithin(budget, rows, bytes int64, statements int) int64 {
	if budget <= 0 || rows <= 0 || bytes <= 0 {
		return 0
	}
	most := float64(rows) * float64(budget) / (float64(bytes) * float64(statements))
	if most >= ProfileRows {
		return 0
	}
	return max(int64(most), 1)
}

// NoTable returns the error about a table to profile that does not exist.
func NoTable(table sdk.TableRef) *sdk.Error {
	return sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "there is no table %s", table).
		WithHint("scan the connection again: the table is not there, or the account may not read it")
}

// GroupedValues is the query of an engine with window functions.
func GroupedValues(c *ProfiledColumn, from string) string {
	shown, size := c.shown(), ""
	if c.Size != "" {
		shown = fmt.Sprintf("CASE WHEN %s <= %d THEN %s END", c.Size, MaxListedBytes, shown)
		size = fmt.Sprintf(", CASE WHEN %s > %d THEN %[1]s END", c.Size, MaxListedBytes)
	}
	return fmt.Sprintf(`SELECT %s AS shown, n, SUM(n) OVER (), SUM(CASE WHEN v IS NULL THEN n ELSE 0 END) OVER ()%s
FROM (SELECT %s AS v, COUNT(*) AS n FROM %s GROUP BY 1) g ORDER BY v`, shown, size, c.value(), from)
}

func (c *ProfiledColumn) value() string { return cmp.Or(c.Value, c.Quoted) }

func (c *ProfiledColumn) shown() string { return cmp.Or(c.Shown, "v") }

// Profile writes a table's sample and the statistics of its columns: of all its
// rows, or of a random choice when it has more than p.Rows.
// Units: holds no more values of 32 columns than the request lists; runs one query
// per column, of a choice one more per 32 for the sketches of their keys, and those
// of p.Count and the sample.
// Errors: KindNotFound for a column that the table has not; those of the engine.
func Profile(ctx context.Context, p Profiling, req *sdk.ProfileRequest, w sdk.ProfileWriter) error {
	p.Rows = cmp.Or(p.Rows, ProfileRows)
	run := &profile{Profiling: p, req: req, w: w}
	if err := run.choose(); err != nil {
		return err
	}
	if err := run.measure(ctx); err != nil {
		return err
	}
	if req.SampleRows > 0 {
		if err := run.sample(ctx); err != nil {
			return err
		}
	}
	for columns := range slices.Chunk(run.Columns, maxTogether) {
		if err := run.columns(ctx, columns); err != nil {
			return err
		}
	}
	return nil
}

// maxTogether bounds the columns whose statistics wait for their sketches.
const maxTogether = 32

// profile is a profile under way.
type profile struct {
	Profiling
	req  *sdk.ProfileRequest
	w    sdk.ProfileWriter
	rows int64
	// from is the table, or a random choice of its rows.
	from     string
	complete bool
	done     int64 // columns
}

// choose keeps the wanted columns, in the order wanted, each once.
func (p *profile) choose() error {
	if len(p.req.Columns) == 0 {
		return nil
	}
	all := p.Columns
	p.Columns = nil
	for _, name := range p.req.Columns {
		named := func(c ProfiledColumn) bool { return c.Name == name }
		i := slices.IndexFunc(all, named)
		if i < 0 {
			i = slices.IndexFunc(all, func(c ProfiledColumn) bool { return strings.EqualFold(c.Name, name) })
		}
		if i < 0 {
			return noColumn(p.req.Table, name, all)
		}
		if name = all[i].Name; !slices.ContainsFunc(p.Columns, named) {
			p.Columns = append(p.Columns, all[i])
		}
	}
	return nil
}

// maxNamed is how many columns a hint names.
const maxNamed = 20

func noColumn(table sdk.TableRef, name string, columns []ProfiledColumn) error {
	names := make([]string, len(columns))
	for i := range columns {
		names[i] = columns[i].Name
	}
	e := sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "table %s has no column %q", table, name).
		WithHint("name columns that the table has: %s", strings.Join(names[:min(maxNamed, len(names))], ", "))
	e.Candidates = Nearest(name, names)
	return e
}

// measure decides between the whole table and a choice of its rows.
func (p *profile) measure(ctx context.Context) (err error) {
	switch {
	case p.Count != nil:
		p.rows, err = p.Count(ctx, p.Rows)
	case p.Known > 0:
		p.rows = p.Known
	default:
		var unread error
		err = p.read(ctx, []*ProfiledColumn{{Name: "rows", Type: sdk.TypeInt64}}, "SELECT "+cmp.Or(p.Counted, "COUNT(*)")+" FROM "+p.Table, func(_ int, v *value) {
			p.rows, unread = strconv.ParseInt(string(v.text), 10, 64)
		})
		err = errors.Join(err, unread)
	}
	if err != nil {
		return err
	}
	p.from, p.complete = p.Table, p.rows <= p.Rows
	if !p.complete {
		p.from = p.Choice(p.rows, p.Rows)
	}
	return nil
}

// sample writes random rows of the whole table.
func (p *profile) sample(ctx context.Context) error {
	if len(p.Columns) == 0 {
		return p.w.Sample().Columns()
	}
	quoted := make([]string, len(p.Columns))
	for i := range p.Columns {
		quoted[i] = p.Columns[i].Quoted
	}
	list := strings.Join(quoted, ", ")
	from := p.Table
	if chosen := int64(sampleFactor * p.req.SampleRows); p.Sample == nil && p.rows > 2*chosen {
		from = p.Choice(p.rows, chosen) // whole rows are sorted: of a few it costs nothing
	}
	query := fmt.Sprintf("SELECT %s FROM %s ORDER BY %s LIMIT %d", list, from, p.Random, p.req.SampleRows)
	if p.Sample != nil {
		query = p.Sample(list, p.rows, p.req.SampleRows)
	}
	return ignoreLimit(p.Run(ctx, query, p.w.Sample()))
}

// ignoreLimit returns nil for sdk.ErrLimit: the writer has the rows that it needs.
func ignoreLimit(err error) error {
	if errors.Is(err, sdk.ErrLimit) {
		return nil
	}
	return err
}

// counted is a column whose values were counted.
type counted struct {
	*ProfiledColumn
	*Distribution
	key bool // it may join to others
}

// columns writes the statistics of some columns.
func (p *profile) columns(ctx context.Context, columns []ProfiledColumn) error {
	all := make([]counted, len(columns))
	for i := range columns {
		p.w.Progress(sdk.Progress{Phase: "columns", Done: p.done, Total: int64(len(p.Columns)), Unit: "columns"})
		p.done++
		var err error
		if all[i], err = p.count(ctx, &columns[i]); err != nil {
			return err
		}
	}
	if !p.complete && p.req.SketchSize > 0 {
		if err := p.sketch(ctx, all); err != nil {
			return err
		}
	}
	for _, c := range all {
		if err := p.w.Stats(c.Stats(p.complete, c.key)); err != nil {
			return err
		}
	}
	return nil
}

// count counts the values of one column.
func (p *profile) count(ctx context.Context, c *ProfiledColumn) (counted, error) {
	query := GroupedValues
	if p.Values != nil {
		query = p.Values
	}
	result := counted{ProfiledColumn: c, key: !c.NoKey}
	err := p.read(ctx, []*ProfiledColumn{c}, query(c, p.from), func(_ int, v *value) {
		if result.Distribution == nil {
			result.Distribution = NewDistribution(c.Name, p.req, v.rows, v.nulls)
		}
		if !v.null {
			v.add(result.Distribution)
			result.key = result.key && v.key()
		}
	})
	if result.Distribution == nil { // no rows at all
		result.Distribution = NewDistribution(c.Name, p.req, 0, 0)
	}
	stats := result.Stats(p.complete, false)
	result.key = result.key && stats.MaxLength <= maxKeyLength && stats.Distinct > 0 && p.rows <= sketchFactor*p.Rows
	return result, err
}

// sketch reads the keys among columns of the whole table, together.
func (p *profile) sketch(ctx context.Context, all []counted) error {
	var keys []counted
	var columns []*ProfiledColumn
	var list []string
	for _, c := range all {
		switch {
		case !c.key:
		case c.Shown != "": // of v, which only one column can be
			query := fmt.Sprintf("SELECT %s AS shown FROM (SELECT %s AS v FROM %s) x WHERE v IS NOT NULL", c.Shown, c.value(), p.Table)
			if err := p.read(ctx, []*ProfiledColumn{c.ProfiledColumn}, query, func(_ int, v *value) { c.Sketch(v.text) }); err != nil {
				return err
			}
		default:
			keys, columns, list = append(keys, c), append(columns, c.ProfiledColumn), append(list, c.value())
		}
	}
	if len(keys) == 0 {
		return nil
	}
	return p.read(ctx, columns, "SELECT "+strings.Join(list, ", ")+" FROM "+p.Table, func(i int, v *value) {
		if !v.null {
			keys[i].Sketch(v.text)
		}
	})
}
