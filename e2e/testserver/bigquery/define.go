package bigquery

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	bq "google.golang.org/api/bigquery/v2"
)

func conflict(format string, args ...any) *Error {
	return &Error{Status: 409, Reason: "duplicate", Message: "Already Exists: " + fmt.Sprintf(format, args...)}
}

// schema reads the rest of CREATE SCHEMA.
func (d *definition) schema() *statement {
	t, c := d.t, d.c
	d.ifExists()
	parts := t.tablePath(c)
	if len(parts) == 2 && parts[0] == t.project {
		parts = parts[1:]
	}
	if len(parts) != 1 {
		t.fail(invalid("Invalid dataset name: %s", strings.Join(parts, ".")))
		return nil
	}
	made := &dataset{id: parts[0], location: t.catalog.location, created: d.table.created, tables: map[string]*table{}}
	if c.peek(0).is("OPTIONS") && c.peek(1).open("(") {
		for _, o := range t.options(c.peek(1)) {
			switch o.name {
			case "location":
				made.location = o.text
			case "description":
				made.description = o.text
			case "labels":
				made.labels = o.labels
			}
		}
		c.i += 2
	}
	if c.more() {
		t.unexpected(c.peek(0))
	}
	return &statement{kind: "CREATE_SCHEMA", run: func(ctx context.Context, s *session) error {
		if t.catalog.locationOf(made.id) != "" {
			if d.exists {
				return nil
			}
			return conflict("Dataset %s:%s", t.project, made.id)
		}
		if err := s.exec(ctx, "CREATE SCHEMA "+identifier(made.id)); err != nil {
			return err
		}
		t.catalog.change(func() { t.catalog.datasets[made.id] = made })
		return nil
	}}
}

// statement makes what CREATE TABLE or CREATE VIEW does.
func (d *definition) statement() *statement {
	kind := map[string]string{
		"TABLE": "CREATE_TABLE", "VIEW": "CREATE_VIEW", "MATERIALIZED_VIEW": "CREATE_MATERIALIZED_VIEW", "EXTERNAL": "CREATE_EXTERNAL_TABLE",
		"SNAPSHOT": "CREATE_SNAPSHOT_TABLE",
	}[d.table.kind]
	st := &statement{kind: kind, target: d.table}
	if d.query != nil {
		d.t.level(d.query)
		st.prepared = d.t.sql()
		if d.table.kind == "TABLE" {
			st.kind = "CREATE_TABLE_AS_SELECT"
		}
	}
	st.run = func(ctx context.Context, s *session) error { return d.make(ctx, s, st) }
	return st
}

func (d *definition) make(ctx context.Context, s *session, st *statement) error {
	t, c := d.table, d.t.catalog
	path := identifier(t.dataset) + "." + identifier(t.id)
	if old := c.find(t.dataset, t.id); old != nil {
		switch {
		case d.exists:
			return nil
		case !d.replace:
			return conflict("Table %s:%s.%s", c.project, t.dataset, t.id)
		}
		if err := s.exec(ctx, "DROP "+duckKind(old)+" "+path); err != nil {
			return err
		}
	}
	if err := d.fill(ctx, s, st, path); err != nil {
		return err
	}
	if t.kind != "VIEW" && t.kind != "MATERIALIZED_VIEW" {
		t.query = ""
	}
	c.change(func() { c.datasets[t.dataset].tables[t.id] = t })
	return nil
}

// fill makes the table or the view in DuckDB.
func (d *definition) fill(ctx context.Context, s *session, st *statement, path string) error {
	t := d.table
	if st.prepared == "" {
		if len(t.fields) == 0 {
			return invalid("Table must have at least one column")
		}
		return s.exec(ctx, "CREATE TABLE "+path+" ("+columnsOf(t.fields)+")")
	}
	fields, err := s.describe(ctx, st.prepared)
	if err != nil {
		return d.t.fromDuck(err)
	}
	if len(t.fields) > 0 && len(t.fields) != len(fields) {
		return invalid("The number of columns does not match the query")
	}
	for i, f := range t.fields {
		fields[i].Name, fields[i].Description = f.Name, f.Description
		if f.Type != "" {
			fields[i] = f
		}
	}
	t.fields = fields
	if t.kind == "VIEW" {
		var names []string
		for _, f := range fields {
			names = append(names, identifier(f.Name))
		}
		return s.exec(ctx, "CREATE VIEW "+path+" ("+strings.Join(names, ", ")+") AS "+st.prepared)
	}
	if err := s.exec(ctx, "CREATE TABLE "+path+" ("+columnsOf(fields)+")"); err != nil {
		return err
	}
	return s.exec(ctx, "INSERT INTO "+path+" "+st.prepared)
}

func columnsOf(fields []*bq.TableFieldSchema) string {
	var columns []string
	for _, f := range fields {
		column := identifier(f.Name) + " " + duckType(f, false)
		if f.Mode == "REQUIRED" {
			column += " NOT NULL"
		}
		columns = append(columns, column)
	}
	return strings.Join(columns, ", ")
}

func duckKind(t *table) string {
	if t.kind == "VIEW" {
		return "VIEW"
	}
	return "TABLE"
}

