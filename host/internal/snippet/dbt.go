package snippet

import (
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"
)

// The keys of dbt's files that are read, and those that say nothing of what data means.
const (
	dbtFileKeys  = keys("version models sources seeds snapshots semantic_models metrics saved_queries exposures groups")
	dbtModelKeys = keys(`name description columns tests data_tests config meta docs latest_version versions access group constraints
		deprecation_date tags identifier loader loaded_at_field freshness quoting external time_spine semantic_model agg_time_dimension
		metrics derived_semantics primary_entity unit_tests database schema`)
	dbtColumnKeys = keys(`name description tests data_tests meta data_type quote tags constraints config policy_tags entity dimension
		granularity label`)
)

// readDBT reads a properties file of dbt with everything that MetricFlow adds to it, in
// both specifications.
func readDBT(format Format, content string) *Snippet {
	content = tablesOf(content)
	r := &flowReader{reader: newReader(format, content), measures: map[string]*flowMeasure{}, metrics: map[string]string{}, twins: map[string]*yaml.Node{}}
	return r.reader.each(content, func(root *yaml.Node) {
		r.collect(root)
		for _, key := range []string{"models", "seeds", "snapshots"} {
			for _, n := range entries(at(root, key)) {
				r.model(n, modelName(n))
			}
		}
		for _, source := range entries(at(root, "sources")) {
			schema := textOf(source, "schema")
			if schema == "" {
				schema = textOf(source, "name")
			}
			for _, n := range entries(at(source, "tables")) {
				name := textOf(n, "identifier")
				if name == "" {
					name = textOf(n, "name")
				}
				r.model(n, schema+"."+name)
			}
		}
		r.flow(root)
		for _, key := range []string{"saved_queries", "exposures", "groups"} {
			for _, n := range entries(at(root, key)) {
				r.reader.add(Item{Kind: Table, Name: textOf(n, "name"), LeftOut: unsupported, Message: key + " define no member of a table"}, n.Line)
			}
		}
		r.reader.others(root, Table, "", dbtFileKeys)
	})
}

// modelName is the table of a model: its alias, else its name.
func modelName(n *yaml.Node) string {
	if alias := textOf(at(n, "config"), "alias"); alias != "" {
		return alias
	}
	return textOf(n, "name")
}

func (r *flowReader) model(n *yaml.Node, table string) {
	i := Item{Kind: Table, Table: table, Name: textOf(n, "name"), Description: textOf(n, "description")}
	i.meta(n)
	if tests := r.tests(nil, n, table); len(tests) > 0 {
		i.note("not kept: " + strings.Join(tests, ", "))
	}
	if strings.Contains(table, "{") {
		i.refuse(faultf(templated, "the name of the table is a template"))
	}
	r.reader.add(i, n.Line)
	r.reader.others(n, Table, table, dbtModelKeys)
	for _, c := range entries(at(n, "columns")) {
		i := Item{Kind: Column, Table: table, Name: textOf(c, "name"), Label: textOf(c, "label"), Description: textOf(c, "description")}
		i.meta(c)
		if tests := r.tests(&i, c, table); len(tests) > 0 {
			i.note("not kept: " + strings.Join(tests, ", "))
		}
		if strings.Contains(i.Description, "{{") {
			i.refuse(faultf(templated, "the description is a block of another file; write its text"))
			i.Description = ""
		}
		dbtColumnKeys.unknown(&i, c)
		r.reader.add(i, c.Line)
	}
}

// meta reads what people write beside a description.
func (i *Item) meta(n *yaml.Node) {
	for _, meta := range []*yaml.Node{at(n, "meta"), at(at(n, "config"), "meta")} {
		if meta == nil {
			continue
		}
		if i.Label == "" {
			i.Label = textOf(meta, "label")
		}
		if i.Unit == "" {
			i.Unit = textOf(meta, "unit")
		}
		i.Synonyms = append(i.Synonyms, texts(at(meta, "synonyms"))...)
	}
}

// tests reads the tests of a column, nil of a model: accepted values, and references,
// which are joins. It returns the names of the others.
func (r *flowReader) tests(i *Item, n *yaml.Node, table string) (others []string) {
	for _, key := range []string{"tests", "data_tests"} {
		list := at(n, key)
		if list == nil || list.Kind != yaml.SequenceNode {
			continue
		}
		for _, test := range list.Content {
			name, args := testOf(test)
			switch short := lastPart(name); {
			case i != nil && short == "accepted_values" && len(texts(at(args, "values"))) > 0 && textOf(args, "where") == "" && textOf(at(args, "config"), "where") == "":
				i.Values = texts(at(args, "values"))
			case i != nil && short == "relationships" && textOf(args, "to") != "":
				r.reference(i.Name, table, args)
			case name != "":
				others = append(others, name)
			}
		}
	}
	return others
}

// testOf returns the name of a test and what it is given, with or without arguments.
func testOf(n *yaml.Node) (name string, args *yaml.Node) {
	if n.Kind == yaml.ScalarNode {
		return n.Value, nil
	}
	if n.Kind != yaml.MappingNode || len(n.Content) < 2 {
		return "", nil
	}
	name, args = n.Content[0].Value, n.Content[1]
	if own := textOf(n, "test_name"); own != "" {
		name, args = own, n
	}
	if inner := at(args, "arguments"); inner != nil {
		return name, inner
	}
	return name, args
}

// reference makes a join of a test of references.
func (r *flowReader) reference(column, table string, args *yaml.Node) {
	to := tablesOf("{{ " + textOf(args, "to") + " }}")
	if strings.Contains(to, "{{") {
		to = textOf(args, "to")
	}
	i := Item{Kind: JoinItem, Table: table, Name: lastPart(to)}
	if strings.ContainsAny(to, "(){} ") || textOf(args, "field") == "" {
		i.refuse(faultf(templated, "the table %q that %s refers to is not read", to, column))
	} else {
		i.Definition = []Key{
			{"to", lastPart(to)},
			{"on", fmt.Sprintf("%s.%s = %s.%s", lastPart(table), column, lastPart(to), textOf(args, "field"))},
			{"relationship", "many_to_one"},
		}
	}
	r.reader.add(i, args.Line)
}
