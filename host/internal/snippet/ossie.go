package snippet

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/loam-data/loam/host/internal/semantic/expression"
)

const (
	ossieModelKeys        = keys("name description ai_context datasets relationships metrics custom_extensions")
	ossieDatasetKeys      = keys("name source primary_key unique_keys description ai_context fields custom_extensions")
	ossieFieldKeys        = keys("name expression dimension label description ai_context custom_extensions")
	ossieMetricKeys       = keys("name expression description ai_context custom_extensions label")
	ossieRelationshipKeys = keys("name from to from_columns to_columns ai_context custom_extensions description")
)

// readOssie reads semantic models of Apache Ossie. Of the expressions of a metric, that in
// ANSI SQL counts: the others are of one engine each.
func readOssie(content string) *Snippet {
	r := newReader(Ossie, content)
	return r.each(content, func(root *yaml.Node) {
		models := entries(at(root, "semantic_model"))
		if models == nil {
			models = entries(at(root, "semantic_models"))
		}
		for _, n := range models {
			o := &ossieReader{reader: r, datasets: map[string]*dataset{}}
			o.model(n)
		}
		r.others(root, Table, "", "version semantic_model semantic_models dialects vendors")
	})
}

type ossieReader struct {
	reader   *reader
	datasets map[string]*dataset
}

// dataset is one by its fields.
type dataset struct {
	name, table string
	fields      map[string]*yaml.Node
	written     inlined
}

func (r *ossieReader) model(n *yaml.Node) {
	all := entries(at(n, "datasets"))
	for _, n := range all {
		d := &dataset{name: textOf(n, "name"), table: textOf(n, "source"), fields: map[string]*yaml.Node{}, written: inlined{}}
		if d.table == "" {
			d.table = d.name
		}
		for _, f := range entries(at(n, "fields")) {
			d.fields[textOf(f, "name")] = f
		}
		r.datasets[d.name] = d
	}
	r.reader.others(n, Table, "", ossieModelKeys)
	for _, n := range all {
		r.dataset(r.datasets[textOf(n, "name")], n)
	}
	for _, n := range entries(at(n, "relationships")) {
		r.relationship(n)
	}
	for _, n := range entries(at(n, "metrics")) {
		r.metric(n)
	}
}

// context adds what Ossie keeps for agents.
func (i *Item) context(n *yaml.Node) {
	i.Synonyms = append(i.Synonyms, texts(at(at(n, "ai_context"), "synonyms"))...)
	if at(n, "custom_extensions") != nil {
		i.note("extensions of other vendors are not read")
	}
}

func (r *ossieReader) dataset(d *dataset, n *yaml.Node) {
	i := Item{Kind: Table, Table: d.table, Name: d.name, Description: textOf(n, "description")}
	i.context(n)
	if strings.ContainsAny(d.table, " ()") {
		i.refuse(faultf(unsupported, "the rows of %s are those of a query, of no table", d.name))
	}
	r.reader.add(i, n.Line)
	r.reader.others(n, Table, d.table, ossieDatasetKeys)
	for _, f := range entries(at(n, "fields")) {
		i := Item{Kind: Column, Table: d.table, Name: textOf(f, "name"), Label: textOf(f, "label"), Description: textOf(f, "description")}
		i.context(f)
		if ossieFieldKeys.unknown(&i, f); i.LeftOut == "" {
			if node, problem := d.field(textOf(f, "name"), 0); problem != nil {
				i.refuse(problem)
			} else {
				i.column(node)
			}
		}
		r.reader.add(i, f.Line)
	}
}

// field reads what a field computes over the columns of its dataset.
func (d *dataset) field(name string, depth int) (expression.Node, *fault) {
	if d.fields[name] == nil {
		return &expression.Name{Parts: []string{name}}, nil
	}
	text, f := d.written.of(name, depth, func() (expression.Node, *fault) {
		sql, f := ansi(d.fields[name])
		if f != nil {
			return nil, f
		}
		return parse(sql, d.name, lastPart(d.table), d.table)
	})
	if f != nil {
		return nil, f
	}
	return parse(text)
}

// ansi returns the expression in ANSI SQL.
func ansi(n *yaml.Node) (string, *fault) {
	e := at(n, "expression")
	if e != nil && e.Kind == yaml.ScalarNode {
		return e.Value, nil
	}
	var others []string
	for _, d := range entries(at(e, "dialects")) {
		if name := textOf(d, "dialect"); name == "ANSI_SQL" {
			return textOf(d, "expression"), nil
		} else if name != "" {
			others = append(others, name)
		}
	}
	if others == nil {
		return "", faultf(unsupported, "it has no expression")
	}
	return "", faultf(unsupported, "it is in the SQL of %s alone; write it in ANSI_SQL", strings.Join(others, ", "))
}

