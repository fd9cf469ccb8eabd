package sqlserver

// The queries about the account and the catalogue. Their number does not depend on
// how much there is. The views show an account what it has a right on.
const (
	serverSQL = `SELECT CAST(SERVERPROPERTY('ProductVersion') AS nvarchar(128)), CAST(SERVERPROPERTY('EngineEdition') AS int), SUSER_SNAME(), USER_NAME(),
DB_NAME(), SCHEMA_NAME(), (SELECT snapshot_isolation_state FROM sys.databases WHERE name = DB_NAME()),
CAST(DATABASEPROPERTYEX(DB_NAME(), 'Updateability') AS nvarchar(128)), HAS_PERMS_BY_NAME(DB_NAME(), 'DATABASE', 'SHOWPLAN')`

	// rightsSQL lists permissions, roles and, as permissions on a schema or on single
	// objects are none of the database, objects that the account may change: four results
	// of one batch, whose names have collations of their own.
	rightsSQL = `SELECT 'server', permission_name FROM sys.fn_my_permissions(NULL, 'SERVER');
SELECT 'database', permission_name FROM sys.fn_my_permissions(NULL, 'DATABASE');
SELECT 'role', r.name FROM (VALUES ('db_owner'), ('db_datawriter'), ('db_ddladmin'), ('db_securityadmin'), ('db_accessadmin'), ('db_backupoperator')) AS r (name)
WHERE IS_ROLEMEMBER(r.name) = 1
UNION ALL SELECT 'role', r.name FROM (VALUES ('sysadmin'), ('securityadmin'), ('serveradmin'), ('dbcreator'), ('bulkadmin')) AS r (name)
WHERE IS_SRVROLEMEMBER(r.name) = 1;
SELECT TOP (5) 'object', CONCAT(s.name, '.', o.name) FROM sys.objects o JOIN sys.schemas s ON s.schema_id = o.schema_id
WHERE o.type IN ('U', 'V') AND o.is_ms_shipped = 0
AND (HAS_PERMS_BY_NAME(CONCAT(QUOTENAME(s.name), '.', QUOTENAME(o.name)), 'OBJECT', 'INSERT') = 1
  OR HAS_PERMS_BY_NAME(CONCAT(QUOTENAME(s.name), '.', QUOTENAME(o.name)), 'OBJECT', 'UPDATE') = 1
  OR HAS_PERMS_BY_NAME(CONCAT(QUOTENAME(s.name), '.', QUOTENAME(o.name)), 'OBJECT', 'DELETE') = 1
  OR HAS_PERMS_BY_NAME(CONCAT(QUOTENAME(s.name), '.', QUOTENAME(o.name)), 'OBJECT', 'ALTER') = 1)`

	readableSQL = `SELECT s.name, o.name, RTRIM(o.type) FROM sys.objects o JOIN sys.schemas s ON s.schema_id = o.schema_id
WHERE o.type IN ('U', 'V') AND o.is_ms_shipped = 0
AND HAS_PERMS_BY_NAME(CONCAT(QUOTENAME(s.name), '.', QUOTENAME(o.name)), 'OBJECT', 'SELECT') = 1`

	tableNamesSQL = `SELECT CONCAT(s.name, '.', o.name) FROM sys.objects o JOIN sys.schemas s ON s.schema_id = o.schema_id WHERE o.type IN ('U', 'V') AND o.is_ms_shipped = 0`

	columnNamesSQL = `SELECT c.name FROM sys.columns c JOIN sys.objects o ON o.object_id = c.object_id WHERE o.type IN ('U', 'V') AND o.name IN ({names})`

	// Rows and pages are those of the heap or the clustered index.
	tablesSQL = `SELECT DB_NAME(), s.name, o.name,
CASE WHEN o.type = 'V' AND i.object_id IS NOT NULL THEN 'MATERIALIZED VIEW' WHEN o.type = 'V' THEN 'VIEW' WHEN t.is_external = 1 THEN 'EXTERNAL TABLE'
  WHEN p.parts > 1 THEN 'partitioned' ELSE 'BASE TABLE' END,
CAST(e.value AS nvarchar(4000)), p.total_rows, a.total_bytes, m.definition,
CASE WHEN HAS_PERMS_BY_NAME(CONCAT(QUOTENAME(s.name), '.', QUOTENAME(o.name)), 'OBJECT', 'SELECT') = 1 THEN NULL ELSE 'TABLE' END,
CASE WHEN t.temporal_type > 0 THEN LOWER(t.temporal_type_desc) END, CASE WHEN t.is_memory_optimized = 1 THEN 'true' END,
CASE WHEN p.parts > 1 THEN CAST(p.parts AS nvarchar(20)) END
FROM sys.objects o
JOIN sys.schemas s ON s.schema_id = o.schema_id
LEFT JOIN sys.tables t ON t.object_id = o.object_id
LEFT JOIN sys.indexes i ON i.object_id = o.object_id AND i.index_id = 1
LEFT JOIN sys.sql_modules m ON m.object_id = o.object_id
LEFT JOIN sys.extended_properties e ON e.class = 1 AND e.major_id = o.object_id AND e.minor_id = 0 AND e.name = 'MS_Description'
LEFT JOIN (SELECT object_id, SUM(rows) AS total_rows, COUNT(*) AS parts FROM sys.partitions WHERE index_id IN (0, 1) GROUP BY object_id) p ON p.object_id = o.object_id
LEFT JOIN (SELECT q.object_id, SUM(u.total_pages) * 8192 AS total_bytes FROM sys.partitions q JOIN sys.allocation_units u ON u.container_id = q.partition_id
  WHERE q.index_id IN (0, 1) GROUP BY q.object_id) a ON a.object_id = o.object_id
WHERE o.type IN ('U', 'V') AND o.is_ms_shipped = 0
ORDER BY s.name, o.name`

	// A type of users shows as what it is made of; those of assemblies, such as
	// geography, are made of nothing else.
	columnsSQL = `SELECT DB_NAME(), s.name, o.name, c.name,
CASE WHEN COALESCE(b.name, y.name) IN ('nvarchar', 'nchar') AND c.max_length > 0 THEN CONCAT(COALESCE(b.name, y.name), '(', c.max_length / 2, ')')
  WHEN COALESCE(b.name, y.name) IN ('nvarchar', 'varchar', 'varbinary') AND c.max_length = -1 THEN CONCAT(COALESCE(b.name, y.name), '(max)')
  WHEN COALESCE(b.name, y.name) IN ('varchar', 'char', 'varbinary', 'binary') THEN CONCAT(COALESCE(b.name, y.name), '(', c.max_length, ')')
  WHEN COALESCE(b.name, y.name) IN ('decimal', 'numeric') THEN CONCAT(COALESCE(b.name, y.name), '(', c.precision, ',', c.scale, ')')
  WHEN COALESCE(b.name, y.name) IN ('datetime2', 'datetimeoffset', 'time') THEN CONCAT(COALESCE(b.name, y.name), '(', c.scale, ')')
  ELSE COALESCE(b.name, y.name) END,
CASE WHEN c.is_nullable = 1 THEN 'YES' ELSE 'NO' END, d.definition, CAST(e.value AS nvarchar(4000)),
CASE WHEN c.is_computed = 1 THEN 'ALWAYS' ELSE 'NEVER' END,
CASE WHEN c.is_identity = 1 THEN 'true' END, CASE WHEN c.is_masked = 1 THEN 'true' END
FROM sys.columns c
JOIN sys.objects o ON o.object_id = c.object_id
JOIN sys.schemas s ON s.schema_id = o.schema_id
JOIN sys.types y ON y.user_type_id = c.user_type_id
LEFT JOIN sys.types b ON b.user_type_id = c.system_type_id
LEFT JOIN sys.default_constraints d ON d.object_id = c.default_object_id
LEFT JOIN sys.extended_properties e ON e.class = 1 AND e.major_id = c.object_id AND e.minor_id = c.column_id AND e.name = 'MS_Description'
WHERE o.type IN ('U', 'V') AND o.is_ms_shipped = 0 AND {which}
ORDER BY s.name, o.name, c.column_id`

	// Unique indexes are keys, constraints or not; a clustered index that is neither
	// says how the rows lie.
	keysSQL = `SELECT DB_NAME(), s.name, o.name, i.name, CASE WHEN i.is_primary_key = 1 THEN 'PRIMARY KEY' WHEN i.is_unique = 1 THEN 'UNIQUE' ELSE 'CLUSTER KEY' END,
  c.name, CAST(ic.key_ordinal AS int), NULL, NULL, NULL, NULL, CASE WHEN i.is_disabled = 0 THEN 'YES' ELSE 'NO' END
FROM sys.indexes i JOIN sys.objects o ON o.object_id = i.object_id JOIN sys.schemas s ON s.schema_id = o.schema_id
JOIN sys.index_columns ic ON ic.object_id = i.object_id AND ic.index_id = i.index_id AND ic.key_ordinal > 0
JOIN sys.columns c ON c.object_id = ic.object_id AND c.column_id = ic.column_id
WHERE o.type IN ('U', 'V') AND o.is_ms_shipped = 0 AND (i.is_unique = 1 AND i.has_filter = 0 OR i.is_unique = 0 AND i.index_id = 1)
UNION ALL
SELECT DB_NAME(), s.name, o.name, f.name, 'FOREIGN KEY', c.name, CAST(k.constraint_column_id AS int), DB_NAME(), rs.name, ro.name, rc.name,
  CASE WHEN f.is_disabled = 0 AND f.is_not_trusted = 0 THEN 'YES' ELSE 'NO' END
FROM sys.foreign_keys f JOIN sys.objects o ON o.object_id = f.parent_object_id JOIN sys.schemas s ON s.schema_id = o.schema_id
JOIN sys.foreign_key_columns k ON k.constraint_object_id = f.object_id
JOIN sys.columns c ON c.object_id = k.parent_object_id AND c.column_id = k.parent_column_id
JOIN sys.objects ro ON ro.object_id = k.referenced_object_id JOIN sys.schemas rs ON rs.schema_id = ro.schema_id
JOIN sys.columns rc ON rc.object_id = k.referenced_object_id AND rc.column_id = k.referenced_column_id
UNION ALL
SELECT DB_NAME(), s.name, o.name, i.name, 'PARTITION KEY', c.name, CAST(ic.partition_ordinal AS int), NULL, NULL, NULL, NULL, 'YES'
FROM sys.indexes i JOIN sys.objects o ON o.object_id = i.object_id JOIN sys.schemas s ON s.schema_id = o.schema_id
JOIN sys.index_columns ic ON ic.object_id = i.object_id AND ic.index_id = i.index_id AND ic.partition_ordinal > 0
JOIN sys.columns c ON c.object_id = ic.object_id AND c.column_id = ic.column_id
WHERE o.type IN ('U', 'V') AND o.is_ms_shipped = 0 AND i.index_id IN (0, 1)
ORDER BY 2, 3, 5, 4, 7`

	// sizeSQL is of one table: its kind, rows and bytes.
	sizeSQL = `SELECT RTRIM(o.type), (SELECT SUM(p.rows) FROM sys.partitions p WHERE p.object_id = o.object_id AND p.index_id IN (0, 1)),
(SELECT SUM(u.total_pages) * 8192 FROM sys.partitions p JOIN sys.allocation_units u ON u.container_id = p.partition_id WHERE p.object_id = o.object_id AND p.index_id IN (0, 1))
FROM sys.objects o WHERE o.object_id = OBJECT_ID({name})`

	// logSQL lists statements that are still in the cache of plans, one row each. The
	// server's clock shows local time.
	logSQL = `SELECT TOP ({n}) q.query_hash,
SUBSTRING(t.text, q.statement_start_offset / 2 + 1, (CASE q.statement_end_offset WHEN -1 THEN DATALENGTH(t.text) ELSE q.statement_end_offset END - q.statement_start_offset) / 2 + 1),
q.execution_count, q.total_elapsed_time, q.total_rows,
DATEADD(minute, DATEDIFF(minute, SYSDATETIME(), SYSUTCDATETIME()), CAST(q.creation_time AS datetime2(3))),
DATEADD(minute, DATEDIFF(minute, SYSDATETIME(), SYSUTCDATETIME()), CAST(q.last_execution_time AS datetime2(3)))
FROM sys.dm_exec_query_stats q CROSS APPLY sys.dm_exec_sql_text(q.sql_handle) t CROSS APPLY sys.dm_exec_plan_attributes(q.plan_handle) a
WHERE a.attribute = 'dbid' AND CAST(a.value AS int) = DB_ID() AND t.text LIKE '%SELECT%FROM%' AND t.text NOT LIKE '%sys.%'
AND DATEADD(minute, DATEDIFF(minute, SYSDATETIME(), SYSUTCDATETIME()), CAST(q.last_execution_time AS datetime2(3))) BETWEEN {since} AND {until}
ORDER BY q.last_execution_time DESC, q.query_hash`
)
