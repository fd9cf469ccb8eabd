-- The service's own views and functions over DuckDB's catalogue. p_db is a database,
-- p_role the role that looks.
CREATE TABLE memory.sf.denied (role VARCHAR, schema VARCHAR);
CREATE TABLE memory.sf.facts (database_name VARCHAR, schema_name VARCHAR, table_name VARCHAR, cluster_by VARCHAR, transient VARCHAR,
  PRIMARY KEY (database_name, schema_name, table_name));
CREATE TABLE memory.sf.structured (database_name VARCHAR, schema_name VARCHAR, table_name VARCHAR, column_name VARCHAR, declared VARCHAR, id VARCHAR);
CREATE TABLE memory.sf.parts (database_name VARCHAR, schema_name VARCHAR, table_name VARCHAR, kind VARCHAR, owner VARCHAR, name VARCHAR, position INTEGER,
  data_type VARCHAR, "precision" INTEGER, scale INTEGER, id VARCHAR);
CREATE TABLE memory.sf.grants (role VARCHAR, privilege VARCHAR, granted_on VARCHAR, name VARCHAR);
CREATE TABLE memory.sf.functions (name VARCHAR);
CREATE TABLE memory.sf.history (QUERY_ID VARCHAR, QUERY_TEXT VARCHAR, DATABASE_NAME VARCHAR, SCHEMA_NAME VARCHAR, QUERY_TYPE VARCHAR,
  SESSION_ID DECIMAL(38,0), USER_NAME VARCHAR, ROLE_NAME VARCHAR, WAREHOUSE_NAME VARCHAR, QUERY_TAG VARCHAR, EXECUTION_STATUS VARCHAR,
  ERROR_CODE VARCHAR, ERROR_MESSAGE VARCHAR, START_TIME STRUCT(ltz TIMESTAMP_NS), END_TIME STRUCT(ltz TIMESTAMP_NS),
  TOTAL_ELAPSED_TIME DECIMAL(38,0), BYTES_SCANNED DECIMAL(38,0), ROWS_PRODUCED DECIMAL(38,0), QUERY_HASH VARCHAR, QUERY_PARAMETERIZED_HASH VARCHAR);

CREATE MACRO memory.sf.since() AS struct_pack(ltz := TIMESTAMP_NS '2024-01-01 00:00:00');
CREATE MACRO memory.sf.databases() AS TABLE
  SELECT database_name AS name FROM duckdb_databases() WHERE NOT internal AND database_name <> 'memory';
CREATE MACRO memory.sf.seen(p_db, p_role) AS TABLE
  SELECT schema_name AS name, comment FROM duckdb_schemas() s
  WHERE database_name = p_db AND schema_name NOT IN ('main', 'information_schema', 'pg_catalog')
    AND NOT EXISTS (SELECT 1 FROM memory.sf.denied d WHERE d.role = p_role AND d.schema = p_db || '.' || s.schema_name);

