package postgres

import "strings"

// firstUserOID is the first OID of objects that initdb did not make.
// Source: FirstNormalObjectId in src/include/access/transam.h.
const firstUserOID = "16384"

// snapshotSQL names a state of the whole database: as long as it is the same, no
// transaction has committed, so the catalogue is the same too. A standby shows no
// transactions under way; there, the position of the replay is the state. The path
// is part of it: connections that were opened before a change of the role's
// settings keep theirs.
const snapshotSQL = `
SELECT pg_catalog.concat(CASE WHEN pg_catalog.pg_is_in_recovery() THEN pg_catalog.pg_last_wal_replay_lsn()::pg_catalog.text
  ELSE pg_catalog.txid_current_snapshot()::pg_catalog.text END, pg_catalog.current_schemas(true)::pg_catalog.text)`

// sameSQL fails with division_by_zero unless the database is in the state $1.
const sameSQL = `SELECT 1 / (CASE WHEN (` + snapshotSQL + `) OPERATOR(pg_catalog.=) $1 THEN 1 ELSE 0 END)`

// stateDivisionByZero is what sameSQL fails with.
const stateDivisionByZero = "22012"

// versionSQL is a version of everything that reach depends on: a hash over the
// row versions of what users made in the system tables. age() is relative to the
// next transaction, and so is the age of a constant. Indexes on OIDs leave the
// system's own rows out.
var versionSQL = func() string {
	var parts []string
	for _, from := range []struct{ key, table string }{
		{"oid", "pg_proc"},
		{"oid", "pg_rewrite"},
		{"oid", "pg_operator"},
		{"oid", "pg_cast"},
		{"oid", "pg_namespace"},
		{"oid", "pg_policy"},
		{"ftrelid", "pg_foreign_table"},
		{"oid", "pg_foreign_server WHERE true"},
		{"oid", "pg_extension WHERE true"},
		{"inhrelid", "pg_inherits"},
		{"oid", "pg_attrdef"},
		{"oid", "pg_statistic_ext"},
		{"oid", "pg_amproc"},
		{"oid", "pg_type WHERE typtype <> 'c' AND oid"},
		{"oid", "pg_constraint WHERE contype = 'c' AND oid"},
		{"indexrelid", "pg_index WHERE (indexprs IS NOT NULL OR indpred IS NOT NULL) AND indexrelid"},
		{"oid", "pg_class WHERE relkind IN ('r', 'p', 'v', 'm', 'f', 'c') AND oid"},
		{"roleid", "pg_auth_members WHERE true"},
	} {
		table, _, filtered := strings.Cut(from.table, " WHERE ")
		where := " WHERE " + from.key + " >= " + firstUserOID
		if filtered {
			where = strings.TrimPrefix(from.table, table)
			if !strings.HasSuffix(where, "true") {
				where += " >= " + firstUserOID
			}
		}
		parts = append(parts, "(SELECT pg_catalog.sum(pg_catalog.hashint8extended("+from.key+"::pg_catalog.int8, start - pg_catalog.age(xmin))) FROM pg_catalog."+table+", start"+where+")")
	}
	parts = append(parts, "(SELECT pg_catalog.string_agg(oid::pg_catalog.text, ',' ORDER BY oid) FROM pg_catalog.pg_roles WHERE rolsuper)", "current_user")
	return "WITH start (start) AS (SELECT pg_catalog.age('3'::pg_catalog.xid)::pg_catalog.int8)\nSELECT pg_catalog.concat_ws(' ',\n" +
		strings.Join(parts, ",\n") + "), pg_catalog.array_to_json(pg_catalog.current_schemas(true))"
}()

// systemFunctionsSQL lists the functions of the server itself.
const systemFunctionsSQL = `
SELECT oid, proname, pg_catalog.oidvectortypes(proargtypes) FROM pg_catalog.pg_proc WHERE oid < ` + firstUserOID

