package sqlite

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/loam-data/loam/plugins/sqlite/internal/engine"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// Profile implements sdk.Profiler.
func (s *session) Profile(ctx context.Context, req sdk.ProfileRequest, w sdk.ProfileWriter) error {
	return s.call(ctx, req.Limits.Timeout, "", func(ctx context.Context, c *engine.Conn) error {
		p, err := profiling(ctx, c, &req)
		if err != nil {
			return err
		}
		p.Rows = s.profileRows
		err = sqlkit.Profile(ctx, p, &req, w)
		if _, ok := errors.AsType[*engine.Error](err); ok && ctx.Err() == nil && !exists(c, req.Table.Name) {
			return absent(ctx, c, req.Table) // it was dropped meanwhile
		}
		return err
	})
}

func exists(c *engine.Conn, table string) (found bool) {
	err := each(c, "SELECT 1 FROM pragma_table_list(?1) WHERE schema = 'main'", []any{table}, func(*engine.Stmt) error {
		found = true
		return nil
	})
	return found || err != nil // which is then not what the profile failed by
}

func absent(ctx context.Context, c *engine.Conn, ref sdk.TableRef) error {
	e := sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "there is no table %s", ref).WithHint("scan the connection again: the table is not there")
	return sqlkit.Suggest(ctx, e, ref.Name, known(c, "table"))
}

// profiling looks the table and its columns up.
func profiling(ctx context.Context, c *engine.Conn, req *sdk.ProfileRequest) (sqlkit.Profiling, error) {
	p := sqlkit.Profiling{Random: "random()", Query: catalogQueries(c)}
	rowid := false // the table has row ids to choose rows by
	err := each(c, `SELECT l.name, x.name, x.type, l.type = 'table' AND NOT l.wr
		FROM pragma_table_list(?1) l JOIN pragma_table_xinfo(?1) x
		WHERE l.schema = 'main' AND x.hidden <> 1 ORDER BY x.cid`, []any{req.Table.Name},
		func(row *engine.Stmt) error {
			var text [3]string
			for i := range text {
				data, err := row.Bytes(i, engine.Text)
				if err != nil {
					return err
				}
				text[i] = string(data)
			}
			p.Table = "main." + quoting.QuoteIdentifier(text[0])
			p.Columns = append(p.Columns, profiledColumn(text[1], declared(text[2])))
			rowid = row.Int64(3) != 0
			return nil
		})
	if err != nil {
		return p, err
	}
	if ref := req.Table; len(p.Columns) == 0 || ref.Catalog != "" || ref.Schema != "" && !strings.EqualFold(ref.Schema, "main") {
		return p, absent(ctx, c, ref)
	}
	p.Count = func(context.Context, int64) (rows int64, err error) {
		err = each(c, "SELECT count(*) FROM "+p.Table, nil, func(row *engine.Stmt) error {
			rows = row.Int64(0)
			return nil
		})
		return rows, err
	}
	p.Choice = func(total, rows int64) string {
		return fmt.Sprintf("(SELECT * FROM %s WHERE abs(random() %% %d) < %d)", p.Table, total, rows)
	}
	if rowid {
		// Only the row ids are sorted.
		p.Sample = func(list string, _ int64, n int) string {
			return fmt.Sprintf("SELECT %s FROM %s WHERE rowid IN (SELECT rowid FROM %s ORDER BY random() LIMIT %d)", list, p.Table, p.Table, n)
		}
	}
	p.Run = func(_ context.Context, sql string, w *sdk.RowWriter) error {
		stmt, err := c.Prepare(sql)
		if err != nil {
			return err
		}
		defer stmt.Finalize()
		return newWriter(stmt, req.Limits, w).all()
	}
	return p, nil
}

// shownBool is the value of a column that is declared as a boolean and has no
// other values: its name.
const shownBool = `CASE WHEN v IS NULL OR count(*) FILTER (WHERE v IS NOT NULL AND (typeof(v) <> 'integer' OR v NOT IN (0, 1))) OVER () > 0
	THEN v WHEN v THEN 'true' ELSE 'false' END`

// profiledColumn counts each value as what it is, whatever the column was
// declared as.
func profiledColumn(name string, typ sdk.Type) sqlkit.ProfiledColumn {
	c := sqlkit.ProfiledColumn{Name: name, Quoted: quoting.QuoteIdentifier(name), Type: typ}
	c.Value = c.Quoted + " COLLATE BINARY"
	if typ == sdk.TypeBool {
		c.Shown = shownBool
	}
	c.TypeOf = func(r sqlkit.Row) sdk.Type {
		switch v := r[0].(type) {
		case int64:
			return sdk.TypeInt64
		case float64:
			return sdk.TypeFloat64
		case []byte:
			return sdk.TypeBytes
		case string:
			if isTime(typ, v) || typ == sdk.TypeBool && (v == "true" || v == "false") {
				return typ
			}
		}
		return sdk.TypeText
	}
	return c
}

// isTime reports whether text of a column that is declared as a time is a date
// or starts with one, so that its order is that of time.
func isTime(typ sdk.Type, text string) bool {
	switch typ {
	case sdk.TypeDate, sdk.TypeTimestamp, sdk.TypeTimestampTZ:
		_, ok := parseDate([]byte(text[:min(len(text), len(time.DateOnly))]))
		return ok
	default:
		return false
	}
}
