package snippet

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/loam-data/loam/host/internal/semantic/expression"
)

// The keys of semantic views, and of the semantic models before them. What says how a metric joins or which of
// its rows count is no known key, so that the metric is left out.
// Source: the vendor's "YAML specification for semantic views" and "Cortex Analyst semantic model specification".
const (
	semanticFileKeys         = keys("name description comments tables relationships metrics verified_queries")
	semanticTableKeys        = keys("name description synonyms base_table primary_key unique_keys dimensions time_dimensions facts metrics measures filters")
	semanticColumnKeys       = keys("name description synonyms expr data_type unique is_enum sample_values cortex_search_service cortex_search_service_name access_modifier labels")
	semanticMetricKeys       = keys("name description synonyms expr data_type sample_values access_modifier default_aggregation labels")
	semanticFilterKeys       = keys("name description synonyms expr labels")
	semanticRelationshipKeys = keys("name left_table right_table relationship_columns join_type relationship_type")
)

var semanticAggregates = map[string]expression.AggregateFunction{
	"sum": expression.Sum, "avg": expression.Avg, "min": expression.Min, "max": expression.Max, "median": expression.Median,
	"count": expression.Count, "count_distinct": expression.CountDistinct,
}

// readSemanticView reads semantic views, and the older semantic models.
func readSemanticView(content string) *Snippet {
	r := newReader(SemanticView, content)
	return r.each(content, func(root *yaml.Node) {
		s := &semanticReader{reader: r, tables: map[string]*logical{}}
		all := entries(at(root, "tables"))
		for _, n := range all {
			t := newLogical(r, n, "dimensions", "time_dimensions", "facts")
			t.on(baseTable(at(n, "base_table")))
			s.tables[strings.ToLower(t.name)] = t
		}
		for _, n := range all {
			s.table(s.tables[strings.ToLower(textOf(n, "name"))], n)
		}
		for _, n := range entries(at(root, "relationships")) {
			s.relationship(n)
		}
		for _, n := range entries(at(root, "metrics")) {
			s.metric(n)
		}
		r.others(root, Table, "", semanticFileKeys)
	})
}

type semanticReader struct {
	reader *reader
	tables map[string]*logical // by name in lower case
}

// baseTable is the name of a table, with its database and schema.
func baseTable(n *yaml.Node) string {
	if n != nil && n.Kind == yaml.ScalarNode {
		return n.Value
	}
	var parts []string
	for _, key := range []string{"database", "schema", "table"} {
		if part := textOf(n, key); part != "" {
			parts = append(parts, part)
		}
	}
	if textOf(n, "table") == "" { // a query in its place
		return ""
	}
	return strings.Join(parts, ".")
}

func (r *semanticReader) table(t *logical, n *yaml.Node) {
	t.add(Table, n, semanticTableKeys, func(*Item) {})
	for _, key := range []string{"dimensions", "time_dimensions", "facts"} {
		t.columns(at(n, key), semanticColumnKeys)
	}
	for _, key := range []string{"metrics", "measures"} {
		for _, m := range entries(at(n, key)) {
			t.add(MeasureItem, m, semanticMetricKeys, func(i *Item) { r.measure(t, i, m, key == "metrics") })
		}
	}
	for _, f := range entries(at(n, "filters")) {
		t.add(SegmentItem, f, semanticFilterKeys, func(i *Item) {
			if node, problem := t.condition(textOf(f, "expr")); problem != nil {
				i.refuse(problem)
			} else {
				i.Definition = []Key{{"expr", expression.String(node)}}
			}
		})
	}
}

// measure reads a metric, or an older measure: a column with its aggregation.
func (r *semanticReader) measure(t *logical, i *Item, n *yaml.Node, metric bool) {
	s, f := t.selection(exprOf(n))
	if f != nil {
		i.refuse(f)
		return
	}
	node, condition, f := s.calculation(s.tokens)
	if f != nil {
		i.refuse(f)
		return
	}
	// A name of another measure means that one, unless it is a column that is aggregated under its own name.
	other := func(n *expression.Name) bool {
		key := strings.ToLower(n.Parts[0])
		return t.measures[key] != nil && t.fields[key] == nil && !strings.EqualFold(key, i.Name) && !strings.EqualFold(exprOf(t.measures[key]), key)
	}
	names := expression.Names(node)
	word := strings.ToLower(textOf(n, "default_aggregation"))
	aggregate, known := semanticAggregates[word]
	own, aggregated := node.(*expression.Aggregate)
	switch class := expression.ClassOf(node); {
	case word != "" && !known:
		i.refuse(faultf(unsupported, "the aggregation %q is not known", word))
	case metric && class == expression.Scalar && condition == nil && !slices.ContainsFunc(names, func(n *expression.Name) bool { return !other(n) }):
		t.derive(i, node)
	case slices.ContainsFunc(names, other):
		i.refuse(faultf(unsupported, "%s is another measure; name its column in expr", names[slices.IndexFunc(names, other)]))
	case known && class != expression.Scalar && !(aggregated && own.Function == aggregate):
		i.refuse(faultf(unsupported, "default_aggregation would aggregate an aggregate"))
	case known && !aggregated:
		t.define(i, &expression.Aggregate{Function: aggregate, X: node}, condition)
	default:
		t.define(i, node, condition)
	}
	if textOf(n, "access_modifier") == "private_access" && i.Definition != nil {
		i.Definition = append(i.Definition, Key{"visibility", "hidden"})
	}
}

