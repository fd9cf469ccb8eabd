-- SQL Server's catalogue views of database {db}, over DuckDB's.
CREATE SCHEMA {db}.dbo;
CREATE SCHEMA {db}.sys;
CREATE SCHEMA {db}.ischema;

CREATE VIEW {db}.sys.schemas AS
SELECT fixture.main.ms_schema_name(schema_name) AS name, fixture.main.ms_schema_id(schema_name, oid) AS schema_id, 1 AS principal_id
FROM fixture.internal.duck_schemas WHERE database_name = '{db}' AND schema_name NOT IN ('main', 'information_schema', 'pg_catalog');

CREATE VIEW {db}.sys.ms_tables AS
SELECT table_name AS name, schema_name AS sch, CAST(table_oid AS INTEGER) AS object_id, fixture.main.ms_schema_id(schema_name, schema_oid) AS schema_id, comment, estimated_size AS rows
FROM fixture.internal.duck_tables WHERE database_name = '{db}' AND fixture.main.ms_seen(schema_name, table_name);

CREATE VIEW {db}.sys.ms_views AS
SELECT view_name AS name, schema_name AS sch, CAST(view_oid AS INTEGER) AS object_id, fixture.main.ms_schema_id(schema_name, schema_oid) AS schema_id, comment
FROM fixture.internal.duck_views WHERE database_name = '{db}' AND fixture.main.ms_seen(schema_name, view_name);

CREATE VIEW {db}.sys.ms_keys AS
SELECT coalesce(n.name, c.constraint_name) AS name, CAST(1000000000 + c.table_oid * 32 + c.place AS INTEGER) AS object_id, c.schema_name AS sch, fixture.main.ms_schema_id(c.schema_name, c.schema_oid) AS schema_id,
  CAST(c.table_oid AS INTEGER) AS parent_object_id, c.constraint_type, c.constraint_column_indexes AS idx, c.expression, CASE WHEN c.constraint_type = 'PRIMARY KEY' THEN 1 ELSE 100 + c.place END AS index_id
FROM (SELECT *, row_number() OVER (PARTITION BY table_oid ORDER BY constraint_index) AS place FROM fixture.internal.duck_constraints WHERE database_name = '{db}') c
LEFT JOIN fixture.internal.constraints n ON n.db = '{db}' AND n.sch = c.schema_name AND n.tab = c.table_name AND n.kind = c.constraint_type AND n.cols = c.constraint_column_names AND n.name IS NOT NULL
WHERE fixture.main.ms_seen(c.schema_name, c.table_name);

CREATE VIEW {db}.sys.ms_foreign AS
SELECT f.name, CAST(2000000000 + f.id AS INTEGER) AS object_id, f.sch, t.schema_id, t.object_id AS parent_object_id, r.object_id AS referenced_object_id, f.cols, f.rcols, f.on_delete, f.on_update
FROM fixture.internal.constraints f JOIN {db}.sys.ms_tables t ON t.sch = f.sch AND t.name = f.tab JOIN {db}.sys.ms_tables r ON r.sch = f.rsch AND r.name = f.rtab
WHERE f.db = '{db}' AND f.kind = 'FOREIGN KEY';

CREATE VIEW {db}.sys.ms_columns AS
SELECT CAST(c.table_oid AS INTEGER) AS object_id, c.column_name AS name, c.column_index AS column_id, c.schema_name AS sch, c.table_name AS tab,
  coalesce(d.name, t.name) AS type_name, coalesce(d.system_type_id, t.system_type_id) AS system_type_id, coalesce(d.user_type_id, t.user_type_id) AS user_type_id,
  coalesce(d.max_length, t.max_length) AS max_length, coalesce(d.precision, t.precision) AS precision, coalesce(d.scale, t.scale) AS scale,
  c.is_nullable, coalesce(d.is_identity, false) AS is_identity, d.computed, c.column_default, c.comment
FROM fixture.internal.duck_columns c LEFT JOIN fixture.internal.columns d ON d.db = '{db}' AND d.sch = c.schema_name AND d.tab = c.table_name AND d.col = c.column_name
LEFT JOIN fixture.internal.told t ON t.duck = c.data_type
WHERE c.database_name = '{db}' AND fixture.main.ms_seen(c.schema_name, c.table_name);