// drop reads DROP …
func (t *translation) drop(c *cursor) *statement {
	c.i++
	var what []string
	for ; c.peek(0).is("MATERIALIZED", "EXTERNAL", "SNAPSHOT", "TABLE", "VIEW", "SCHEMA"); c.i++ {
		what = append(what, strings.ToUpper(c.peek(0).text))
	}
	st := &statement{kind: "DROP_" + strings.Join(what, "_")}
	if len(what) == 0 {
		st.kind = "DROP_" + strings.ToUpper(c.peek(0).text)
		st.run = func(context.Context, *session) error { return lacking("%s", st.kind) }
		c.i = len(c.nodes)
		return st
	}
	exists := c.peek(0).is("IF")
	if exists {
		c.i += 2
	}
	parts := t.tablePath(c)
	cascade := c.peek(0).is("CASCADE")
	if c.peek(0).is("CASCADE", "RESTRICT") {
		c.i++
	}
	if c.more() {
		t.unexpected(c.peek(0))
	}
	if what[0] == "SCHEMA" {
		st.run = func(ctx context.Context, s *session) error {
			return t.dropSchema(ctx, s, parts[len(parts)-1], exists, cascade)
		}
		return st
	}
	dataset, id, err := t.qualify(parts)
	old := t.catalog.find(dataset, id)
	if err == nil && old == nil && !exists {
		err = missing("Table %s:%s.%s was not found in location %s", t.project, dataset, id, t.catalog.location)
	}
	if err != nil {
		t.fail(err)
	}
	st.target = &table{dataset: dataset, id: id}
	st.run = func(ctx context.Context, s *session) error {
		if old == nil {
			return nil
		}
		if err := s.exec(ctx, "DROP "+duckKind(old)+" "+identifier(dataset)+"."+identifier(id)); err != nil {
			return err
		}
		t.catalog.change(func() { delete(t.catalog.datasets[dataset].tables, id) })
		return nil
	}
	return st
}

func (t *translation) dropSchema(ctx context.Context, s *session, id string, exists, cascade bool) error {
	d := t.catalog.dataset(id)
	switch {
	case d == nil && exists:
		return nil
	case d == nil:
		return missing("Dataset %s:%s", t.project, id)
	case len(d.tables) > 0 && !cascade:
		return &Error{Status: 400, Reason: "resourceInUse", Message: "Dataset " + t.project + ":" + id + " is still in use"}
	}
	if err := s.exec(ctx, "DROP SCHEMA "+identifier(id)+" CASCADE"); err != nil {
		return err
	}
	t.catalog.change(func() { delete(t.catalog.datasets, id) })
	return nil
}

// alter reads ALTER TABLE t ADD COLUMN a INT64, SET OPTIONS (…).
func (t *translation) alter(c *cursor) *statement {
	c.i++
	kind := strings.ToUpper(c.peek(0).text)
	st := &statement{kind: "ALTER_" + kind}
	refuse := func() *statement {
		st.run = func(context.Context, *session) error { return lacking("this ALTER %s", kind) }
		c.i = len(c.nodes)
		return st
	}
	c.i++
	if kind != "TABLE" {
		return refuse()
	}
	dataset, id, err := t.qualify(t.tablePath(c))
	old := t.catalog.find(dataset, id)
	if err == nil && old == nil {
		err = t.catalog.readable(t.user, dataset, id)
	}
	if err != nil {
		t.fail(err)
		return nil
	}
	st.target = old
	switch {
	case c.peek(0).is("SET") && c.peek(1).is("OPTIONS"):
		options := t.options(c.peek(2))
		st.run = func(context.Context, *session) error {
			t.catalog.change(func() { old.options = append(options, old.options...) })
			return nil
		}
	case c.peek(0).is("ADD") && c.peek(1).is("COLUMN"):
		k := &cursor{nodes: c.nodes[c.i+2:]}
		f := t.fieldOf(k, 0)
		if k.more() {
			return refuse()
		}
		st.run = func(ctx context.Context, s *session) error {
			if err := s.exec(ctx, "ALTER TABLE "+identifier(dataset)+"."+identifier(id)+" ADD COLUMN "+columnsOf([]*bq.TableFieldSchema{f})); err != nil {
				return err
			}
			t.catalog.change(func() { old.fields = append(old.fields, f) })
			return nil
		}
	default:
		return refuse()
	}
	return st
}

// Many makes a dataset with empty tables t0, t1, …, each of the columns c0, c1, … of
// changing types, of which the first has a description. It is much faster than Exec.
func (s *Server) Many(t testing.TB, id string, tables, columns int) {
	t.Helper()
	types := []string{"INTEGER", "STRING", "NUMERIC", "TIMESTAMP", "DATE"}
	made := &dataset{id: id, location: s.location, created: time.Now(), tables: map[string]*table{}}
	conn, err := s.db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	var statements strings.Builder
	fmt.Fprintf(&statements, "BEGIN; CREATE SCHEMA %s;", identifier(id))
	for i := range tables {
		one := &table{dataset: id, id: fmt.Sprintf("t%d", i), kind: "TABLE", created: made.created}
		for n := range columns {
			f := &bq.TableFieldSchema{Name: fmt.Sprintf("c%d", n), Type: types[n%len(types)], Mode: "NULLABLE"}
			if n == 0 {
				f.Mode, f.Description = "REQUIRED", "the key"
			}
			one.fields = append(one.fields, f)
		}
		fmt.Fprintf(&statements, "CREATE TABLE %s.%s (%s);", identifier(id), identifier(one.id), columnsOf(one.fields))
		made.tables[one.id] = one
	}
	statements.WriteString("COMMIT")
	if _, err := conn.ExecContext(t.Context(), statements.String()); err != nil {
		t.Fatal(err)
	}
	s.catalog.change(func() { s.catalog.datasets[id] = made })
}
