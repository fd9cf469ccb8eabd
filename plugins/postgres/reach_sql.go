package postgres

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

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

// stateSQL returns the state of the database, the schemas in which the session looks up
// names without one, and when the server started.
const stateSQL = `SELECT (` + snapshotSQL + `), pg_catalog.array_to_json(pg_catalog.current_schemas(true)), pg_catalog.pg_postmaster_start_time()`

// sameSQL fails with division_by_zero unless the database is in the state $1.
const sameSQL = `SELECT 1 / (CASE WHEN (` + snapshotSQL + `) OPERATOR(pg_catalog.=) $1 THEN 1 ELSE 0 END)`

// stateDivisionByZero is what sameSQL fails with.
const stateDivisionByZero = "22012"

// systemTable is a table of the server's catalogue that decides what statements reach.
type systemTable struct {
	name string
	// rows is where its rows of users are: FROM and WHERE.
	rows string
	key  string // the column that tells rows apart; "" = oid
	// shown returns what its rows define, for a version of the server; nil = nothing
	// beside their names in other system tables.
	shown func(version int) []string
	// link: its rows say what else reaches a relation or a type that leaves the transaction,
	// and what that is called. They matter only where one does: nothing in them leaves the
	// transaction but by a function or an operator of users, which pg_depend knows.
	link bool
}

