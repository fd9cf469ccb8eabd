package snowflake

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

const (
	profiledTableSQL   = `SELECT table_type, row_count, bytes FROM %s.information_schema.tables WHERE table_schema = %s AND table_name = %s`
	profiledColumnsSQL = `SELECT column_name, ` + typeSQL + ` FROM %s.information_schema.columns WHERE table_schema = %s AND table_name = %s ORDER BY ordinal_position`
)

// profiled is a table on its way to a profile.
type profiled struct {
	r       *reading
	from    string // quoted
	view    bool
	rows    int64 // -1 = unknown
	bytes   int64
	columns []sqlkit.ProfiledColumn
}

// profile says how a table is profiled: a larger one by some of its rows or micro-partitions,
// always the same ones.
func (r *reading) profile(ctx context.Context, req *sdk.ProfileRequest, _ sdk.ProfileWriter) (sqlkit.Profiling, error) {
	of := req.Table.Within(sdk.TableRef{Catalog: r.s.cfg.Database, Schema: cmp.Or(r.s.Info.DefaultSchema, "PUBLIC")})
	p := &profiled{r: r, from: quote(of.Catalog) + "." + quote(of.Schema) + "." + quote(of.Name), rows: -1}
	args := []any{quote(of.Catalog), literal(of.Schema), literal(of.Name)}
	err := r.query(ctx, fmt.Sprintf(profiledTableSQL, args...), func(row sqlkit.Row) error {
		kind := row.Text(0)
		p.view = kind == "VIEW" || kind == "MATERIALIZED VIEW" || kind == "EXTERNAL TABLE"
		p.rows, p.bytes = row.Int(1, -1), row.Int(2, 0)
		return nil
	})
	if err != nil {
		return sqlkit.Profiling{}, err
	}
	err = r.query(ctx, fmt.Sprintf(profiledColumnsSQL, args...), func(row sqlkit.Row) error {
		p.columns = append(p.columns, profiledColumn(row.Text(0), row.Text(1)))
		return nil
	})
	if err != nil {
		return sqlkit.Profiling{}, err
	}
	if len(p.columns) == 0 {
		return sqlkit.Profiling{}, sqlkit.NoTable(req.Table)
	}
	return p.profiling(req)
}

func profiledColumn(name, native string) sqlkit.ProfiledColumn {
	c := sqlkit.ProfiledColumn{Name: name, Quoted: quote(name), Type: columnOf(name, native).Type}
	switch c.Type {
	case sdk.TypeText, sdk.TypeBytes:
		c.Size = "LENGTH(v)"
	case sdk.TypeJSON, sdk.TypeNestedJSON:
		c.Value, c.Size = "TO_JSON("+c.Quoted+"::VARIANT)", "LENGTH(v)"
	case sdk.TypeGeoWKT:
		c.Value, c.Size = "ST_ASTEXT("+c.Quoted+")", "LENGTH(v)"
	}
	return c
}

// fewPartitions are the bytes of a table whose micro-partitions, of up to 16 MiB, are so few that a share of them may be none: its
// rows are chosen one by one, which reads all of it.
const fewPartitions = 20 * 16 << 20

// profiling keeps to the budget: SAMPLE SYSTEM reads whole micro-partitions, so that
// what a choice reads is its share of the table's bytes.
func (p *profiled) profiling(req *sdk.ProfileRequest) (sqlkit.Profiling, error) {
	budget := cmp.Or(req.MaxBytesScanned, req.Limits.MaxBytesScanned)
	if p.view {
		p.rows = 0 // as of the time it was last refreshed
	}
	if budget > 0 && p.bytes > budget && p.rows <= 0 {
		return sqlkit.Profiling{}, sdk.Errorf(sdk.KindLimit, sdk.SourceCaller, "a profile would read up to %d bytes of the table, %d are allowed", p.bytes, budget).
			WithHint("raise scan.max_bytes, or leave this table out of profiles")
	}
	seed, method := rand.Uint32()>>1, "SYSTEM"
	if p.bytes <= fewPartitions && (budget <= 0 || p.bytes <= budget) {
		method = "BERNOULLI"
	}
	return sqlkit.Profiling{
		Table: p.from, Columns: p.columns, Rows: sqlkit.RowsWithin(budget, p.rows, p.bytes, 1), Known: max(p.rows, 0), Random: "RANDOM()",
		Choice: func(total, rows int64) string {
			percent := 100 * float64(rows) / float64(total)
			if p.view { // which SAMPLE takes no seed for
				return fmt.Sprintf("(SELECT * FROM %s SAMPLE BERNOULLI (%.6f)) x", p.from, percent)
			}
			return fmt.Sprintf("(SELECT * FROM %s SAMPLE %s (%.6f) SEED (%d)) x", p.from, method, percent, seed)
		},
		Run: func(ctx context.Context, sql string, w *sdk.RowWriter) error {
			return p.r.write(ctx, &order{own: true}, sql, nil, nil, w)
		},
	}, nil
}
