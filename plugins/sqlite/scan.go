package sqlite

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/loam-data/loam/plugins/sqlite/internal/engine"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// catalog lists the tables by the table-valued forms of SQLite's pragmas, with
// a fixed number of queries. %s in each is an optional condition.
//
// SQLite's own tables and the shadow tables of virtual tables are left out. A
// key has the name of its index, if a person gave it one; a foreign key has
// none. Foreign keys count as not enforced: SQLite checks them only where a
// program asks for it, so that orphans are common. A reference without columns
// means the parent's primary key.
// Source: https://sqlite.org/pragma.html
var catalog = sqlkit.Catalog{
	Levels: 2,
	Type:   declared,
	Tables: `SELECT '', 'main', l.name, CASE l.type WHEN 'view' THEN 'view' ELSE 'table' END, '', %s, NULL,
			CASE l.type WHEN 'view' THEN m.sql END
		FROM pragma_table_list l JOIN sqlite_schema m ON m.name = l.name AND m.type IN ('table', 'view')
		WHERE l.schema = 'main' AND l.type <> 'shadow' AND l.name NOT LIKE 'sqlite\_%%' ESCAPE '\'
		ORDER BY l.name`,
	Columns: `WITH l AS MATERIALIZED (SELECT name, type, wr OR strict AS fixed FROM pragma_table_list WHERE schema = 'main')
		SELECT '', 'main', m.name, x.name, coalesce(nullif(x.type, ''), 'ANY'),
			NOT (x."notnull" OR x.pk > 0 AND (l.fixed OR
				upper(x.type) = 'INTEGER' AND (SELECT count(*) FROM pragma_table_info(m.name) p WHERE p.pk > 0) = 1)),
			x.dflt_value, '', x.hidden IN (2, 3)
		FROM sqlite_schema m JOIN l ON l.name = m.name JOIN pragma_table_xinfo(m.name) x
		WHERE m.type IN ('table', 'view') AND l.type <> 'shadow' AND x.hidden <> 1 AND %s
		ORDER BY m.name, x.cid`,
	Keys: `SELECT '', 'main', m.name, '', 'PRIMARY KEY', x.name, x.pk, '', '', '', '', 1, 0, 0
		FROM sqlite_schema m JOIN pragma_table_info(m.name) x
		WHERE m.type = 'table' AND x.pk > 0 AND %[1]s
		UNION ALL
		SELECT '', 'main', m.name, CASE WHEN i.origin = 'c' THEN i.name ELSE '' END, 'UNIQUE', c.name, c.seqno + 1, '', '', '', '', 1, 1, i.seq
		FROM sqlite_schema m JOIN pragma_index_list(m.name) i JOIN pragma_index_info(i.name) c
		WHERE m.type = 'table' AND i."unique" AND NOT i.partial AND i.origin <> 'pk' AND %[1]s
			AND NOT EXISTS (SELECT 1 FROM pragma_index_info(i.name) e WHERE e.cid < 0)
		UNION ALL
		SELECT '', 'main', m.name, '', 'FOREIGN KEY', f."from", f.seq + 1, '', 'main', coalesce(p.name, f."table"),
			coalesce((SELECT x.name FROM pragma_table_info(f."table") x
				WHERE CASE WHEN f."to" IS NULL THEN x.pk = f.seq + 1 ELSE x.name = f."to" COLLATE NOCASE END), f."to", ''), 0, 2, f.id
		FROM sqlite_schema m JOIN pragma_foreign_key_list(m.name) f
			LEFT JOIN sqlite_schema p ON p.type = 'table' AND p.name = f."table" COLLATE NOCASE
		WHERE m.type = 'table' AND %[1]s
		ORDER BY 3, 13, 14, 7`,
	// A table is what its own statement and those of its indexes say, unless it
	// is a view or refers to other tables: then it depends on all statements. What
	// a virtual table is, its module decides.
	Stamps: `WITH i AS MATERIALIZED (SELECT lower(tbl_name) AS name, group_concat(sql, char(10) ORDER BY rowid) AS list
			FROM sqlite_schema WHERE type = 'index' GROUP BY 1)
		SELECT '', 'main', m.name, m.sql || char(10) || coalesce(i.list, ''), m.type = 'view' OR m.sql LIKE '%%REFERENCES%%'
		FROM sqlite_schema m LEFT JOIN i ON i.name = lower(m.name)
		WHERE (m.type = 'view' OR m.type = 'table' AND m.rootpage > 0) AND %[1]s`,
	Version: version,
}

// estimate is the number of rows by the statistics of ANALYZE: the first number
// of a line, the largest of the table's. An index on a part of the rows has fewer.
// Source: https://sqlite.org/fileformat2.html, section 2.6.2.
const estimate = `(SELECT max(CAST(s.stat AS INTEGER)) FROM sqlite_stat1 s WHERE s.tbl = l.name)`