// metric reads a metric of the view, which is over metrics of its tables.
func (r *semanticReader) metric(n *yaml.Node) {
	i := Item{Kind: Metric, Name: textOf(n, "name"), Description: textOf(n, "description"), Synonyms: texts(at(n, "synonyms"))}
	if semanticMetricKeys.unknown(&i, n); i.LeftOut == "" {
		node, f := parseAny(textOf(n, "expr"))
		if f == nil {
			node, f = r.qualified(node)
		}
		if f != nil {
			i.refuse(f)
		} else {
			i.derive(node)
		}
	}
	r.reader.add(i, n.Line)
}

// qualified writes orders.revenue with the name of the table in the warehouse.
func (r *semanticReader) qualified(n expression.Node) (expression.Node, *fault) {
	var f *fault
	n, err := expression.Substitute(n, func(name *expression.Name) (expression.Node, error) {
		var t *logical
		if len(name.Parts) == 2 {
			t = r.tables[strings.ToLower(name.Parts[0])]
		}
		if t == nil || t.measures[strings.ToLower(name.Parts[1])] == nil {
			f = faultf(unsupported, "%s is no metric of a table of the snippet", strings.Join(name.Parts, "."))
			return nil, nil
		}
		return &expression.Name{Parts: []string{lastPart(t.table), textOf(t.measures[strings.ToLower(name.Parts[1])], "name")}}, nil
	})
	if err != nil {
		f = faultf(unsupported, "%v", err)
	}
	return n, f
}

func (r *semanticReader) relationship(n *yaml.Node) {
	left, right := r.tables[strings.ToLower(textOf(n, "left_table"))], r.tables[strings.ToLower(textOf(n, "right_table"))]
	i := Item{Kind: JoinItem, Name: textOf(n, "right_table")}
	relationship, ok := cubeRelationships[textOf(n, "relationship_type")]
	if textOf(n, "relationship_type") == "" {
		relationship, ok = "many_to_one", true
	}
	semanticRelationshipKeys.unknown(&i, n)
	switch {
	case i.LeftOut != "":
	case left == nil || right == nil:
		i.refuse(faultf(unsupported, "a table of the relationship is not in the snippet"))
	case left.problem != nil || right.problem != nil:
		i.refuse(faultf(unsupported, "a table of the relationship is none of the warehouse"))
	case !ok:
		i.refuse(faultf(unsupported, "the relationship %q is not known", textOf(n, "relationship_type")))
	default:
		var pairs []string
		for _, pair := range entries(at(n, "relationship_columns")) {
			from, f := left.key(textOf(pair, "left_column"))
			to, g := right.key(textOf(pair, "right_column"))
			if f != nil || g != nil {
				i.refuse(faultf(unsupported, "a column of the relationship is missing or computed"))
				break
			}
			pairs = append(pairs, lastPart(left.table)+"."+from+" = "+lastPart(right.table)+"."+to)
		}
		if i.LeftOut == "" && len(pairs) == 0 {
			i.refuse(faultf(unsupported, "the relationship has no columns"))
		}
		if i.Table, i.Name = left.table, lastPart(right.table); i.LeftOut == "" {
			i.Definition = []Key{{"to", i.Name}, {"on", strings.Join(pairs, " AND ")}, {"relationship", relationship}}
		}
	}
	if kind := textOf(n, "join_type"); kind == "inner" && i.LeftOut == "" {
		i.note("the join is " + kind + " there; here a request starts from the rows of the measure")
	}
	r.reader.add(i, n.Line)
}

// key is the column that a name of a relationship means.
func (t *logical) key(name string) (string, *fault) {
	if t.fields[strings.ToLower(name)] == nil {
		node, f := parse(name, t.tables...)
		if _, plain := node.(*expression.Name); f != nil || !plain {
			return "", faultf(unsupported, "%s is no column", name)
		}
		return expression.String(node), nil
	}
	node, f := t.field(strings.ToLower(name), 0)
	if _, plain := node.(*expression.Name); f != nil || !plain {
		return "", faultf(unsupported, "%s is no column", name)
	}
	return expression.String(node), nil
}