// systemTables are all of them but those of roles. Indexes on
// OIDs leave the system's own rows out.
var systemTables = []systemTable{
	{name: "pg_proc", rows: "pg_catalog.pg_proc WHERE oid >= " + firstUserOID},
	{name: "pg_class", link: true, rows: "pg_catalog.pg_class WHERE relkind IN ('r', 'p', 'v', 'm', 'f', 'c') AND oid >= " + firstUserOID, shown: always(`
SELECT 'pg_class', c.oid, c.relkind::pg_catalog.text, n.nspname::pg_catalog.text, c.relname::pg_catalog.text, '', '', NULL::pg_catalog.text
  FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f', 'c') AND c.oid >= ` + firstUserOID)},
	{name: "pg_type", link: true, rows: "pg_catalog.pg_type WHERE oid >= " + firstUserOID, shown: always(`
SELECT 'pg_type', c.oid, c.typtype::pg_catalog.text, n.nspname, c.typname, '', CASE c.typtype WHEN 'c' THEN 'pg_class ' || c.typrelid ELSE '' END, NULL
  FROM pg_catalog.pg_type c JOIN pg_catalog.pg_namespace n ON n.oid = c.typnamespace WHERE c.oid >= ` + firstUserOID)},
	// An operator is "typed" when a value of a type that users made is needed to call
	// it: the server has one of the same symbol for all others. It runs without being
	// named wherever there is a value of such a type. The planner puts the negator and the
	// commutator in an operator's place.
	{name: "pg_operator", rows: "pg_catalog.pg_operator WHERE oid >= " + firstUserOID, shown: always(`
SELECT 'pg_operator', c.oid,
  CASE WHEN (c.oprleft = 0 OR c.oprleft >= ` + firstUserOID + `) AND (c.oprright = 0 OR c.oprright >= ` + firstUserOID + `)
    AND EXISTS (SELECT FROM pg_catalog.pg_operator s WHERE s.oid < ` + firstUserOID + ` AND s.oprname = c.oprname) THEN 'typed' ELSE '' END,
  n.nspname, c.oprname,
  pg_catalog.concat_ws(',', CASE WHEN c.oprleft >= ` + firstUserOID + ` THEN 'pg_type ' || c.oprleft END, CASE WHEN c.oprright >= ` + firstUserOID + ` THEN 'pg_type ' || c.oprright END),
  pg_catalog.concat_ws(',', CASE WHEN c.oprcom >= ` + firstUserOID + ` THEN 'pg_operator ' || c.oprcom END, CASE WHEN c.oprnegate >= ` + firstUserOID + ` THEN 'pg_operator ' || c.oprnegate END),
  pg_catalog.concat(':funcid ', c.oprcode::pg_catalog.oid, ' :funcid ', c.oprrest::pg_catalog.oid, ' :funcid ', c.oprjoin::pg_catalog.oid)
  FROM pg_catalog.pg_operator c JOIN pg_catalog.pg_namespace n ON n.oid = c.oprnamespace WHERE c.oid >= ` + firstUserOID)},
	// A cast runs without being named wherever there is a value of a type that users
	// made, or, between types of the server, of either.
	{name: "pg_cast", rows: "pg_catalog.pg_cast WHERE oid >= " + firstUserOID, shown: always(`
SELECT 'pg_cast', c.oid, '', '', pg_catalog.format_type(c.castsource, NULL) || ' as ' || pg_catalog.format_type(c.casttarget, NULL),
  pg_catalog.concat_ws(',', CASE WHEN c.castsource >= `+firstUserOID+` OR c.casttarget < `+firstUserOID+` THEN 'pg_type ' || c.castsource END,
    CASE WHEN c.casttarget >= `+firstUserOID+` OR c.castsource < `+firstUserOID+` THEN 'pg_type ' || c.casttarget END),
  '', ':funcid ' || c.castfunc FROM pg_catalog.pg_cast c WHERE c.oid >= `+firstUserOID, `
SELECT 'pg_type', t.oid, t.typtype::pg_catalog.text, n.nspname, t.typname, '', '', NULL
  FROM pg_catalog.pg_cast c JOIN pg_catalog.pg_type t ON t.oid IN (c.castsource, c.casttarget) JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
  WHERE t.oid < `+firstUserOID+` AND c.oid >= `+firstUserOID)},
	// What follows belongs to another object and runs when that is read: a view's
	// rule, the checks of a table and of a domain, the expressions of indexes and
	// statistics, which the planner evaluates, policies and virtual columns.
	{name: "pg_rewrite", rows: "pg_catalog.pg_rewrite WHERE oid >= " + firstUserOID, shown: always(`
SELECT 'pg_rewrite', c.oid, NULL, '', '', 'pg_class ' || c.ev_class, '', c.ev_action::pg_catalog.text
  FROM pg_catalog.pg_rewrite c JOIN pg_catalog.pg_class r ON r.oid = c.ev_class WHERE c.ev_type = '1' AND r.relkind <> 'm' AND c.oid >= ` + firstUserOID)},
	{name: "pg_constraint", link: true, rows: "pg_catalog.pg_constraint WHERE contype = 'c' AND oid >= " + firstUserOID, shown: always(`
SELECT 'pg_constraint', c.oid, NULL, '', '', CASE WHEN c.contypid <> 0 THEN 'pg_type ' || c.contypid ELSE 'pg_class ' || c.conrelid END, '',
  c.conbin::pg_catalog.text FROM pg_catalog.pg_constraint c WHERE c.contype = 'c' AND c.oid >= ` + firstUserOID)},
	{name: "pg_index", link: true, key: "indexrelid", rows: "pg_catalog.pg_index WHERE (indexprs IS NOT NULL OR indpred IS NOT NULL) AND indexrelid >= " + firstUserOID, shown: always(`
SELECT 'pg_index', c.indexrelid, NULL, '', '', 'pg_class ' || c.indrelid, '', pg_catalog.concat(c.indexprs::pg_catalog.text, c.indpred::pg_catalog.text)
  FROM pg_catalog.pg_index c WHERE (c.indexprs IS NOT NULL OR c.indpred IS NOT NULL) AND c.indexrelid >= ` + firstUserOID)},
	{name: "pg_policy", rows: "pg_catalog.pg_policy WHERE oid >= " + firstUserOID, shown: always(`
SELECT 'pg_policy', c.oid, NULL, '', '', 'pg_class ' || c.polrelid, '', c.polqual::pg_catalog.text
  FROM pg_catalog.pg_policy c WHERE c.oid >= ` + firstUserOID)},
	{name: "pg_attrdef", link: true, rows: "pg_catalog.pg_attrdef WHERE oid >= " + firstUserOID, shown: always(`
SELECT 'pg_attrdef', c.oid, NULL, '', '', 'pg_class ' || c.adrelid, '', c.adbin::pg_catalog.text
  FROM pg_catalog.pg_attrdef c JOIN pg_catalog.pg_attribute a ON a.attrelid = c.adrelid AND a.attnum = c.adnum
  WHERE a.attgenerated NOT IN ('', 's') AND c.oid >= ` + firstUserOID)},
	{name: "pg_statistic_ext", rows: "pg_catalog.pg_statistic_ext WHERE oid >= " + firstUserOID, shown: func(version int) []string {
		tree := "c.stxexprs::pg_catalog.text"
		if version < 140000 {
			tree = "NULL"
		}
		return []string{`
SELECT 'pg_statistic_ext', c.oid, NULL, '', '', 'pg_class ' || c.stxrelid, '', ` + tree + ` FROM pg_catalog.pg_statistic_ext c WHERE c.oid >= ` + firstUserOID}
	}},
	{name: "pg_amproc", rows: "pg_catalog.pg_amproc WHERE oid >= " + firstUserOID, shown: always(`
SELECT 'pg_amproc', c.oid, NULL, '', '', CASE WHEN c.amproclefttype >= ` + firstUserOID + ` THEN 'pg_type ' || c.amproclefttype ELSE '' END, 'pg_proc ' || c.amproc::pg_catalog.oid, ':funcid ' || c.amproc::pg_catalog.oid
  FROM pg_catalog.pg_amproc c WHERE c.oid >= ` + firstUserOID)},
	// An operator class that users made is called by the planner and by scans of the
	// indexes and partitioned tables that name it, also where the type is the server's.
	{name: "pg_depend", key: "objid", rows: "pg_catalog.pg_depend WHERE " + classUsed, shown: always(`
SELECT DISTINCT 'pg_depend', c.objid, NULL, '', '', 'pg_class ' || COALESCE((SELECT i.indrelid FROM pg_catalog.pg_index i WHERE i.indexrelid = c.objid), c.objid),
  'pg_proc ' || pg_catalog.array_to_string(f.calls, ',pg_proc '), ':funcid ' || pg_catalog.array_to_string(f.calls, ' :funcid ')
  FROM pg_catalog.pg_depend AS c, LATERAL (SELECT ARRAY(SELECT p.amproc::pg_catalog.oid
    FROM pg_catalog.pg_depend d JOIN pg_catalog.pg_opclass o ON o.oid = d.refobjid JOIN pg_catalog.pg_amproc p ON p.amprocfamily = o.opcfamily
    WHERE d.classid = c.classid AND d.objid = c.objid AND d.refclassid = c.refclassid)) AS f (calls)
  WHERE ` + classUsed)},
	// A range type over a type of the server, and an operator that sorts or joins by a
	// class of users, call the functions of the class too.
	{name: "pg_range", key: "rngtypid", rows: "pg_catalog.pg_range WHERE rngsubopc >= " + firstUserOID, shown: always(`
SELECT 'pg_range', c.rngtypid, NULL, '', '', 'pg_type ' || c.rngtypid,
  'pg_proc ' || pg_catalog.array_to_string(f.calls, ',pg_proc '), ':funcid ' || pg_catalog.array_to_string(f.calls, ' :funcid ')
  FROM pg_catalog.pg_range AS c, LATERAL (SELECT ARRAY(SELECT p.amproc::pg_catalog.oid
    FROM pg_catalog.pg_opclass o JOIN pg_catalog.pg_amproc p ON p.amprocfamily = o.opcfamily WHERE o.oid = c.rngsubopc)) AS f (calls)
  WHERE c.rngsubopc >= ` + firstUserOID)},
	{name: "pg_amop", rows: "pg_catalog.pg_amop WHERE amopopr >= " + firstUserOID, shown: always(`
SELECT 'pg_amop', c.oid, NULL, '', '', 'pg_operator ' || c.amopopr,
  'pg_proc ' || pg_catalog.array_to_string(f.calls, ',pg_proc '), ':funcid ' || pg_catalog.array_to_string(f.calls, ' :funcid ')
  FROM pg_catalog.pg_amop AS c, LATERAL (SELECT ARRAY(SELECT p.amproc::pg_catalog.oid
    FROM pg_catalog.pg_amproc p WHERE p.amprocfamily = c.amopfamily)) AS f (calls)
  WHERE c.amopopr >= ` + firstUserOID)},
	{name: "pg_inherits", link: true, key: "inhrelid", rows: "pg_catalog.pg_inherits WHERE inhrelid >= " + firstUserOID, shown: always(`
SELECT 'pg_inherits', c.inhrelid, NULL, '', '', 'pg_class ' || c.inhparent, 'pg_class ' || c.inhrelid, NULL FROM pg_catalog.pg_inherits c WHERE c.inhrelid >= ` + firstUserOID)},
	// A column gets another type without a new version of its table. The index of
	// pg_depend finds columns of users' types; pg_attribute is the largest system table.
	{name: "pg_attribute", link: true, key: "objid", rows: "pg_catalog.pg_depend WHERE refclassid = 'pg_catalog.pg_type'::pg_catalog.regclass AND refobjid >= " + firstUserOID +
		" AND classid = 'pg_catalog.pg_class'::pg_catalog.regclass AND objid >= " + firstUserOID},
	// The check of a domain calls any function. That of a table calls IMMUTABLE ones, when it is read.
	{name: "pg_constraint of domains", rows: "pg_catalog.pg_constraint WHERE contype = 'c' AND contypid >= " + firstUserOID},
	// What the links call: expressions of indexes, checks and generated columns, keys of partitions, types.
	{name: "pg_depend on functions", key: "objid", rows: `pg_catalog.pg_depend
  WHERE refclassid IN ('pg_catalog.pg_proc'::pg_catalog.regclass, 'pg_catalog.pg_operator'::pg_catalog.regclass) AND refobjid >= ` + firstUserOID + `
    AND classid IN ('pg_catalog.pg_class'::pg_catalog.regclass, 'pg_catalog.pg_type'::pg_catalog.regclass,
      'pg_catalog.pg_attrdef'::pg_catalog.regclass, 'pg_catalog.pg_constraint'::pg_catalog.regclass)`},
	{name: "pg_foreign_table", key: "ftrelid", rows: "pg_catalog.pg_foreign_table WHERE ftrelid >= " + firstUserOID},
	{name: "pg_foreign_server", rows: "pg_catalog.pg_foreign_server"},
	{name: "pg_foreign_data_wrapper", rows: "pg_catalog.pg_foreign_data_wrapper"},
	{name: "pg_namespace", rows: "pg_catalog.pg_namespace WHERE oid >= " + firstUserOID},
	{name: "pg_extension", rows: "pg_catalog.pg_extension"},
	{name: "pg_language", rows: "pg_catalog.pg_language"},
}

