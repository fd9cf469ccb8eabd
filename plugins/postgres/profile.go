package postgres

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

const (
	// profileRows is the size of a table up to which its statistics are of all
	// rows. A larger one is counted on a random choice of about as many.
	profileRows = 200_000
	// sketchRows is the size up to which a sketch is made of all values; one of
	// a random choice could not be compared with another's.
	sketchRows = 10 * profileRows
	// maxKeyLength is the longest text, in characters, of a column that may join
	// to others and gets a sketch.
	maxKeyLength = 64
)

// Profile implements sdk.Profiler. All its statements see one state of the data
// and, of a large table, the same random choice of rows.
func (s *Session) Profile(ctx context.Context, req sdk.ProfileRequest, w sdk.ProfileWriter) error {
	ctx, leave, err := s.calls.Begin(ctx)
	if err != nil {
		return err
	}
	defer leave()
	err = s.read(ctx, beginSnapshot, s.limit(req.Limits.Timeout), func(r *reading) error {
		p := &profile{r: r, req: &req, w: w}
		if err := p.find(); err != nil {
			return err
		}
		return p.run()
	})
	return s.suggestTable(ctx, req.Table.Name, err)
}

// profile is a profile under way.
type profile struct {
	r       *reading
	req     *sdk.ProfileRequest
	w       sdk.ProfileWriter
	oid     uint32
	kind    sdk.TableKind
	table   string // quoted
	columns []profiled
	source  string // the table, or a random choice of its rows
	rows    int64  // of the table: exact when complete, else estimated
	// complete: source is the whole table.
	complete bool
}

type profiled struct {
	name   string
	quoted string
	oid    uint32
	typ    sdk.Type
}

const findSQL = `
SELECT c.oid, c.relkind, pg_catalog.format('%I.%I', n.nspname, c.relname)
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relname = $2 AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
  AND (n.nspname = $1 OR $1 = '' AND pg_catalog.pg_table_is_visible(c.oid))`

// find looks the table and its columns up.
func (p *profile) find() error {
	err := p.r.query(findSQL, [][]byte{[]byte(p.req.Table.Schema), []byte(p.req.Table.Name)}, func(v [][]byte) error {
		p.oid, p.kind, p.table = parseOID(v[0]), tableKinds[string(v[1])], string(v[2])
		return nil
	})
	if err != nil {
		return err
	}
	if p.oid == 0 {
		e := sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "there is no table %s", p.req.Table).WithHint("scan the connection again: the table is not there")
		e.Code = undefinedTable
		return e
	}
	types := &scan{r: p.r, req: sdk.ScanRequest{}}
	relations := list([]string{fmt.Sprint(p.oid)})
	if err := types.columnTypes(relations); err != nil {
		return err
	}
	err = p.r.query(columnsSQL, [][]byte{relations, boolean(false)}, func(v [][]byte) error {
		oid := parseOID(v[2])
		if string(v[10]) != "t" {
			return p.w.Warning(sdk.Warning{Object: string(v[1]), Code: deniedCode, Message: "the role may not read this column; it is left out"})
		}
		p.columns = append(p.columns, profiled{string(v[1]), quote(string(v[1])), oid, types.types[oid]})
		return nil
	})
	if err != nil {
		return err
	}
	return p.choose()
}

// choose keeps the wanted columns, in the order wanted.
func (p *profile) choose() error {
	if len(p.req.Columns) == 0 {
		return nil
	}
	all := p.columns
	p.columns = nil
	for _, name := range p.req.Columns {
		i := slices.IndexFunc(all, func(c profiled) bool { return c.name == name })
		if i < 0 {
			var names []string
			for _, c := range all {
				names = append(names, c.name)
			}
			e := sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "table %s has no column %q", p.req.Table, name).
				WithHint("name columns that the table has")
			e.Candidates = sqlkit.Nearest(name, names)
			return e
		}
		p.columns = append(p.columns, all[i])
	}
	return nil
}

func (p *profile) run() error {
	if err := p.measure(); err != nil {
		return err
	}
	if p.req.SampleRows > 0 {
		if err := p.sample(); err != nil {
			return err
		}
	}
	for i := range p.columns {
		p.w.Progress(sdk.Progress{Phase: "columns", Done: int64(i), Total: int64(len(p.columns)), Unit: "columns"})
		stats, err := p.count(&p.columns[i])
		if err != nil {
			return err
		}
		if err := p.w.Stats(stats); err != nil {
			return err
		}
	}
	return nil
}

// measure decides between the whole table and a choice of its rows.
func (p *profile) measure() error {
	p.source = p.table
	counted := fmt.Sprintf("SELECT count(*) FROM (SELECT FROM %s LIMIT %d) x", p.table, profileRows+1)
	err := p.r.query(counted, nil, func(v [][]byte) error {
		p.rows = number(v[0])
		return nil
	})
	if err != nil {
		return err
	}
	if p.complete = p.rows <= profileRows; p.complete {
		return nil
	}
	plan, err := p.r.plan("EXPLAIN (FORMAT JSON) ", &statement{sql: "SELECT FROM " + p.table})
	if err != nil {
		return err
	}
	var estimated sdk.Explanation
	if err := estimate(plan, &estimated); err != nil {
		return err
	}
	p.rows = max(p.rows, estimated.EstimatedRows)
	p.source = p.choice(100 * profileRows / float64(p.rows))
	return nil
}