CREATE VIEW {db}.sys.ms_defaults AS
SELECT 'DF_' || tab || '_' || name AS name, CAST(500000000 + object_id * 1024 + column_id AS INTEGER) AS object_id, object_id AS parent_object_id, column_id AS parent_column_id, sch, column_default AS definition
FROM {db}.sys.ms_columns WHERE column_default IS NOT NULL AND computed IS NULL AND NOT is_identity AND NOT (column_default = 'NULL');

CREATE VIEW {db}.sys.objects AS
SELECT name, object_id, CAST(NULL AS INTEGER) AS principal_id, schema_id, 0 AS parent_object_id, 'U' AS type, 'USER_TABLE' AS type_desc, TIMESTAMP '2024-01-01' AS create_date, TIMESTAMP '2024-01-01' AS modify_date, false AS is_ms_shipped, false AS is_published, false AS is_schema_published FROM {db}.sys.ms_tables
UNION ALL SELECT name, object_id, NULL, schema_id, 0, 'V', 'VIEW', TIMESTAMP '2024-01-01', TIMESTAMP '2024-01-01', false, false, false FROM {db}.sys.ms_views
UNION ALL SELECT name, object_id, NULL, schema_id, parent_object_id, CASE constraint_type WHEN 'PRIMARY KEY' THEN 'PK' WHEN 'UNIQUE' THEN 'UQ' ELSE 'C' END, CASE constraint_type WHEN 'PRIMARY KEY' THEN 'PRIMARY_KEY_CONSTRAINT' WHEN 'UNIQUE' THEN 'UNIQUE_CONSTRAINT' ELSE 'CHECK_CONSTRAINT' END, TIMESTAMP '2024-01-01', TIMESTAMP '2024-01-01', false, false, false FROM {db}.sys.ms_keys
UNION ALL SELECT name, object_id, NULL, schema_id, parent_object_id, 'F', 'FOREIGN_KEY_CONSTRAINT', TIMESTAMP '2024-01-01', TIMESTAMP '2024-01-01', false, false, false FROM {db}.sys.ms_foreign;

CREATE VIEW {db}.sys.all_objects AS SELECT * FROM {db}.sys.objects;

CREATE VIEW {db}.sys.tables AS
SELECT o.*, 0 AS lob_data_space_id, CAST(NULL AS INTEGER) AS filestream_data_space_id, (SELECT max(column_id) FROM {db}.sys.ms_columns c WHERE c.object_id = o.object_id) AS max_column_id_used, false AS is_replicated, false AS is_memory_optimized, CAST(0 AS UTINYINT) AS durability, 'SCHEMA_AND_DATA' AS durability_desc, CAST(0 AS UTINYINT) AS temporal_type, 'NON_TEMPORAL_TABLE' AS temporal_type_desc, CAST(NULL AS INTEGER) AS history_table_id, false AS is_external, false AS is_filetable, false AS is_node, false AS is_edge, false AS is_tracked_by_cdc, CAST(0 AS UTINYINT) AS ledger_type
FROM {db}.sys.objects o WHERE o.type = 'U';

CREATE VIEW {db}.sys.views AS SELECT o.*, false AS is_replicated, false AS has_opaque_metadata, false AS with_check_option, false AS is_date_correlation_view FROM {db}.sys.objects o WHERE o.type = 'V';

CREATE VIEW {db}.sys.columns AS
SELECT object_id, name, column_id, system_type_id, user_type_id, max_length, precision, scale, CASE WHEN system_type_id IN (35, 99, 167, 175, 231, 239) THEN 'SQL_Latin1_General_CP1_CI_AS' END AS collation_name,
  is_nullable, true AS is_ansi_padded, false AS is_rowguidcol, is_identity, computed IS NOT NULL AS is_computed, false AS is_filestream, false AS is_replicated, false AS is_xml_document, 0 AS xml_collection_id,
  CASE WHEN column_default IS NOT NULL AND computed IS NULL AND NOT is_identity THEN CAST(500000000 + object_id * 1024 + column_id AS INTEGER) ELSE 0 END AS default_object_id, 0 AS rule_object_id, false AS is_sparse, false AS is_column_set,
  CAST(0 AS UTINYINT) AS generated_always_type, 'NOT_APPLICABLE' AS generated_always_type_desc, false AS is_hidden, false AS is_masked, CAST(NULL AS INTEGER) AS encryption_type