// classUsed selects the rows of pg_depend that say which relation has which operator
// class of users.
const classUsed = `refclassid = 'pg_catalog.pg_opclass'::pg_catalog.regclass AND refobjid >= ` + firstUserOID + ` AND classid = 'pg_catalog.pg_class'::pg_catalog.regclass`

// dependent is the class that pg_depend knows the rows by; "" = it does not.
func (c *systemTable) dependent() string {
	switch c.name {
	case "pg_index", "pg_attribute":
		return "pg_class"
	case "pg_proc", "pg_type", "pg_operator", "pg_cast", "pg_class", "pg_rewrite", "pg_constraint", "pg_policy", "pg_attrdef", "pg_statistic_ext":
		return c.name
	default:
		return ""
	}
}

func always(queries ...string) func(int) []string { return func(int) []string { return queries } }

// rowsOf lists the rows of system tables: class, key and row version.
func rowsOf(which []systemTable) string { return eachOf(which, "%s AS class, %s AS key, xmin") }

// eachOf selects the class and the key of the rows of system tables, as a format says.
func eachOf(which []systemTable, format string) string {
	var parts []string
	for _, c := range which {
		key := c.key
		if key == "" {
			key = "oid"
		}
		parts = append(parts, "SELECT "+fmt.Sprintf(format, "'"+c.name+"'", key)+" FROM "+c.rows)
	}
	return strings.Join(parts, "\nUNION ALL ")
}

