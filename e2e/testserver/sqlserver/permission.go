//go:build cgo

package sqlserver

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/e2e/testserver/tds"
)

func (a *Account) enters(database string) bool {
	return a.Databases == nil || database == "master" || slices.ContainsFunc(a.Databases, func(d string) bool { return strings.EqualFold(d, database) })
}

func (a *Account) member(role string) bool {
	return slices.ContainsFunc(a.Roles, func(r string) bool { return strings.EqualFold(r, role) })
}

func (a *Account) owner() bool { return a.member("sysadmin") || a.member("db_owner") }

// byRole are the permissions that a fixed role has on all objects.
var byRole = map[string]string{
	"SELECT": "db_datareader", "INSERT": "db_datawriter", "UPDATE": "db_datawriter", "DELETE": "db_datawriter",
	"CREATE": "db_ddladmin", "ALTER": "db_ddladmin", "DROP": "db_ddladmin", "TRUNCATE": "db_ddladmin",
}

// may tells whether an account has a permission on the database.
func (a *Account) may(permission string) bool {
	if a.owner() || permission == "CONNECT" {
		return true
	}
	if role := byRole[permission]; role != "" {
		denied := role == "db_datawriter" && a.member("db_denydatawriter") || role == "db_datareader" && a.member("db_denydatareader")
		if denied {
			return false
		}
		if a.member(role) {
			return true
		}
	}
	return slices.ContainsFunc(a.Grants, func(g string) bool { return strings.EqualFold(g, permission) })
}

// may, on an object.
func (a *Account) mayOn(permission, schema, object string) bool {
	if a.owner() {
		return true
	}
	for _, d := range a.Denied {
		if strings.EqualFold(d, schema) || strings.EqualFold(d, schema+"."+object) {
			return false
		}
	}
	if a.may(permission) {
		return true
	}
	return slices.ContainsFunc(a.Grants, func(g string) bool {
		return strings.EqualFold(g, permission+" ON SCHEMA::"+schema) || strings.EqualFold(g, permission+" ON "+schema+"."+object)
	})
}

// grantedOn are the schemas and objects, in lower case, that a permission is granted on.
func (a *Account) grantedOn(permission string) []string {
	var all []string
	for _, g := range a.Grants {
		if on, ok := strings.CutPrefix(g, permission+" ON "); ok {
			all = append(all, strings.ToLower(strings.TrimPrefix(on, "SCHEMA::")))
		}
	}
	return all
}

// permissions are all that an account has on the database.
func (a *Account) permissions() []string {
	all := []string{"CONNECT"}
	for _, p := range []string{"SELECT", "INSERT", "UPDATE", "DELETE", "EXECUTE", "ALTER", "CONTROL", "CREATE TABLE", "CREATE VIEW", "CREATE SCHEMA", "REFERENCES", "SHOWPLAN", "VIEW DATABASE STATE", "VIEW DEFINITION", "BACKUP DATABASE"} {
		verb, _, _ := strings.Cut(p, " ")
		if a.may(p) || verb == "CREATE" && a.may("CREATE") {
			all = append(all, p)
		}
	}
	return all
}

// hidden is DuckDB's list of what an account does not see. With VIEW DEFINITION it sees
// what it may not read, too.
func (a *Account) hidden() string {
	if a.may("VIEW DEFINITION") {
		return "CAST([] AS VARCHAR[])"
	}
	return a.unread()
}

// unread is DuckDB's list of what an account may not read, as "schema" and "schema.object".
func (a *Account) unread() string {
	if a.owner() {
		return "CAST([] AS VARCHAR[])"
	}
	return "CAST([" + strings.ToLower(sentence(a.Denied)) + "] AS VARCHAR[])"
}

// mayWrite refuses INSERT, UPDATE and DELETE on a table that the account may not
// write, or from one that it may not read.
func (s *session) mayWrite(st statement) error {
	t := &translator{session: s, tokens: st.tokens, i: 1}
	for t.i < len(t.tokens) && !t.at(t.i-1).is(st.verb) {
		t.i++ // WITH … AS (…)
	}
	if t.at(t.i).is("INTO", "FROM") {
		t.i++
	}
	o, err := t.object()
	if err != nil {
		return err
	}
	if !s.account.mayOn(st.verb, o.schema, o.name) {
		return denied(st.verb, o, st.line())
	}
	for ; t.i < len(t.tokens); t.i++ {
		if !t.at(t.i-1).is("FROM", "JOIN") || !t.at(t.i).name() {
			continue
		}
		if o, err := t.object(); err != nil {
			return err
		} else if !s.account.mayOn("SELECT", o.schema, o.name) {
			return denied("SELECT", o, st.line())
		}
	}
	return nil
}

func denied(permission string, o object, line int) error {
	return &tds.Error{Number: 229, Class: 14, State: 5, Line: uint32(line), Message: "The " + permission + " permission was denied on the object '" + o.name + "', database '" + o.database + "', schema '" + o.schema + "'."}
}

// permitted refuses a query of objects that the account has no right to. What a view
// reads is its owner's.
// Errors: 229, 916, 300; 208 for what is DuckDB's own.
func (s *session) permitted(tables [][3]string, line int) error {
	for _, n := range tables {
		o := object{n[0], n[1], n[2]}
		if o.schema == "" {
			o.schema = "dbo"
		}
		if o.database == "" {
			o.database = s.database
		}
		known, ok := s.server.database(o.database)
		lower := strings.ToLower(o.name)
		switch {
		case !ok || strings.EqualFold(o.schema, "main") || strings.HasPrefix(lower, "duckdb_") || strings.HasPrefix(lower, "pg_") || strings.HasPrefix(lower, "sqlite_") || strings.HasPrefix(lower, "pragma_"):
			return &tds.Error{Number: 208, Class: 16, Line: uint32(line), Message: "Invalid object name '" + o.name + "'."}
		case !s.account.enters(known):
			return &tds.Error{Number: 916, Class: 14, Line: uint32(line), Message: `The server principal "` + s.login.User + `" is not able to access the database "` + known + `" under the current security context.`}
		case strings.EqualFold(o.schema, "sys") || strings.EqualFold(o.schema, informationSchema):
			if need := stateViews[lower]; need != "" && !s.account.may(need) {
				return &tds.Error{Number: 300, Class: 14, Line: uint32(line), Message: need + " permission was denied on object 'server', database 'master'."}
			}
		case !s.account.mayOn("SELECT", o.schema, o.name):
			return denied("SELECT", o, line)
		}
	}
	return nil
}

// stateViews need a permission.
var stateViews = map[string]string{
	"dm_exec_query_stats": "VIEW SERVER STATE", "dm_exec_requests": "VIEW SERVER STATE", "dm_exec_sessions": "",
	"dm_db_partition_stats": "VIEW DATABASE STATE",
}

// nameParts cuts a.b."c.d" into its parts.
func nameParts(name string) []string {
	var parts []string
	var b strings.Builder
	inside := false
	for i := 0; i < len(name); i++ {
		switch c := name[i]; {
		case c == '"' && inside && i+1 < len(name) && name[i+1] == '"':
			b.WriteByte('"')
			i++
		case c == '"':
			inside = !inside
		case c == '.' && !inside:
			parts = append(parts, b.String())
			b.Reset()
		default:
			b.WriteByte(c)
		}
	}
	return append(parts, b.String())
}