FROM {db}.sys.ms_columns;

CREATE VIEW {db}.sys.all_columns AS
SELECT object_id, name, column_id, system_type_id, user_type_id, max_length, precision, scale, is_nullable, is_identity, is_computed FROM {db}.sys.columns
UNION ALL SELECT CAST(-c.table_oid AS INTEGER), c.column_name, c.column_index, CAST(231 AS UTINYINT), 231, CAST(-1 AS SMALLINT), CAST(0 AS UTINYINT), CAST(0 AS UTINYINT), true, false, false FROM fixture.internal.duck_own c;

CREATE VIEW {db}.sys.computed_columns AS
SELECT c.*, m.computed AS definition, true AS uses_database_collation, false AS is_persisted FROM {db}.sys.columns c JOIN {db}.sys.ms_columns m ON m.object_id = c.object_id AND m.column_id = c.column_id WHERE m.computed IS NOT NULL;

CREATE VIEW {db}.sys.identity_columns AS SELECT c.*, CAST(1 AS BIGINT) AS seed_value, CAST(1 AS BIGINT) AS increment_value FROM {db}.sys.columns c WHERE c.is_identity;

CREATE VIEW {db}.sys.types AS SELECT *, false AS is_assembly_type, 0 AS default_object_id, true AS is_nullable, false AS is_table_type FROM fixture.internal.types;

CREATE VIEW {db}.sys.key_constraints AS
SELECT name, object_id, CAST(NULL AS INTEGER) AS principal_id, schema_id, parent_object_id, CASE constraint_type WHEN 'UNIQUE' THEN 'UQ' ELSE 'PK' END AS type, CASE constraint_type WHEN 'UNIQUE' THEN 'UNIQUE_CONSTRAINT' ELSE 'PRIMARY_KEY_CONSTRAINT' END AS type_desc, index_id AS unique_index_id, false AS is_system_named, true AS is_enforced
FROM {db}.sys.ms_keys WHERE constraint_type <> 'CHECK';

CREATE VIEW {db}.sys.check_constraints AS
SELECT name, object_id, schema_id, parent_object_id, 'C' AS type, 'CHECK_CONSTRAINT' AS type_desc, false AS is_disabled, false AS is_not_trusted, CASE WHEN len(idx) = 1 THEN CAST(idx[1] + 1 AS INTEGER) ELSE 0 END AS parent_column_id, expression AS definition, false AS is_system_named
FROM {db}.sys.ms_keys WHERE constraint_type = 'CHECK';

CREATE VIEW {db}.sys.default_constraints AS SELECT name, object_id, parent_object_id, parent_column_id, 'D' AS type, 'DEFAULT_CONSTRAINT' AS type_desc, '(' || definition || ')' AS definition, true AS is_system_named FROM {db}.sys.ms_defaults;

CREATE VIEW {db}.sys.ms_indexes AS
SELECT parent_object_id AS object_id, name, CAST(index_id AS INTEGER) AS index_id, constraint_type, true AS is_unique, list_transform(idx, lambda x: CAST(x + 1 AS INTEGER)) AS columns FROM {db}.sys.ms_keys WHERE constraint_type <> 'CHECK'
UNION ALL SELECT CAST(i.table_oid AS INTEGER), i.index_name, CAST(200 + row_number() OVER (PARTITION BY i.table_oid ORDER BY i.index_oid) AS INTEGER), 'INDEX', i.is_unique,
  (SELECT list(m.column_id ORDER BY list_position(e.names, m.name)) FROM {db}.sys.ms_columns m WHERE m.object_id = i.table_oid AND list_contains(e.names, m.name))
FROM fixture.internal.duck_indexes i, LATERAL (SELECT list_transform(string_split(trim(i.expressions, '[]'), ','), lambda x: trim(x, ' ''"')) AS names) e WHERE i.database_name = '{db}' AND fixture.main.ms_seen(i.schema_name, i.table_name);

