package postgres

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// blockChoiceRows is the size of a table from which on its rows are chosen block
// by block: below it, reading the table is cheap.
const blockChoiceRows = 10 * sqlkit.ProfileRows

// profile says how a table is profiled. All statements see one state of the data
// and, of a large table, the same random choice of rows.
func (r *reading) profile(_ context.Context, req *sdk.ProfileRequest, w sdk.ProfileWriter) (sqlkit.Profiling, error) {
	r.patient = true
	p := &profile{r: r, seed: rand.IntN(1 << 30)}
	if err := p.find(req.Table, w); err != nil {
		return sqlkit.Profiling{}, err
	}
	now, err := r.reachableNow()
	if err != nil {
		return sqlkit.Profiling{}, err
	}
	if path := now.relation(p.schema, p.name); path != nil {
		return sqlkit.Profiling{}, path.Refuse("")
	}
	return sqlkit.Profiling{
		Table: p.table, Columns: p.columns, Random: "pg_catalog.random()",
		Count: p.count, Choice: p.choice, Run: p.run,
	}, nil
}

// profile is a table to profile.
type profile struct {
	r       *reading
	oid     uint32
	kind    string // as in pg_class
	table   string // quoted
	schema  string
	name    string
	columns []sqlkit.ProfiledColumn
	seed    int
}

const findSQL = `
SELECT c.oid, c.relkind, pg_catalog.format('%I.%I', n.nspname, c.relname), n.nspname, c.relname
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relname = $2 AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
  AND (n.nspname = $1 OR $1 = '' AND pg_catalog.pg_table_is_visible(c.oid))`

// find looks the table and its columns up.
func (p *profile) find(ref sdk.TableRef, w sdk.ProfileWriter) error {
	err := p.r.query(findSQL, [][]byte{[]byte(ref.Schema), []byte(ref.Name)}, func(v [][]byte) error {
		p.oid, p.kind, p.table, p.schema, p.name = parseOID(v[0]), string(v[1]), string(v[2]), string(v[3]), string(v[4])
		return nil
	})
	if err != nil {
		return err
	}
	if p.oid == 0 {
		e := sqlkit.NoTable(ref)
		e.Code = undefinedTable
		return e
	}
	relation := list([]string{strconv.FormatUint(uint64(p.oid), 10)})
	types, err := p.r.columnTypes(relation)
	if err != nil {
		return err
	}
	return p.r.query(columnsSQL, [][]byte{relation, []byte("false")}, func(v [][]byte) error {
		name, native := string(v[columnName]), string(v[columnNative])
		if v[columnDenied] != nil {
			return w.Warning(sdk.Warning{Object: name, Code: deniedCode, Message: "the role may not read this column; it is left out"})
		}
		p.columns = append(p.columns, profiledColumn(name, parseOID(v[columnType]), types[native], native))
		return nil
	})
}

// profiledColumn says how values are grouped and sorted: text by its bytes, and
// by its text what has no order of its own, or only as far as its parts have one.
func profiledColumn(name string, oid uint32, typ sdk.Type, native string) sqlkit.ProfiledColumn {
	c := sqlkit.ProfiledColumn{Name: name, Quoted: quote(name), Type: typ}
	switch {
	case oid == pgtype.XIDOID || oid == pgtype.CIDOID:
		c.Value = c.Quoted + "::text::bigint"
	case typ == sdk.TypeText:
		shown := c.Quoted + "::text"
		if oid != pgtype.TextOID && oid != pgtype.VarcharOID {
			// As a result shows it: a cast cuts the blanks of a char(n) and adds /32 to
			// an address.
			shown = "CASE WHEN " + c.Quoted + " IS NOT NULL THEN pg_catalog.concat(" + c.Quoted + ") END"
		}
		c.Value, c.Size = "("+shown+`) COLLATE "C"`, "pg_catalog.char_length(v)"
	case typ == sdk.TypeNestedJSON:
		// JSON of an array or a row is at least an eighth as long as its text here.
		c.Value, c.Shown, c.Size = c.Quoted+"::text", "v::"+native, "pg_catalog.octet_length(v) / 8"
	case oid == pgtype.JSONOID:
		c.Value, c.Size = c.Quoted+"::text", "pg_catalog.octet_length(v)"
	case typ == sdk.TypeJSON:
		c.Size = "pg_catalog.octet_length(v::text)"
	case typ == sdk.TypeBytes:
		c.Size = "pg_catalog.octet_length(v)"
	}
	return c
}

// count implements Profiling.Count: a large table is as large as the planner
// takes it for.
func (p *profile) count(_ context.Context, limit int64) (rows int64, err error) {
	counted := fmt.Sprintf("SELECT count(*) FROM (SELECT FROM %s LIMIT %d) x", p.table, limit+1)
	err = p.r.query(counted, nil, func(v [][]byte) error {
		rows = number(v[0])
		return nil
	})
	if err != nil || rows <= limit {
		return rows, err
	}
	plan, err := p.r.plan("EXPLAIN (FORMAT JSON) ", &statement{sql: "SELECT FROM " + p.table})
	if err != nil {
		return 0, err
	}
	var estimated sdk.Explanation
	err = estimate(plan, &estimated)
	return max(rows, estimated.EstimatedRows), err
}

// choice implements Profiling.Choice: the same rows each time, row by row while
// reading the table is cheap, block by block when it is very large. What has no
// blocks of its own is filtered.
func (p *profile) choice(total, rows int64) string {
	share := float64(rows) / float64(total)
	switch {
	case p.kind == "v" || p.kind == "f":
		return fmt.Sprintf("(SELECT * FROM %s WHERE pg_catalog.random() < %g) x", p.table, share)
	case total > blockChoiceRows:
		return fmt.Sprintf("%s TABLESAMPLE SYSTEM (%g) REPEATABLE (%d)", p.table, 100*share, p.seed)
	default:
		return fmt.Sprintf("%s TABLESAMPLE BERNOULLI (%g) REPEATABLE (%d)", p.table, 100*share, p.seed)
	}
}

// run implements Profiling.Run.
func (p *profile) run(_ context.Context, sql string, w *sdk.RowWriter) error {
	st := &statement{sql: sql, query: -1}
	description, columns, err := p.r.describe(st)
	if err != nil {
		return err
	}
	return p.r.stream(st, w, description, columns, p.r.p.Sync, p.r.synced)
}