CREATE MACRO memory.sf.tables(p_db, p_role) AS TABLE
  SELECT t.database_name AS TABLE_CATALOG, t.schema_name AS TABLE_SCHEMA, t.table_name AS TABLE_NAME, 'ADMIN' AS TABLE_OWNER,
    'BASE TABLE' AS TABLE_TYPE, coalesce(f.transient, 'NO') AS IS_TRANSIENT, f.cluster_by AS CLUSTERING_KEY,
    CAST(t.estimated_size AS DECIMAL(38,0)) AS ROW_COUNT, CAST(1024 * t.estimated_size AS DECIMAL(38,0)) AS BYTES,
    CAST(1 AS DECIMAL(38,0)) AS RETENTION_TIME, memory.sf.since() AS CREATED, memory.sf.since() AS LAST_ALTERED,
    'YES' AS IS_INSERTABLE_INTO, 'NO' AS IS_TEMPORARY, 'NO' AS IS_ICEBERG, 'NO' AS IS_DYNAMIC, 'NO' AS IS_HYBRID, 'NO' AS IS_IMMUTABLE,
    'NO' AS AUTO_CLUSTERING_ON, CAST(t.comment AS VARCHAR) AS COMMENT
  FROM duckdb_tables() t JOIN memory.sf.seen(p_db, p_role) s ON s.name = t.schema_name
  LEFT JOIN memory.sf.facts f ON f.database_name = t.database_name AND f.schema_name = t.schema_name AND f.table_name = t.table_name
  WHERE t.database_name = p_db
  UNION ALL
  SELECT v.database_name, v.schema_name, v.view_name, 'ADMIN', 'VIEW', NULL, NULL, NULL, NULL, NULL, memory.sf.since(), memory.sf.since(),
    'NO', 'NO', 'NO', 'NO', 'NO', 'NO', NULL, CAST(v.comment AS VARCHAR)
  FROM duckdb_views() v JOIN memory.sf.seen(p_db, p_role) s ON s.name = v.schema_name WHERE v.database_name = p_db
  UNION ALL
  SELECT p_db, 'INFORMATION_SCHEMA', n, NULL, 'VIEW', NULL, NULL, NULL, NULL, NULL, memory.sf.since(), memory.sf.since(),
    'NO', 'NO', 'NO', 'NO', 'NO', 'NO', NULL, NULL
  FROM (VALUES ('TABLES'), ('COLUMNS'), ('VIEWS'), ('SCHEMATA'), ('DATABASES'), ('TABLE_CONSTRAINTS'), ('REFERENTIAL_CONSTRAINTS'), ('FIELDS'), ('ELEMENT_TYPES')) i(n);

CREATE MACRO memory.sf.views(p_db, p_role) AS TABLE
  SELECT v.database_name AS TABLE_CATALOG, v.schema_name AS TABLE_SCHEMA, v.view_name AS TABLE_NAME, 'ADMIN' AS TABLE_OWNER,
    v.sql AS VIEW_DEFINITION, 'NONE' AS CHECK_OPTION, 'NO' AS IS_UPDATABLE, 'NO' AS INSERTABLE_INTO, 'NO' AS IS_SECURE,
    memory.sf.since() AS CREATED, memory.sf.since() AS LAST_ALTERED, CAST(v.comment AS VARCHAR) AS COMMENT
  FROM duckdb_views() v JOIN memory.sf.seen(p_db, p_role) s ON s.name = v.schema_name WHERE v.database_name = p_db;