// Scan implements sdk.Session. All queries see one state of the database.
func (s *session) Scan(ctx context.Context, req sdk.ScanRequest, w sdk.ScanWriter) (sum sdk.ScanSummary, err error) {
	err = s.call(ctx, 0, "", func(ctx context.Context, c *engine.Conn) error {
		snapshot, err := c.Prepare("SELECT count(*) FROM sqlite_schema WHERE name = 'sqlite_stat1'")
		if err != nil {
			return err
		}
		defer snapshot.Finalize() // an unfinished statement keeps its read transaction
		if _, err := snapshot.Step(); err != nil {
			return err
		}
		sum, err = scan(ctx, c, catalogQueries(c), snapshot.Int64(0) > 0, req, w)
		return err
	})
	return sum, err
}

// scan reads the catalogue with query; there are statistics to read, or not.
func scan(
	ctx context.Context, c *engine.Conn, query sqlkit.Queries, statistics bool, req sdk.ScanRequest, w sdk.ScanWriter,
) (sdk.ScanSummary, error) {
	broken, err := brokenTables(ctx, c, query)
	if err != nil {
		return sdk.ScanSummary{}, err
	}
	filled, err := catalogWithout(broken, statistics)
	if err != nil {
		return sdk.ScanSummary{}, err
	}
	stamps := stamper{query: query, catalog: &filled, unmatched: map[string]bool{}}
	return sqlkit.Scan(ctx, stamps.ask, filled, req, &scanOutput{ScanWriter: w, broken: broken})
}

// catalogWithout fills the catalogue's conditions in: no columns of broken
// tables, estimates where there are statistics.
func catalogWithout(broken map[string]string, statistics bool) (sqlkit.Catalog, error) {
	list, err := json.Marshal(slices.AppendSeq([]string{}, maps.Keys(broken))) // never null, which NOT IN would take for a member
	if err != nil {
		return sqlkit.Catalog{}, err
	}
	condition := "m.name NOT IN (SELECT value FROM json_each(" + quoting.QuoteString(string(list)) + "))"
	rows := "NULL"
	if statistics {
		rows = estimate
	}
	filled := catalog
	filled.Tables = fmt.Sprintf(catalog.Tables, rows)
	filled.Columns = fmt.Sprintf(catalog.Columns, condition)
	filled.Keys = fmt.Sprintf(catalog.Keys, condition)
	filled.Stamps = fmt.Sprintf(catalog.Stamps, condition)
	filled.ColumnsOf = func(tables []sdk.TableRef) string { return columnsOf(tables, condition) }
	return filled, nil
}

// catalogQueries runs catalogue queries on a connection.
func catalogQueries(c *engine.Conn) sqlkit.Queries {
	return func(_ context.Context, sql string, row func(sqlkit.Row) error) error {
		var values sqlkit.Row
		return each(c, sql, nil, func(stmt *engine.Stmt) error {
			values = values[:0]
			for i := range stmt.Columns() {
				value, err := stmt.Value(i)
				if err != nil {
					return err
				}
				values = append(values, value)
			}
			return row(values)
		})
	}
}

// quoting is how names and strings are written.
var quoting = &Dialects()[0]

// brokenTables returns the views and virtual tables that cannot be read, with
// the reason: a view of what is gone, a module that is not compiled in. One of
// them fails every query over all columns. The engine is asked about each only
// after it said that there are some.
func brokenTables(ctx context.Context, c *engine.Conn, query sqlkit.Queries) (map[string]string, error) {
	const suspects = `FROM sqlite_schema m WHERE (m.type = 'view' OR m.type = 'table' AND m.rootpage = 0)`
	broken := map[string]string{}
	err := query(ctx, "SELECT count(*) FROM (SELECT m.name "+suspects+") m JOIN pragma_table_xinfo(m.name)", func(sqlkit.Row) error { return nil })
	if err == nil {
		return broken, nil
	}
	if ended := sqlkit.ContextError(ctx); ended != nil {
		return nil, ended
	}
	var names []string
	err = query(ctx, "SELECT m.name "+suspects+" ORDER BY 1", func(r sqlkit.Row) error {
		names = append(names, r.Text(0))
		return nil
	})
	for _, name := range names {
		stmt, refused := c.Prepare("SELECT * FROM main." + quoting.QuoteIdentifier(name))
		if refused != nil {
			broken[name] = sdk.AsError(failed(ctx, "", refused), sdk.SourceWarehouse).Msg
			continue
		}
		stmt.Finalize()
	}
	return broken, err
}

// scanOutput adds to a scan what SQL cannot say.
type scanOutput struct {
	sdk.ScanWriter
	broken map[string]string
}

// Table implements sdk.ScanWriter.
func (o *scanOutput) Table(t *sdk.Table) error {
	if reason, ok := o.broken[t.Name]; ok {
		if err := o.Warning(sdk.Warning{Object: t.TableRef.String(), Code: "broken", Message: "its columns cannot be read: " + reason}); err != nil {
			return err
		}
	}
	for _, k := range t.Keys {
		if k.Kind == sdk.KeyForeign && slices.Contains(k.RefColumns, "") {
			message := fmt.Sprintf("its foreign key to %s matches no primary key there", k.Ref.Name)
			if err := o.Warning(sdk.Warning{Object: t.TableRef.String(), Code: "broken", Message: message}); err != nil {
				return err
			}
		}
	}
	t.Keys = slices.DeleteFunc(t.Keys, func(k sdk.Key) bool {
		return k.Kind == sdk.KeyForeign && slices.Contains(k.RefColumns, "")
	})
	return o.ScanWriter.Table(t)
}
