-- What the fixture knows beyond DuckDB's catalogue.
CREATE SCHEMA fixture.internal;
CREATE TABLE fixture.internal.types (name VARCHAR, system_type_id UTINYINT, user_type_id INTEGER, schema_id INTEGER, max_length SMALLINT, precision UTINYINT, scale UTINYINT, collation_name VARCHAR, is_user_defined BOOLEAN);
-- How a column of a type of DuckDB is told where it was not declared in T-SQL.
CREATE TABLE fixture.internal.told (duck VARCHAR PRIMARY KEY, name VARCHAR, system_type_id UTINYINT, user_type_id INTEGER, max_length SMALLINT, precision UTINYINT, scale UTINYINT);
CREATE TABLE fixture.internal.columns (db VARCHAR, sch VARCHAR, tab VARCHAR, col VARCHAR, type VARCHAR, name VARCHAR, system_type_id UTINYINT, user_type_id INTEGER, max_length SMALLINT, precision UTINYINT, scale UTINYINT, is_identity BOOLEAN, computed VARCHAR, PRIMARY KEY (db, sch, tab, col));
CREATE SEQUENCE fixture.internal.ids START 1;
CREATE TABLE fixture.internal.constraints (id INTEGER DEFAULT nextval('fixture.internal.ids'), db VARCHAR, sch VARCHAR, tab VARCHAR, name VARCHAR, kind VARCHAR, cols VARCHAR[], rsch VARCHAR, rtab VARCHAR, rcols VARCHAR[], on_delete VARCHAR, on_update VARCHAR);
CREATE TABLE fixture.internal.modules (db VARCHAR, sch VARCHAR, name VARCHAR, definition VARCHAR, PRIMARY KEY (db, sch, name));
CREATE TABLE fixture.internal.databases (name VARCHAR, database_id INTEGER);
CREATE TABLE fixture.internal.principals (name VARCHAR, principal_id INTEGER, type VARCHAR, type_desc VARCHAR, is_fixed_role BOOLEAN);
CREATE TABLE fixture.internal.members (role_principal_id INTEGER, member_principal_id INTEGER);
CREATE TABLE fixture.internal.zones (name VARCHAR, current_utc_offset VARCHAR, is_currently_dst BOOLEAN);
CREATE TABLE fixture.internal.requests (id INTEGER, session_id INTEGER, login VARCHAR, db VARCHAR, text VARCHAR, begun TIMESTAMP, took BIGINT, failed BOOLEAN);
CREATE MACRO fixture.main.ms_seen(sch, obj) AS NOT list_contains(coalesce(getvariable('ms_hidden'), CAST([] AS VARCHAR[])), lower(sch)) AND NOT list_contains(coalesce(getvariable('ms_hidden'), CAST([] AS VARCHAR[])), lower(sch || '.' || obj));
CREATE MACRO fixture.main.ms_schema_id(sch, oid) AS CAST(CASE sch WHEN 'dbo' THEN 1 WHEN 'sys' THEN 4 WHEN 'ischema' THEN 3 ELSE oid END AS INTEGER);
CREATE MACRO fixture.main.ms_schema_name(sch) AS CASE sch WHEN 'ischema' THEN 'INFORMATION_SCHEMA' ELSE sch END;
CREATE MACRO fixture.main.ms_sql_text(h) AS TABLE SELECT CAST(NULL AS SMALLINT) AS dbid, CAST(NULL AS INTEGER) AS objectid, CAST(NULL AS SMALLINT) AS number, false AS encrypted, r.text AS text FROM fixture.internal.requests r WHERE r.id = CAST(hex(h) AS INTEGER);
CREATE MACRO fixture.main.ms_plan_attributes(h) AS TABLE SELECT 'dbid' AS attribute, CAST(d.database_id AS VARCHAR) AS value, true AS is_cache_key FROM fixture.internal.requests r JOIN fixture.internal.databases d ON d.name = r.db WHERE r.id = CAST(hex(h) AS INTEGER);
-- Columns of DuckDB's own views, for sys.all_columns, which has thousands.
CREATE TABLE fixture.internal.duck_own AS SELECT table_oid, column_name, column_index FROM duckdb_columns() WHERE internal;
