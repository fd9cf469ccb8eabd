package bigquery

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/duckdb/duckdb-go/v2"
	bq "google.golang.org/api/bigquery/v2"
)

// statement is a translated statement.
type statement struct {
	t        *translation
	kind     string // as the API names it; "" = what DuckDB's parser says
	prepared string // what DuckDB prepares; "" = nothing
	target   *table
	// run does it; nil = DuckDB runs what it prepared.
	run func(context.Context, *session) error
}

// session is a job's connection to DuckDB.
type session struct{ conn *sql.Conn }

func (s *session) exec(ctx context.Context, statement string) error {
	_, err := s.conn.ExecContext(ctx, statement)
	return err
}

// mergeStatement is the type that duckdb-go has no name for.
const mergeStatement duckdb.StmtType = 30

// kinds are the API's statement types of what DuckDB parsed.
var kinds = map[duckdb.StmtType]string{
	duckdb.STATEMENT_TYPE_SELECT: "SELECT", duckdb.STATEMENT_TYPE_INSERT: "INSERT", duckdb.STATEMENT_TYPE_UPDATE: "UPDATE",
	duckdb.STATEMENT_TYPE_DELETE: "DELETE", mergeStatement: "MERGE",
}

// others are statements that DuckDB has not: their first word says what they are, a dry
// run tells it, and a run is refused.
var others = map[string]string{
	"EXPORT": "EXPORT_DATA", "LOAD": "LOAD_DATA", "CALL": "CALL", "EXECUTE": "SCRIPT", "DECLARE": "SCRIPT", "BEGIN": "BEGIN_TRANSACTION", "COMMIT": "COMMIT_TRANSACTION",
	"ROLLBACK": "ROLLBACK_TRANSACTION", "SET": "SCRIPT", "IF": "SCRIPT", "LOOP": "SCRIPT", "WHILE": "SCRIPT", "REPEAT": "SCRIPT", "FOR": "SCRIPT", "CASE": "SCRIPT",
	"RAISE": "SCRIPT", "ASSERT": "ASSERT", "GRANT": "GRANT", "REVOKE": "REVOKE", "UNDROP": "UNDROP_SCHEMA", "RETURN": "SCRIPT", "LEAVE": "SCRIPT", "BREAK": "SCRIPT",
}

// split cuts a text at its semicolons.
func split(nodes []node) [][]node {
	var all [][]node
	from := 0
	for i, n := range nodes {
		if n.is(";") {
			if i > from {
				all = append(all, nodes[from:i])
			}
			from = i + 1
		}
	}
	if from < len(nodes) {
		all = append(all, nodes[from:])
	}
	return all
}

// compile translates one statement.
func (t *translation) compile(nodes []node, now time.Time) (*statement, error) {
	c := &cursor{nodes: nodes}
	first := strings.ToUpper(nodes[0].text)
	st := &statement{}
	switch {
	case nodes[0].open("("), nodes[0].is("SELECT", "WITH"):
		t.level(nodes)
		st.prepared = t.sql()
	case nodes[0].is("INSERT", "UPDATE", "DELETE", "MERGE", "TRUNCATE"):
		t.write(c, first)
		if st.prepared = t.sql(); first == "TRUNCATE" {
			st.kind = "TRUNCATE_TABLE"
		}
	case nodes[0].is("CREATE"):
		st = t.create(c, now)
	case nodes[0].is("DROP"):
		st = t.drop(c)
	case nodes[0].is("ALTER"):
		st = t.alter(c)
	case nodes[0].is("FROM"):
		return nil, lacking("pipe syntax")
	case others[first] != "" && nodes[0].kind == word:
		st.kind = others[first]
		st.run = func(context.Context, *session) error { return lacking("%s statements", first) }
	default:
		t.unexpected(nodes[0])
	}
	if t.failed != nil {
		return nil, t.failed
	}
	st.t = t
	return st, t.filtered()
}

// filtered refuses a query that reads all of a table which demands a filter.
func (t *translation) filtered() error {
	for _, r := range t.refs {
		o := t.catalog.find(r.dataset, r.table)
		if o == nil || o.partition == nil || !strings.EqualFold(o.option("require_partition_filter"), "true") {
			continue
		}
		column := o.partition.Field
		if column == "" {
			column = "_PARTITIONTIME"
		}
		if !t.words[strings.ToLower(column)] {
			return invalid("Cannot query over table '%s.%s.%s' without a filter over column(s) '%s' that can be used for partition elimination", t.project, r.dataset, r.table, column)
		}
	}
	return nil
}