CREATE VIEW {db}.sys.indexes AS
SELECT object_id, name, index_id, CAST(CASE WHEN index_id = 1 THEN 1 ELSE 2 END AS UTINYINT) AS type, CASE WHEN index_id = 1 THEN 'CLUSTERED' ELSE 'NONCLUSTERED' END AS type_desc, is_unique, 1 AS data_space_id, false AS ignore_dup_key, constraint_type = 'PRIMARY KEY' AS is_primary_key, constraint_type = 'UNIQUE' AS is_unique_constraint, false AS is_disabled, false AS is_hypothetical, false AS has_filter, CAST(NULL AS VARCHAR) AS filter_definition FROM {db}.sys.ms_indexes
UNION ALL SELECT t.object_id, NULL, 0, CAST(0 AS UTINYINT), 'HEAP', false, 1, false, false, false, false, false, false, NULL FROM {db}.sys.ms_tables t WHERE t.object_id NOT IN (SELECT parent_object_id FROM {db}.sys.ms_keys WHERE constraint_type = 'PRIMARY KEY');

CREATE VIEW {db}.sys.index_columns AS
SELECT object_id, index_id, place AS index_column_id, columns[place] AS column_id, CAST(place AS UTINYINT) AS key_ordinal, CAST(0 AS UTINYINT) AS partition_ordinal, false AS is_descending_key, false AS is_included_column, CAST(0 AS UTINYINT) AS column_store_order_ordinal
FROM (SELECT *, CAST(unnest(generate_series(1, len(columns))) AS INTEGER) AS place FROM {db}.sys.ms_indexes);

CREATE VIEW {db}.sys.foreign_keys AS
SELECT name, object_id, schema_id, parent_object_id, 'F' AS type, 'FOREIGN_KEY_CONSTRAINT' AS type_desc, referenced_object_id, 1 AS key_index_id, false AS is_disabled, false AS is_not_for_replication, false AS is_not_trusted, CAST(0 AS UTINYINT) AS delete_referential_action, on_delete AS delete_referential_action_desc, CAST(0 AS UTINYINT) AS update_referential_action, on_update AS update_referential_action_desc, false AS is_system_named
FROM {db}.sys.ms_foreign;

CREATE VIEW {db}.sys.foreign_key_columns AS
SELECT f.object_id AS constraint_object_id, f.place AS constraint_column_id, f.parent_object_id, c.column_id AS parent_column_id, f.referenced_object_id, r.column_id AS referenced_column_id
FROM (SELECT *, CAST(unnest(generate_series(1, len(cols))) AS INTEGER) AS place FROM {db}.sys.ms_foreign) f
JOIN {db}.sys.ms_columns c ON c.object_id = f.parent_object_id AND c.name = f.cols[f.place] JOIN {db}.sys.ms_columns r ON r.object_id = f.referenced_object_id AND r.name = f.rcols[f.place];

CREATE VIEW {db}.sys.sql_modules AS
SELECT v.object_id, m.definition, true AS uses_ansi_nulls, true AS uses_quoted_identifier, false AS is_schema_bound FROM {db}.sys.ms_views v LEFT JOIN fixture.internal.modules m ON m.db = '{db}' AND m.sch = v.sch AND m.name = v.name;

CREATE VIEW {db}.sys.extended_properties AS
SELECT CAST(1 AS UTINYINT) AS class, 'OBJECT_OR_COLUMN' AS class_desc, object_id AS major_id, 0 AS minor_id, 'MS_Description' AS name, comment AS value FROM (SELECT object_id, comment FROM {db}.sys.ms_tables UNION ALL SELECT object_id, comment FROM {db}.sys.ms_views) WHERE comment IS NOT NULL
UNION ALL SELECT CAST(1 AS UTINYINT), 'OBJECT_OR_COLUMN', object_id, column_id, 'MS_Description', comment FROM {db}.sys.ms_columns WHERE comment IS NOT NULL;

CREATE VIEW {db}.sys.partitions AS
SELECT CAST(object_id AS BIGINT) * 65536 + index_id AS partition_id, object_id, index_id, 1 AS partition_number, CAST(object_id AS BIGINT) * 65536 + index_id AS hobt_id, rows, CAST(0 AS UTINYINT) AS data_compression, 'NONE' AS data_compression_desc
FROM (SELECT i.object_id, i.index_id, t.rows FROM {db}.sys.indexes i JOIN {db}.sys.ms_tables t ON t.object_id = i.object_id);

