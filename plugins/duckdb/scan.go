//go:build cgo

package duckdb

import (
	"context"
	"fmt"
	"strconv"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// catalog lists the tables by the engine's own catalogue functions, which show
// every attached database. A foreign key refers to a table of its own schema.
var catalog = sqlkit.Catalog{
	Levels: 3,
	Type:   declared,
	Column: describe,
	Tables: `SELECT database_name, schema_name, table_name, 'table', comment, estimated_size, NULL, NULL
		FROM duckdb_tables() WHERE NOT internal AND NOT temporary
		UNION ALL
		SELECT database_name, schema_name, view_name, CASE WHEN database_name = 'files' THEN 'external' ELSE 'view' END, comment, NULL, NULL,
			CASE WHEN database_name <> 'files' THEN sql END
		FROM duckdb_views() WHERE NOT internal AND NOT temporary
		ORDER BY 1, 2, 3`,
	Columns: `SELECT c.database_name, c.schema_name, c.table_name, c.column_name, c.data_type, c.is_nullable, c.column_default, c.comment, false
		FROM duckdb_columns() c WHERE NOT c.internal
		ORDER BY c.database_name, c.schema_name, c.table_name, c.column_index`,
	Keys: `SELECT database_name, schema_name, table_name, constraint_name, constraint_type, unnest(constraint_column_names),
			generate_subscripts(constraint_column_names, 1), CASE WHEN referenced_table <> '' THEN database_name END,
			CASE WHEN referenced_table <> '' THEN schema_name END, referenced_table, unnest(referenced_column_names), true, constraint_index
		FROM duckdb_constraints() WHERE constraint_type IN ('PRIMARY KEY', 'UNIQUE', 'FOREIGN KEY')
		ORDER BY 1, 2, 3, 13, 7`,
}

// Scan implements sdk.Session. The folders are read again first, if they
// changed.
func (s *session) Scan(ctx context.Context, req sdk.ScanRequest, w sdk.ScanWriter) (sum sdk.ScanSummary, err error) {
	err = s.call(ctx, 0, func(ctx context.Context, c *conn) error {
		_, err := s.source.refresh(ctx, c.instance)
		return err
	})
	if err != nil {
		return sum, err
	}
	err = s.call(ctx, 0, func(ctx context.Context, c *conn) (err error) {
		for _, f := range c.instance.folders {
			if err := f.warn(w); err != nil {
				return err
			}
		}
		sum, err = sqlkit.Scan(ctx, queries(c), catalog, req, &scanOutput{w, c.instance})
		return err
	})
	return sum, err
}

// warn reports the files that are no tables.
func (f *folder) warn(w sdk.ScanWriter) error {
	for _, skipped := range f.skipped {
		if err := w.Warning(skipped); err != nil {
			return err
		}
	}
	for _, t := range f.tables {
		if t.broken == "" {
			continue
		}
		warning := sdk.Warning{Object: t.ref(f).String(), Code: "broken", Message: fmt.Sprintf("its %s files cannot be read: %s", t.format, t.broken)}
		if err := w.Warning(warning); err != nil {
			return err
		}
	}
	return nil
}

// scanOutput adds to a scan what the catalogue does not know of files.
type scanOutput struct {
	sdk.ScanWriter
	instance *instance
}

// Table implements sdk.ScanWriter.
func (o *scanOutput) Table(t *sdk.Table) error {
	if file := o.instance.tables[t.TableRef]; file != nil {
		t.RowEstimate, t.ByteEstimate = file.rows, file.bytes
		t.Properties = map[string]string{"format": string(file.format), "files": strconv.Itoa(len(file.paths))}
		t.Fingerprint = sqlkit.Fingerprint(t)
	}
	return o.ScanWriter.Table(t)
}
