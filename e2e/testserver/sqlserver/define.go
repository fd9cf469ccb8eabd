//go:build cgo

package sqlserver

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/loam-data/loam/e2e/testserver/tds"
)

// object is the name of an object in a definition.
type object struct{ database, schema, name string }

func (o object) String() string {
	return quote(o.database) + "." + quote(o.schema) + "." + quote(o.name)
}

func (o object) key() string {
	return literal(o.database) + ", " + literal(o.schema) + ", " + literal(o.name)
}

// object reads a name at t.i.
func (t *translator) object() (object, error) {
	o := object{t.session.database, "dbo", ""}
	var parts []string
	for {
		one := t.at(t.i)
		if !one.name() {
			return o, syntaxError(one)
		}
		parts = append(parts, nameOf(one))
		t.i++
		if !t.at(t.i).is(".") {
			break
		}
		t.i++
	}
	o.name = parts[len(parts)-1]
	if len(parts) > 1 {
		o.schema = parts[len(parts)-2]
	}
	if len(parts) > 2 {
		o.database = parts[0]
	}
	if strings.HasPrefix(o.name, "#") {
		return o, missing(t.at(t.i-1).line, "temporary table")
	}
	return o, nil
}

// define runs CREATE, ALTER, DROP and TRUNCATE.
func (s *session) define(ctx context.Context, st statement) error {
	t := &translator{session: s, tokens: st.tokens, i: 2}
	kind := t.at(1).text
	if st.verb == "CREATE" && (kind == "UNIQUE" || kind == "CLUSTERED" || kind == "NONCLUSTERED") {
		kind = "INDEX"
	}
	if !s.account.may(st.verb) {
		return &tds.Error{Number: 262, Class: 14, Message: st.verb + " " + kind + " permission denied in database '" + s.database + "'."}
	}
	switch st.verb + " " + kind {
	case "CREATE SCHEMA":
		return s.exec(ctx, "CREATE SCHEMA "+quote(s.database)+"."+quote(nameOf(t.at(2))))
	case "CREATE TABLE":
		return s.createTable(ctx, t)
	case "CREATE VIEW":
		return s.createView(ctx, t)
	case "CREATE INDEX":
		return s.createIndex(ctx, t)
	case "DROP TABLE", "DROP VIEW", "DROP SCHEMA":
		return s.drop(ctx, t, kind)
	case "TRUNCATE TABLE":
		o, err := t.object()
		if err != nil {
			return err
		}
		return s.exec(ctx, "DELETE FROM "+o.String())
	case "ALTER TABLE":
		return s.alterTable(ctx, t)
	}
	return missing(st.line(), "%s %s", st.verb, kind)
}

// exec runs a statement of DuckDB.
func (s *session) exec(ctx context.Context, text string) error {
	_, err := s.conn.ExecContext(ctx, text)
	s.server.stale.Store(true)
	return err
}

// note changes what the fixture knows beyond DuckDB's catalogue, outside of transactions.
func (s *session) note(ctx context.Context, text string) error {
	_, err := s.server.db.ExecContext(ctx, text)
	return err
}

func (s *session) drop(ctx context.Context, t *translator, kind string) error {
	exists := ""
	if t.at(t.i).is("IF") {
		exists, t.i = "IF EXISTS ", t.i+2
	}
	for {
		o, err := t.object()
		if err != nil {
			return err
		}
		name := o.String()
		if kind == "SCHEMA" {
			name = quote(o.database) + "." + quote(o.name)
		}
		if err := s.exec(ctx, "DROP "+kind+" "+exists+name); err != nil {
			return err
		}
		for _, table := range []string{"columns", "constraints"} {
			if err := s.note(ctx, "DELETE FROM fixture.internal."+table+" WHERE (db, sch, tab) = ("+o.key()+")"); err != nil {
				return err
			}
		}
		if !t.at(t.i).is(",") {
			return nil
		}
		t.i++
	}
}

func (s *session) createView(ctx context.Context, t *translator) error {
	o, err := t.object()
	if err != nil {
		return err
	}
	var names []string
	columns := ""
	if t.at(t.i).is("(") {
		if names, err = t.names(); err != nil {
			return err
		}
		columns = " (" + quotedNames(names) + ")"
	}
	if !t.at(t.i).is("AS") {
		return syntaxError(t.at(t.i))
	}
	body, err := s.query(statement{tokens: t.tokens[t.i+1:], verb: "SELECT"}, nil)
	if err != nil {
		return err
	}
	if err := s.exec(ctx, "CREATE VIEW "+o.String()+columns+" AS "+body); err != nil {
		return err
	}
	query, err := s.parse(ctx, body)
	if err != nil {
		return err
	}
	outputs, err := s.outputs(ctx, query)
	if err != nil {
		return err
	}
	d := definition{t: t, table: o}
	for i, c := range outputs {
		if i < len(names) {
			c.name = names[i]
		}
		if c.name == "" && c.star == nil {
			return &tds.Error{Number: 4511, Class: 16, Message: "Create View failed because no column name was specified for column " + strconv.Itoa(i+1) + "."}
		}
		if c.typ != nil {
			d.columns = append(d.columns, declared{name: c.name, typ: *c.typ})
		}
		for name, typ := range c.star {
			if typ != nil {
				d.columns = append(d.columns, declared{name: name, typ: *typ})
			}
		}
	}
	if err := s.noteTable(ctx, d, true); err != nil {
		return err
	}
	var text strings.Builder
	for _, one := range t.tokens {
		text.WriteString(one.lead + one.raw)
	}
	return s.note(ctx, "INSERT OR REPLACE INTO fixture.internal.modules VALUES ("+o.key()+", "+literal(text.String())+")")
}