// functionsSQL lists the functions that users and extensions made, but for those
// that no statement can call. The text comes only of those whose version is not
// among the known ones, OIDs $1 with row versions $2.
func functionsSQL(version int) string {
	body := "p.prosqlbody IS NOT NULL"
	if version < 140000 {
		body = "false"
	}
	return `
SELECT p.oid, p.xmin, n.nspname, p.proname, pg_catalog.oidvectortypes(p.proargtypes), l.lanname, l.lanpltrusted,
  p.prosecdef, p.proowner, p.provolatile, p.prokind, x.extname, CASE WHEN known.oid IS NULL THEN p.prosrc END, ` + body + `,
  pg_catalog.pg_get_userbyid(p.proowner)
FROM pg_catalog.pg_proc p
JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
JOIN pg_catalog.pg_language l ON l.oid = p.prolang
LEFT JOIN pg_catalog.pg_depend d ON d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass AND d.objid = p.oid AND d.deptype = 'e'
LEFT JOIN pg_catalog.pg_extension x ON x.oid = d.refobjid
LEFT JOIN ROWS FROM (pg_catalog.unnest($1::pg_catalog.oid[]), pg_catalog.unnest($2::pg_catalog.xid[])) AS known (oid, xmin) ON known.oid = p.oid AND known.xmin = p.xmin
WHERE p.oid >= ` + firstUserOID + ` AND p.prorettype NOT IN ('pg_catalog.trigger'::pg_catalog.regtype,
  'pg_catalog.event_trigger'::pg_catalog.regtype, 'pg_catalog.language_handler'::pg_catalog.regtype, 'pg_catalog.fdw_handler'::pg_catalog.regtype,
  'pg_catalog.index_am_handler'::pg_catalog.regtype, 'pg_catalog.table_am_handler'::pg_catalog.regtype)`
}

// viewsSQL lists the rules of views; $3 finds the functions of the server that are
// looked for in the tree of those that are not known.
const viewsSQL = `
SELECT r.oid, r.xmin, r.ev_class, CASE WHEN known.oid IS NULL THEN
  pg_catalog.array_to_string(ARRAY(SELECT DISTINCT m[1] FROM pg_catalog.regexp_matches(r.ev_action::pg_catalog.text, $3, 'g') AS m), ',') END
FROM pg_catalog.pg_rewrite r JOIN pg_catalog.pg_class c ON c.oid = r.ev_class
LEFT JOIN ROWS FROM (pg_catalog.unnest($1::pg_catalog.oid[]), pg_catalog.unnest($2::pg_catalog.xid[])) AS known (oid, xmin) ON known.oid = r.oid AND known.xmin = r.xmin
WHERE r.oid >= ` + firstUserOID + ` AND r.ev_type = '1' AND c.relkind <> 'm'`

