package snippet

import (
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/text"
)

const (
	flowModelKeys     = keys("name model description label defaults entities dimensions measures primary_entity config meta node_relation")
	flowMeasureKeys   = keys("name description label agg expr agg_params non_additive_dimension agg_time_dimension create_metric config meta")
	flowDimensionKeys = keys("name description label type expr type_params is_partition config meta")
	flowEntityKeys    = keys("name description label type expr role config meta")
	flowMetricKeys    = keys(`name description label type type_params filter config meta agg expr agg_time_dimension numerator denominator
		input_metrics hidden percentile percentile_type non_additive_dimension fill_nulls_with join_to_timespine input_metric window
		grain_to_date period_agg time_granularity`)
)

// flowReader reads semantic models and metrics.
type flowReader struct {
	reader   *reader
	models   []*flowModel
	measures map[string]*flowMeasure
	// metrics are the references by which other metrics mean one: orders.revenue, or the
	// name of a metric of several.
	metrics map[string]string
	// twins are the metrics that are called like a measure.
	twins map[string]*yaml.Node
}

// flowModel is a semantic model by its members, with the column that each is.
type flowModel struct {
	node               *yaml.Node
	name, table        string
	primary            string // entity
	defaultTime        string
	entities           map[string]string
	dimensions         map[string]string
	times              map[string]bool
	measures, inModels []*yaml.Node
	problem            *fault
}

type flowMeasure struct {
	model *flowModel
	node  *yaml.Node
}

// collect finds the semantic models of a document, of both specifications: a list of
// their own, or part of the models.
func (r *flowReader) collect(root *yaml.Node) {
	for _, n := range entries(at(root, "semantic_models")) {
		m := &flowModel{node: n, name: textOf(n, "name"), table: flowTable(n), primary: textOf(n, "primary_entity")}
		m.defaultTime = textOf(at(n, "defaults"), "agg_time_dimension")
		m.measures = entries(at(n, "measures"))
		m.init(entries(at(n, "entities")), entries(at(n, "dimensions")))
		r.models = append(r.models, m)
		for _, measure := range m.measures {
			r.measures[textOf(measure, "name")] = &flowMeasure{m, measure}
		}
	}
	for _, n := range entries(at(root, "models")) {
		if at(n, "semantic_model") == nil && at(n, "metrics") == nil {
			continue
		}
		m := &flowModel{node: n, name: textOf(n, "name"), table: modelName(n), primary: textOf(n, "primary_entity"), defaultTime: textOf(n, "agg_time_dimension")}
		m.columns()
		m.inModels = entries(at(n, "metrics"))
		r.models = append(r.models, m)
	}
}

// flowTable is the table that a semantic model is on.
func flowTable(n *yaml.Node) string {
	table := textOf(n, "model")
	if relation := at(n, "node_relation"); table == "" && relation != nil {
		table = strings.TrimPrefix(textOf(relation, "schema_name")+"."+textOf(relation, "alias"), ".")
	}
	if m := bareReference().FindStringSubmatch(table); m != nil {
		return m[1]
	}
	if m := bareSource().FindStringSubmatch(table); m != nil {
		return m[1] + "." + m[2]
	}
	return table
}

var (
	bareReference = text.Pattern(`^ref\(\s*(?:['"]\w+['"]\s*,\s*)?['"](\w+)['"]\s*\)$`)
	bareSource    = text.Pattern(`^source\(\s*['"](\w+)['"]\s*,\s*['"](\w+)['"]\s*\)$`)
)

func (m *flowModel) init(entities, dimensions []*yaml.Node) {
	m.entities, m.dimensions, m.times = map[string]string{}, map[string]string{}, map[string]bool{}
	for _, e := range entities {
		m.entity(textOf(e, "name"), textOf(e, "type"), exprOf(e))
	}
	for _, d := range dimensions {
		m.dimensions[textOf(d, "name")] = exprOf(d)
		m.times[textOf(d, "name")] = textOf(d, "type") == "time"
	}
	if strings.ContainsAny(m.table, "{}()") {
		m.problem = faultf(templated, "the table %q is not read", m.table)
	}
}

func (m *flowModel) entity(name, kind, expr string) {
	m.entities[name] = expr
	if m.primary == "" && kind == "primary" {
		m.primary = name
	}
}