func (s *session) createIndex(ctx context.Context, t *translator) error {
	unique := ""
	for t.i = 1; !t.at(t.i).is("INDEX"); t.i++ {
		if t.at(t.i).is("UNIQUE") {
			unique = "UNIQUE "
		}
	}
	name := t.at(t.i + 1)
	if t.i += 3; !t.at(t.i - 1).is("ON") {
		return syntaxError(t.at(t.i - 1))
	}
	o, err := t.object()
	if err != nil {
		return err
	}
	columns, err := t.names()
	if err != nil {
		return err
	}
	return s.exec(ctx, "CREATE "+unique+"INDEX "+quote(nameOf(name))+" ON "+o.String()+" ("+quotedNames(columns)+")")
}

// names reads (a, b DESC).
func (t *translator) names() ([]string, error) {
	if !t.at(t.i).is("(") {
		return nil, syntaxError(t.at(t.i))
	}
	var all []string
	for t.i++; ; t.i++ {
		if !t.at(t.i).name() {
			return nil, syntaxError(t.at(t.i))
		}
		all = append(all, nameOf(t.at(t.i)))
		for t.i++; t.at(t.i).is("ASC", "DESC"); t.i++ {
		}
		if t.at(t.i).is(")") {
			t.i++
			return all, nil
		}
		if !t.at(t.i).is(",") {
			return nil, syntaxError(t.at(t.i))
		}
	}
}

func quotedNames(names []string) string {
	var all []string
	for _, n := range names {
		all = append(all, quote(n))
	}
	return strings.Join(all, ", ")
}

func (s *session) alterTable(ctx context.Context, t *translator) error {
	o, err := t.object()
	if err != nil {
		return err
	}
	d := definition{t: t, table: o}
	switch {
	case t.at(t.i).is("ADD") && t.at(t.i+1).is("CONSTRAINT", "FOREIGN"):
		t.i++
		if err := d.element(); err != nil {
			return err
		}
		if len(d.columns) > 0 || len(d.parts) > 0 {
			return missing(t.at(0).line, "ALTER TABLE … ADD of anything but a foreign key or a column")
		}
	case t.at(t.i).is("ADD"):
		t.i++
		if err := d.element(); err != nil {
			return err
		}
		if err := s.exec(ctx, "ALTER TABLE "+o.String()+" ADD COLUMN "+d.parts[0]); err != nil {
			return err
		}
	case t.at(t.i).is("DROP") && t.at(t.i+1).is("COLUMN"):
		return s.exec(ctx, "ALTER TABLE "+o.String()+" DROP COLUMN "+quote(nameOf(t.at(t.i+2))))
	default:
		return missing(t.at(0).line, "ALTER TABLE … %s", t.at(t.i).raw)
	}
	return s.noteTable(ctx, d, false)
}

func (s *session) createTable(ctx context.Context, t *translator) error {
	o, err := t.object()
	if err != nil {
		return err
	}
	d := definition{t: t, table: o}
	if !t.at(t.i).is("(") {
		return syntaxError(t.at(t.i))
	}
	for t.i++; ; t.i++ {
		if err := d.element(); err != nil {
			return err
		}
		if t.at(t.i).is(")") {
			break
		}
		if !t.at(t.i).is(",") {
			return syntaxError(t.at(t.i))
		}
	}
	for _, sequence := range d.sequences {
		if err := s.exec(ctx, "CREATE SEQUENCE "+sequence); err != nil {
			return err
		}
	}
	if err := s.exec(ctx, "CREATE TABLE "+o.String()+" ("+strings.Join(d.parts, ", ")+")"); err != nil {
		return err
	}
	return s.noteTable(ctx, d, true)
}

// noteTable keeps what T-SQL declared of a table.
func (s *session) noteTable(ctx context.Context, d definition, fresh bool) error {
	key := d.table.key()
	if fresh {
		for _, table := range []string{"columns", "constraints"} {
			if err := s.note(ctx, "DELETE FROM fixture.internal."+table+" WHERE (db, sch, tab) = ("+key+")"); err != nil {
				return err
			}
		}
	}
	var rows []string
	for _, c := range d.columns {
		if c.computed != "" { // its type is what the expression has
			rows = append(rows, fmt.Sprintf("(%s, %s, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, %s)", key, literal(c.name), literal(c.computed)))
			continue
		}
		k := catalogTypeOf(c.typ)
		rows = append(rows, fmt.Sprintf("(%s, %s, %s, %s, %d, %d, %d, %d, %d, %t, NULL)", key, literal(c.name), literal(c.typ.String()), literal(k.name), k.id, k.userID, k.length, k.digits, k.scale, c.identity))
	}
	if len(rows) > 0 {
		if err := s.note(ctx, "INSERT INTO fixture.internal.columns VALUES "+strings.Join(rows, ", ")); err != nil {
			return err
		}
	}
	for _, c := range d.constraints {
		name := "NULL"
		if c.name != "" {
			name = literal(c.name)
		} else if c.kind == "FOREIGN KEY" {
			name = literal("FK__" + d.table.name + "__" + strings.Join(c.columns, "_"))
		}
		if err := s.note(ctx, "INSERT INTO fixture.internal.constraints (db, sch, tab, name, kind, cols, rsch, rtab, rcols, on_delete, on_update) VALUES ("+key+", "+name+", "+literal(c.kind)+
			", ["+sentence(c.columns)+"], "+literal(c.other.schema)+", "+literal(c.other.name)+", ["+sentence(c.others)+"], "+literal(c.onDelete)+", "+literal(c.onUpdate)+")"); err != nil {
			return err
		}
	}
	return nil
}
