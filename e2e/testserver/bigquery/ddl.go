package bigquery

import (
	"context"
	"strconv"
	"strings"
	"time"

	bq "google.golang.org/api/bigquery/v2"
)

// definition is a statement that defines something.
type definition struct {
	t       *translation
	c       *cursor
	replace bool
	exists  bool // IF [NOT] EXISTS
	table   *table
	query   []node // after AS
}

// text returns the source of nodes.
func (t *translation) text(nodes []node) string {
	if len(nodes) == 0 {
		return ""
	}
	last := nodes[len(nodes)-1]
	return t.source[nodes[0].at:max(last.end, last.until)]
}

// create reads CREATE … and returns what it does.
func (t *translation) create(c *cursor, now time.Time) *statement {
	d := &definition{t: t, c: c, table: &table{kind: "TABLE", created: now, ddl: t.text(c.nodes)}}
	c.i++
	if c.peek(0).is("OR") && c.peek(1).is("REPLACE") {
		d.replace = true
		c.i += 2
	}
	what := strings.ToUpper(c.peek(0).text)
	c.i++
	switch what {
	case "MATERIALIZED", "EXTERNAL", "SNAPSHOT":
		d.table.kind = map[string]string{"MATERIALIZED": "MATERIALIZED_VIEW", "EXTERNAL": "EXTERNAL", "SNAPSHOT": "SNAPSHOT"}[what]
		what = strings.ToUpper(c.peek(0).text)
		c.i++
	}
	switch what {
	case "VIEW":
		if d.table.kind == "TABLE" {
			d.table.kind = "VIEW"
		}
	case "TABLE":
	case "SCHEMA":
		return d.schema()
	default:
		c.i = len(c.nodes)
		return &statement{kind: "CREATE_" + what, run: func(context.Context, *session) error { return lacking("CREATE %s", what) }}
	}
	d.ifExists()
	d.name()
	d.body()
	if t.failed != nil {
		return nil
	}
	return d.statement()
}

func (d *definition) ifExists() {
	if c := d.c; c.peek(0).is("IF") {
		d.exists = true
		for c.i++; c.peek(0).is("NOT", "EXISTS"); c.i++ {
		}
	}
}

func (d *definition) name() {
	parts := d.t.tablePath(d.c)
	dataset, table, err := d.t.qualify(parts)
	if err == nil && d.t.catalog.locationOf(dataset) == "" {
		err = missing("Dataset %s:%s was not found in location %s", d.t.project, dataset, d.t.catalog.location)
	}
	if err != nil {
		d.t.fail(err)
	}
	d.table.dataset, d.table.id = dataset, table
}

// body reads columns, partitions, clusters, options and the query.
func (d *definition) body() {
	c, t := d.c, d.t
	if g := c.peek(0); g.open("(") {
		c.i++
		d.columns(g)
	}
	for t.failed == nil && c.more() {
		switch n := c.peek(0); {
		case n.is("PARTITION") && c.peek(1).is("BY"):
			c.i += 2
			d.partition()
		case n.is("CLUSTER") && c.peek(1).is("BY"):
			for c.i += 2; c.peek(0).kind == word || c.peek(0).kind == name; c.i += 2 {
				d.table.clustering = append(d.table.clustering, c.peek(0).text)
				if !c.peek(1).is(",") {
					c.i++
					break
				}
			}
		case n.is("OPTIONS") && c.peek(1).open("("):
			d.table.options = t.options(c.peek(1))
			c.i += 2
		case n.is("CLONE", "COPY", "LIKE"):
			c.i++
			of, table, err := t.qualify(t.tablePath(c))
			if err != nil {
				t.fail(err)
			}
			tokens, _ := lex("SELECT * FROM `" + of + "." + table + "`") // of names that were read
			d.query, _ = tree("", tokens)
		case n.is("AS"):
			d.query = c.nodes[c.i+1:]
			d.table.query = t.text(d.query)
			c.i = len(c.nodes)
		default:
			t.unexpected(n)
		}
	}
}

// columns reads (a INT64 NOT NULL OPTIONS (…), PRIMARY KEY (a) NOT ENFORCED, …).
func (d *definition) columns(g node) {
	t := d.t
	for _, part := range commas(g.kids) {
		k := &cursor{nodes: part}
		switch n := k.peek(0); {
		case n.is("PRIMARY", "FOREIGN", "CONSTRAINT") && (k.peek(1).is("KEY") || n.is("CONSTRAINT")):
			d.constraint(k)
		case len(part) == 1 || k.peek(1).is("OPTIONS"): // of a view
			f := &bq.TableFieldSchema{Name: n.text}
			k.i++
			t.fieldAttributes(k, f)
			d.table.fields = append(d.table.fields, f)
		default:
			k.i++
			f := t.typed(k)
			f.Name = n.text
			for t.failed == nil && k.more() {
				at := k.i
				t.fieldAttributes(k, f)
				switch m := k.peek(0); {
				case m.is("PRIMARY"):
					k.i += 2
					d.primary([]string{f.Name})
				case m.is("REFERENCES"):
					d.foreign("", []string{f.Name}, k)
				case m.is("NOT") && k.peek(1).is("ENFORCED"):
					k.i += 2
				case k.i == at:
					t.unexpected(m)
				}
			}
			d.table.fields = append(d.table.fields, f)
		}
	}
}

