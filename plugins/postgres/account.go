package postgres

import (
	"fmt"
	"strings"

	"github.com/loam-data/loam/sdk"
)

// right is something that the account may do and a reader should not.
type right struct {
	kind    string
	objects string
}

// rightsSQL lists, for the current role, one row per kind of right. A superuser
// has them all and is listed as that alone, but for its path.
const rightsSQL = `
WITH me AS (SELECT * FROM pg_catalog.pg_roles WHERE rolname = current_user),
schemas AS (
  SELECT * FROM pg_catalog.pg_namespace WHERE nspname !~ '^pg_' AND nspname <> 'information_schema'
), writable AS (
  SELECT n.nspname || '.' || c.relname AS name
  FROM pg_catalog.pg_class c JOIN schemas n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'p', 'v', 'f')
    AND pg_catalog.has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE')
  LIMIT 3
), path AS (
  SELECT DISTINCT name FROM pg_catalog.unnest(pg_catalog.current_schemas(true)) AS path (name)
), found (kind, name) AS (
  SELECT 'create_role', '' FROM me WHERE rolcreaterole
  UNION ALL SELECT 'replication', '' FROM me WHERE rolreplication
  UNION ALL SELECT 'bypass_rls', '' FROM me WHERE rolbypassrls
  UNION ALL SELECT 'member', rolname::pg_catalog.text FROM pg_catalog.pg_roles
    WHERE rolname IN ('pg_write_all_data', 'pg_write_server_files', 'pg_read_server_files', 'pg_execute_server_program',
      'pg_signal_backend', 'pg_signal_autovacuum_worker', 'pg_maintain', 'pg_checkpoint', 'pg_create_subscription')
    AND pg_catalog.pg_has_role(oid, 'MEMBER')
  UNION ALL SELECT 'create_database', pg_catalog.quote_ident(pg_catalog.current_database())
    WHERE pg_catalog.has_database_privilege(pg_catalog.current_database(), 'CREATE')
  UNION ALL SELECT 'create_schema', pg_catalog.quote_ident(nspname) FROM schemas WHERE pg_catalog.has_schema_privilege(oid, 'CREATE')
  UNION ALL SELECT 'write', name FROM writable
  UNION ALL SELECT 'dblink', p.oid::pg_catalog.regprocedure::pg_catalog.text FROM pg_catalog.pg_proc p
    WHERE p.proname IN ('dblink_connect', 'dblink_exec', 'dblink') AND pg_catalog.has_function_privilege(p.oid, 'EXECUTE')
  UNION ALL SELECT 'search_path', pg_catalog.quote_ident(n.nspname) FROM path JOIN pg_catalog.pg_namespace n ON n.nspname = path.name
    WHERE n.nspname !~ '^pg_' AND EXISTS (
      SELECT FROM pg_catalog.aclexplode(n.nspacl) AS a WHERE a.privilege_type = 'CREATE' AND a.grantee NOT IN (SELECT n.nspowner UNION ALL SELECT oid FROM me)
        AND a.grantee NOT IN (SELECT oid FROM pg_catalog.pg_roles WHERE rolsuper))
  UNION ALL SELECT 'passwords', 'pg_authid' WHERE pg_catalog.has_table_privilege('pg_catalog.pg_authid', 'SELECT')
)
SELECT 'superuser', '' FROM me WHERE rolsuper
UNION ALL
SELECT kind, pg_catalog.string_agg(name, ', ' ORDER BY name) FROM found
WHERE kind = 'search_path' OR NOT EXISTS (SELECT FROM me WHERE rolsuper) GROUP BY kind`

// rights asks what the account may do beyond reading.
func (r *reading) rights() ([]right, error) {
	var found []right
	err := r.query(rightsSQL, nil, func(v [][]byte) error {
		found = append(found, right{string(v[0]), string(v[1])})
		return nil
	})
	return found, err
}

// rightTexts say what a right allows, and how to take it away: {role} and
// {objects} are filled in.
var rightTexts = map[string]struct{ summary, mend string }{
	"superuser":       {"the role {role} is a superuser: nothing in the server but this connector keeps it from writing", "ALTER ROLE {role} NOSUPERUSER"},
	"create_role":     {"the role {role} may create and change roles", "ALTER ROLE {role} NOCREATEROLE"},
	"replication":     {"the role {role} may replicate the server", "ALTER ROLE {role} NOREPLICATION"},
	"bypass_rls":      {"the role {role} is not bound by row security: it reads rows that policies hide", "ALTER ROLE {role} NOBYPASSRLS"},
	"member":          {"the role {role} is a member of {objects}", "REVOKE {objects} FROM {role}"},
	"create_database": {"the role {role} may create schemas in the database {objects}", "REVOKE CREATE ON DATABASE {objects} FROM {role}"},
	"create_schema":   {"the role {role} may create objects in {objects}", "REVOKE CREATE ON SCHEMA {objects} FROM PUBLIC, {role}"},
	"write":           {"the role {role} may write to tables, {objects} among them", ""},
	"dblink":          {"the role {role} may open connections of its own with the extension dblink, which no transaction holds back", "REVOKE EXECUTE ON FUNCTION {objects} FROM PUBLIC, {role}"},
	"search_path":     {"others than its owner may create functions and tables in {objects}, where the role {role} looks names up: it may be made to call what somebody put there", "REVOKE CREATE ON SCHEMA {objects} FROM PUBLIC and from whoever else was granted it"},
	"passwords":       {"the role {role} may read password hashes in {objects}", "REVOKE pg_read_all_data FROM {role}"},
}

func (r right) diagnostic(s *Session) sdk.Diagnostic {
	text := rightTexts[r.kind]
	fill := strings.NewReplacer("{role}", quote(s.Info.CurrentUser), "{objects}", r.objects)
	d := sdk.Diagnostic{Severity: sdk.SeverityWarning, Path: "user", Summary: fill.Replace(text.summary)}
	if text.mend != "" {
		d.Detail = fill.Replace(text.mend) + "; or "
	}
	d.Detail += "use a role that can only read: " + strings.Join(s.readerStatements(), "; ")
	return d
}

// readerStatements create a role that can read the connection's schemas and
// nothing else.
func (s *Session) readerStatements() []string {
	return newReader(quote(s.Info.Database), quoteAll(s.schemas)...)
}

// newReader creates a role that can read schemas of a database, whose names are as SQL has
// them.
func newReader(database string, schemas ...string) []string {
	const role = "loam_reader"
	statements := []string{
		fmt.Sprintf("CREATE ROLE %s LOGIN PASSWORD '<choose one>'", role),
		fmt.Sprintf("GRANT CONNECT ON DATABASE %s TO %s", database, role),
	}
	return append(statements, grantStatements(role, schemas)...)
}

// grantStatements give a role the right to read whole schemas, whose names are as SQL has
// them: also what will be created there later by whoever runs them.
func grantStatements(role string, schemas []string) []string {
	var statements []string
	for _, schema := range schemas {
		statements = append(statements,
			fmt.Sprintf("GRANT USAGE ON SCHEMA %s TO %s", schema, role),
			fmt.Sprintf("GRANT SELECT ON ALL TABLES IN SCHEMA %s TO %s", schema, role),
			fmt.Sprintf("ALTER DEFAULT PRIVILEGES IN SCHEMA %s GRANT SELECT ON TABLES TO %s", schema, role))
	}
	return statements
}

func quoteAll(names []string) []string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = quote(name)
	}
	return quoted
}

// quote writes an identifier.
func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
