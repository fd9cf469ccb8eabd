package snippet

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/text"
)

// The keys of Cube's constructs; those that change nothing of a number are passed over.
const (
	cubeKeys = keys(`name sql_table sql sql_alias title description public shown meta joins dimensions measures segments data_source
		refresh_key pre_aggregations hierarchies calendar extends access_policy sql_filter ...`)
	cubeMeasureKeys   = keys("name sql type filters title description format public shown meta drill_members drillMembers currency")
	cubeDimensionKeys = keys("name sql type primary_key primaryKey title description format public shown meta granularities propagate_filters_to_sub_query")
	cubeSegmentKeys   = keys("name sql title description public shown meta")
	cubeJoinKeys      = keys("name sql relationship")
)

// cubeRelationships are Cube's words for how rows relate; the old ones are of old files.
var cubeRelationships = map[string]string{
	"many_to_one": "many_to_one", "belongs_to": "many_to_one", "belongsTo": "many_to_one",
	"one_to_many": "one_to_many", "has_many": "one_to_many", "hasMany": "one_to_many",
	"one_to_one": "one_to_one", "has_one": "one_to_one", "hasOne": "one_to_one",
}

var cubeAggregates = map[string]expression.AggregateFunction{
	"count": expression.Count, "sum": expression.Sum, "avg": expression.Avg, "min": expression.Min, "max": expression.Max,
	"count_distinct": expression.CountDistinct, "count_distinct_approx": expression.ApproxDistinct,
}

// readCube reads the YAML of Cube, and the literals of its JavaScript.
func readCube(content string) *Snippet {
	r := &cubeReader{reader: newReader(Cube, content), cubes: map[string]*cube{}}
	if !javaScript().MatchString(content) {
		return r.reader.each(content, r.root)
	}
	r.script = true
	root, p, f := parseScript(content)
	r.root(root)
	if p.outside > 0 {
		r.reader.add(Item{Kind: Table, Name: p.word, LeftOut: templated, Message: "JavaScript outside of cube() is not run"}, p.outside)
	}
	if f != nil {
		r.reader.add(Item{Kind: Table, LeftOut: f.code, Message: f.message}, p.line)
	}
	return r.reader.snippet
}

type cubeReader struct {
	reader *reader
	cubes  map[string]*cube
	script bool // of a model in JavaScript
}

// root reads the cubes of a document.
func (r *cubeReader) root(root *yaml.Node) {
	all := entries(at(root, "cubes"))
	for _, n := range all {
		r.cubes[textOf(n, "name")] = newCube(n)
	}
	for _, n := range all {
		r.cube(r.cubes[textOf(n, "name")], n)
	}
	for _, n := range entries(at(root, "views")) {
		r.reader.add(Item{Kind: Table, Name: textOf(n, "name"), LeftOut: unsupported, Message: "a view offers members of cubes; their measures are read from the cubes"}, n.Line)
	}
	r.reader.others(root, Table, "", "cubes views")
}

// cube is one cube by its members.
type cube struct {
	name, table string
	problem     *fault
	dimensions  map[string]*yaml.Node
	measures    map[string]bool
	written     inlined
}

func newCube(n *yaml.Node) *cube {
	c := &cube{name: textOf(n, "name"), table: textOf(n, "sql_table"), dimensions: map[string]*yaml.Node{}, measures: map[string]bool{}, written: inlined{}}
	if m := wholeTable().FindStringSubmatch(textOf(n, "sql")); m != nil {
		c.table = m[1]
	}
	switch {
	case c.table == "" && textOf(n, "sql") == "":
		c.table = c.name
	case c.table == "":
		c.problem = faultf(unsupported, "the rows of %s are those of a query, of no table", c.name)
	case strings.ContainsAny(c.table, "{}"):
		c.problem = faultf(templated, "the table %s is a template", c.table)
	}
	for _, key := range []string{"extends", "access_policy", "sql_filter", spread} {
		if at(n, key) != nil {
			c.problem = faultf(unsupported, "%s of %s changes what its members mean", key, c.name)
		}
	}
	c.table = strings.NewReplacer(`"`, "", "`", "").Replace(c.table)
	for _, d := range entries(at(n, "dimensions")) {
		c.dimensions[textOf(d, "name")] = d
	}
	for _, m := range entries(at(n, "measures")) {
		c.measures[textOf(m, "name")] = true
	}
	return c
}

