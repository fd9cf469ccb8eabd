package snowflake

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// The queries of a scan, each over a whole database: their number depends on how many
// databases there are to scan. %s is the database.
const (
	tablesSQL = `SELECT t.table_catalog, t.table_schema, t.table_name,
  CASE t.table_type WHEN 'TEMPORARY TABLE' THEN 'BASE TABLE' WHEN 'EVENT TABLE' THEN 'BASE TABLE' ELSE t.table_type END,
  t.comment, t.row_count, t.bytes, v.view_definition, NULL, t.clustering_key,
  NULLIF(t.is_transient, 'NO'), NULLIF(t.is_dynamic, 'NO'), NULLIF(t.is_iceberg, 'NO'), NULLIF(t.is_hybrid, 'NO')
FROM %[1]s.information_schema.tables t
LEFT JOIN %[1]s.information_schema.views v ON v.table_schema = t.table_schema AND v.table_name = t.table_name
WHERE t.table_schema <> 'INFORMATION_SCHEMA' ORDER BY 1, 2, 3`

	columnsSQL = `SELECT table_catalog, table_schema, table_name, column_name, ` + typeSQL + `, is_nullable, column_default, comment, NULL,
  NULLIF(is_identity, 'NO'), dtd_identifier
FROM %s.information_schema.columns WHERE table_schema <> 'INFORMATION_SCHEMA'
ORDER BY table_catalog, table_schema, table_name, ordinal_position`

	// typeSQL writes a column's type as formatOf reads it.
	typeSQL = `CASE
    WHEN data_type = 'NUMBER' THEN 'NUMBER(' || numeric_precision || ',' || numeric_scale || ')'
    WHEN data_type = 'TEXT' THEN 'VARCHAR(' || character_maximum_length || ')'
    WHEN data_type = 'BINARY' THEN 'BINARY(' || character_maximum_length || ')'
    WHEN data_type IN ('TIME', 'TIMESTAMP_NTZ', 'TIMESTAMP_LTZ', 'TIMESTAMP_TZ') THEN data_type || COALESCE('(' || datetime_precision || ')', '')
    ELSE data_type END`

	// shownRows is how many rows a SHOW has at most.
	shownRows = 10_000
)

// scan writes the tables of the databases to scan. It looks at metadata alone.
func (r *reading) scan(ctx context.Context, req sdk.ScanRequest, w sdk.ScanWriter) (sdk.ScanSummary, error) {
	s := &scan{ScanWriter: w, r: r, include: req.Include, keyed: len(req.Facets) == 0 || slices.Contains(req.Facets, sdk.FacetKeys)}
	return sqlkit.Scan(ctx, s.rows, sqlkit.Catalog{
		Levels: 3, Tables: "tables", Columns: columnsSQL, Keys: "keys",
		TableProperties: []string{"clustering_key", "transient", "dynamic", "iceberg", "hybrid"}, ColumnProperties: []string{"identity"},
		Column: func(c *sdk.Column) { s.complete(c, s.of) },
	}, req, s)
}

// scan runs the queries of sqlkit.Scan once per database.
type scan struct {
	sdk.ScanWriter
	r       *reading
	include []string
	keyed   bool                 // keys were asked for
	reached []string             // databases that the role may use
	parts   map[structure][]part // of the database whose columns are read
	of      structure            // the type of the column that is read
	left    int                  // parts that this type may still have
}

func (s *scan) rows(ctx context.Context, query string, row func(sqlkit.Row) error) error {
	switch query {
	case "tables":
		return s.tables(ctx, row)
	case "keys":
		return s.keys(ctx, row)
	}
	row = s.columns(row)
	for _, database := range s.reached {
		if err := s.readParts(ctx, database); err != nil {
			return err
		}
		if err := s.r.query(ctx, fmt.Sprintf(query, quote(database)), row); err != nil {
			return err
		}
	}
	return nil
}

// tables reads the tables of each database. One that the role may not use is warned
// about.
func (s *scan) tables(ctx context.Context, row func(sqlkit.Row) error) error {
	for _, database := range s.r.s.cfg.databases() {
		err := s.r.query(ctx, fmt.Sprintf(tablesSQL, quote(database)), row)
		if e := s.r.s.native(err); e != nil && (e.Kind == sdk.KindNotFound || e.Kind == sdk.KindDenied) {
			err = s.Warning(sdk.Warning{Object: database, Code: e.Code, Message: "there is no such database, or the role may not use it: " +
				"GRANT USAGE ON DATABASE " + quote(database) + " TO ROLE …"})
			if err != nil {
				return err
			}
			continue
		}
		if err != nil {
			return err
		}
		s.reached = append(s.reached, database)
		if err := s.denied(ctx, database); err != nil {
			return err
		}
	}
	return nil
}

