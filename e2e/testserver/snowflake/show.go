package snowflake

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// shown is how many rows a SHOW has at most.
const shown = 10_000

// showing is a SHOW as the client wrote it.
type showing struct {
	kind, like, starts string
	in, database       string // ACCOUNT, DATABASE, SCHEMA, TABLE, SESSION; ""
	schema, table      string
	limit              int
	grantee            string // of GRANTS TO ROLE
	on                 string // of GRANTS: TO ROLE or TO USER
}

// showKinds are the kinds with names of more than one word before their first words.
var showKinds = []string{"PRIMARY KEYS", "UNIQUE KEYS", "IMPORTED KEYS", "EXTERNAL FUNCTIONS", "USER FUNCTIONS", "USER PROCEDURES", "SCHEMAS", "TABLES",
	"VIEWS", "OBJECTS", "COLUMNS", "DATABASES", "GRANTS", "WAREHOUSES", "PARAMETERS", "ROLES", "FUNCTIONS", "PROCEDURES", "SEQUENCES"}

// readShow reads a SHOW.
func readShow(x *statement, in []token) (showing, error) {
	q := showing{limit: shown, database: x.view.database}
	rest := in[1:]
	if len(rest) > 0 && rest[0].is("TERSE") {
		rest = rest[1:]
	}
	words := ""
	for i := range min(2, len(rest)) {
		words = strings.TrimSpace(words + " " + rest[i].text)
		if slices.Contains(showKinds, words) {
			q.kind, rest = words, rest[i+1:]
			break
		}
	}
	if q.kind == "" {
		return q, refused("SHOW %s", words)
	}
	next := func(n int) bool { return len(rest) >= n }
	for len(rest) > 0 {
		switch {
		case rest[0].is("LIKE") && next(2) && rest[1].kind == text:
			q.like, rest = rest[1].text, rest[2:]
		case rest[0].is("STARTS") && next(3) && rest[1].is("WITH") && rest[2].kind == text:
			q.starts, rest = rest[2].text, rest[3:]
		case rest[0].is("LIMIT") && next(2) && rest[1].kind == number:
			q.limit, rest = min(atoi(rest[1].text), shown), rest[2:]
		case rest[0].is("HISTORY"):
			rest = rest[1:]
		case rest[0].is("TO") && next(3) && rest[1].is("ROLE", "USER") && rest[2].name():
			q.on, q.grantee, rest = rest[1].text, rest[2].text, rest[3:]
		case rest[0].is("IN", "FOR") && next(2):
			var err error
			if rest, err = q.within(x, rest[1:]); err != nil {
				return q, err
			}
		default:
			return q, syntaxError(x.sql, rest[0].at, rest[0].text)
		}
	}
	return q, nil
}

// within reads what stands behind IN.
func (q *showing) within(x *statement, rest []token) ([]token, error) {
	q.in = "SCHEMA"
	if rest[0].is("ACCOUNT", "DATABASE", "SCHEMA", "TABLE", "VIEW", "SESSION") {
		q.in, rest = rest[0].text, rest[1:]
	}
	var names []string
	for len(rest) > 0 && rest[0].name() && !rest[0].is("LIKE", "STARTS", "LIMIT") {
		names, rest = append(names, rest[0].text), rest[1:]
		if len(rest) < 2 || !rest[0].is(".") {
			break
		}
		rest = rest[1:]
	}
	switch {
	case q.in == "TABLE" || q.in == "VIEW":
		if len(names) == 0 {
			return nil, syntaxError(x.sql, len(x.sql), "<EOF>")
		}
		q.table, q.schema = names[len(names)-1], x.view.schema
		if len(names) > 1 {
			q.schema = names[len(names)-2]
		}
		if len(names) > 2 {
			q.database = names[0]
		}
	case q.in == "DATABASE" && len(names) > 0:
		q.database = names[0]
	case q.in == "SCHEMA" && len(names) == 2:
		q.database, q.schema = names[0], names[1]
	case q.in == "SCHEMA":
		q.schema = x.view.schema
		if len(names) == 1 {
			q.schema = names[0]
		}
	}
	if q.in == "DATABASE" && !x.view.server.exists(q.database, "") {
		return nil, fail("002043", "02000", "SQL compilation error:\nObject does not exist, or operation cannot be performed.")
	}
	if q.in == "SCHEMA" && !x.view.sees(q.database, q.schema) {
		return nil, fail("002043", "02000", "SQL compilation error:\nObject does not exist, or operation cannot be performed.")
	}
	return rest, nil
}