// ownersSQL maps what belongs to an object and runs when it is read to that
// object: a view's rule, the checks of a table and of a domain, the expressions of
// indexes and statistics, which the planner evaluates, policies and virtual
// columns.
const ownersSQL = `
  SELECT 'pg_catalog.pg_rewrite'::pg_catalog.regclass, r.oid, 'pg_catalog.pg_class'::pg_catalog.regclass, r.ev_class, NULL::pg_catalog.text
    FROM pg_catalog.pg_rewrite r JOIN pg_catalog.pg_class c ON c.oid = r.ev_class WHERE r.ev_type = '1' AND c.relkind <> 'm' AND r.oid >= ` + firstUserOID + `
  UNION ALL SELECT 'pg_catalog.pg_constraint'::pg_catalog.regclass, oid,
    CASE WHEN contypid <> 0 THEN 'pg_catalog.pg_type' ELSE 'pg_catalog.pg_class' END::pg_catalog.regclass,
    CASE WHEN contypid <> 0 THEN contypid ELSE conrelid END, conbin::pg_catalog.text FROM pg_catalog.pg_constraint WHERE contype = 'c' AND oid >= ` + firstUserOID + `
  UNION ALL SELECT 'pg_catalog.pg_class'::pg_catalog.regclass, indexrelid, 'pg_catalog.pg_class'::pg_catalog.regclass, indrelid,
    pg_catalog.concat(indexprs::pg_catalog.text, indpred::pg_catalog.text) FROM pg_catalog.pg_index
    WHERE (indexprs IS NOT NULL OR indpred IS NOT NULL) AND indexrelid >= ` + firstUserOID + `
  UNION ALL SELECT 'pg_catalog.pg_policy'::pg_catalog.regclass, oid, 'pg_catalog.pg_class'::pg_catalog.regclass, polrelid,
    polqual::pg_catalog.text FROM pg_catalog.pg_policy
  UNION ALL SELECT 'pg_catalog.pg_attrdef'::pg_catalog.regclass, e.oid, 'pg_catalog.pg_class'::pg_catalog.regclass, e.adrelid,
    e.adbin::pg_catalog.text FROM pg_catalog.pg_attrdef e JOIN pg_catalog.pg_attribute a ON a.attrelid = e.adrelid AND a.attnum = e.adnum
    WHERE a.attgenerated NOT IN ('', 's')
  UNION ALL SELECT 'pg_catalog.pg_statistic_ext'::pg_catalog.regclass, oid, 'pg_catalog.pg_class'::pg_catalog.regclass, stxrelid,
    NULL FROM pg_catalog.pg_statistic_ext`

// treesSQL finds functions of the server, by the pattern $1, in the trees of
// whatever has one beside views, and in what the system tables name directly.
// Shape: the class and OID of the object, the OID of the function.
func treesSQL(version int) string {
	functions := "SELECT 'pg_catalog.pg_proc'::pg_catalog.regclass AS class, oid, pg_catalog.concat(proargdefaults::pg_catalog.text"
	if version >= 140000 {
		functions += ", prosqlbody::pg_catalog.text"
	}
	functions += ") AS tree FROM pg_catalog.pg_proc WHERE oid >= " + firstUserOID
	if version >= 140000 {
		functions += " AND (proargdefaults IS NOT NULL OR prosqlbody IS NOT NULL)"
	} else {
		functions += " AND proargdefaults IS NOT NULL"
	}
	return `
WITH owners (class, oid, owner_class, owner, tree) AS (` + ownersSQL + `)
SELECT class, oid, m[1] FROM (
  SELECT owner_class AS class, owner AS oid, tree FROM owners WHERE tree IS NOT NULL
  UNION ALL ` + functions + `
) AS found, pg_catalog.regexp_matches(found.tree, $1, 'g') AS m
UNION SELECT 'pg_catalog.pg_operator'::pg_catalog.regclass, o.oid, f.oid::pg_catalog.text FROM pg_catalog.pg_operator o
  JOIN pg_catalog.unnest($2::pg_catalog.oid[]) AS f (oid) ON f.oid IN (o.oprcode, o.oprrest, o.oprjoin) WHERE o.oid >= ` + firstUserOID + `
UNION SELECT 'pg_catalog.pg_cast'::pg_catalog.regclass, c.oid, f.oid::pg_catalog.text FROM pg_catalog.pg_cast c
  JOIN pg_catalog.unnest($2::pg_catalog.oid[]) AS f (oid) ON f.oid = c.castfunc WHERE c.oid >= ` + firstUserOID + `
UNION SELECT 'pg_catalog.pg_proc'::pg_catalog.regclass, a.aggfnoid, f.oid::pg_catalog.text FROM pg_catalog.pg_aggregate a
  JOIN pg_catalog.unnest($2::pg_catalog.oid[]) AS f (oid) ON f.oid IN (a.aggtransfn, a.aggfinalfn, a.aggcombinefn, a.aggserialfn,
    a.aggdeserialfn, a.aggmtransfn, a.aggminvtransfn, a.aggmfinalfn) WHERE a.aggfnoid >= ` + firstUserOID
}