// fieldAttributes reads NOT NULL, OPTIONS and DEFAULT of a column or a field.
func (t *translation) fieldAttributes(c *cursor, f *bq.TableFieldSchema) {
	for t.failed == nil {
		switch n := c.peek(0); {
		case n.is("NOT") && c.peek(1).is("NULL"):
			f.Mode = "REQUIRED"
			c.i += 2
		case n.is("OPTIONS") && c.peek(1).open("("):
			for _, o := range t.options(c.peek(1)) {
				if o.name == "description" {
					f.Description = o.text
				}
			}
			c.i += 2
		default:
			return
		}
	}
}

func (d *definition) primary(columns []string) {
	if d.table.constraints == nil {
		d.table.constraints = &bq.TableConstraints{}
	}
	d.table.constraints.PrimaryKey = &bq.TableConstraintsPrimaryKey{Columns: columns}
}

func (d *definition) constraint(k *cursor) {
	label := ""
	if k.peek(0).is("CONSTRAINT") {
		label = k.peek(1).text
		k.i += 2
	}
	primary, g := k.peek(0).is("PRIMARY"), k.peek(2)
	k.i += 3
	var columns []string
	for _, c := range commas(g.kids) {
		columns = append(columns, c[0].text)
	}
	if !g.open("(") || len(columns) == 0 {
		d.t.unexpected(g)
	} else if primary {
		d.primary(columns)
	} else {
		d.foreign(label, columns, k)
	}
}

// foreign reads REFERENCES d.t (a, b).
func (d *definition) foreign(label string, columns []string, k *cursor) {
	if !k.peek(0).is("REFERENCES") {
		d.t.unexpected(k.peek(0))
		return
	}
	k.i++
	dataset, of, err := d.t.qualify(d.t.tablePath(k))
	g := k.peek(0)
	targets := commas(g.kids)
	k.i++
	if err != nil || len(targets) != len(columns) {
		d.t.fail(invalid("A foreign key must name as many columns as it has"))
		return
	}
	if label == "" {
		label = d.table.id + ".fk$" + strconv.Itoa(1+foreignKeys(d.table))
	}
	key := &bq.TableConstraintsForeignKeys{Name: label, ReferencedTable: &bq.TableConstraintsForeignKeysReferencedTable{ProjectId: d.t.project, DatasetId: dataset, TableId: of}}
	for i, c := range columns {
		key.ColumnReferences = append(key.ColumnReferences, &bq.TableConstraintsForeignKeysColumnReferences{ReferencingColumn: c, ReferencedColumn: targets[i][0].text})
	}
	if d.table.constraints == nil {
		d.table.constraints = &bq.TableConstraints{}
	}
	d.table.constraints.ForeignKeys = append(d.table.constraints.ForeignKeys, key)
}

func foreignKeys(t *table) int {
	if t.constraints == nil {
		return 0
	}
	return len(t.constraints.ForeignKeys)
}

// partition reads day, DATE(ts), TIMESTAMP_TRUNC(ts, HOUR), _PARTITIONDATE or RANGE_BUCKET(a, GENERATE_ARRAY(…)).
func (d *definition) partition() {
	c, by := d.c, "DAY"
	n := c.peek(0)
	c.i++
	column := n.text
	if g := c.peek(0); g.open("(") {
		c.i++
		args := commas(g.kids)
		if n.is("RANGE_BUCKET") && len(args) == 2 && len(args[1]) == 2 {
			bounds := commas(args[1][1].kids)
			d.table.ranges = &bq.RangePartitioning{Field: args[0][0].text, Range: &bq.RangePartitioningRange{ForceSendFields: []string{"Start"}}}
			for i, into := range []*int64{&d.table.ranges.Range.Start, &d.table.ranges.Range.End, &d.table.ranges.Range.Interval} {
				if i < len(bounds) {
					*into, _ = strconv.ParseInt(bounds[i][0].text, 10, 64) // zero shows in the catalogue
				}
			}
			return
		}
		if column = args[0][0].text; len(args) == 2 {
			by = strings.ToUpper(args[1][0].text)
		}
	}
	if column == "_PARTITIONDATE" || column == "_PARTITIONTIME" {
		column = ""
	}
	d.table.partition = &bq.TimePartitioning{Type: by, Field: column}
}

// options reads OPTIONS (a = 'x', b = [('k', 'v')]).
func (t *translation) options(g node) []option {
	var all []option
	for _, part := range commas(g.kids) {
		if len(part) < 3 || !part[1].is("=") {
			t.unexpected(g)
			return nil
		}
		v := part[2]
		o := option{name: strings.ToLower(part[0].text), typ: "STRING", source: t.text(part[2:]), text: v.text}
		switch {
		case v.group:
			o.typ, o.text, o.labels = "ARRAY<STRUCT<STRING, STRING>>", "", map[string]string{}
			for _, pair := range commas(v.kids) {
				if len(pair) == 1 && len(pair[0].kids) == 3 {
					o.labels[pair[0].kids[0].text] = pair[0].kids[2].text
				}
			}
		case v.kind == number:
			o.typ = "FLOAT64"
		case v.is("TRUE", "FALSE"):
			o.typ = "BOOL"
		case v.kind == text:
			o.source = strconv.Quote(v.text)
		}
		all = append(all, o)
	}
	return all
}