// show runs a SHOW.
func (s *Server) show(ctx context.Context, x *statement, tokens []token) error {
	x.typeID = typeShow
	q, err := readShow(x, tokens)
	if err != nil {
		return err
	}
	var query string
	switch q.kind {
	case "WAREHOUSES":
		query = s.showWarehouses()
	case "PARAMETERS":
		query = showParameters(x.view)
	case "GRANTS":
		if q.on != "ROLE" || q.grantee != "PUBLIC" && !slices.Contains(x.view.user.Roles, q.grantee) {
			return fail("003001", "42501", "SQL access control error:\nInsufficient privileges to operate on role '%s'", q.grantee)
		}
		query = "SELECT memory.sf.since() AS created_on, privilege, granted_on, name, 'ROLE' AS granted_to, " + literal(q.grantee) +
			" AS grantee_name, 'false' AS grant_option, 'ADMIN' AS granted_by FROM memory.sf.held(" + literal(q.grantee) + ")"
	default:
		query = q.catalogue(x.view)
	}
	if q.like != "" {
		query = "SELECT * FROM (" + query + ") WHERE " + identifier(q.named()) + " ILIKE " + literal(q.like) + ` ESCAPE '\'`
	}
	if q.starts != "" {
		query = "SELECT * FROM (" + query + ") WHERE starts_with(name, " + literal(q.starts) + ")"
	}
	return s.answer(ctx, x, fmt.Sprintf("SELECT * FROM (%s) LIMIT %d", query, q.limit))
}

// answer runs a query of the fixture's own as the statement's result.
func (s *Server) answer(ctx context.Context, x *statement, query string) error {
	conn, err := s.connection(ctx, x.view)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	columns, err := describe(ctx, conn, query)
	if err != nil {
		return err
	}
	x.result = &result{columns: columns, plain: true}
	if !x.describe {
		x.result.rows, err = fetch(ctx, conn, columns, query)
	}
	return err
}

// named returns the column that LIKE looks at.
func (q showing) named() string {
	switch q.kind {
	case "PARAMETERS":
		return "key"
	case "COLUMNS":
		return "column_name"
	}
	return "name"
}

// databases returns the databases to show.
func (q showing) databases(view *session) []string {
	if q.in != "ACCOUNT" && q.database != "" {
		return []string{q.database}
	}
	var out []string
	rows, err := view.server.duck.QueryContext(view.server.ending, "SELECT name FROM memory.sf.databases() ORDER BY 1")
	if err != nil {
		return nil
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var name string
		if rows.Scan(&name) == nil {
			out = append(out, name)
		}
	}
	if rows.Err() != nil {
		return nil
	}
	return out
}

// catalogue writes the query of what is in databases.
func (q showing) catalogue(view *session) string {
	var all []string
	for _, database := range q.databases(view) {
		all = append(all, q.of(database, view))
	}
	if len(all) == 0 || slices.Contains([]string{"DATABASES", "ROLES", "EXTERNAL FUNCTIONS"}, q.kind) {
		all = []string{q.of("", view)}
	}
	return strings.Join(all, " UNION ALL ")
}