func (r *ossieReader) relationship(n *yaml.Node) {
	from, to := r.datasets[textOf(n, "from")], r.datasets[textOf(n, "to")]
	columns, keys := texts(at(n, "from_columns")), texts(at(n, "to_columns"))
	i := Item{Kind: JoinItem, Name: textOf(n, "to"), Description: textOf(n, "description")}
	i.context(n)
	ossieRelationshipKeys.unknown(&i, n)
	switch {
	case i.LeftOut != "":
	case from == nil || to == nil:
		i.refuse(faultf(unsupported, "a dataset of the relationship is not in the snippet"))
	case len(columns) == 0 || len(columns) != len(keys):
		i.refuse(faultf(unsupported, "the columns of the relationship are no pairs"))
	default:
		var pairs []string
		for at := range columns {
			pairs = append(pairs, lastPart(from.table)+"."+columns[at]+" = "+lastPart(to.table)+"."+keys[at])
		}
		i.Table, i.Name = from.table, lastPart(to.table)
		i.Definition = []Key{{"to", lastPart(to.table)}, {"on", strings.Join(pairs, " AND ")}, {"relationship", "many_to_one"}}
	}
	r.reader.add(i, n.Line)
}

func (r *ossieReader) metric(n *yaml.Node) {
	i := Item{Kind: Metric, Name: textOf(n, "name"), Label: textOf(n, "label"), Description: textOf(n, "description")}
	i.context(n)
	if ossieMetricKeys.unknown(&i, n); i.LeftOut == "" {
		sql, f := ansi(n)
		if f == nil {
			f = r.define(&i, sql)
		}
		if f != nil {
			i.refuse(f)
		}
	}
	r.reader.add(i, n.Line)
}

// define makes an item a measure of the one dataset that its expression is over, or a
// metric over the measures of several, each of which is over one.
func (r *ossieReader) define(i *Item, sql string) *fault {
	node, f := parseAny(sql)
	if f != nil {
		return f
	}
	if f := aggregated(node); f != nil {
		return f
	}
	var tables []*dataset
	node, err := expression.Substitute(node, func(n *expression.Name) (expression.Node, error) {
		d, column := r.home(n)
		if d == nil {
			f = faultf(unsupported, "%s is of no dataset of the snippet", n)
			return n, nil
		}
		if !slices.Contains(tables, d) {
			tables = append(tables, d)
		}
		field, problem := d.field(column, 0)
		if problem != nil {
			f = problem
			return n, nil
		}
		return qualified(field, lastPart(d.table))
	})
	switch {
	case err != nil:
		return faultf(unsupported, "%v", err)
	case f != nil:
		return f
	case len(tables) == 0 && len(r.datasets) != 1:
		return faultf(unsupported, "the metric names no dataset")
	case len(tables) > 1:
		return r.several(i, node)
	}
	for _, d := range r.datasets {
		if len(tables) == 0 {
			tables = append(tables, d)
		}
	}
	i.Kind, i.Table = MeasureItem, tables[0].table
	if node, f = parse(expression.String(node), lastPart(tables[0].table)); f == nil {
		i.define(node, nil)
	}
	return f
}

// home finds the dataset of a column; one without a dataset is of the only one.
func (r *ossieReader) home(n *expression.Name) (*dataset, string) {
	last := len(n.Parts) - 1
	if last == 0 && len(r.datasets) == 1 {
		for _, d := range r.datasets {
			return d, n.Parts[0]
		}
	}
	if last == 0 {
		return nil, ""
	}
	return r.datasets[n.Parts[last-1]], n.Parts[last]
}

func qualified(n expression.Node, table string) (expression.Node, error) {
	return expression.Substitute(n, func(n *expression.Name) (expression.Node, error) {
		return &expression.Name{Parts: []string{table, n.Parts[len(n.Parts)-1]}}, nil
	})
}

// several makes an item a metric over datasets, if each aggregate is over one.
func (r *ossieReader) several(i *Item, n expression.Node) (f *fault) {
	expression.Walk(n, func(n expression.Node) bool {
		a, ok := n.(*expression.Aggregate)
		if !ok || a.X == nil {
			if ok {
				f = faultf(unsupported, "count(*) does not say of which dataset")
			}
			return true
		}
		table := ""
		for _, name := range expression.Names(a.X) {
			if table != "" && name.Parts[0] != table {
				f = faultf(joinNeeded, "%s is over several datasets", expression.String(a))
			}
			table = name.Parts[0]
		}
		return true
	})
	if f == nil {
		i.Definition = []Key{{"expr", expression.String(n)}}
		i.noteDivision(n)
	}
	return f
}