// write translates a statement that changes rows.
func (t *translation) write(c *cursor, first string) {
	n := c.peek(0)
	c.i++
	t.put(map[string]string{"INSERT": "INSERT INTO", "DELETE": "DELETE FROM", "MERGE": "MERGE INTO"}[first], n.at)
	if first == "UPDATE" || first == "TRUNCATE" {
		t.put(first, n.at)
	}
	if c.peek(0).is("INTO", "FROM", "TABLE") {
		c.i++
	}
	t.relation(t.tablePath(c), n)
	if a := t.aliasUnless(c, "SET", "VALUES", "USING", "WHERE"); a != "" {
		t.put("AS "+identifier(a), n.at)
	}
	if first == "DELETE" && !c.peek(0).is("WHERE") || first == "UPDATE" && !slices.ContainsFunc(c.nodes, func(n node) bool { return n.is("WHERE") }) {
		t.fail(syntaxError(t.source, len(t.source), first+" must have a WHERE clause"))
	}
	s := &scope{tables: map[string]bool{}}
	for c.more() {
		switch k := c.peek(0); {
		case k.is("VALUES", "INSERT", "UPDATE", "DELETE", "MATCHED", "THEN", "SOURCE", "TARGET", "BY"):
			t.put(strings.ToUpper(k.text), k.at)
			c.i++
		case k.is("USING") && first == "MERGE":
			t.put("USING", k.at)
			c.i++
			t.table(c, s)
		case k.is("SELECT", "WITH"):
			t.level(c.nodes[c.i:])
			c.i = len(c.nodes)
		default:
			t.step(c, s)
		}
	}
}

func (t *translation) aliasUnless(c *cursor, words ...string) string {
	if c.peek(0).is(words...) {
		return ""
	}
	return t.aliasOf(c)
}

// prepare lets DuckDB parse and bind a statement, which decides what it is.
func (s *session) prepare(st *statement) error {
	if st.prepared == "" {
		return nil
	}
	return s.conn.Raw(func(c any) error {
		p, err := c.(*duckdb.Conn).Prepare(st.prepared)
		if err != nil {
			return st.t.fromDuck(err)
		}
		typ, err := p.(*duckdb.Stmt).StatementType()
		if st.kind == "" {
			if st.kind = kinds[typ]; st.kind == "" {
				err = lacking("statements like this")
			}
		}
		return errors.Join(err, p.Close())
	})
}

// describe returns the columns of a query.
func (s *session) describe(ctx context.Context, query string) ([]*bq.TableFieldSchema, error) {
	rows, err := s.conn.QueryContext(ctx, "SELECT column_name, column_type FROM (DESCRIBE "+query+")")
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var fields []*bq.TableFieldSchema
	seen := map[string]bool{}
	for rows.Next() {
		var column, typ string
		if err := rows.Scan(&column, &typ); err != nil {
			return nil, err
		}
		f, err := fromDuckType(column, typ)
		if err != nil {
			return nil, err
		}
		if seen[strings.ToLower(column)] {
			return nil, invalid("Duplicate column names in the result are not supported. Found duplicate(s): %s", column)
		}
		seen[strings.ToLower(column)] = true
		fields = append(fields, f)
	}
	return fields, rows.Err()
}

// query runs a query; its rows are DuckDB's values.
func (s *session) query(ctx context.Context, st *statement, fields []*bq.TableFieldSchema) ([][]any, error) {
	var names, casts []string
	wrap := false
	for i, f := range fields {
		label := identifier("c" + string(rune('a'+i%26)) + strings.Repeat("x", i/26))
		names = append(names, label)
		if inside, outside := duckType(f, false), duckType(f, true); inside != outside {
			wrap = true
			label = "CAST(" + label + " AS " + outside + ")"
		}
		casts = append(casts, label)
	}
	text := st.prepared
	if wrap {
		text = "SELECT " + strings.Join(casts, ", ") + " FROM (" + text + ") AS r(" + strings.Join(names, ", ") + ")"
	}
	var all [][]any
	err := s.conn.Raw(func(c any) error {
		rows, err := c.(*duckdb.Conn).QueryContext(ctx, text, nil)
		if err != nil {
			return err
		}
		defer func() { _ = rows.Close() }()
		for {
			values := make([]driver.Value, len(fields))
			if err := rows.Next(values); errors.Is(err, io.EOF) {
				return ctx.Err()
			} else if err != nil {
				return err
			}
			one := make([]any, len(values))
			for i, v := range values {
				one[i] = v
			}
			all = append(all, one)
		}
	})
	if err != nil && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	} else if err != nil {
		return nil, st.t.fromDuck(err)
	}
	return all, nil
}