func (q showing) of(database string, view *session) string {
	args := "(" + literal(database) + ", " + literal(view.role) + ")"
	where := ""
	if q.schema != "" {
		where = " AND schema_name = " + literal(q.schema)
	}
	if q.table != "" {
		where += " AND table_name = " + literal(q.table)
	}
	inSchema := strings.Replace(where, "schema_name", "TABLE_SCHEMA", 1)
	const size = "rows, BYTES AS bytes, TABLE_OWNER AS owner, '1' AS retention_time"
	switch q.kind {
	case "SCHEMAS":
		return "SELECT CREATED AS created_on, SCHEMA_NAME AS name, 'N' AS is_default, CASE WHEN SCHEMA_NAME = " + literal(view.schema) +
			" THEN 'Y' ELSE 'N' END AS is_current, CATALOG_NAME AS database_name, coalesce(SCHEMA_OWNER, '') AS owner, coalesce(COMMENT, '') AS \"comment\", '' AS options, '1' AS retention_time FROM memory.sf.schemata" + args
	case "DATABASES":
		return "SELECT memory.sf.since() AS created_on, name, 'N' AS is_default, CASE WHEN name = " + literal(view.database) +
			" THEN 'Y' ELSE 'N' END AS is_current, '' AS origin, 'ADMIN' AS owner, '' AS \"comment\", '' AS options, '1' AS retention_time, 'STANDARD' AS kind FROM memory.sf.databases() ORDER BY name"
	case "TABLES":
		return "SELECT CREATED AS created_on, TABLE_NAME AS name, TABLE_CATALOG AS database_name, TABLE_SCHEMA AS schema_name, CASE IS_TRANSIENT WHEN 'YES' THEN 'TRANSIENT' ELSE 'TABLE' END AS kind, " +
			"coalesce(COMMENT, '') AS \"comment\", coalesce(CLUSTERING_KEY, '') AS cluster_by, ROW_COUNT AS " + size + " FROM memory.sf.tables" + args + " WHERE TABLE_TYPE = 'BASE TABLE'" + inSchema
	case "OBJECTS":
		return "SELECT CREATED AS created_on, TABLE_NAME AS name, TABLE_CATALOG AS database_name, TABLE_SCHEMA AS schema_name, CASE TABLE_TYPE WHEN 'VIEW' THEN 'VIEW' ELSE 'TABLE' END AS kind, " +
			"coalesce(COMMENT, '') AS \"comment\", coalesce(CLUSTERING_KEY, '') AS cluster_by, ROW_COUNT AS " + size + " FROM memory.sf.tables" + args + " WHERE true" + inSchema
	case "VIEWS":
		return "SELECT CREATED AS created_on, TABLE_NAME AS name, '' AS reserved, TABLE_CATALOG AS database_name, TABLE_SCHEMA AS schema_name, TABLE_OWNER AS owner, " +
			"coalesce(COMMENT, '') AS \"comment\", VIEW_DEFINITION AS text, 'false' AS is_secure, 'false' AS is_materialized FROM memory.sf.views" + args + " WHERE true" + inSchema
	case "COLUMNS":
		return "SELECT TABLE_NAME AS table_name, TABLE_SCHEMA AS schema_name, COLUMN_NAME AS column_name, CAST(json_object('type', CASE DATA_TYPE WHEN 'NUMBER' THEN 'FIXED' WHEN 'FLOAT' THEN 'REAL' ELSE DATA_TYPE END, " +
			"'precision', NUMERIC_PRECISION, 'scale', coalesce(NUMERIC_SCALE, DATETIME_PRECISION), 'length', CHARACTER_MAXIMUM_LENGTH, 'nullable', IS_NULLABLE = 'YES') AS VARCHAR) AS data_type, " +
			"CASE IS_NULLABLE WHEN 'YES' THEN 'true' ELSE 'NOT_NULL' END AS \"null?\", coalesce(COLUMN_DEFAULT, '') AS \"default\", 'COLUMN' AS kind, '' AS expression, coalesce(COMMENT, '') AS \"comment\", " +
			"TABLE_CATALOG AS database_name, '' AS autoincrement FROM memory.sf.columns" + args + " WHERE true" + inSchema
	case "PRIMARY KEYS", "UNIQUE KEYS":
		kind := map[string]string{"PRIMARY KEYS": "PRIMARY KEY", "UNIQUE KEYS": "UNIQUE"}[q.kind]
		return "SELECT * FROM memory.sf.keys(" + literal(database) + ", " + literal(view.role) + ", " + literal(kind) + ") WHERE true" + where
	case "IMPORTED KEYS":
		return "SELECT * FROM memory.sf.imported" + args + " WHERE true" + strings.NewReplacer("schema_name", "fk_schema_name", "table_name", "fk_table_name").Replace(where)
	case "ROLES":
		return "SELECT memory.sf.since() AS created_on, unnest(" + list(view.user.Roles) + ") AS name, 'N' AS is_default, '' AS \"comment\""
	case "EXTERNAL FUNCTIONS":
		return "SELECT memory.sf.since() AS created_on, name, '' AS schema_name, '' AS catalog_name, 'Y' AS is_external_function FROM memory.sf.functions"
	}
	return "SELECT memory.sf.since() AS created_on, '' AS name, '' AS database_name, '' AS schema_name WHERE false"
}