-- Pages are reckoned from rows and the widths of columns.
CREATE VIEW {db}.sys.dm_db_partition_stats AS
SELECT p.partition_id, p.object_id, p.index_id, p.partition_number, g.pages AS in_row_data_page_count, g.pages AS in_row_used_page_count, g.pages AS in_row_reserved_page_count, CAST(0 AS BIGINT) AS lob_used_page_count, CAST(0 AS BIGINT) AS lob_reserved_page_count, g.pages AS used_page_count, g.pages AS reserved_page_count, p.rows AS row_count
FROM {db}.sys.partitions p JOIN (SELECT t.object_id, CAST(ceil(t.rows * w.width / CAST(8096 AS DOUBLE)) AS BIGINT) AS pages FROM {db}.sys.ms_tables t JOIN (SELECT object_id, sum(CASE WHEN max_length < 0 OR max_length > 40 THEN 40 ELSE max_length END) AS width FROM {db}.sys.ms_columns GROUP BY object_id) w ON w.object_id = t.object_id) g ON g.object_id = p.object_id;

CREATE VIEW {db}.sys.allocation_units AS SELECT partition_id AS allocation_unit_id, CAST(1 AS UTINYINT) AS type, 'IN_ROW_DATA' AS type_desc, partition_id AS container_id, 1 AS data_space_id, reserved_page_count AS total_pages, used_page_count AS used_pages, in_row_data_page_count AS data_pages FROM {db}.sys.dm_db_partition_stats;

CREATE VIEW {db}.sys.databases AS
SELECT name, database_id, CAST(NULL AS INTEGER) AS source_database_id, TIMESTAMP '2024-01-01' AS create_date, CAST(160 AS UTINYINT) AS compatibility_level, 'SQL_Latin1_General_CP1_CI_AS' AS collation_name, CAST(0 AS UTINYINT) AS user_access, 'MULTI_USER' AS user_access_desc, false AS is_read_only, CAST(0 AS UTINYINT) AS state, 'ONLINE' AS state_desc, CAST(1 AS UTINYINT) AS snapshot_isolation_state, 'ON' AS snapshot_isolation_state_desc, false AS is_read_committed_snapshot_on, false AS is_query_store_on FROM fixture.internal.databases;

CREATE VIEW {db}.sys.database_principals AS SELECT name, principal_id, type, type_desc, 'dbo' AS default_schema_name, is_fixed_role FROM fixture.internal.principals;
CREATE VIEW {db}.sys.database_role_members AS SELECT * FROM fixture.internal.members;
CREATE VIEW {db}.sys.time_zone_info AS SELECT * FROM fixture.internal.zones;
CREATE VIEW {db}.sys.database_query_store_options AS SELECT CAST(0 AS SMALLINT) AS desired_state, 'OFF' AS desired_state_desc, CAST(0 AS SMALLINT) AS actual_state, 'OFF' AS actual_state_desc;

CREATE VIEW {db}.sys.dm_exec_query_stats AS
SELECT unhex(lpad(CAST(id AS VARCHAR), 16, '0')) AS sql_handle, 0 AS statement_start_offset, -1 AS statement_end_offset, CAST(1 AS BIGINT) AS plan_generation_num, unhex(lpad(CAST(id AS VARCHAR), 16, '0')) AS plan_handle, begun AS creation_time, begun AS last_execution_time, n AS execution_count, took AS total_worker_time, took AS last_worker_time, took AS total_elapsed_time, took AS last_elapsed_time, took AS min_elapsed_time, took AS max_elapsed_time, CAST(0 AS BIGINT) AS total_logical_reads, CAST(0 AS BIGINT) AS total_rows, unhex(left(md5(text), 16)) AS query_hash
FROM (SELECT max(id) AS id, text, max(begun) AS begun, count(*) AS n, CAST(sum(took) AS BIGINT) AS took FROM fixture.internal.requests WHERE NOT failed GROUP BY text);