CREATE MACRO memory.sf.columns(p_db, p_role) AS TABLE
  SELECT TABLE_CATALOG, TABLE_SCHEMA, TABLE_NAME, COLUMN_NAME, ORDINAL_POSITION, COLUMN_DEFAULT, IS_NULLABLE, DATA_TYPE,
    CAST(CASE DATA_TYPE WHEN 'TEXT' THEN 16777216 WHEN 'BINARY' THEN 8388608 END AS DECIMAL(38,0)) AS CHARACTER_MAXIMUM_LENGTH,
    CAST(CASE DATA_TYPE WHEN 'TEXT' THEN 16777216 WHEN 'BINARY' THEN 8388608 END AS DECIMAL(38,0)) AS CHARACTER_OCTET_LENGTH,
    CAST(CASE WHEN DATA_TYPE <> 'NUMBER' THEN NULL WHEN native LIKE 'DECIMAL(%' THEN regexp_extract(native, '\((\d+),', 1) ELSE '38' END AS DECIMAL(38,0)) AS NUMERIC_PRECISION,
    CAST(CASE WHEN DATA_TYPE = 'NUMBER' THEN 10 END AS DECIMAL(38,0)) AS NUMERIC_PRECISION_RADIX,
    CAST(CASE WHEN DATA_TYPE <> 'NUMBER' THEN NULL WHEN native LIKE 'DECIMAL(%' THEN regexp_extract(native, ',(\d+)\)', 1) ELSE '0' END AS DECIMAL(38,0)) AS NUMERIC_SCALE,
    CAST(CASE native WHEN 'TIMESTAMP_S' THEN 0 WHEN 'TIMESTAMP_MS' THEN 3 WHEN 'TIMESTAMP' THEN 6 WHEN 'TIME' THEN 6 WHEN 'TIMESTAMP WITH TIME ZONE' THEN 6
      ELSE CASE WHEN DATA_TYPE LIKE 'TIME%' THEN 9 END END AS DECIMAL(38,0)) AS DATETIME_PRECISION,
    CAST(NULL AS VARCHAR) AS COLLATION_NAME, 'NO' AS IS_IDENTITY, DTD_IDENTIFIER, COMMENT
  FROM (SELECT c.database_name AS TABLE_CATALOG, c.schema_name AS TABLE_SCHEMA, c.table_name AS TABLE_NAME, c.column_name AS COLUMN_NAME,
      CAST(c.column_index AS DECIMAL(38,0)) AS ORDINAL_POSITION, c.column_default AS COLUMN_DEFAULT,
      CASE WHEN c.is_nullable THEN 'YES' ELSE 'NO' END AS IS_NULLABLE, CAST(c.comment AS VARCHAR) AS COMMENT, replace(c.data_type, '"', '') AS native,
      CASE WHEN native LIKE '%]' OR native = 'STRUCT(array JSON)' THEN 'ARRAY' WHEN native LIKE 'MAP(%' THEN 'MAP'
        WHEN native LIKE 'DECIMAL(%' OR native LIKE '%INT' OR native LIKE '%INTEGER' THEN 'NUMBER' WHEN native IN ('DOUBLE', 'FLOAT') THEN 'FLOAT'
        WHEN native = 'VARCHAR' THEN 'TEXT' WHEN native = 'BLOB' THEN 'BINARY' WHEN native = 'TIME_NS' THEN 'TIME'
        WHEN native = 'TIMESTAMP WITH TIME ZONE' OR native = 'STRUCT(ltz TIMESTAMP_NS)' THEN 'TIMESTAMP_LTZ'
        WHEN native LIKE 'TIMESTAMP%' THEN 'TIMESTAMP_NTZ' WHEN native LIKE 'STRUCT(tz %' THEN 'TIMESTAMP_TZ' WHEN native = 'JSON' THEN 'VARIANT'
        WHEN native = 'STRUCT(geography VARCHAR)' THEN 'GEOGRAPHY' WHEN native LIKE 'STRUCT(%' THEN 'OBJECT' WHEN native IN ('BOOLEAN', 'DATE', 'TIME') THEN native ELSE 'TEXT' END AS DATA_TYPE,
      d.id AS DTD_IDENTIFIER
    FROM duckdb_columns() c JOIN memory.sf.seen(p_db, p_role) s ON s.name = c.schema_name
    LEFT JOIN memory.sf.structured d ON d.database_name = c.database_name AND d.schema_name = c.schema_name AND d.table_name = c.table_name
      AND d.column_name = c.column_name AND d.declared = replace(c.data_type, '"', '')
    WHERE c.database_name = p_db);

-- The parts of structured types, by the kind of their owner.
CREATE MACRO memory.sf.parts_of(p_db, p_role, p_kind) AS TABLE
  SELECT p.database_name AS OBJECT_CATALOG, p.schema_name AS OBJECT_SCHEMA, p.table_name AS OBJECT_NAME, 'TABLE' AS OBJECT_TYPE,
    p.owner AS OWNER, p.name AS FIELD_NAME, CAST(p.position AS DECIMAL(38,0)) AS ORDINAL_POSITION, p.data_type AS DATA_TYPE,
    CAST(CASE p.data_type WHEN 'TEXT' THEN 16777216 END AS DECIMAL(38,0)) AS CHARACTER_MAXIMUM_LENGTH,
    CAST(CASE p.data_type WHEN 'TEXT' THEN 16777216 END AS DECIMAL(38,0)) AS CHARACTER_OCTET_LENGTH,
    CAST(p."precision" AS DECIMAL(38,0)) AS NUMERIC_PRECISION, CAST(CASE WHEN p."precision" IS NOT NULL THEN 10 END AS DECIMAL(38,0)) AS NUMERIC_PRECISION_RADIX,
    CAST(p.scale AS DECIMAL(38,0)) AS NUMERIC_SCALE, CAST(NULL AS DECIMAL(38,0)) AS DATETIME_PRECISION, p.id AS DTD_IDENTIFIER
  FROM memory.sf.parts p JOIN memory.sf.seen(p_db, p_role) s ON s.name = p.schema_name
  WHERE p.database_name = p_db AND p.kind = p_kind AND EXISTS (SELECT 1 FROM duckdb_tables() t
    WHERE t.database_name = p.database_name AND t.schema_name = p.schema_name AND t.table_name = p.table_name);