func list(names []string) string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = literal(n)
	}
	return "[" + strings.Join(out, ", ") + "]"
}

func (s *Server) showWarehouses() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var rows []string
	for _, name := range slices.Sorted(maps.Keys(s.warehouses)) {
		w := s.warehouses[name]
		rows = append(rows, fmt.Sprintf("(%s, %s, 'STANDARD', 'X-Small', 0, 0, 'N', 'N', 600, '%t', 'ADMIN', '')", literal(name), literal(w.state), w.autoResume))
	}
	return "SELECT * FROM (VALUES " + strings.Join(rows, ", ") +
		`) w(name, state, type, size, running, queued, is_default, is_current, auto_suspend, auto_resume, owner, "comment")`
}

func showParameters(view *session) string {
	var rows []string
	for _, name := range slices.Sorted(maps.Keys(view.parameters)) {
		value, usual := view.parameter(name), fmt.Sprint(defaults[name])
		level := ""
		if value != usual {
			level = "SESSION"
		}
		rows = append(rows, "("+strings.Join([]string{literal(name), literal(value), literal(usual), literal(level), "''", "'STRING'"}, ", ")+")")
	}
	return "SELECT * FROM (VALUES " + strings.Join(rows, ", ") + `) p("key", value, "default", level, description, type)`
}

// describeTable runs DESC[RIBE] [TABLE | VIEW] name.
func (s *Server) describeTable(ctx context.Context, x *statement, tokens []token) error {
	x.typeID = typeDescribe
	rest := tokens[1:]
	if len(rest) == 0 || !rest[0].is("TABLE", "VIEW") {
		return refused("DESCRIBE of anything but a table or a view")
	}
	q := showing{database: x.view.database}
	left, err := q.within(x, rest)
	if err != nil || len(left) > 0 {
		return syntaxError(x.sql, rest[0].at, rest[0].text)
	}
	where := fmt.Sprintf(" FROM memory.sf.columns(%s, %s) WHERE TABLE_SCHEMA = %s AND TABLE_NAME = %s", literal(q.database), literal(x.view.role), literal(q.schema), literal(q.table))
	var n int
	if err := s.duck.QueryRowContext(ctx, "SELECT count(*)"+where).Scan(&n); err != nil {
		return err
	}
	if n == 0 {
		return unknownObject("Object", q.table)
	}
	return s.answer(ctx, x, "SELECT COLUMN_NAME AS name, CASE DATA_TYPE WHEN 'NUMBER' THEN 'NUMBER(' || NUMERIC_PRECISION || ',' || NUMERIC_SCALE || ')' WHEN 'TEXT' THEN 'VARCHAR(16777216)' "+
		"ELSE DATA_TYPE || coalesce('(' || DATETIME_PRECISION || ')', '') END AS type, 'COLUMN' AS kind, substr(IS_NULLABLE, 1, 1) AS \"null?\", COLUMN_DEFAULT AS \"default\", "+
		"'N' AS \"primary key\", 'N' AS \"unique key\", CAST(NULL AS VARCHAR) AS \"check\", CAST(NULL AS VARCHAR) AS expression, COMMENT AS \"comment\""+where+" ORDER BY ORDINAL_POSITION")
}