// choice returns about percent of the rows, the same ones each time: row by row
// while reading the table is cheap, block by block when it is very large. What
// has no blocks of its own is filtered.
func (p *profile) choice(percent float64) string {
	seed := rand.IntN(1 << 30)
	switch {
	case p.kind == sdk.TableView || p.kind == sdk.TableExternal:
		return fmt.Sprintf("(SELECT * FROM %s WHERE pg_catalog.random() < %g) x", p.table, percent/100)
	case p.rows > sketchRows:
		return fmt.Sprintf("%s TABLESAMPLE SYSTEM (%g) REPEATABLE (%d)", p.table, percent, seed)
	default:
		return fmt.Sprintf("%s TABLESAMPLE BERNOULLI (%g) REPEATABLE (%d)", p.table, percent, seed)
	}
}

// sample writes random rows of the whole table.
func (p *profile) sample() error {
	names := make([]string, len(p.columns))
	for i := range p.columns {
		names[i] = p.columns[i].quoted
	}
	st := &statement{
		sql: fmt.Sprintf("SELECT %s FROM %s ORDER BY pg_catalog.random() LIMIT %d", strings.Join(names, ", "), p.source, p.req.SampleRows),
	}
	description, columns, err := p.r.describe(st)
	if err != nil {
		return err
	}
	p.r.patient = true
	return p.r.stream(st, p.w.Sample(), description, columns, p.r.p.Sync, p.r.synced)
}

// comparable types have an order that GROUP BY and ORDER BY can use. The values
// of the others are counted by their text.
func (c *profiled) comparable() bool {
	switch c.oid {
	case pgtype.JSONOID, pgtype.XMLOID, pgtype.XIDOID, pgtype.CIDOID:
		return false
	}
	_, ok := scalars[c.oid]
	return ok
}

// value is the expression that is grouped and sorted.
func (c *profiled) value() string {
	switch {
	case c.typ == sdk.TypeText:
		return c.quoted + `::text COLLATE "C"`
	case c.comparable():
		return c.quoted
	default:
		return c.quoted + "::text"
	}
}

// count returns the statistics of one column.
func (p *profile) count(c *profiled) (sdk.ColumnStats, error) {
	query := fmt.Sprintf(`SELECT v::text AS shown, n, sum(n) OVER (), COALESCE(sum(n) FILTER (WHERE v IS NULL) OVER (), 0)
FROM (SELECT %s AS v, count(*) AS n FROM %s GROUP BY 1) g ORDER BY v`, c.value(), p.source)
	d := sqlkit.NewDistribution(c.name, p.req, 0, 0)
	first := true
	var text []byte
	err := p.r.query(query, nil, func(v [][]byte) error {
		if first {
			first, d = false, sqlkit.NewDistribution(c.name, p.req, number(v[2]), number(v[3]))
		}
		if v[0] == nil {
			return nil
		}
		var err error
		if text, err = c.text(text[:0], v[0]); err != nil {
			return err
		}
		c.add(d, text, number(v[1]))
		return nil
	})
	if err != nil {
		return sdk.ColumnStats{}, err
	}
	stats := d.Stats(p.complete, false)
	keys := c.key() && stats.MaxLength <= maxKeyLength && stats.Distinct > 0 && p.rows <= sketchRows
	if keys && !p.complete && p.req.SketchSize > 0 {
		if err := p.sketch(c, d); err != nil {
			return sdk.ColumnStats{}, err
		}
	}
	return d.Stats(p.complete, keys), nil
}

func (c *profiled) add(d *sqlkit.Distribution, text []byte, count int64) {
	switch c.typ {
	case sdk.TypeInt64, sdk.TypeFloat64, sdk.TypeDecimal, sdk.TypeDate, sdk.TypeTime, sdk.TypeTimestamp, sdk.TypeTimestampTZ, sdk.TypeInterval:
		d.Number(text, count)
	case sdk.TypeText:
		d.Text(text, count)
	default:
		d.Other(text, count)
	}
}

// key reports whether values of the type join tables.
func (c *profiled) key() bool {
	switch c.typ {
	case sdk.TypeInt64, sdk.TypeDecimal, sdk.TypeText, sdk.TypeUUID, sdk.TypeDate:
		return true
	default:
		return false
	}
}

// text appends a value's text in the form of the JSON results.
func (c *profiled) text(dst, raw []byte) ([]byte, error) {
	kind := leafShapes[c.oid]
	if kind == shapeText || kind == shapeJSON {
		return append(dst, raw...), nil
	}
	dst, err := (&shape{kind: kind}).json(dst, raw)
	if err == nil && len(dst) > 1 && dst[0] == '"' { // plain ASCII between the quotes
		copy(dst, dst[1:len(dst)-1])
		dst = dst[:len(dst)-2]
	}
	return dst, err
}

// sketch adds every value of a column to its sketch.
func (p *profile) sketch(c *profiled, d *sqlkit.Distribution) error {
	var text []byte
	query := fmt.Sprintf("SELECT %[1]s::text FROM %[2]s WHERE %[1]s IS NOT NULL", c.quoted, p.table)
	return p.r.query(query, nil, func(v [][]byte) error {
		var err error
		if text, err = c.text(text[:0], v[0]); err == nil {
			d.Sketch(text)
		}
		return err
	})
}
