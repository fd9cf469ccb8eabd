package bigquery

import "strings"

// The queries of a scan. Each is one statement over many datasets, by UNION ALL: their
// number does not depend on how many tables there are. {d} is a quoted dataset.

// tablesSQL: the definition of a view is the statement that makes it. A description is
// a literal of SQL there.
const tablesSQL = `SELECT t.table_catalog, t.table_schema, t.table_name, t.table_type, o.option_value,
  CASE WHEN t.table_type IN ('VIEW', 'MATERIALIZED VIEW') THEN t.ddl END
FROM {d}.INFORMATION_SCHEMA.TABLES t
LEFT JOIN {d}.INFORMATION_SCHEMA.TABLE_OPTIONS o ON o.table_name = t.table_name AND o.option_name = 'description'`

// columnsSQL has a row for every field of a record, too: the path of a column is its name.
const columnsSQL = `SELECT c.table_catalog, c.table_schema, c.table_name, c.column_name, p.data_type, c.is_nullable,
  c.column_default, p.description, c.is_generated, c.ordinal_position, p.field_path
FROM {d}.INFORMATION_SCHEMA.COLUMNS c
JOIN {d}.INFORMATION_SCHEMA.COLUMN_FIELD_PATHS p ON p.table_name = c.table_name AND p.column_name = c.column_name
WHERE c.is_hidden = 'NO'`

// keysSQL: a foreign key refers to the primary key of a table of its dataset, whose
// columns the position in that key pairs. The service enforces none of them.
const keysSQL = `SELECT k.table_catalog, k.table_schema, k.table_name, k.constraint_name, c.constraint_type, k.column_name, k.ordinal_position,
  r.table_catalog AS ref_catalog, r.table_schema AS ref_schema, r.table_name AS ref_table, u.column_name AS ref_column, 'NO' AS enforced
FROM {d}.INFORMATION_SCHEMA.KEY_COLUMN_USAGE k
JOIN {d}.INFORMATION_SCHEMA.TABLE_CONSTRAINTS c ON c.constraint_name = k.constraint_name AND c.table_name = k.table_name
LEFT JOIN (SELECT DISTINCT constraint_name, table_catalog, table_schema, table_name FROM {d}.INFORMATION_SCHEMA.CONSTRAINT_COLUMN_USAGE) r
  ON r.constraint_name = k.constraint_name AND c.constraint_type = 'FOREIGN KEY'
LEFT JOIN {d}.INFORMATION_SCHEMA.KEY_COLUMN_USAGE u
  ON u.table_name = r.table_name AND u.ordinal_position = k.position_in_unique_constraint AND u.position_in_unique_constraint IS NULL
UNION ALL
SELECT table_catalog, table_schema, table_name, 'partition', 'PARTITION KEY', column_name, 1,
  CAST(NULL AS STRING), CAST(NULL AS STRING), CAST(NULL AS STRING), CAST(NULL AS STRING), 'NO'
FROM {d}.INFORMATION_SCHEMA.COLUMNS WHERE is_partitioning_column = 'YES'
UNION ALL
SELECT table_catalog, table_schema, table_name, 'cluster', 'CLUSTER KEY', column_name, clustering_ordinal_position,
  CAST(NULL AS STRING), CAST(NULL AS STRING), CAST(NULL AS STRING), CAST(NULL AS STRING), 'NO'
FROM {d}.INFORMATION_SCHEMA.COLUMNS WHERE clustering_ordinal_position IS NOT NULL`

// storageSQL needs a right in the whole project: without it there are no estimates.
const storageSQL = `SELECT table_schema, table_name, total_rows, total_logical_bytes
FROM {region}.INFORMATION_SCHEMA.TABLE_STORAGE WHERE NOT deleted AND table_schema IN ({names})`

// catalogue are the queries, and the columns that order their rows.
var catalogue = map[string]string{tablesSQL: "2, 3", columnsSQL: "2, 3, 10, 11", keysSQL: "2, 3, 4, 7"}

// over writes a query over datasets of a project.
func over(sql, project string, datasets []string) string {
	parts := make([]string, len(datasets))
	for i, d := range datasets {
		parts[i] = strings.ReplaceAll(sql, "{d}", quote(project)+"."+quote(d))
	}
	return strings.Join(parts, "\nUNION ALL\n") + "\nORDER BY " + catalogue[sql]
}

// storage writes storageSQL.
func storage(project, location string, datasets []string) string {
	names := "'" + strings.Join(datasets, "', '") + "'"
	region := quote(project) + "." + quote("region-"+strings.ToLower(location))
	return strings.NewReplacer("{region}", region, "{names}", names).Replace(storageSQL)
}

// quote writes a name; the configuration and the service give none with a backtick.
func quote(name string) string { return "`" + name + "`" }