// rolesClass stands for roles among the system tables of versionSQL.
const rolesClass = "roles"

// rolesSQL lists what says what roles may do: those that are superusers, who is a
// member of whom, and who may call the functions of the server itself, $1.
const rolesSQL = `SELECT '` + rolesClass + `' AS class, roleid AS key, xmin FROM pg_catalog.pg_auth_members
UNION ALL SELECT '` + rolesClass + `', oid, '0' FROM pg_catalog.pg_roles WHERE rolsuper
UNION ALL SELECT '` + rolesClass + `', oid, xmin FROM pg_catalog.pg_proc WHERE oid = ANY ($1::pg_catalog.oid[])`

// hashSQL is a hash over the versions of rows: what is equal has not changed.
const hashSQL = `pg_catalog.sum(pg_catalog.hashtextextended(xmin::pg_catalog.text, key::pg_catalog.int8))`

// The versions of all system tables, and of all but the links.
var (
	wholeVersion  = versionOf(systemTables)
	sourceVersion = versionOf(sources())
)

// sources are the system tables but for the links.
func sources() []systemTable {
	return slices.DeleteFunc(slices.Clone(systemTables), func(c systemTable) bool { return c.link })
}

// versionSQL asks for the version of system tables.
type versionSQL struct {
	hashed string // a hash for each class
	listed string // class, row version and key of all rows, and the hash for roles
}