// usesSQL lists which object uses which, as far as the system tables know. A cast
// or an operator runs without being named: whatever has a value of a type that
// users made may run those of the type. What belongs to another object is not
// joined with its owner here: fresh system tables have no statistics, and the
// planner would compare all with all.
const usesSQL = `
SELECT DISTINCT d.classid::pg_catalog.regclass, d.objid, d.refclassid::pg_catalog.regclass, d.refobjid
FROM pg_catalog.pg_depend d
WHERE d.objid >= ` + firstUserOID + ` AND d.refobjid >= ` + firstUserOID + `
  AND d.classid IN ('pg_catalog.pg_proc'::pg_catalog.regclass, 'pg_catalog.pg_type'::pg_catalog.regclass, 'pg_catalog.pg_operator'::pg_catalog.regclass,
    'pg_catalog.pg_cast'::pg_catalog.regclass, 'pg_catalog.pg_class'::pg_catalog.regclass, 'pg_catalog.pg_rewrite'::pg_catalog.regclass,
    'pg_catalog.pg_constraint'::pg_catalog.regclass, 'pg_catalog.pg_policy'::pg_catalog.regclass, 'pg_catalog.pg_attrdef'::pg_catalog.regclass,
    'pg_catalog.pg_statistic_ext'::pg_catalog.regclass)
  AND d.refclassid IN ('pg_catalog.pg_proc'::pg_catalog.regclass, 'pg_catalog.pg_class'::pg_catalog.regclass,
    'pg_catalog.pg_type'::pg_catalog.regclass, 'pg_catalog.pg_operator'::pg_catalog.regclass)
  AND NOT (d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass)
UNION ALL SELECT 'pg_catalog.pg_class'::pg_catalog.regclass, inhparent, 'pg_catalog.pg_class'::pg_catalog.regclass, inhrelid FROM pg_catalog.pg_inherits
UNION ALL SELECT 'pg_catalog.pg_type'::pg_catalog.regclass, oid, 'pg_catalog.pg_class'::pg_catalog.regclass, typrelid FROM pg_catalog.pg_type
  WHERE typtype = 'c' AND oid >= ` + firstUserOID + `
UNION ALL SELECT 'pg_catalog.pg_type'::pg_catalog.regclass, t.oid, 'pg_catalog.pg_cast'::pg_catalog.regclass, c.oid
  FROM pg_catalog.pg_cast c JOIN pg_catalog.pg_type t ON t.oid IN (c.castsource, c.casttarget) WHERE c.oid >= ` + firstUserOID + `
    AND (t.oid >= ` + firstUserOID + ` OR c.castsource < ` + firstUserOID + ` AND c.casttarget < ` + firstUserOID + `)
UNION ALL SELECT 'pg_catalog.pg_type'::pg_catalog.regclass, t.oid, 'pg_catalog.pg_operator'::pg_catalog.regclass, o.oid
  FROM pg_catalog.pg_operator o JOIN pg_catalog.pg_type t ON t.oid IN (o.oprleft, o.oprright) WHERE o.oid >= ` + firstUserOID + ` AND t.oid >= ` + firstUserOID + `
UNION ALL SELECT 'pg_catalog.pg_type'::pg_catalog.regclass, amproclefttype, 'pg_catalog.pg_proc'::pg_catalog.regclass, amproc::pg_catalog.oid
  FROM pg_catalog.pg_amproc WHERE oid >= ` + firstUserOID

