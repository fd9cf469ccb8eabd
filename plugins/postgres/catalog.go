package postgres

// The queries of a scan. Their number does not depend on how much there is to
// scan; each reads its system tables once. Estimates are what ANALYZE and VACUUM
// left in pg_class: asking for sizes would wait for locks.

// relationsSQL is Catalog.Tables for the schemas $1, none = all but the system's:
// in the order of their OIDs, which come last. $2 asks for definitions, $3 for
// comments. Partitions belong to their parent, which counts their rows.
const relationsSQL = `
WITH RECURSIVE part (root, oid) AS (
  SELECT c.oid, i.inhrelid
  FROM pg_catalog.pg_class c JOIN pg_catalog.pg_inherits i ON i.inhparent = c.oid
  WHERE c.relkind = 'p' AND NOT c.relispartition
  UNION ALL
  SELECT part.root, i.inhrelid FROM part JOIN pg_catalog.pg_inherits i ON i.inhparent = part.oid
), parts AS (
  SELECT part.root, pg_catalog.sum(c.reltuples) AS tuples, pg_catalog.sum(c.relpages) AS pages, pg_catalog.bool_and(c.reltuples >= 0 AND c.relpages >= 0) AS known
  FROM part JOIN pg_catalog.pg_class c ON c.oid = part.oid WHERE c.relkind <> 'p' GROUP BY part.root
)
SELECT NULL, n.nspname, c.relname,
  CASE c.relkind WHEN 'r' THEN 'table' WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized_view' WHEN 'f' THEN 'external' ELSE 'partitioned' END,
  CASE WHEN $3 THEN d.description END,
  CASE WHEN c.relkind = 'p' THEN CASE WHEN parts.known THEN parts.tuples END
    WHEN c.relkind <> 'v' AND c.reltuples >= 0 AND (c.reltuples > 0 OR c.relpages > 0) THEN c.reltuples END::bigint,
  pg_catalog.current_setting('block_size')::bigint * CASE WHEN c.relkind = 'p' THEN CASE WHEN parts.known THEN parts.pages END
    WHEN c.relkind NOT IN ('v', 'f') AND c.relpages > 0 THEN c.relpages + COALESCE(toast.relpages, 0) END::bigint,
  CASE WHEN $2 AND c.relkind IN ('v', 'm') THEN pg_catalog.pg_get_viewdef(c.oid, true) END,
  CASE WHEN NOT pg_catalog.has_schema_privilege(n.oid, 'USAGE') THEN 'SCHEMA'
    WHEN NOT (pg_catalog.has_table_privilege(c.oid, 'SELECT') OR pg_catalog.has_any_column_privilege(c.oid, 'SELECT')) THEN 'TABLE' END,
  CASE WHEN c.relkind = 'p' THEN pg_catalog.pg_get_partkeydef(c.oid) END, fs.srvname,
  CASE WHEN c.relpersistence = 'u' THEN 'true' END, CASE WHEN c.relrowsecurity THEN 'true' END,
  c.oid
FROM pg_catalog.pg_class c
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
LEFT JOIN parts ON parts.root = c.oid
LEFT JOIN pg_catalog.pg_class toast ON toast.oid = c.reltoastrelid
LEFT JOIN pg_catalog.pg_description d ON d.objoid = c.oid AND d.classoid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.objsubid = 0
LEFT JOIN pg_catalog.pg_foreign_table ft ON ft.ftrelid = c.oid
LEFT JOIN pg_catalog.pg_foreign_server fs ON fs.oid = ft.ftserver
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
  AND n.nspname !~ '^pg_(toast|temp)' AND (n.nspname = ANY ($1::pg_catalog.text[])
    OR $1::pg_catalog.text[] = '{}' AND n.nspname NOT IN ('pg_catalog', 'information_schema'))
ORDER BY c.oid`

// columnTypesSQL lists the types of the columns of the relations $1.
const columnTypesSQL = `
SELECT DISTINCT a.atttypid, pg_catalog.format_type(a.atttypid, a.atttypmod)
FROM pg_catalog.unnest($1::pg_catalog.oid[]) AS c (oid) JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid
WHERE a.attnum > 0 AND NOT a.attisdropped`

// columnsSQL is Catalog.Columns for the relations $1, in their order. $2 asks for
// comments.
const columnsSQL = columnsOf + `
ORDER BY a.attrelid, a.attnum`

// stampsSQL is Catalog.Stamps for the relations $1: the server hashes the rows of
// columnsSQL. Whatever they depend on is in them, names of types and sequences,
// rights and the search path included; the versions of the system tables' own
// rows (xmin) would miss those.
const stampsSQL = `
SELECT NULL, c.nspname, c.relname, pg_catalog.sum(pg_catalog.hashtextextended(c::pg_catalog.text, 0))
FROM (` + columnsOf + `) AS c GROUP BY c.nspname, c.relname`

