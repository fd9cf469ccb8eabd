package mysql

import (
	"context"
	"fmt"
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
			missing := sqlkit.NoTable(p.table)
			e.Msg, e.Hint = missing.Msg, missing.Hint
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

// profiling says how the engine profiles the table. Rows are counted, because counting
// reads an index only, and the storage engine's estimate may be wrong by half. There is
// no TABLESAMPLE: a choice reads the whole table, or its primary key, and takes rows at
// random.
func (p *profiled) profiling() (sqlkit.Profiling, error) {
	seed, err := p.seed()
	return sqlkit.Profiling{
		Table:   p.quoted,
		Columns: p.columns,
		Choice: func(total, rows int64) string {
			// The same seed, and the same order of a scan of the same state, choose the
			// same rows every time.
			return fmt.Sprintf("(SELECT * FROM %s WHERE RAND(%s) < %g) x", p.quoted, seed, float64(rows)/float64(total))
		},
		Random: "RAND()",
		Run:    func(_ context.Context, sql string, w *sdk.RowWriter) error { return p.r.write(sql, nil, w) },
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
