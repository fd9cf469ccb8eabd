package postgres

import (
	"fmt"
	"strings"

	"github.com/loam-data/loam/sdk"
)

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