CREATE VIEW {db}.ischema.schemata AS SELECT '{db}' AS CATALOG_NAME, name AS SCHEMA_NAME, 'dbo' AS SCHEMA_OWNER FROM {db}.sys.schemas;
CREATE VIEW {db}.ischema.tables AS SELECT '{db}' AS TABLE_CATALOG, sch AS TABLE_SCHEMA, name AS TABLE_NAME, 'BASE TABLE' AS TABLE_TYPE FROM {db}.sys.ms_tables UNION ALL SELECT '{db}', sch, name, 'VIEW' FROM {db}.sys.ms_views;
CREATE VIEW {db}.ischema.views AS SELECT '{db}' AS TABLE_CATALOG, v.sch AS TABLE_SCHEMA, v.name AS TABLE_NAME, m.definition AS VIEW_DEFINITION, 'NONE' AS CHECK_OPTION, 'NO' AS IS_UPDATABLE FROM {db}.sys.ms_views v LEFT JOIN {db}.sys.sql_modules m ON m.object_id = v.object_id;
CREATE VIEW {db}.ischema.columns AS
SELECT '{db}' AS TABLE_CATALOG, sch AS TABLE_SCHEMA, tab AS TABLE_NAME, name AS COLUMN_NAME, column_id AS ORDINAL_POSITION, column_default AS COLUMN_DEFAULT, CASE WHEN is_nullable THEN 'YES' ELSE 'NO' END AS IS_NULLABLE, type_name AS DATA_TYPE,
  CASE WHEN type_name IN ('nchar', 'nvarchar') AND max_length > 0 THEN max_length // 2 WHEN type_name IN ('char', 'varchar', 'nchar', 'nvarchar', 'binary', 'varbinary') THEN max_length END AS CHARACTER_MAXIMUM_LENGTH,
  CASE WHEN type_name IN ('tinyint', 'smallint', 'int', 'bigint', 'decimal', 'numeric', 'money', 'smallmoney', 'float', 'real') THEN precision END AS NUMERIC_PRECISION, CASE WHEN type_name IN ('decimal', 'numeric', 'money', 'smallmoney', 'tinyint', 'smallint', 'int', 'bigint') THEN CAST(scale AS INTEGER) END AS NUMERIC_SCALE,
  CASE WHEN type_name IN ('datetime2', 'datetimeoffset', 'time', 'date', 'datetime', 'smalldatetime') THEN CAST(scale AS SMALLINT) END AS DATETIME_PRECISION FROM {db}.sys.ms_columns;
CREATE VIEW {db}.ischema.table_constraints AS
SELECT '{db}' AS CONSTRAINT_CATALOG, k.sch AS CONSTRAINT_SCHEMA, k.name AS CONSTRAINT_NAME, '{db}' AS TABLE_CATALOG, k.sch AS TABLE_SCHEMA, t.name AS TABLE_NAME, k.constraint_type AS CONSTRAINT_TYPE, 'NO' AS IS_DEFERRABLE, 'NO' AS INITIALLY_DEFERRED FROM {db}.sys.ms_keys k JOIN {db}.sys.ms_tables t ON t.object_id = k.parent_object_id
UNION ALL SELECT '{db}', f.sch, f.name, '{db}', f.sch, t.name, 'FOREIGN KEY', 'NO', 'NO' FROM {db}.sys.ms_foreign f JOIN {db}.sys.ms_tables t ON t.object_id = f.parent_object_id;
CREATE VIEW {db}.ischema.key_column_usage AS
SELECT '{db}' AS CONSTRAINT_CATALOG, k.sch AS CONSTRAINT_SCHEMA, k.name AS CONSTRAINT_NAME, '{db}' AS TABLE_CATALOG, c.sch AS TABLE_SCHEMA, c.tab AS TABLE_NAME, c.name AS COLUMN_NAME, k.place AS ORDINAL_POSITION
FROM (SELECT *, CAST(unnest(generate_series(1, len(idx))) AS INTEGER) AS place FROM {db}.sys.ms_keys WHERE constraint_type <> 'CHECK') k JOIN {db}.sys.ms_columns c ON c.object_id = k.parent_object_id AND c.column_id = k.idx[k.place] + 1
UNION ALL SELECT '{db}', f.sch, f.name, '{db}', c.sch, c.tab, c.name, f.place FROM (SELECT *, CAST(unnest(generate_series(1, len(cols))) AS INTEGER) AS place FROM {db}.sys.ms_foreign) f JOIN {db}.sys.ms_columns c ON c.object_id = f.parent_object_id AND c.name = f.cols[f.place];
