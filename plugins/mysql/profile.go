package mysql

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// profile says how a table is profiled. All statements see one state of the data
// and, of a large table, the same random choice of rows.
func (r *reading) profile(_ context.Context, req *sdk.ProfileRequest, _ sdk.ProfileWriter) (sqlkit.Profiling, error) {
	if err := r.exec(beginSnapshot); err != nil {
		return sqlkit.Profiling{}, err
	}
	p := &profiled{r: r, table: req.Table}
	if err := p.find(); err != nil {
		return sqlkit.Profiling{}, err
	}
	return p.profiling()
}

// missingTable returns the table that an error is about, or "".
func missingTable(err error) string {
	if e, ok := asServerError(err); ok && e.Number == errNoTable {
		return missingName(e.Number, e.Message)
	}
	return ""
}

// profiled is a table on its way to a profile.
type profiled struct {
	r       *reading
	table   sdk.TableRef
	schema  string
	quoted  string
	columns []sqlkit.ProfiledColumn
}

const profiledColumnsSQL = `SELECT COLUMN_NAME, COLUMN_TYPE, COLUMN_KEY FROM information_schema.COLUMNS
WHERE TABLE_SCHEMA = %s AND TABLE_NAME = %s AND FIND_IN_SET('select', PRIVILEGES) ORDER BY ORDINAL_POSITION`

// find looks the columns up that can be read.
func (p *profiled) find() error {
	p.schema = p.table.Schema
	if p.schema == "" {
		p.schema = p.r.s.cfg.Database
	}
	p.quoted = quote(p.schema) + "." + quote(p.table.Name)
	if err := p.r.reaches("SELECT * FROM " + p.quoted); err != nil {
		return err
	}
	err := p.r.queryf(profiledColumnsSQL, []any{literal(p.schema), literal(p.table.Name)}, func(row sqlkit.Row) error {
		p.columns = append(p.columns, p.column(row.Text(0), row.Text(1)))
		return nil
	})
	if err != nil || len(p.columns) > 0 {
		return err
	}
	// The server says what is wrong: no such table, or no right to read it.
	if err := p.r.query("SELECT 1 FROM "+p.quoted+" LIMIT 0", func(sqlkit.Row) error { return nil }); err != nil {
		native, ok := asServerError(err)
		if !ok {
			return err
		}
		e := fromServer(native)
		if e.Kind == sdk.KindNotFound {
			e.Msg = fmt.Sprintf("there is no table %s", p.table)
			e.Hint = "scan the connection again: the table is not there"
		}
		return e
	}
	return nil
}

// column says how a column's values are compared: text by its characters, as
// two that its collation takes for equal are two values all the same.
func (p *profiled) column(name, native string) sqlkit.ProfiledColumn {
	c := sqlkit.ProfiledColumn{Name: name, Quoted: quote(name), Type: p.r.Conn.server.typeOf(native)}
	switch c.Type {
	case sdk.TypeText, sdk.TypeGeoWKT:
		c.Size = "CHAR_LENGTH(v)"
	case sdk.TypeBytes, sdk.TypeJSON, sdk.TypeNestedJSON:
		c.Size = "LENGTH(v)"
	}
	switch {
	case c.Type == sdk.TypeText && p.r.Conn.server.mariaDB:
		c.Value = "CONVERT(" + c.Quoted + " USING utf8mb4) COLLATE utf8mb4_nopad_bin"
	case c.Type == sdk.TypeText:
		c.Value = "CONVERT(" + c.Quoted + " USING utf8mb4) COLLATE utf8mb4_0900_bin"
	case c.Type == sdk.TypeJSON, c.Type == sdk.TypeNestedJSON:
		c.Value = "CAST(" + c.Quoted + " AS CHAR)"
	case c.Type == sdk.TypeGeoWKT:
		c.Value = "ST_AsText(" + c.Quoted + ")"
	case strings.HasPrefix(native, "float"):
		c.NoKey = true
	}
	return c
}

// profiling says how the engine profiles the table. There is no TABLESAMPLE: a
// choice reads the whole table, or its primary key, and takes rows at random.
func (p *profiled) profiling() (sqlkit.Profiling, error) {
	seed, err := p.seed()
	return sqlkit.Profiling{
		Table:   p.quoted,
		Columns: p.columns,
		Count:   p.count,
		Choice: func(total, rows int64) string {
			// The same seed, and the same order of a scan of the same state, choose the
			// same rows every time.
			return fmt.Sprintf("(SELECT * FROM %s WHERE RAND(%s) < %g) x", p.quoted, seed, float64(rows)/float64(total))
		},
		Random: "RAND()",
		Run: func(_ context.Context, sql string, w *sdk.RowWriter) error {
			if err := p.r.write(sql, nil, w); !errors.Is(err, sdk.ErrLimit) {
				return err
			}
			return nil
		},
	}, err
}

// seed asks the server for a random seed.
func (p *profiled) seed() (seed string, err error) {
	err = p.r.query("SELECT FLOOR(RAND() * 1000000000)", func(row sqlkit.Row) error {
		seed = row.Text(0)
		return nil
	})
	return seed, err
}

// count returns the number of rows: exactly, because counting reads an index
// only, and what the storage engine estimates may be wrong by half.
func (p *profiled) count(_ context.Context, _ int64) (n int64, err error) {
	err = p.r.query("SELECT COUNT(*) FROM "+p.quoted, func(row sqlkit.Row) error {
		n, err = strconv.ParseInt(row.Text(0), 10, 64)
		return err
	})
	return n, err
}