// columns reads the entities and dimensions of a model's columns.
func (m *flowModel) columns() {
	derived := at(m.node, "derived_semantics")
	m.init(entries(at(derived, "entities")), entries(at(derived, "dimensions")))
	for _, c := range entries(at(m.node, "columns")) {
		column := textOf(c, "name")
		if e := at(c, "entity"); e != nil {
			name := textOf(e, "name")
			if name == "" {
				name = column
			}
			m.entity(name, textOf(e, "type"), column)
		}
		if d := at(c, "dimension"); d != nil {
			name := textOf(d, "name")
			if name == "" {
				name = column
			}
			m.dimensions[name] = column
			m.times[name] = textOf(d, "type") == "time" || d.Kind == yaml.ScalarNode && d.Value == "time"
		}
	}
}

// exprOf is what an entry computes; without it, the column of its name.
func exprOf(n *yaml.Node) string {
	if expr := textOf(n, "expr"); expr != "" {
		return expr
	}
	return textOf(n, "name")
}

// flow reads the semantic models of a document, then its metrics.
func (r *flowReader) flow(root *yaml.Node) {
	all := entries(at(root, "metrics"))
	for _, m := range r.models {
		for _, n := range append(m.measures, m.inModels...) {
			r.metrics[textOf(n, "name")] = lastPart(m.table) + "." + textOf(n, "name")
		}
		for _, n := range m.inModels {
			if kind := textOf(n, "type"); kind != "simple" && kind != "" {
				r.metrics[textOf(n, "name")] = textOf(n, "name")
			}
		}
	}
	for _, n := range all {
		name := textOf(n, "name")
		if r.metrics[name] != "" {
			r.twins[name] = n
		}
		r.metrics[name] = name
		if source := r.measures[simpleOf(n)]; textOf(n, "type") == "simple" && source != nil {
			r.metrics[name] = lastPart(source.model.table) + "." + name
		}
	}
	for _, m := range r.models {
		r.semanticModel(m)
	}
	for _, n := range all {
		r.metric(nil, n)
	}
}

func (r *flowReader) semanticModel(m *flowModel) {
	if m.inModels == nil && at(m.node, "semantic_model") == nil {
		i := Item{Kind: Table, Table: m.table, Name: m.name, Description: textOf(m.node, "description")}
		if m.problem != nil {
			i.refuse(m.problem)
		}
		r.reader.add(i, m.node.Line)
		r.reader.others(m.node, Table, m.table, flowModelKeys)
	}
	for _, e := range entries(at(m.node, "entities")) {
		r.described(m, e, flowEntityKeys)
		r.reader.snippet.Items[len(r.reader.snippet.Items)-1].Synonyms = nil // an entity is no word for its key
		r.entityJoin(m, e)
	}
	for _, d := range entries(at(m.node, "dimensions")) {
		r.described(m, d, flowDimensionKeys)
	}
	for _, n := range m.measures {
		i := r.item(m, n)
		flowMeasureKeys.unknown(&i, n)
		switch twin := r.twins[i.Name]; {
		case i.LeftOut != "":
		case twin != nil && !sameAs(twin, i.Name):
			i.refuse(faultf(unsupported, "the metric of this name is another number"))
		default:
			i.twin(twin)
			r.aggregate(m, &i, n, nil)
		}
		r.reader.add(i, n.Line)
	}
	for _, n := range m.inModels {
		r.metric(m, n)
	}
}

func (r *flowReader) item(m *flowModel, n *yaml.Node) Item {
	i := Item{Kind: MeasureItem, Table: m.table, Name: textOf(n, "name"), Label: textOf(n, "label"), Description: textOf(n, "description")}
	i.meta(n)
	if m.problem != nil {
		i.refuse(m.problem)
	}
	return i
}

// described adds the item of the column that an entity or a dimension is.
func (r *flowReader) described(m *flowModel, n *yaml.Node, known keys) {
	i := r.item(m, n)
	i.Kind = Column
	known.unknown(&i, n)
	if i.LeftOut == "" {
		if node, f := parse(exprOf(n), lastPart(m.table)); f != nil {
			i.refuse(f)
		} else {
			i.column(node)
		}
	}
	r.reader.add(i, n.Line)
}

