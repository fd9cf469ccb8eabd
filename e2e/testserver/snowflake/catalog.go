package snowflake

import (
	"context"
	_ "embed"
)

//go:embed catalogue.sql
var catalogue string

// exists reports whether there is a database or, of a name that is not "", a schema.
func (s *Server) exists(database, schema string) bool {
	query := "SELECT count(*) FROM duckdb_schemas() WHERE NOT internal AND database_name = ? AND database_name NOT IN ('memory', 'system', 'temp') AND (? = '' OR schema_name = ?)"
	var n int
	err := s.duck.QueryRowContext(s.ending, query, database, schema, schema).Scan(&n)
	return err == nil && n > 0
}

// unknownZone reports whether the engine has no such zone.
func (s *Server) unknownZone(name string) bool {
	var n int
	err := s.duck.QueryRowContext(context.WithoutCancel(s.ending), "SELECT count(*) FROM pg_timezone_names() WHERE name = ?", name).Scan(&n)
	return err != nil || n == 0
}

// sees reports whether there is a schema that the session's role may use.
func (x *session) sees(database, schema string) bool {
	x.server.mu.Lock()
	denied := x.server.denied[deniedKey(x.role, database+"."+schema)]
	x.server.mu.Unlock()
	return !denied && x.server.exists(database, schema)
}

func deniedKey(role, schema string) string { return role + "\x00" + schema }

// searchPath sets where a connection looks for names that say no schema.
func searchPath(database, schema string) string {
	path := "memory.main"
	if database != "" && schema != "" {
		path = identifier(database) + "." + identifier(schema) + "," + path
	}
	return "SET search_path = " + literal(path)
}