CREATE MACRO memory.sf.fields(p_db, p_role) AS TABLE
  SELECT OWNER AS ROW_IDENTIFIER, * EXCLUDE (OWNER) FROM memory.sf.parts_of(p_db, p_role, 'field');
CREATE MACRO memory.sf.element_types(p_db, p_role) AS TABLE
  SELECT OWNER AS COLLECTION_TYPE_IDENTIFIER, * EXCLUDE (OWNER, FIELD_NAME, ORDINAL_POSITION) FROM memory.sf.parts_of(p_db, p_role, 'element');

CREATE MACRO memory.sf.schemata(p_db, p_role) AS TABLE
  SELECT p_db AS CATALOG_NAME, name AS SCHEMA_NAME, 'ADMIN' AS SCHEMA_OWNER, 'NO' AS IS_TRANSIENT, memory.sf.since() AS CREATED,
    memory.sf.since() AS LAST_ALTERED, CAST(comment AS VARCHAR) AS COMMENT FROM memory.sf.seen(p_db, p_role)
  UNION ALL SELECT p_db, 'INFORMATION_SCHEMA', NULL, 'NO', memory.sf.since(), memory.sf.since(), 'Views describing the contents of schemas in this database';
CREATE MACRO memory.sf.information_databases(p_db, p_role) AS TABLE
  SELECT name AS DATABASE_NAME, 'ADMIN' AS DATABASE_OWNER, 'NO' AS IS_TRANSIENT, CAST(NULL AS VARCHAR) AS COMMENT, memory.sf.since() AS CREATED
  FROM memory.sf.databases();
CREATE MACRO memory.sf.constraints(p_db, p_role) AS TABLE
  SELECT c.*, coalesce(c.constraint_name, 'SYS_CONSTRAINT_' || c.table_oid || '_' || c.constraint_index) AS name
  FROM duckdb_constraints() c JOIN memory.sf.seen(p_db, p_role) s ON s.name = c.schema_name
  WHERE c.database_name = p_db AND c.constraint_type IN ('PRIMARY KEY', 'UNIQUE', 'FOREIGN KEY');
CREATE MACRO memory.sf.table_constraints(p_db, p_role) AS TABLE
  SELECT database_name AS CONSTRAINT_CATALOG, schema_name AS CONSTRAINT_SCHEMA, name AS CONSTRAINT_NAME, database_name AS TABLE_CATALOG,
    schema_name AS TABLE_SCHEMA, table_name AS TABLE_NAME, constraint_type AS CONSTRAINT_TYPE, 'NO' AS IS_DEFERRABLE, 'YES' AS INITIALLY_DEFERRED,
    'NO' AS ENFORCED, CAST(NULL AS VARCHAR) AS COMMENT FROM memory.sf.constraints(p_db, p_role);

CREATE MACRO memory.sf.keys(p_db, p_role, p_type) AS TABLE
  SELECT memory.sf.since() AS created_on, database_name, schema_name, table_name, column_name, key_sequence, constraint_name, rely, "comment" FROM (
    SELECT database_name, schema_name, table_name, unnest(constraint_column_names) AS column_name,
      CAST(unnest(range(1, len(constraint_column_names) + 1)) AS DECIMAL(38,0)) AS key_sequence, name AS constraint_name, 'false' AS rely, CAST(NULL AS VARCHAR) AS "comment"
    FROM memory.sf.constraints(p_db, p_role) WHERE constraint_type = p_type);
