package sqlite

import (
	"context"
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/loam-data/loam/plugins/sqlite/internal/engine"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// defaultProfileRows is the size of a table up to which its statistics are of all
// rows. A larger one is counted on a random choice of about as many: sorting
// them takes a fifth of a second per column.
const defaultProfileRows = 200_000

// maxKeyLength is the longest text, in characters, of a column that may join to
// others and gets a sketch.
const maxKeyLength = 64

// Profile implements sdk.Profiler.
func (s *session) Profile(ctx context.Context, req sdk.ProfileRequest, w sdk.ProfileWriter) error {
	return s.call(ctx, req.Limits.Timeout, "", func(_ context.Context, c *engine.Conn) error {
		p, err := s.newProfile(c, &req, w)
		if err != nil {
			return err
		}
		if req.SampleRows > 0 {
			if err := p.sample(); err != nil {
				return err
			}
		}
		for i := range p.columns {
			w.Progress(sdk.Progress{Phase: "columns", Done: int64(i), Total: int64(len(p.columns)), Unit: "columns"})
			stats, err := p.count(&p.columns[i])
			if err != nil {
				return err
			}
			if err := w.Stats(stats); err != nil {
				return err
			}
		}
		return nil
	})
}

// profile is a profile under way.
type profile struct {
	c       *engine.Conn
	req     *sdk.ProfileRequest
	w       sdk.ProfileWriter
	table   string // quoted
	columns []column
	rowid   bool // the table has row ids to choose rows by
	rows    int64
	limit   int64 // of the rows that are counted
}

type column struct {
	name   string
	quoted string
	typ    sdk.Type // declared
}

func (s *session) newProfile(c *engine.Conn, req *sdk.ProfileRequest, w sdk.ProfileWriter) (*profile, error) {
	p := &profile{c: c, req: req, w: w, limit: s.profileRows}
	if err := p.find(req.Table); err != nil {
		return nil, err
	}
	if len(req.Columns) > 0 {
		if err := p.choose(req.Columns); err != nil {
			return nil, err
		}
	}
	return p, each(c, "SELECT count(*) FROM "+p.table, nil, func(row *engine.Stmt) error {
		p.rows = row.Int64(0)
		return nil
	})
}

// find looks the table and its columns up.
func (p *profile) find(ref sdk.TableRef) error {
	err := each(p.c, `SELECT l.name, x.name, x.type, l.type = 'table' AND NOT l.wr
		FROM pragma_table_list(?1) l JOIN pragma_table_xinfo(?1) x
		WHERE l.schema = 'main' AND x.hidden <> 1 ORDER BY x.cid`, []any{ref.Name},
		func(row *engine.Stmt) error {
			var text [3]string
			for i := range text {
				data, err := row.Bytes(i, engine.Text)
				if err != nil {
					return err
				}
				text[i] = string(data)
			}
			p.table = "main." + quoting.QuoteIdentifier(text[0])
			p.columns = append(p.columns, column{text[1], quoting.QuoteIdentifier(text[1]), declared(text[2])})
			p.rowid = row.Int64(3) != 0
			return nil
		})
	if err == nil && (len(p.columns) == 0 || ref.Catalog != "" || ref.Schema != "" && !strings.EqualFold(ref.Schema, "main")) {
		e := sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "there is no table %s", ref).WithHint("scan the connection again: the table is not there")
		e.Candidates = sqlkit.Nearest(ref.Name, known(p.c, "table"))
		return e
	}
	return err
}

// choose keeps the wanted columns, in the order wanted.
func (p *profile) choose(wanted []string) error {
	all := p.columns
	p.columns = nil
	for _, name := range wanted {
		i := slices.IndexFunc(all, func(c column) bool { return strings.EqualFold(c.name, name) })
		if i < 0 {
			var names []string
			for _, c := range all {
				names = append(names, c.name)
			}
			e := sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "table %s has no column %q", p.req.Table, name).
				WithHint("name columns that the table has: %s", strings.Join(names, ", "))
			e.Candidates = sqlkit.Nearest(name, names)
			return e
		}
		p.columns = append(p.columns, all[i])
	}
	return nil
}