// entityJoin joins a foreign entity with the one model of the snippet whose primary
// entity it is.
func (r *flowReader) entityJoin(m *flowModel, e *yaml.Node) {
	name := textOf(e, "name")
	var to *flowModel
	for _, other := range r.models {
		if other != m && other.primary == name {
			to = other
		}
	}
	if textOf(e, "type") != "foreign" || to == nil || to.entities[name] == "" {
		return
	}
	i := Item{Kind: JoinItem, Table: m.table, Name: lastPart(to.table)}
	from, f := parse(m.entities[name], lastPart(m.table))
	key, g := parse(to.entities[name], lastPart(to.table))
	_, plain := from.(*expression.Name)
	_, keyed := key.(*expression.Name)
	if f != nil || g != nil || !plain || !keyed {
		i.refuse(faultf(unsupported, "the entity %s is computed; a join relates columns", name))
	} else {
		on := lastPart(m.table) + "." + expression.String(from) + " = " + lastPart(to.table) + "." + expression.String(key)
		i.Definition = []Key{{"to", lastPart(to.table)}, {"on", on}, {"relationship", "many_to_one"}}
	}
	r.reader.add(i, e.Line)
}

var flowAggregates = map[string]expression.AggregateFunction{
	"sum": expression.Sum, "min": expression.Min, "max": expression.Max, "average": expression.Avg, "avg": expression.Avg,
	"median": expression.Median, "count": expression.Count, "count_distinct": expression.CountDistinct, "sum_boolean": expression.Sum,
	"percentile": expression.Percentile,
}

// aggregate makes the item the measure that a node of either specification defines.
func (r *flowReader) aggregate(m *flowModel, i *Item, n *yaml.Node, filters []expression.Node) {
	agg := strings.ToLower(textOf(n, "agg"))
	function, ok := flowAggregates[agg]
	if !ok {
		i.refuse(faultf(unsupported, "the aggregation %q is not known", agg))
		return
	}
	x, f := parse(exprOf(n), lastPart(m.table), m.table)
	a := &expression.Aggregate{Function: function, X: x}
	switch {
	case f != nil:
	case agg == "sum_boolean":
		one, zero := expression.Int(1), expression.Int(0)
		a.X = &expression.Case{Whens: []expression.When{{Condition: x, Result: one}}, Else: zero}
	case agg == "percentile":
		a.Parameter, f = flowPercentile(n)
	}
	if f != nil {
		i.refuse(f)
		return
	}
	i.define(a, conjoin(filters))
	r.timeOf(m, i, n)
}

func flowPercentile(n *yaml.Node) (*expression.Literal, *fault) {
	params := at(n, "agg_params")
	value := textOf(params, "percentile")
	if params == nil {
		params, value = n, textOf(n, "percentile")
	}
	if yes(params, "use_discrete_percentile") || yes(params, "use_approximate_percentile") || textOf(params, "percentile_type") == "discrete" {
		return nil, faultf(unsupported, "a discrete or approximate percentile is another number than ours")
	}
	node, err := expression.Parse(value)
	l, ok := node.(*expression.Literal)
	if p, wrong := strconv.ParseFloat(value, 64); err != nil || !ok || wrong != nil || p < 0 || p > 1 {
		return nil, faultf(unsupported, "the percentile %q is no number from 0 to 1", value)
	}
	return l, nil
}

// timeOf adds the time that a measure is by, and which of its rows count.
func (r *flowReader) timeOf(m *flowModel, i *Item, n *yaml.Node) {
	if i.Definition == nil {
		return
	}
	if rule := at(n, "non_additive_dimension"); rule != nil {
		column, per := m.dimensions[textOf(rule, "name")], []string{}
		for _, grouping := range append(texts(at(rule, "window_groupings")), texts(at(rule, "group_by"))...) {
			per = append(per, m.entities[grouping])
		}
		pick := map[string]string{"": "first", "min": "first", "max": "last"}[textOf(rule, "window_choice")+textOf(rule, "window_agg")]
		if !isColumn(column) || pick == "" || slices.Contains(per, "") {
			i.refuse(faultf(unsupported, "the non-additive dimension is not read"))
			return
		}
		value := "{dimension: " + column + ", pick: " + pick
		if len(per) > 0 {
			value += ", per: [" + strings.Join(per, ", ") + "]"
		}
		i.Definition = append(i.Definition, Key{"non_additive", value + "}"})
	}
	time := textOf(n, "agg_time_dimension")
	if time == "" {
		time = m.defaultTime
	}
	switch column := m.dimensions[time]; {
	case time == "":
	case isColumn(column):
		i.Definition = append(i.Definition, Key{"time_dimension", column})
	default:
		i.note("its time " + time + " is no column of the snippet, and is not kept")
	}
}

var columnName = text.Pattern(`^[A-Za-z_]\w*$`)

func isColumn(text string) bool { return columnName().MatchString(text) }
