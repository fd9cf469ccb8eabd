//go:build cgo

package sqlserver

import (
	"context"
	"slices"
	"strings"

	"github.com/duckdb/duckdb-go/v2"

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

// hidden is DuckDB's list of what an account does not see, as "schema" and "schema.object".
func (a *Account) hidden() string {
	if a.owner() {
		return "CAST([] AS VARCHAR[])"
	}
	return "CAST([" + strings.ToLower(sentence(a.Denied)) + "] AS VARCHAR[])"
}

// mayWrite refuses INSERT, UPDATE and DELETE on a table that the account may not write.
func (s *session) mayWrite(ctx context.Context, text string, st statement) error {
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
	return s.permitted(ctx, text, st.line())
}

func denied(permission string, o object, line int) error {
	return &tds.Error{Number: 229, Class: 14, State: 5, Line: uint32(line), Message: "The " + permission + " permission was denied on the object '" + o.name + "', database '" + o.database + "', schema '" + o.schema + "'."}
}

// permitted refuses a statement that reads objects the account has no right to.
// Errors: 229, 916; 208 for what is DuckDB's own.
func (s *session) permitted(_ context.Context, text string, line int) error {
	names, err := duckdb.GetTableNames(s.conn, text, true)
	if err != nil {
		return nil // the statement itself says what is wrong with it
	}
	for _, n := range names {
		parts := nameParts(n)
		database, schema, object_ := s.database, "dbo", parts[len(parts)-1]
		if len(parts) > 1 {
			schema = parts[len(parts)-2]
		}
		if len(parts) > 2 {
			database = parts[0]
		}
		if known, ok := s.server.database(database); ok && !s.account.enters(known) {
			return &tds.Error{Number: 916, Class: 14, Line: uint32(line), Message: `The server principal "` + s.login.User + `" is not able to access the database "` + known + `" under the current security context.`}
		}
		if strings.EqualFold(schema, "sys") || strings.EqualFold(schema, informationSchema) {
			if need := stateViews[strings.ToLower(object_)]; need != "" && !s.account.may(need) {
				return &tds.Error{Number: 300, Class: 14, Line: uint32(line), Message: need + " permission was denied on object 'server', database 'master'."}
			}
			continue
		}
		if !strings.EqualFold(schema, "dbo") && strings.EqualFold(database, "fixture") || strings.HasPrefix(strings.ToLower(object_), "duckdb_") || strings.HasPrefix(strings.ToLower(object_), "pg_") || strings.HasPrefix(strings.ToLower(object_), "sqlite_") || strings.EqualFold(schema, "main") {
			return &tds.Error{Number: 208, Class: 16, Line: uint32(line), Message: "Invalid object name '" + n + "'."}
		}
		if !s.account.mayOn("SELECT", schema, object_) {
			return denied("SELECT", object{database, schema, object_}, line)
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