// namesSQL names the objects that usesSQL and treesSQL list: class, OID, kind,
// schema, name. Of a relation the kind is that of pg_class. An operator is "typed"
// when a value of a type that users made is needed to call it: the server has one of
// the same symbol for all others.
const namesSQL = `
SELECT 'pg_catalog.pg_class'::pg_catalog.regclass, c.oid, c.relkind::pg_catalog.text, n.nspname, c.relname
  FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  WHERE c.oid >= ` + firstUserOID + ` AND c.relkind IN ('r', 'p', 'v', 'm', 'f', 'c')
UNION ALL SELECT 'pg_catalog.pg_type'::pg_catalog.regclass, t.oid, t.typtype::pg_catalog.text, n.nspname, t.typname
  FROM pg_catalog.pg_type t JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
  WHERE t.oid >= ` + firstUserOID + ` OR t.oid IN (SELECT castsource FROM pg_catalog.pg_cast WHERE oid >= ` + firstUserOID + `
    UNION SELECT casttarget FROM pg_catalog.pg_cast WHERE oid >= ` + firstUserOID + `)
UNION ALL SELECT 'pg_catalog.pg_operator'::pg_catalog.regclass, o.oid,
  CASE WHEN (o.oprleft = 0 OR o.oprleft >= ` + firstUserOID + `) AND (o.oprright = 0 OR o.oprright >= ` + firstUserOID + `)
    AND EXISTS (SELECT FROM pg_catalog.pg_operator s WHERE s.oid < ` + firstUserOID + ` AND s.oprname = o.oprname) THEN 'typed' ELSE '' END,
  n.nspname, o.oprname
  FROM pg_catalog.pg_operator o JOIN pg_catalog.pg_namespace n ON n.oid = o.oprnamespace WHERE o.oid >= ` + firstUserOID + `
UNION ALL SELECT 'pg_catalog.pg_cast'::pg_catalog.regclass, oid, '', '',
  pg_catalog.format_type(castsource, NULL) || ' as ' || pg_catalog.format_type(casttarget, NULL) FROM pg_catalog.pg_cast WHERE oid >= ` + firstUserOID

// foreignTablesSQL lists the foreign tables with their server's wrapper and
// options, those of the table included.
const foreignTablesSQL = `
SELECT c.oid, n.nspname, c.relname, s.srvname, w.fdwname,
  pg_catalog.array_to_json(s.srvoptions), pg_catalog.array_to_json(t.ftoptions), pg_catalog.has_table_privilege(c.oid, 'SELECT')
FROM pg_catalog.pg_foreign_table t JOIN pg_catalog.pg_class c ON c.oid = t.ftrelid
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
JOIN pg_catalog.pg_foreign_server s ON s.oid = t.ftserver JOIN pg_catalog.pg_foreign_data_wrapper w ON w.oid = s.srvfdw`

// strongRolesSQL lists which of the roles $1, and the current one, could leave the
// transaction with SQL of their own, by calling one of the functions $2 or by
// their membership. A function of the server that everybody may call looks at the
// role itself.
const strongRolesSQL = `
SELECT r.oid, r.rolname, r.rolname = current_user, CASE
  WHEN r.rolsuper THEN 'who is a superuser'
  WHEN f.name IS NOT NULL THEN 'who may call ' || f.name
  ELSE 'who is a member of ' || m.name END
FROM pg_catalog.pg_roles r
LEFT JOIN LATERAL (SELECT pg_catalog.min(p.oid::pg_catalog.regproc::pg_catalog.text) AS name FROM pg_catalog.unnest($2::pg_catalog.oid[]) AS p (oid)
  JOIN pg_catalog.pg_proc d ON d.oid = p.oid
  WHERE (d.oid >= ` + firstUserOID + ` OR d.proacl IS NOT NULL) AND pg_catalog.has_function_privilege(r.oid, p.oid, 'EXECUTE')) AS f ON true
LEFT JOIN LATERAL (SELECT pg_catalog.min(g.rolname) AS name FROM pg_catalog.pg_roles g
  WHERE g.rolname IN ('pg_execute_server_program', 'pg_write_server_files', 'pg_read_server_files') AND pg_catalog.pg_has_role(r.oid, g.oid, 'MEMBER')) AS m ON true
WHERE (r.oid = ANY ($1::pg_catalog.oid[]) OR r.rolname = current_user) AND (r.rolsuper OR f.name IS NOT NULL OR m.name IS NOT NULL)`

// definitionsSQL shows the text of views.
const definitionsSQL = `SELECT v.oid, pg_catalog.pg_get_viewdef(v.oid) FROM pg_catalog.unnest($1::pg_catalog.oid[]) AS v (oid)`