// sample writes random rows of the whole table. Where there are row ids, only
// those are sorted.
func (p *profile) sample() error {
	names := make([]string, len(p.columns))
	for i := range p.columns {
		names[i] = p.columns[i].quoted
	}
	query := fmt.Sprintf("SELECT %s FROM %s ORDER BY random() LIMIT %d", strings.Join(names, ", "), p.table, p.req.SampleRows)
	if p.rowid {
		query = fmt.Sprintf("SELECT %s FROM %s WHERE rowid IN (SELECT rowid FROM %s ORDER BY random() LIMIT %d)",
			strings.Join(names, ", "), p.table, p.table, p.req.SampleRows)
	}
	stmt, err := p.c.Prepare(query)
	if err != nil {
		return err
	}
	defer stmt.Finalize()
	out := newWriter(stmt, p.req.Limits, p.w.Sample())
	return out.all()
}

// count returns the statistics of one column.
func (p *profile) count(c *column) (sdk.ColumnStats, error) {
	source, complete := p.table, true
	if p.rows > p.limit {
		complete = false
		source = fmt.Sprintf("(SELECT %s FROM %s WHERE abs(random() %% %d) < %d)", c.quoted, p.table, p.rows, p.limit)
	}
	// The windows count over the same choice of rows: all, the NULLs, those that are no boolean.
	query := fmt.Sprintf(`SELECT v, n, sum(n) OVER (), coalesce(sum(n) FILTER (WHERE v IS NULL) OVER (), 0),
			count(*) FILTER (WHERE v IS NOT NULL AND (typeof(v) <> 'integer' OR v NOT IN (0, 1))) OVER ()
		FROM (SELECT %s COLLATE BINARY AS v, count(*) AS n FROM %s GROUP BY 1) ORDER BY v`, c.quoted, source)
	d := sqlkit.NewDistribution(c.name, p.req, 0, 0)
	first, keys := true, true
	var text []byte
	err := each(p.c, query, nil, func(row *engine.Stmt) (err error) {
		if first {
			first, d = false, sqlkit.NewDistribution(c.name, p.req, row.Int64(2), row.Int64(3))
		}
		class, count := row.Class(0), row.Int64(1)
		if text, err = valueText(text, row, class); err != nil {
			return err
		}
		keys = keys && (class == engine.Integer || class == engine.Text || class == engine.Null)
		switch {
		case class == engine.Null:
		case c.typ == sdk.TypeBool && row.Int64(4) == 0:
			d.Other(strconv.AppendBool(text[:0], text[0] == '1'), count)
		case class == engine.Blob:
			d.Other(text, count)
		case class == engine.Text && !c.isTime(text):
			d.Text(text, count)
		default:
			d.Number(text, count)
		}
		return nil
	})
	if err != nil {
		return sdk.ColumnStats{}, err
	}
	stats := d.Stats(complete, false)
	keys = keys && stats.MaxLength <= maxKeyLength && stats.Distinct > 0
	if keys && !complete && p.req.SketchSize > 0 {
		if err := p.sketch(c, d); err != nil {
			return sdk.ColumnStats{}, err
		}
	}
	return d.Stats(complete, keys), nil
}

// isTime reports whether text of the column is a date or starts with one, so
// that its order is that of time.
func (c *column) isTime(text []byte) bool {
	switch c.typ {
	case sdk.TypeDate, sdk.TypeTimestamp, sdk.TypeTimestampTZ:
		_, ok := parseDate(text[:min(len(text), len(time.DateOnly))])
		return ok
	default:
		return false
	}
}

// sketch adds every value of a column to its sketch: a sketch of a random
// choice of rows could not be compared with another's.
func (p *profile) sketch(c *column, d *sqlkit.Distribution) error {
	var text []byte
	query := fmt.Sprintf("SELECT %[1]s FROM %[2]s WHERE %[1]s IS NOT NULL", c.quoted, p.table)
	return each(p.c, query, nil, func(row *engine.Stmt) (err error) {
		if text, err = valueText(text, row, row.Class(0)); err == nil {
			d.Sketch(text)
		}
		return err
	})
}

// valueText returns the first column of a row as text in the form of the JSON
// results, reusing buf.
func valueText(buf []byte, row *engine.Stmt, class engine.Class) ([]byte, error) {
	buf = buf[:0]
	switch class {
	case engine.Integer:
		return strconv.AppendInt(buf, row.Int64(0), 10), nil
	case engine.Float:
		return appendFloat(buf, row.Float64(0)), nil
	case engine.Null:
		return buf, nil
	}
	data, err := row.Bytes(0, class)
	if err != nil {
		return buf, err
	}
	if class == engine.Blob {
		return base64.StdEncoding.AppendEncode(buf, data), nil
	}
	return append(buf, data...), nil
}