// versionOf asks for listed rows in branches: to cast versions in a query around them takes
// the server twice as long to plan.
func versionOf(which []systemTable) versionSQL {
	return versionSQL{
		hashed: `SELECT class, ` + hashSQL + ` FROM (
` + rowsOf(which) + `
UNION ALL ` + rolesSQL + `
) AS r GROUP BY class`,
		listed: eachOf(which, "%s, xmin::pg_catalog.text, %s") + `
UNION ALL SELECT '` + rolesClass + `', ` + hashSQL + `::pg_catalog.text, NULL FROM (
` + rolesSQL + `
) AS r`,
	}
}

// systemFunctionsSQL lists the functions of the server itself whose name is LIKE one
// of $1. A regular expression of all of them takes ten times as long.
const systemFunctionsSQL = `
SELECT oid, proname, pg_catalog.oidvectortypes(proargtypes) FROM pg_catalog.pg_proc
WHERE oid < ` + firstUserOID + ` AND proname LIKE ANY ($1::pg_catalog.text[])`

// among restricts a query to keys; without any, it is for all.
func among(column string, all bool, parameter int) string {
	if all {
		return ""
	}
	return " AND " + column + " = ANY ($" + strconv.Itoa(parameter) + "::pg_catalog.oid[])"
}

// functionsSQL lists the functions that users and extensions made, all or those
// with the OIDs $2, but for those that no statement can call; the pattern $1 finds
// calls in their trees. A join with what a function has one of takes the server
// longer to plan than to run.
func functionsSQL(version int, all bool) string {
	body, tree := "p.prosqlbody IS NOT NULL", "pg_catalog.concat(p.proargdefaults::pg_catalog.text, p.prosqlbody::pg_catalog.text)"
	if version < 140000 {
		body, tree = "false", "p.proargdefaults::pg_catalog.text"
	}
	return `
SELECT p.oid, (SELECT n.nspname FROM pg_catalog.pg_namespace n WHERE n.oid = p.pronamespace), p.proname, pg_catalog.oidvectortypes(p.proargtypes),
  l.lanname, l.lanpltrusted, p.prosecdef, p.proowner, p.provolatile, p.prokind,
  (SELECT x.extname FROM pg_catalog.pg_depend d JOIN pg_catalog.pg_extension x ON x.oid = d.refobjid
    WHERE d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass AND d.objid = p.oid AND d.deptype = 'e'), p.prosrc, ` + body + `,
  pg_catalog.array_to_string(ARRAY(SELECT DISTINCT m[1] FROM pg_catalog.regexp_matches(` + tree + `, $1, 'g') AS m), ','),
  (SELECT pg_catalog.concat_ws(',', a.aggtransfn::pg_catalog.oid, a.aggfinalfn::pg_catalog.oid, a.aggcombinefn::pg_catalog.oid, a.aggserialfn::pg_catalog.oid,
    a.aggdeserialfn::pg_catalog.oid, a.aggmtransfn::pg_catalog.oid, a.aggminvtransfn::pg_catalog.oid, a.aggmfinalfn::pg_catalog.oid)
    FROM pg_catalog.pg_aggregate a WHERE a.aggfnoid = p.oid),
  (SELECT r.rolsuper FROM pg_catalog.pg_roles r WHERE r.oid = p.proowner)
FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_language l ON l.oid = p.prolang
WHERE p.oid >= ` + firstUserOID + ` AND p.prorettype NOT IN ('pg_catalog.trigger'::pg_catalog.regtype,
  'pg_catalog.event_trigger'::pg_catalog.regtype, 'pg_catalog.language_handler'::pg_catalog.regtype, 'pg_catalog.fdw_handler'::pg_catalog.regtype,
  'pg_catalog.index_am_handler'::pg_catalog.regtype, 'pg_catalog.table_am_handler'::pg_catalog.regtype)` + among("p.oid", all, 2)
}

