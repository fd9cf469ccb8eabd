package clickhouse

import (
	"fmt"
	"strings"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// hiddenDatabases are the system's.
const hiddenDatabases = "'system', 'INFORMATION_SCHEMA', 'information_schema'"

// externalEngines hold their rows elsewhere. Source: the manual's list of table
// engines, "Integration" and "Special".
const externalEngines = `'MySQL', 'PostgreSQL', 'MongoDB', 'SQLite', 'ODBC', 'JDBC', 'Redis', 'S3', 'S3Queue', 'GCS', 'OSS', 'COSN',
	'AzureBlobStorage', 'AzureQueue', 'HDFS', 'Hive', 'URL', 'File', 'FileLog', 'Kafka', 'RabbitMQ', 'NATS', 'Executable', 'ExecutablePool',
	'Iceberg', 'IcebergS3', 'IcebergAzure', 'IcebergHDFS', 'IcebergLocal', 'DeltaLake', 'DeltaLakeS3', 'DeltaLakeAzure', 'DeltaLakeLocal',
	'Hudi', 'Paimon', 'YTsaurus', 'MaterializedPostgreSQL', 'MaterializedMySQL', 'Dictionary'`

const (
	tablesSQL = `SELECT '', database, name,
  multiIf(engine = 'MaterializedView', 'materialized_view', engine IN ('View', 'LiveView', 'WindowView'), 'view',
    engine IN (` + externalEngines + `), 'external', 'table'),
  {comment}, {rows}, {bytes},
  if(engine IN ('View', 'LiveView', 'WindowView', 'MaterializedView'), {definition}, ''), NULL,
  engine, partition_key, sorting_key, if(primary_key = sorting_key, '', primary_key), sampling_key
FROM system.tables {parts}
WHERE NOT is_temporary AND name NOT LIKE '.inner%' AND {where}
ORDER BY database, name`

	// columnsSQL leaves out columns that cannot be selected.
	columnsSQL = `SELECT '', database, table, name, type, '', default_expression, comment, default_kind IN ('MATERIALIZED', 'ALIAS'),
  if(default_kind = 'DEFAULT', '', lower(default_kind)),
  if(is_in_sampling_key, 'sampling', '')
FROM system.columns
WHERE {columns} AND {where}
{order}`

	// stampsSQL has the server hash what columnsSQL reads. The time at which a table's
	// metadata changed (metadata_modification_time) would not do: it is of whole
	// seconds, a table that takes another's name brings its own along, and not all
	// engines have one.
	stampsSQL = `SELECT '', database, table, toString(cityHash64({hashes}))
FROM system.columns
WHERE {columns} AND {where}
GROUP BY database, table`
	hashed = "name, type, default_kind, default_expression, comment, is_in_sampling_key"

	// keysSQL lists the keys that are of plain columns, in their order. None of
	// them keeps a value from repeating.
	keysSQL = `SELECT '', database, name, '', kind, part, place, '', '', '', '', 0
FROM (
  SELECT database, name, 'PARTITION KEY' AS kind, partition_key AS key FROM system.tables WHERE {where}
  UNION ALL SELECT database, name, 'CLUSTER KEY', sorting_key FROM system.tables WHERE {where}
)
ARRAY JOIN splitByString(', ', replaceAll(replaceRegexpOne(key, '^\\((.*)\\)$', '\\1'), '` + "`" + `', '')) AS part,
  arrayEnumerate(splitByString(', ', key)) AS place
WHERE match(key, '^\\(?[\\w` + "`" + `.]+(, [\\w` + "`" + `.]+)*\\)?$') AND key NOT IN ('', 'tuple()')
ORDER BY database, name, kind, place`
)

// partsSQL is where a server without sizes in system.tables has them.
const partsSQL = `ANY LEFT JOIN (
  SELECT database, table AS name, sum(rows) AS part_rows, sum(bytes) AS part_bytes FROM system.parts WHERE active GROUP BY database, table
) USING (database, name)`

// catalog returns the queries of a scan. Their number does not depend on how
// much there is to scan. has says which columns system.tables and system.columns
// have, as "tables.comment".
func (s *Session) catalog(has map[string]bool) sqlkit.Catalog {
	where := "database NOT IN (" + hiddenDatabases + ")"
	if len(s.cfg.Schemas) > 0 {
		var quoted []string
		for _, schema := range s.cfg.Schemas {
			quoted = append(quoted, s.Dialect.QuoteString(schema))
		}
		where = "database IN (" + strings.Join(quoted, ", ") + ")"
	}
	either := func(column, yes, no string) string {
		if has[column] {
			return yes
		}
		return no
	}
	columns := func(where string) *strings.Replacer {
		return strings.NewReplacer(
			"{where}", where, "{columns}", "default_kind != 'EPHEMERAL' AND table NOT LIKE '.inner%'",
			// Old servers list columns in their order, in one stream.
			"{order}", either("columns.position", "ORDER BY database, table, position", ""),
			"{hashes}", either("columns.position", "arraySort(groupArray(cityHash64(position, "+hashed+")))", "groupArray(cityHash64("+hashed+"))"),
		)
	}
	fill := strings.NewReplacer(
		"{where}", where,
		"{comment}", either("tables.comment", "comment", "''"),
		"{rows}", either("tables.total_rows", "toInt64(total_rows)", "if(engine LIKE '%MergeTree', toInt64(part_rows), -1)"),
		"{bytes}", either("tables.total_rows", "toInt64(total_bytes)", "if(engine LIKE '%MergeTree', toInt64(part_bytes), -1)"),
		"{parts}", either("tables.total_rows", "", partsSQL),
		"{definition}", either("tables.as_select", "as_select", "create_table_query"),
	)
	return sqlkit.Catalog{
		Levels: 2,
		Tables: fill.Replace(tablesSQL), Columns: columns(where).Replace(columnsSQL), Keys: fill.Replace(keysSQL),
		Stamps: columns(where).Replace(stampsSQL), Version: version,
		ColumnsOf: func(tables []sdk.TableRef) string {
			return columns(where + s.only(tables)).Replace(columnsSQL)
		},
		TableProperties:  []string{"engine", "partition_by", "order_by", "primary_key", "sample_by"},
		ColumnProperties: []string{"kind", "key"},
		DeniedCode:       fmt.Sprint(codeDenied),
		Type:             nativeType,
		Column:           completeColumn,
	}
}

// maxOnly bounds a condition, in bytes: a server takes a statement of 256 KiB.
const maxOnly = 100_000

// only returns the condition that a column is of one of the tables; none, when
// it would be too long.
func (s *Session) only(tables []sdk.TableRef) string {
	var list strings.Builder
	for i, t := range tables {
		if i > 0 {
			list.WriteString(", ")
		}
		fmt.Fprintf(&list, "(%s, %s)", s.Dialect.QuoteString(t.Schema), s.Dialect.QuoteString(t.Name))
	}
	if list.Len() > maxOnly {
		return ""
	}
	return " AND (database, table) IN (" + list.String() + ")"
}