CREATE MACRO memory.sf.imported(p_db, p_role) AS TABLE
  SELECT memory.sf.since() AS created_on, database_name AS pk_database_name, schema_name AS pk_schema_name, pk_table_name, pk_column_name,
    database_name AS fk_database_name, schema_name AS fk_schema_name, fk_table_name, fk_column_name, key_sequence, 'NO ACTION' AS update_rule,
    'NO ACTION' AS delete_rule, fk_name, pk_name, 'NOT DEFERRABLE' AS deferrability, 'false' AS rely, CAST(NULL AS VARCHAR) AS "comment" FROM (
    SELECT c.database_name, c.schema_name, c.table_name AS fk_table_name, c.referenced_table AS pk_table_name, c.name AS fk_name,
      unnest(c.referenced_column_names) AS pk_column_name, unnest(c.constraint_column_names) AS fk_column_name,
      CAST(unnest(range(1, len(c.constraint_column_names) + 1)) AS DECIMAL(38,0)) AS key_sequence,
      (SELECT min(p.name) FROM memory.sf.constraints(p_db, p_role) p WHERE p.schema_name = c.schema_name AND p.table_name = c.referenced_table
        AND p.constraint_column_names = c.referenced_column_names) AS pk_name
    FROM memory.sf.constraints(p_db, p_role) c WHERE c.constraint_type = 'FOREIGN KEY');

-- What a role holds: Admin owns everything, others read what is not denied to them.
CREATE MACRO memory.sf.held(p_role) AS TABLE
  SELECT privilege, granted_on, name FROM memory.sf.grants WHERE role = p_role
  UNION ALL SELECT CASE WHEN p_role = 'ADMIN' THEN 'OWNERSHIP' ELSE 'USAGE' END, 'DATABASE', name FROM memory.sf.databases() WHERE p_role <> 'PUBLIC'
  UNION ALL SELECT CASE WHEN p_role = 'ADMIN' THEN 'OWNERSHIP' ELSE 'USAGE' END, 'SCHEMA', s.database_name || '.' || s.schema_name FROM duckdb_schemas() s
    WHERE p_role <> 'PUBLIC' AND s.database_name IN (SELECT name FROM memory.sf.databases()) AND s.schema_name NOT IN ('main', 'information_schema', 'pg_catalog')
      AND NOT EXISTS (SELECT 1 FROM memory.sf.denied d WHERE d.role = p_role AND d.schema = s.database_name || '.' || s.schema_name)
  UNION ALL SELECT CASE WHEN p_role = 'ADMIN' THEN 'OWNERSHIP' ELSE 'SELECT' END, 'TABLE', s.database_name || '.' || s.schema_name || '.' || s.table_name FROM duckdb_tables() s
    WHERE p_role <> 'PUBLIC' AND s.database_name IN (SELECT name FROM memory.sf.databases())
      AND NOT EXISTS (SELECT 1 FROM memory.sf.denied d WHERE d.role = p_role AND d.schema = s.database_name || '.' || s.schema_name);

CREATE MACRO memory.sf.query_history(end_time_range_start := NULL, end_time_range_end := NULL, result_limit := 100, include_client_generated_statement := false) AS TABLE
  SELECT * FROM memory.sf.history h
  WHERE (end_time_range_start IS NULL OR sf_instant(h.END_TIME) >= sf_instant(end_time_range_start))
    AND (end_time_range_end IS NULL OR sf_instant(h.END_TIME) <= sf_instant(end_time_range_end))
  ORDER BY h.START_TIME DESC LIMIT result_limit;
CREATE MACRO memory.sf.account_history() AS TABLE SELECT * FROM memory.sf.history;
