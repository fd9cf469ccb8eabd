package snowflake

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// session is a client's. The server's lock guards it.
type session struct {
	server                            *Server
	id                                int64
	user                              User
	token, master                     string
	expired, over                     bool // the session token; the master token, too
	database, schema, warehouse, role string
	secondaryNone                     bool
	parameters                        map[string]any
	last                              string // the id of its last query
}

// defaults are the parameters of a session that sets none.
var defaults = map[string]any{
	"TIMEZONE": "America/Los_Angeles", "QUERY_TAG": "", "MULTI_STATEMENT_COUNT": "1", "STATEMENT_TIMEOUT_IN_SECONDS": "172800",
	"STATEMENT_QUEUED_TIMEOUT_IN_SECONDS": "0", "ROWS_PER_RESULTSET": "0", "WEEK_START": "0", "WEEK_OF_YEAR_POLICY": "0",
	"QUOTED_IDENTIFIERS_IGNORE_CASE": "false", "TIMESTAMP_TYPE_MAPPING": "TIMESTAMP_NTZ", "DATE_OUTPUT_FORMAT": "YYYY-MM-DD",
	"TIME_OUTPUT_FORMAT": "HH24:MI:SS", "TIMESTAMP_OUTPUT_FORMAT": "YYYY-MM-DD HH24:MI:SS.FF3 TZHTZM", "TIMESTAMP_NTZ_OUTPUT_FORMAT": "YYYY-MM-DD HH24:MI:SS.FF3",
	"TIMESTAMP_LTZ_OUTPUT_FORMAT": "", "TIMESTAMP_TZ_OUTPUT_FORMAT": "", "DATE_INPUT_FORMAT": "AUTO", "TIME_INPUT_FORMAT": "AUTO", "TIMESTAMP_INPUT_FORMAT": "AUTO",
	"BINARY_INPUT_FORMAT": "HEX", "BINARY_OUTPUT_FORMAT": "HEX", "GEOGRAPHY_OUTPUT_FORMAT": "GeoJSON", "USE_CACHED_RESULT": "true", "AUTOCOMMIT": "true",
	"ABORT_DETACHED_QUERY": "false", "TRANSACTION_ABORT_ON_ERROR": "false", "LOCK_TIMEOUT": "43200", "CLIENT_SESSION_KEEP_ALIVE": "false",
	"CLIENT_RESULT_CHUNK_SIZE": "160", "CLIENT_PREFETCH_THREADS": "4", "CLIENT_TELEMETRY_ENABLED": "true", "GO_QUERY_RESULT_FORMAT": "", "JSON_INDENT": "2",
	"STRICT_JSON_OUTPUT": "false", "ERROR_ON_NONDETERMINISTIC_MERGE": "true",
}

// fixed are parameters that the fixture has one meaning of.
var fixed = map[string]string{
	"QUOTED_IDENTIFIERS_IGNORE_CASE": "false", "TIMESTAMP_TYPE_MAPPING": "TIMESTAMP_NTZ", "BINARY_INPUT_FORMAT": "HEX", "AUTOCOMMIT": "true",
}

// open makes a session; what the client wishes is by the names of the URL's query.
func (s *Server) open(user User, wish func(string) string, parameters map[string]any) (*session, *failure) {
	x := &session{server: s, user: user, token: rand.Text(), master: rand.Text(), parameters: maps.Clone(defaults)}
	if len(user.Roles) > 0 {
		x.role = user.Roles[0]
	}
	if role := strings.ToUpper(wish("roleName")); role != "" {
		if !slices.Contains(user.Roles, role) {
			return nil, fail("390189", "08004", "Role '%s' specified in the connect string does not exist or not authorized. Contact your local system administrator, or attempt to login with another role, e.g. PUBLIC.", role)
		}
		x.role = role
	}
	for name, value := range parameters {
		name = strings.ToUpper(name)
		if _, known := defaults[name]; !known {
			continue // a client's own
		}
		if failed := x.set(name, fmt.Sprint(value)); failed != nil {
			return nil, failed
		}
	}
	absent := func(kind string) *failure {
		return fail("390201", "08004", "The requested %s does not exist or not authorized.", kind)
	}
	if database := folded(wish("databaseName")); database != "" {
		if !s.exists(database, "") {
			return nil, absent("database")
		}
		x.database = database
		if s.exists(database, DefaultSchema) {
			x.schema = DefaultSchema
		}
	}
	if schema := folded(wish("schemaName")); schema != "" && x.database != "" {
		if !x.sees(x.database, schema) {
			return nil, absent("schema")
		}
		x.schema = schema
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if warehouse := folded(wish("warehouse")); warehouse != "" {
		if s.warehouses[warehouse] == nil {
			return nil, absent("warehouse")
		}
		x.warehouse = warehouse
	}
	x.id = int64(4000 + s.next())
	s.sessions[x.token], s.masters[x.master] = x, x
	return x, nil
}

// folded returns a name as a connection has it: in upper case if it is not quoted.
func folded(name string) string {
	if inner, ok := strings.CutPrefix(name, `"`); ok {
		return strings.ReplaceAll(strings.TrimSuffix(inner, `"`), `""`, `"`)
	}
	return strings.ToUpper(name)
}

// set sets a parameter.
func (x *session) set(name, value string) *failure {
	if _, known := defaults[name]; !known {
		return fail("001420", "22023", "SQL compilation error:\ninvalid parameter '%s'", name)
	}
	if only := fixed[name]; only != "" && !strings.EqualFold(only, value) {
		return refused("the value %s of the parameter %s", value, name)
	}
	if name == "TIMEZONE" && x.server.unknownZone(value) {
		return fail("001007", "22023", "SQL compilation error:\ninvalid value ['%s'] for parameter 'TIMEZONE'", value)
	}
	x.parameters[name] = value
	return nil
}

func (x *session) parameterList() []object {
	var out []object
	for _, name := range slices.Sorted(maps.Keys(x.parameters)) {
		value := x.parameters[name]
		switch value {
		case "true", "false":
			value = value == "true"
		default:
			if n, err := strconv.ParseInt(fmt.Sprint(value), 10, 64); err == nil {
				value = json.Number(strconv.FormatInt(n, 10))
			}
		}
		out = append(out, object{"name": name, "value": value})
	}
	return out
}

func (x *session) parameter(name string) string { return fmt.Sprint(x.parameters[name]) }

func (x *session) secondaryRoles() string {
	if x.secondaryNone || len(x.user.Roles) < 2 {
		return `{"roles":"","value":""}`
	}
	return `{"roles":"` + strings.Join(x.user.Roles[1:], ",") + `","value":"ALL"}`
}

func (x *session) number() string { return strconv.FormatInt(x.id, 10) }

func (x *session) lastQuery() string { return x.last }

// snapshot returns a copy that a statement may read without the lock.
func (x *session) snapshot() *session {
	x.server.mu.Lock()
	defer x.server.mu.Unlock()
	c := *x
	c.parameters = maps.Clone(x.parameters)
	return &c
}