// shownSQL shows what the rows of a system table define, all or those with the OIDs $2.
// Shape: class, key, kind (NULL for what belongs to another object), schema, name;
// the objects that run it without its name, and those that it runs, as "class OID"
// with commas; and what its tree calls, which the pattern $1 finds.
func shownSQL(c systemTable, version int, all bool) string {
	key := c.key
	if key == "" {
		key = "oid"
	}
	var parts []string
	for _, query := range c.shown(version) {
		parts = append(parts, query+among("c."+key, all, 2))
	}
	return `
SELECT class, key, kind, schema, name, users, uses, pg_catalog.array_to_string(ARRAY(SELECT DISTINCT m[1] FROM pg_catalog.regexp_matches(tree, $1, 'g') AS m), ',')
FROM (` + strings.Join(parts, "\nUNION ALL ") + `
) AS c (class, key, kind, schema, name, users, uses, tree)`
}

// usesSQL lists which object uses which, as far as the system tables know: all, or
// of the system tables $1 with the OIDs $2.
func usesSQL(all bool) string {
	from := `pg_catalog.pg_depend d
WHERE d.classid IN ('pg_catalog.pg_proc'::pg_catalog.regclass, 'pg_catalog.pg_type'::pg_catalog.regclass,
    'pg_catalog.pg_operator'::pg_catalog.regclass, 'pg_catalog.pg_cast'::pg_catalog.regclass, 'pg_catalog.pg_class'::pg_catalog.regclass,
    'pg_catalog.pg_rewrite'::pg_catalog.regclass, 'pg_catalog.pg_constraint'::pg_catalog.regclass, 'pg_catalog.pg_policy'::pg_catalog.regclass,
    'pg_catalog.pg_attrdef'::pg_catalog.regclass, 'pg_catalog.pg_statistic_ext'::pg_catalog.regclass)`
	if !all {
		from = `ROWS FROM (pg_catalog.unnest($1::pg_catalog.regclass[]), pg_catalog.unnest($2::pg_catalog.oid[])) AS k (class, oid)
  JOIN pg_catalog.pg_depend d ON d.classid = k.class AND d.objid = k.oid WHERE true`
	}
	return `
SELECT DISTINCT d.classid::pg_catalog.regclass, d.objid, d.refclassid::pg_catalog.regclass, d.refobjid FROM ` + from + `
  AND d.objid >= ` + firstUserOID + ` AND d.refobjid >= ` + firstUserOID + `
  AND d.refclassid IN ('pg_catalog.pg_proc'::pg_catalog.regclass, 'pg_catalog.pg_class'::pg_catalog.regclass,
    'pg_catalog.pg_type'::pg_catalog.regclass, 'pg_catalog.pg_operator'::pg_catalog.regclass)
  AND NOT (d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass)`
}