// denied warns about schemas that the request names and the role does not see.
func (s *scan) denied(ctx context.Context, database string) error {
	var named []string
	for _, pattern := range s.include {
		parts := strings.Split(pattern, ".")
		if len(parts) == 3 && strings.EqualFold(parts[0], database) && !strings.ContainsAny(parts[1], "*?[") && !slices.Contains(named, parts[1]) {
			named = append(named, parts[1])
		}
	}
	if len(named) == 0 {
		return nil
	}
	seen := map[string]bool{}
	err := s.r.show(ctx, "SHOW SCHEMAS IN DATABASE "+quote(database), func(at map[string]string) error {
		seen[strings.ToUpper(at["name"])] = true
		return nil
	})
	for _, schema := range named {
		if err == nil && !seen[strings.ToUpper(schema)] {
			err = s.Warning(sdk.Warning{Object: database + "." + schema, Message: "there is no such schema, or the role may not use it: " +
				"GRANT USAGE ON SCHEMA " + quote(database) + "." + quote(schema) + " TO ROLE …"})
		}
	}
	return err
}

// keyKinds are the SHOW of each kind of key, with what its columns' names begin with.
var keyKinds = []struct{ show, kind, at, name string }{
	{"SHOW PRIMARY KEYS IN DATABASE ", "PRIMARY KEY", "", "constraint_name"},
	{"SHOW UNIQUE KEYS IN DATABASE ", "UNIQUE", "", "constraint_name"},
	{"SHOW IMPORTED KEYS IN DATABASE ", "FOREIGN KEY", "fk_", "fk_name"},
}

// keys reads the keys that are declared. The service enforces none.
func (s *scan) keys(ctx context.Context, row func(sqlkit.Row) error) error {
	for _, database := range s.reached {
		for _, of := range keyKinds {
			var list []sqlkit.Row
			err := s.r.show(ctx, of.show+quote(database), func(at map[string]string) error {
				list = append(list, sqlkit.Row{
					at[of.at+"database_name"], at[of.at+"schema_name"], at[of.at+"table_name"], at[of.name], of.kind, at[of.at+"column_name"], at["key_sequence"],
					at["pk_database_name"], at["pk_schema_name"], at["pk_table_name"], at["pk_column_name"], false,
				})
				return nil
			})
			if err != nil {
				return err
			}
			if len(list) >= shownRows {
				if err := s.Warning(sdk.Warning{Object: database, Message: fmt.Sprintf("the service shows no more than %d columns of keys: others are left out", shownRows)}); err != nil {
					return err
				}
			}
			slices.SortStableFunc(list, compareKeys)
			for _, key := range list {
				if err := row(key); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func compareKeys(a, b sqlkit.Row) int {
	for i := range 4 {
		if c := strings.Compare(a.Text(i), b.Text(i)); c != 0 {
			return c
		}
	}
	return cmp.Compare(a.Int(6, 0), b.Int(6, 0))
}

// Table implements sdk.ScanWriter: the clustering key is a key where it names columns.
func (s *scan) Table(t *sdk.Table) error {
	if columns := clustering(t.Properties["clustering_key"]); len(columns) > 0 && s.keyed {
		t.Keys = append(t.Keys, sdk.Key{Kind: sdk.KeyCluster, Columns: columns})
		t.Fingerprint = sqlkit.Fingerprint(t)
	}
	return s.ScanWriter.Table(t)
}

// clustering returns the columns of "LINEAR(a, "B")"; none for expressions.
func clustering(text string) []string {
	_, inside, _ := strings.Cut(text, "(")
	tokens, err := dialects[0].Tokens(strings.TrimSuffix(inside, ")"), nil)
	if err != nil {
		return nil
	}
	inside = strings.TrimSuffix(inside, ")")
	var columns []string
	for i, t := range tokens {
		switch name := t.Kind == dialect.TokenWord || t.Kind == dialect.TokenQuoted; {
		case i%2 == 0 && t.Kind == dialect.TokenWord:
			columns = append(columns, strings.ToUpper(t.Text(inside)))
		case i%2 == 0 && name:
			columns = append(columns, dialects[0].Unquote(inside, t))
		case i%2 == 1 && t.Is(inside, ","):
		default:
			return nil
		}
	}
	return columns
}