// wholeTable is a query for all of a table.
var wholeTable = text.Pattern("(?i)^select\\s+\\*\\s+from\\s+([\\w.\"`]+)\\s*;?$")

func (r *cubeReader) cube(c *cube, n *yaml.Node) {
	i := Item{Kind: Table, Table: c.table, Name: c.name, Label: textOf(n, "title"), Description: textOf(n, "description")}
	if strings.Contains(i.Label+i.Description, "{{") {
		i.refuse(program)
		i.Label, i.Description = "", ""
	}
	if c.problem != nil {
		i.refuse(c.problem)
	}
	r.reader.add(i, n.Line)
	r.reader.others(n, Table, c.table, cubeKeys)
	for _, d := range entries(at(n, "dimensions")) {
		r.item(c, d, Column, cubeDimensionKeys, func(i *Item) { r.dimension(c, i, d) })
	}
	for _, m := range entries(at(n, "measures")) {
		r.item(c, m, MeasureItem, cubeMeasureKeys, func(i *Item) { r.measure(c, i, m) })
	}
	for _, s := range entries(at(n, "segments")) {
		r.item(c, s, SegmentItem, cubeSegmentKeys, func(i *Item) {
			if node, f := r.sql(c, textOf(s, "sql"), 0); f != nil {
				i.refuse(f)
			} else {
				i.Definition = []Key{{"expr", expression.String(node)}}
			}
		})
	}
	for _, j := range entries(at(n, "joins")) {
		r.item(c, j, JoinItem, cubeJoinKeys, func(i *Item) { r.join(c, i, j) })
	}
}

// item adds the item of a member, unless a key or its cube leaves it out.
func (r *cubeReader) item(c *cube, n *yaml.Node, kind ItemKind, known keys, read func(*Item)) {
	i := Item{Kind: kind, Table: c.table, Name: textOf(n, "name"), Label: textOf(n, "title"), Description: textOf(n, "description")}
	if c.problem != nil {
		i.refuse(c.problem)
	}
	known.unknown(&i, n)
	if i.LeftOut == "" && jinja(n) {
		i.refuse(program)
	}
	if i.LeftOut == "" {
		read(&i)
	}
	r.reader.add(i, n.Line)
}

// program is why a template is left out.
var program = faultf(templated, "JavaScript and Jinja are not run; write what they stand for")

// jinja reports whether a template stands somewhere below a node.
func jinja(n *yaml.Node) bool {
	return strings.Contains(n.Value, "{{") || strings.Contains(n.Value, "{%") || slices.ContainsFunc(n.Content, jinja)
}

func (r *cubeReader) dimension(c *cube, i *Item, n *yaml.Node) {
	node, f := r.sql(c, sqlOf(n), 0)
	if f != nil {
		i.refuse(f)
		return
	}
	i.column(node)
}

// column makes the item one of the physical column that a node is.
func (i *Item) column(node expression.Node) {
	name, ok := node.(*expression.Name)
	if !ok {
		i.refuse(faultf(unsupported, "a computed dimension is written by a person, in a file of its own"))
		return
	}
	if column := name.Parts[len(name.Parts)-1]; !strings.EqualFold(column, i.Name) {
		i.Synonyms, i.Name = append([]string{i.Name}, slices.DeleteFunc(i.Synonyms, func(s string) bool { return strings.EqualFold(s, column) })...), column
	}
}

// sqlOf is what a dimension computes; without it, the column of its name.
func sqlOf(n *yaml.Node) string {
	if sql := textOf(n, "sql"); sql != "" {
		return sql
	}
	return textOf(n, "name")
}

func (r *cubeReader) measure(c *cube, i *Item, n *yaml.Node) {
	kind, sql := textOf(n, "type"), textOf(n, "sql")
	var filters []expression.Node
	for _, filter := range entries(at(n, "filters")) {
		condition, f := r.sql(c, textOf(filter, "sql"), 0)
		if f == nil {
			f = period(condition)
		}
		if f != nil {
			i.refuse(f)
			return
		}
		filters = append(filters, condition)
	}
	aggregate, ok := cubeAggregates[kind]
	switch {
	case kind == "number" && len(filters) == 0:
		r.number(c, i, sql)
	case !ok:
		i.refuse(faultf(unsupported, "a measure of type %s is not read", kind))
	case sql == "" && aggregate != expression.Count:
		i.refuse(faultf(unsupported, "a measure of type %s needs sql", kind))
	default:
		a := &expression.Aggregate{Function: aggregate}
		if sql != "" {
			var f *fault
			if a.X, f = r.sql(c, sql, 0); f != nil {
				i.refuse(f)
				return
			}
		}
		i.define(a, conjoin(filters))
	}
	i.cubeFormat(n)
}