// foreignTablesSQL lists the foreign tables with their server's wrapper and
// options, those of the table included.
const foreignTablesSQL = `
SELECT t.ftrelid, s.srvname, w.fdwname, pg_catalog.array_to_json(s.srvoptions), pg_catalog.array_to_json(t.ftoptions)
FROM pg_catalog.pg_foreign_table t JOIN pg_catalog.pg_foreign_server s ON s.oid = t.ftserver JOIN pg_catalog.pg_foreign_data_wrapper w ON w.oid = s.srvfdw`

// strongRolesSQL lists which of the roles $1, and the current one, could leave the
// transaction with SQL of their own: by calling one of the functions $2, reading one
// of the foreign tables $3, or by their membership. A function of the server that
// everybody may call looks at the role itself. A function may SET ROLE to
// each role that the session is a member of, unless it runs with its owner's rights.
const strongRolesSQL = `
SELECT r.oid, r.rolname, r.rolname = current_user, CASE
  WHEN r.rolsuper THEN 'who is a superuser'
  WHEN b.name IS NOT NULL THEN 'who can become the superuser ' || b.name
  WHEN f.name IS NOT NULL THEN 'who may call ' || f.name
  WHEN t.name IS NOT NULL THEN 'who may read ' || t.name
  ELSE 'who is a member of ' || m.name END
FROM pg_catalog.pg_roles r
LEFT JOIN LATERAL (SELECT pg_catalog.min(g.rolname) AS name FROM pg_catalog.pg_roles g
  WHERE r.rolname = current_user AND g.oid <> r.oid AND (g.rolname = session_user OR pg_catalog.pg_has_role(r.oid, g.oid, 'MEMBER')) AND g.rolsuper) AS b ON true
LEFT JOIN LATERAL (SELECT pg_catalog.min(p.oid::pg_catalog.regproc::pg_catalog.text) AS name FROM pg_catalog.unnest($2::pg_catalog.oid[]) AS p (oid)
  JOIN pg_catalog.pg_proc d ON d.oid = p.oid
  WHERE (d.oid >= ` + firstUserOID + ` OR d.proacl IS NOT NULL) AND pg_catalog.has_function_privilege(r.oid, p.oid, 'EXECUTE')) AS f ON true
LEFT JOIN LATERAL (SELECT pg_catalog.min(t.oid::pg_catalog.regclass::pg_catalog.text) AS name FROM pg_catalog.unnest($3::pg_catalog.oid[]) AS t (oid)
  WHERE pg_catalog.has_any_column_privilege(r.oid, t.oid, 'SELECT')) AS t ON true
LEFT JOIN LATERAL (SELECT pg_catalog.min(g.rolname) AS name FROM pg_catalog.pg_roles g
  WHERE g.rolname IN ('pg_execute_server_program', 'pg_write_server_files', 'pg_read_server_files') AND pg_catalog.pg_has_role(r.oid, g.oid, 'MEMBER')) AS m ON true
WHERE (r.oid = ANY ($1::pg_catalog.oid[]) OR r.rolname = current_user) AND (r.rolsuper OR b.name IS NOT NULL OR f.name IS NOT NULL OR t.name IS NOT NULL OR m.name IS NOT NULL)`

// definitionsSQL shows the text of views.
const definitionsSQL = `SELECT v.oid, pg_catalog.pg_get_viewdef(v.oid) FROM pg_catalog.unnest($1::pg_catalog.oid[]) AS v (oid)`
