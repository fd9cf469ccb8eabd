package postgres

import (
	"cmp"
	"slices"
	"strings"
)

// right is something that the account may do and a reader should not.
type right struct {
	kind    string
	objects string
}

// The questions about rights are small and sent together: the server plans a union of them many
// times as long as it runs. Only where an answer is suspicious, a second round trip asks for names.

// rolesOfAccountSQL returns the attributes of the current role, and the roles of the server with
// more rights than a reader of which it is a member.
const rolesOfAccountSQL = `
SELECT rolname, rolname = current_user, rolsuper, rolcreaterole, rolreplication, rolbypassrls,
  pg_catalog.has_database_privilege(pg_catalog.current_database(), 'CREATE'), pg_catalog.quote_ident(pg_catalog.current_database()),
  pg_catalog.has_table_privilege('pg_catalog.pg_authid', 'SELECT')
FROM pg_catalog.pg_roles
WHERE rolname = current_user OR rolname IN ('pg_write_all_data', 'pg_write_server_files', 'pg_read_server_files', 'pg_execute_server_program',
  'pg_signal_backend', 'pg_signal_autovacuum_worker', 'pg_maintain', 'pg_checkpoint', 'pg_create_subscription')
  AND pg_catalog.pg_has_role(oid, 'MEMBER')`

// schemaRightsSQL returns for each schema whether the role may create objects there, and whether it
// is on the role's path and others than its owner may: the role itself and superusers are others.
const schemaRightsSQL = `
SELECT pg_catalog.quote_ident(nspname), nspname <> 'information_schema' AND pg_catalog.has_schema_privilege(oid, 'CREATE'),
  nspname = ANY (pg_catalog.current_schemas(true)) AND EXISTS (
    SELECT FROM pg_catalog.aclexplode(nspacl) AS a WHERE a.privilege_type = 'CREATE' AND a.grantee <> nspowner)
FROM pg_catalog.pg_namespace WHERE nspname !~ '^pg_'`

// writesSQL returns a row if the role may write to a relation of users. Relations with the same
// owner and grants give the same rights, so that the server looks at one of each kind. No index
// has grants: all rows are read, but for a superuser, who needs none.
const writesSQL = `
SELECT 1 FROM pg_catalog.pg_class WHERE relkind IN ('r', 'p', 'v', 'f') AND oid >= ` + firstUserOID + `
  AND (SELECT NOT rolsuper FROM pg_catalog.pg_roles WHERE rolname = current_user)
GROUP BY relowner, relacl HAVING pg_catalog.has_table_privilege(pg_catalog.min(oid), 'INSERT, UPDATE, DELETE, TRUNCATE') LIMIT 1`

// dblinkSQL returns the functions with which the role may open connections of its own.
const dblinkSQL = `
SELECT oid::pg_catalog.regprocedure::pg_catalog.text FROM pg_catalog.pg_proc
WHERE proname IN ('dblink_connect', 'dblink_exec', 'dblink') AND pg_catalog.has_function_privilege(oid, 'EXECUTE')`

// writableSQL returns up to three relations that the role may write to.
const writableSQL = `
SELECT n.nspname || '.' || c.relname
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'f') AND c.oid >= ` + firstUserOID + ` AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
  AND pg_catalog.has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE')
LIMIT 3`

// openPathSQL returns the schemas on the role's path in which others than the owner, the role
// itself and superusers may create objects.
const openPathSQL = `
SELECT pg_catalog.quote_ident(n.nspname) FROM pg_catalog.pg_namespace n
WHERE n.nspname !~ '^pg_' AND n.nspname = ANY (pg_catalog.current_schemas(true)) AND EXISTS (
  SELECT FROM pg_catalog.aclexplode(n.nspacl) AS a WHERE a.privilege_type = 'CREATE' AND a.grantee <> n.nspowner
    AND a.grantee NOT IN (SELECT oid FROM pg_catalog.pg_roles WHERE rolsuper OR rolname = current_user))`

// account collects the answers.
type account struct {
	super  bool
	names  map[string][]string // of what a right is for, by its kind
	writes bool                // to a relation, maybe of a schema of the server
	opened bool                // a schema on the path may be open to others
}

func isTrue(v []byte) bool { return len(v) == 1 && v[0] == 't' }

// may notes a right and what it is for.
func (a *account) may(yes bool, kind, name string) {
	if yes {
		a.names[kind] = append(a.names[kind], name)
	}
}

// list returns a question whose first column names what a right is for.
func (a *account) list(kind, sql string) question {
	return question{sql, nil, func(v [][]byte) error {
		a.may(true, kind, string(v[0]))
		return nil
	}}
}

func (a *account) role(v [][]byte) error {
	own, name := isTrue(v[1]), string(v[0])
	// The role itself may be one of the server's: ALTER ROLE … SET role = pg_write_all_data.
	a.may(!own || strings.HasPrefix(name, "pg_"), "member", name)
	if !own {
		return nil
	}
	a.super = isTrue(v[2])
	for i, kind := range []string{"create_role", "replication", "bypass_rls"} {
		a.may(isTrue(v[3+i]), kind, "")
	}
	a.may(isTrue(v[6]), "create_database", string(v[7]))
	a.may(isTrue(v[8]), "passwords", "pg_authid")
	return nil
}

func (a *account) schema(v [][]byte) error {
	a.may(isTrue(v[1]), "create_schema", string(v[0]))
	a.opened = a.opened || isTrue(v[2])
	return nil
}

// rights asks what the account may do beyond reading: one right of each kind, sorted. A superuser
// has them all and is listed as that alone, but for its path. It takes one round trip, and one
// more where the role may write or others may create objects on its path.
func (r *reading) rights() ([]right, error) {
	a := account{names: map[string][]string{}}
	err := r.together(question{rolesOfAccountSQL, nil, a.role}, question{schemaRightsSQL, nil, a.schema},
		question{writesSQL, nil, func([][]byte) error { a.writes = true; return nil }}, a.list("dblink", dblinkSQL))
	if err != nil {
		return nil, err
	}
	var details []question
	if a.writes && !a.super {
		details = append(details, a.list("write", writableSQL))
	}
	if a.opened {
		details = append(details, a.list("search_path", openPathSQL))
	}
	if err := r.together(details...); err != nil {
		return nil, err
	}
	var found []right
	for kind, names := range a.names {
		if !a.super || kind == "search_path" {
			slices.Sort(names)
			found = append(found, right{kind, strings.Join(names, ", ")})
		}
	}
	slices.SortFunc(found, func(a, b right) int { return cmp.Compare(a.kind, b.kind) })
	if a.super {
		found = slices.Insert(found, 0, right{kind: "superuser"})
	}
	return found, nil
}
