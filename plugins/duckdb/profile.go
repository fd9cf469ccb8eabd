//go:build cgo

package duckdb

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/loam-data/loam/plugins/duckdb/internal/engine"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// sampleSeed makes the statements about one table choose the same rows.
const sampleSeed = 20240229

// Profile implements sdk.Profiler. A large table is counted on a random choice
// of its rows, each taken with equal probability; the sample is a reservoir.
func (s *session) Profile(ctx context.Context, req sdk.ProfileRequest, w sdk.ProfileWriter) error {
	return s.call(ctx, req.Limits.Timeout, func(ctx context.Context, c *conn) error {
		ref, columns, err := profiled(c, req.Table)
		if err != nil {
			return err
		}
		table := quoteName(ref.Catalog, ref.Schema, ref.Name)
		err = sqlkit.Profile(ctx, sqlkit.Profiling{
			Table:   table,
			Columns: columns,
			Count: func(context.Context, int64) (n int64, err error) {
				err = each(c.Conn, "SELECT count(*) FROM "+table, func(r sqlkit.Row) error {
					n = r.Int(0, 0)
					return nil
				})
				return n, err
			},
			Choice: func(total, rows int64) string {
				percent := 100 * float64(rows) / float64(total)
				return fmt.Sprintf("(SELECT * FROM %s TABLESAMPLE bernoulli(%.6f%%) REPEATABLE (%d)) AS choice", table, percent, sampleSeed)
			},
			Sample: func(list string, _ int64, n int) string {
				return fmt.Sprintf("SELECT %s FROM %s USING SAMPLE reservoir(%d ROWS)", list, table, n)
			},
			Query: queries(c),
			Run: func(ctx context.Context, sql string, w *sdk.RowWriter) error {
				text, err := sqlkit.Parse(sql, quoting)
				if err != nil {
					return err
				}
				return run(c, &statement{Statement: text}, nil, w)
			},
		}, &req, w)
		if _, ok := errors.AsType[*engine.Error](err); ok && c.instance.tables[ref].gone() {
			return noTable(ref) // the engine says that it may not list folders
		}
		return err
	})
}

// gone reports whether a file of the table is no longer there.
func (t *fileTable) gone() bool {
	return t != nil && slices.ContainsFunc(t.paths, func(path string) bool {
		_, err := os.Stat(path)
		return errors.Is(err, fs.ErrNotExist)
	})
}

func noTable(ref sdk.TableRef) error {
	return sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "there is no table %s", ref).WithHint("scan the connection to see its tables")
}

// profiled finds a table, also where its catalog or schema is left out, and its
// columns.
func profiled(c *conn, table sdk.TableRef) (ref sdk.TableRef, columns []sqlkit.ProfiledColumn, err error) {
	condition := "table_name = " + quoting.QuoteString(table.Name)
	if table.Schema != "" {
		condition += " AND schema_name = " + quoting.QuoteString(table.Schema)
	}
	if table.Catalog != "" {
		condition += " AND database_name = " + quoting.QuoteString(table.Catalog)
	}
	query := fmt.Sprintf(`SELECT database_name, schema_name, table_name, column_name, data_type FROM duckdb_columns()
		WHERE NOT internal AND %s ORDER BY database_name <> current_database(), schema_name <> current_schema(), 1, 2, 3, column_index`, condition)
	err = each(c.Conn, query, func(r sqlkit.Row) error {
		this := sdk.TableRef{Catalog: r.Text(0), Schema: r.Text(1), Name: r.Text(2)}
		if ref.Name == "" {
			ref = this
		}
		if this == ref {
			columns = append(columns, profiledColumn(r.Text(3), r.Text(4)))
		}
		return nil
	})
	if err == nil && ref.Name == "" {
		err = noTable(table)
	}
	return ref, columns, err
}

func profiledColumn(name, native string) sqlkit.ProfiledColumn {
	c := sqlkit.ProfiledColumn{Name: name, Quoted: quoteName(name), Type: declared(native)}
	c.NoKey = c.Type == sdk.TypeJSON || c.Type == sdk.TypeNestedJSON || c.Type == sdk.TypeGeoWKT
	if strings.Contains(native, "GEOMETRY") || strings.Contains(native, "VARIANT") {
		c.Value = "CAST(" + c.Quoted + " AS VARCHAR)"
	}
	return c
}