// columnsOf ends with the types' OIDs and the columns' numbers.
const columnsOf = `
SELECT NULL, n.nspname, c.relname, a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod),
  CASE WHEN NOT a.attnotnull THEN 'YES' END, pg_catalog.pg_get_expr(e.adbin, e.adrelid),
  CASE WHEN $2 THEN d.description END, CASE WHEN a.attgenerated <> '' THEN 'ALWAYS' END,
  CASE a.attidentity WHEN 'a' THEN 'always' WHEN 'd' THEN 'by default' END,
  CASE WHEN NOT pg_catalog.has_column_privilege(c.oid, a.attnum, 'SELECT') THEN 'denied' END,
  a.atttypid, a.attnum
FROM pg_catalog.unnest($1::pg_catalog.oid[]) AS want (oid)
JOIN pg_catalog.pg_class c ON c.oid = want.oid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
LEFT JOIN pg_catalog.pg_attrdef e ON e.adrelid = a.attrelid AND e.adnum = a.attnum
LEFT JOIN pg_catalog.pg_description d
  ON d.objoid = a.attrelid AND d.classoid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.objsubid = a.attnum`

// keysSQL is Catalog.Keys for the relations $1: constraints, unique indexes over
// plain columns that no constraint stands for, and the columns that a table is
// partitioned by. Foreign keys that the server derived for single partitions are
// left out.
//
// A constraint that is not enforced (PostgreSQL 18) is not validated. A key is not
// enforced among the rows that a query sees either where tables inherit from one
// of its tables, where policies may hide rows that are referred to, or where it is
// about periods, which contain each other instead of being equal.
const keysSQL = `
WITH want (oid) AS (SELECT pg_catalog.unnest($1::pg_catalog.oid[])),
key (relid, kind, name, columns, refid, refcolumns, enforced) AS (
  SELECT k.conrelid, k.contype::pg_catalog.text, k.conname, k.conkey, k.confrelid, k.confkey,
    k.convalidated AND NOT CASE k.contype WHEN 'f' THEN COALESCE((pg_catalog.to_jsonb(k) ->> 'conperiod')::bool, false) ELSE false END
  FROM pg_catalog.pg_constraint k JOIN want ON want.oid = k.conrelid
  WHERE k.contype IN ('p', 'u') OR k.contype = 'f' AND k.conparentid = 0
  UNION ALL
  SELECT i.indrelid, 'u', x.relname, (i.indkey::int2[])[0:i.indnkeyatts - 1], 0, NULL, true
  FROM pg_catalog.pg_index i JOIN want ON want.oid = i.indrelid JOIN pg_catalog.pg_class x ON x.oid = i.indexrelid
  WHERE i.indisunique AND i.indisvalid AND i.indpred IS NULL AND i.indexprs IS NULL
    AND NOT EXISTS (SELECT FROM pg_catalog.pg_constraint k WHERE k.conindid = i.indexrelid AND k.contype IN ('p', 'u', 'x'))
  UNION ALL
  SELECT p.partrelid, 'partition', '', p.partattrs::int2[], 0, NULL, true
  FROM pg_catalog.pg_partitioned_table p JOIN want ON want.oid = p.partrelid
  WHERE p.partexprs IS NULL
)
SELECT NULL, n.nspname, c.relname, key.name,
  CASE key.kind WHEN 'p' THEN 'PRIMARY KEY' WHEN 'u' THEN 'UNIQUE' WHEN 'f' THEN 'FOREIGN KEY' ELSE 'PARTITION KEY' END,
  a.attname, part.at, NULL, rn.nspname, r.relname, ra.attname,
  CASE WHEN key.enforced AND (c.relkind = 'p' OR NOT c.relhassubclass)
    AND (r.oid IS NULL OR NOT r.relrowsecurity AND (r.relkind = 'p' OR NOT r.relhassubclass)) THEN 'YES' END
FROM key
JOIN pg_catalog.pg_class c ON c.oid = key.relid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
CROSS JOIN LATERAL ROWS FROM (pg_catalog.unnest(key.columns), pg_catalog.unnest(key.refcolumns))
  WITH ORDINALITY AS part (attnum, refattnum, at)
JOIN pg_catalog.pg_attribute a ON a.attrelid = key.relid AND a.attnum = part.attnum
LEFT JOIN pg_catalog.pg_class r ON r.oid = key.refid LEFT JOIN pg_catalog.pg_namespace rn ON rn.oid = r.relnamespace
LEFT JOIN pg_catalog.pg_attribute ra ON ra.attrelid = key.refid AND ra.attnum = part.refattnum
ORDER BY key.relid, key.kind = 'u', key.kind, key.name, part.at`
