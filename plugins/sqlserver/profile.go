package sqlserver

import (
	"cmp"
	"context"
	"database/sql/driver"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// profiled is a table on its way to a profile.
type profiled struct {
	r       *reading
	quoted  string
	view    bool
	rows    int64 // that the server knows of; 0 for a view
	columns []sqlkit.ProfiledColumn
	seed    uint32
}

// profile says how a table is profiled. Of a large table all statements read the
// same pages.
func (r *reading) profile(ctx context.Context, req *sdk.ProfileRequest, _ sdk.ProfileWriter) (sqlkit.Profiling, error) {
	if err := r.begin(ctx); err != nil {
		return sqlkit.Profiling{}, err
	}
	p := &profiled{r: r, seed: rand.Uint32N(1<<30) + 1}
	for _, part := range []string{req.Table.Catalog, req.Table.Schema, req.Table.Name} {
		if part != "" {
			p.quoted += "." + quote(part)
		}
	}
	p.quoted = strings.TrimPrefix(p.quoted, ".")
	bytes, err := p.find(ctx, req.Table)
	profiling := sqlkit.Profiling{
		Table: p.quoted, Columns: p.columns, Choice: p.choice, Sample: p.sample, Random: "NEWID()", Counted: "COUNT_BIG(*)", Values: values, Run: p.run,
		// A statement for each column and two more read the choice.
		Rows: sqlkit.RowsWithin(cmp.Or(req.MaxBytesScanned, req.Limits.MaxBytesScanned), p.rows, bytes, len(p.columns)+2),
	}
	if p.rows > cmp.Or(profiling.Rows, sqlkit.ProfileRows) {
		profiling.Known = p.rows // of a smaller table it should be exact
	}
	return profiling, err
}

// find looks the table up, its size and the columns that can be read.
func (p *profiled) find(ctx context.Context, table sdk.TableRef) (bytes int64, err error) {
	found := false
	if table.Name == "" {
		return 0, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "no table is named").WithHint("name the table to profile")
	}
	err = p.r.Query(ctx, strings.Replace(sizeSQL, "{name}", literal(p.quoted), 1), func(row sqlkit.Row) error {
		found, p.view, p.rows, bytes = true, row.Text(0) == "V", row.Int(1, 0), row.Int(2, 0)
		return nil
	})
	if err == nil && !found {
		return 0, sqlkit.NoTable(table)
	}
	if err == nil { // the server says what may not be read
		err = p.r.Query(ctx, "SELECT TOP (0) * FROM "+p.quoted, func(sqlkit.Row) error { return nil })
	}
	if err != nil {
		return 0, err
	}
	return bytes, p.r.Query(ctx, columnsOf("o.object_id = OBJECT_ID("+literal(p.quoted)+")"), func(row sqlkit.Row) error {
		p.columns = append(p.columns, profiledColumn(row.Text(3), row.Text(4)))
		return nil
	})
}

// profiledColumn says how a column's values are compared: text by its characters,
// as two that its collation takes for equal are two values all the same.
func profiledColumn(name, native string) sqlkit.ProfiledColumn {
	c := sqlkit.ProfiledColumn{Name: name, Quoted: quote(name), Type: types.Of(native)}
	switch base, _, _ := strings.Cut(strings.ToUpper(native), "("); {
	case asText[base] != "":
		c.Type, c.Value, c.Size = sdk.TypeText, c.Quoted+"."+asText[base]+"()", "DATALENGTH(v) / 2"
	case base == "IMAGE":
		c.Value, c.Size = "CAST("+c.Quoted+" AS varbinary(max))", "DATALENGTH(v)"
	case c.Type == sdk.TypeBytes:
		c.Size = "DATALENGTH(v)"
	case c.Type == sdk.TypeText: // of xml, text and sql_variant, too
		c.Value, c.Size = "CAST("+c.Quoted+" AS nvarchar(max)) COLLATE Latin1_General_100_BIN2", "DATALENGTH(v) / 2"
	case base == "REAL":
		c.NoKey = true
	}
	return c
}

// values returns the query for the values of a column.
func values(c *sqlkit.ProfiledColumn, from string) string {
	value, shown, size, key := c.Quoted, "v", "", "v"
	if c.Value != "" {
		value = c.Value
	}
	if c.Size != "" {
		key = "v, DATALENGTH(v)" // space at the end of a text counts for nothing otherwise
		shown = fmt.Sprintf("CASE WHEN %s <= %d THEN v END", c.Size, sqlkit.MaxListedBytes)
		size = fmt.Sprintf(", CASE WHEN %s > %d THEN %[1]s END", c.Size, sqlkit.MaxListedBytes)
	}
	return fmt.Sprintf(`SELECT %s AS shown, n, SUM(n) OVER (), SUM(CASE WHEN v IS NULL THEN n ELSE 0 END) OVER ()%s
FROM (SELECT v, COUNT_BIG(*) AS n FROM (SELECT %s AS v FROM %s) s GROUP BY %s) g ORDER BY v`, shown, size, value, from, key)
}

// choice reads pages at random, of a view rows.
func (p *profiled) choice(total, rows int64) string {
	percent := 100 * float64(rows) / float64(total)
	if p.view {
		return fmt.Sprintf("(SELECT * FROM %s WHERE ABS(CHECKSUM(NEWID())) %% 1000000 < %d) x", p.quoted, int64(percent*10_000))
	}
	return fmt.Sprintf("%s TABLESAMPLE (%.6f PERCENT) REPEATABLE (%d)", p.quoted, percent, p.seed)
}

// sample returns the query for random rows of the whole table.
func (p *profiled) sample(list string, total int64, n int) string {
	from := p.quoted
	if chosen := int64(1000 * n); total > 2*chosen {
		from = p.choice(total, chosen)
	}
	return fmt.Sprintf("SELECT TOP (%d) %s FROM %s ORDER BY NEWID()", n, list, from)
}

func (p *profiled) run(ctx context.Context, sql string, w *sdk.RowWriter) error {
	return p.r.Direct(ctx, sql, func(rows driver.Rows) error { return copyRows(ctx, rows, w) })
}
