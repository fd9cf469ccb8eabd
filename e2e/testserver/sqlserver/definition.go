//go:build cgo

package sqlserver

import (
	"strings"

	"github.com/loam-data/loam/e2e/testserver/tds"
)

// definition is a table's, as CREATE TABLE writes it.
type definition struct {
	t           *translator
	table       object
	parts       []string // what DuckDB is told
	sequences   []string
	columns     []declared
	constraints []constraint
}

type declared struct {
	name     string
	typ      tds.Type
	identity bool
	computed string
}

type constraint struct {
	name, kind         string
	columns            []string
	other              object
	others             []string
	onDelete, onUpdate string
}

// element reads a column or a constraint of the table.
func (d *definition) element() error {
	t := d.t
	name := ""
	if t.at(t.i).is("CONSTRAINT") {
		name = nameOf(t.at(t.i + 1))
		t.i += 2
	}
	if t.at(t.i).is("PRIMARY", "UNIQUE", "FOREIGN", "CHECK") {
		return d.constraint(name, nil)
	}
	if name != "" {
		return syntaxError(t.at(t.i))
	}
	return d.column()
}

// constraint reads a constraint; of is the column that it stands behind.
func (d *definition) constraint(name string, of []string) error {
	t := d.t
	c := constraint{name: name, columns: of}
	kind := t.at(t.i)
	t.i++
	for t.at(t.i).is("KEY", "CLUSTERED", "NONCLUSTERED") {
		t.i++
	}
	var err error
	switch kind.text {
	case "PRIMARY", "UNIQUE":
		c.kind = map[string]string{"PRIMARY": "PRIMARY KEY", "UNIQUE": "UNIQUE"}[kind.text]
		if of == nil {
			if c.columns, err = t.names(); err != nil {
				return err
			}
		}
		d.parts = append(d.parts, c.kind+" ("+quotedNames(c.columns)+")")
	case "CHECK":
		c.kind = "CHECK"
		close, err := t.closing(t.i)
		if err != nil {
			return err
		}
		x, err := t.primary(close + 1)
		if err != nil {
			return err
		}
		d.parts = append(d.parts, "CHECK "+strings.TrimSpace(x))
	case "FOREIGN":
		if c.columns, err = t.names(); err != nil {
			return err
		}
		if !t.at(t.i).is("REFERENCES") {
			return syntaxError(t.at(t.i))
		}
		t.i++
		return d.references(c)
	case "REFERENCES":
		return d.references(c)
	}
	d.constraints = append(d.constraints, c)
	return nil
}

// references reads REFERENCES t (a, b) ON DELETE …; DuckDB is not told of it.
func (d *definition) references(c constraint) error {
	t := d.t
	c.kind, c.onDelete, c.onUpdate = "FOREIGN KEY", "NO_ACTION", "NO_ACTION"
	var err error
	if c.other, err = t.object(); err != nil {
		return err
	}
	if c.others, err = t.names(); err != nil {
		return err
	}
	for t.at(t.i).is("ON") {
		on := t.at(t.i + 1)
		action := t.at(t.i + 2).text
		t.i += 3
		if action == "SET" || action == "NO" {
			action += "_" + t.at(t.i).text
			t.i++
		}
		if on.is("DELETE") {
			c.onDelete = action
		} else {
			c.onUpdate = action
		}
	}
	d.constraints = append(d.constraints, c)
	return nil
}

// column reads a column with what stands behind its type.
func (d *definition) column() error {
	t := d.t
	if !t.at(t.i).name() {
		return syntaxError(t.at(t.i))
	}
	c := declared{name: nameOf(t.at(t.i))}
	t.i++
	if t.at(t.i).is("AS") {
		return d.computed(c)
	}
	typ, n, err := t.columnType(t.i, len(t.tokens))
	if err != nil {
		return err
	}
	c.typ = typ
	t.i += n
	at := len(d.parts)
	d.parts = append(d.parts, quote(c.name)+" "+stored(typ))
	name := ""
	for {
		one := t.at(t.i)
		switch {
		case one.is("NOT") && t.at(t.i+1).is("NULL"):
			d.parts[at] += " NOT NULL"
			t.i += 2
		case one.is("NULL", "SPARSE", "ROWGUIDCOL"):
			t.i++
		case one.is("COLLATE"):
			t.i += 2
		case one.is("CONSTRAINT"):
			name = nameOf(t.at(t.i + 1))
			t.i += 2
		case one.is("IDENTITY"):
			c.identity = true
			sequence := quote(d.table.database) + "." + quote(d.table.schema) + "." + quote("identity_"+d.table.name)
			d.sequences = append(d.sequences, sequence)
			d.parts[at] += " NOT NULL DEFAULT nextval(" + literal(sequence) + ")"
			if t.i++; t.at(t.i).is("(") {
				if t.i, err = t.closing(t.i); err != nil {
					return err
				}
				t.i++
			}
		case one.is("DEFAULT"):
			t.i++
			x, err := t.unary(len(t.tokens))
			if err != nil {
				return err
			}
			d.parts[at] += " DEFAULT " + strings.TrimSpace(x)
		case one.is("PRIMARY", "UNIQUE", "CHECK", "REFERENCES", "FOREIGN"):
			if one.is("FOREIGN") {
				t.i += 2
			}
			if err := d.constraint(name, []string{c.name}); err != nil {
				return err
			}
			name = ""
		default:
			d.columns = append(d.columns, c)
			return nil
		}
	}
}

// computed reads AS (expression) [PERSISTED].
func (d *definition) computed(c declared) error {
	t := d.t
	t.i++
	close, err := t.closing(t.i)
	if err != nil {
		return err
	}
	for i := t.i; i <= close; i++ {
		c.computed += t.at(i).lead + t.at(i).raw
	}
	c.computed = strings.TrimSpace(c.computed)
	x, err := t.primary(close + 1)
	if err != nil {
		return err
	}
	if t.at(t.i).is("PERSISTED") {
		t.i++
	}
	d.parts = append(d.parts, quote(c.name)+" AS "+strings.TrimSpace(x))
	d.columns = append(d.columns, c)
	return nil
}