func (i *Item) cubeFormat(n *yaml.Node) {
	if i.Definition == nil {
		return
	}
	if format := textOf(n, "format"); format == "percent" || format == "currency" {
		i.Definition = append(i.Definition, Key{"format", format})
	}
	if textOf(n, "public") == "false" || textOf(n, "shown") == "false" {
		i.Definition = append(i.Definition, Key{"visibility", "hidden"})
	}
	i.Unit = textOf(n, "currency")
}

// number reads a calculation over measures of the cube, or over its rows.
func (r *cubeReader) number(c *cube, i *Item, sql string) {
	over := 0
	resolved := member().ReplaceAllStringFunc(sql, func(m string) string {
		name := strings.TrimPrefix(strings.Trim(m, "{} "), "CUBE.")
		if name = strings.TrimPrefix(name, c.name+"."); c.measures[name] {
			over++
			return name
		}
		return m
	})
	if over == 0 {
		node, f := r.sql(c, sql, 0)
		if f != nil {
			i.refuse(f)
			return
		}
		i.define(node, nil)
		return
	}
	node, f := r.sql(c, resolved, 0)
	switch {
	case f != nil:
		i.refuse(f)
	default:
		i.derive(node)
	}
}

func (r *cubeReader) join(c *cube, i *Item, n *yaml.Node) {
	to := i.Name
	relationship, ok := cubeRelationships[textOf(n, "relationship")]
	if !ok {
		i.refuse(faultf(unsupported, "the relationship %q is not known", textOf(n, "relationship")))
		return
	}
	target := to
	if other := r.cubes[to]; other != nil {
		target = lastPart(other.table)
	}
	sql := member().ReplaceAllStringFunc(textOf(n, "sql"), func(m string) string {
		name := strings.Trim(m, "{} ")
		source, field, _ := strings.Cut(name, ".")
		from, table := c, lastPart(c.table)
		if source != "CUBE" && source != c.name {
			from, table = r.cubes[source], source
			if from != nil {
				table = lastPart(from.table)
			}
		}
		if field == "" {
			return table
		}
		if from != nil && from.dimensions[field] != nil {
			if node, f := r.sql(from, sqlOf(from.dimensions[field]), 0); f == nil {
				field = expression.String(node)
			}
		}
		return table + "." + field
	})
	node, f := parseAny(sql)
	if f != nil {
		i.refuse(f)
		return
	}
	i.Name = target
	i.Definition = []Key{{"to", target}, {"on", expression.String(node)}, {"relationship", relationship}}
}

// member is a reference to a member or a cube.
var member = text.Pattern(`\{\s*[A-Za-z_][\w.]*\s*\}`)

// sql reads a fragment of a cube; dimensions that it refers to are written out.
func (r *cubeReader) sql(c *cube, sql string, depth int) (expression.Node, *fault) {
	resolved, f := inline(member(), strings.ReplaceAll(sql, "{CUBE}.", ""), func(m string) (string, *fault) {
		name := strings.Trim(m, "{} ")
		source, field, dotted := strings.Cut(name, ".")
		if !dotted {
			source, field = c.name, name
		}
		switch d := c.dimensions[field]; {
		case source != "CUBE" && source != c.name:
			return "", faultf(joinNeeded, "%s is of another cube", name)
		case d == nil && c.measures[field]:
			return "", faultf(notAnAggregate, "%s is a measure", field)
		case d == nil && r.script && !dotted && r.cubes[field] == nil:
			return "", faultf(templated, "${%s} is no member of %s; JavaScript is not run", field, c.name)
		case d == nil:
			return field, nil
		default:
			return c.written.of(field, depth, func() (expression.Node, *fault) { return r.sql(c, sqlOf(d), depth+1) })
		}
	})
	if f != nil {
		return nil, f
	}
	return parse(resolved, c.name, lastPart(c.table), c.table)
}
