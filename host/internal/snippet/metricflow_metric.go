package snippet

import (
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/text"
)

// simpleOf is the measure that a simple metric is of.
func simpleOf(n *yaml.Node) string {
	measure := at(at(n, "type_params"), "measure")
	if measure != nil && measure.Kind == yaml.MappingNode {
		return textOf(measure, "name")
	}
	return textOf(at(n, "type_params"), "measure")
}

// sameAs reports whether a metric is a measure and nothing else, so that it says no more
// than what describes it.
func sameAs(n *yaml.Node, measure string) bool {
	params := at(n, "type_params")
	input := at(params, "measure")
	return textOf(n, "type") == "simple" && at(n, "filter") == nil && input != nil && len(params.Content) == 2 && simpleOf(n) == measure &&
		(input.Kind == yaml.ScalarNode || len(input.Content) == 2)
}

// twin takes over what describes the metric of the same name and number.
func (i *Item) twin(n *yaml.Node) {
	if n == nil {
		return
	}
	if i.Label == "" {
		i.Label = textOf(n, "label")
	}
	if i.Description == "" {
		i.Description = textOf(n, "description")
	}
	i.meta(n)
}

// metric reads a metric; m is the model that it stands in, nil at the top.
func (r *flowReader) metric(m *flowModel, n *yaml.Node) {
	i := Item{Kind: Metric, Name: textOf(n, "name"), Label: textOf(n, "label"), Description: textOf(n, "description")}
	i.meta(n)
	kind, params := textOf(n, "type"), at(n, "type_params")
	if params == nil {
		params = n
	}
	flowMetricKeys.unknown(&i, n)
	switch {
	case i.LeftOut != "":
	case kind == "simple" || kind == "" && textOf(n, "agg") != "":
		if r.simple(m, &i, n) {
			return
		}
	case at(n, "filter") != nil:
		i.refuse(faultf(unsupported, "a filter on a metric of type %s would be one of each measure in it; define these measures", kind))
	case kind == "ratio":
		r.ratio(&i, params)
	case kind == "derived":
		r.derived(&i, params)
	case kind == "cumulative":
		r.cumulative(&i, params)
	case kind == "conversion":
		i.refuse(faultf(unsupported, "a conversion needs an ordered pair of events of an entity, which no measure has"))
	default:
		i.refuse(faultf(unsupported, "a metric of type %q is not read", kind))
	}
	r.reader.add(i, n.Line)
}

// simple reads a metric of one measure. It reports whether the measure is the same, so
// that the metric is no other one.
func (r *flowReader) simple(m *flowModel, i *Item, n *yaml.Node) (same bool) {
	i.Kind = MeasureItem
	body, name := n, simpleOf(n)
	if textOf(n, "agg") == "" {
		source := r.measures[name]
		if source == nil {
			i.refuse(faultf(unsupported, "the measure %q is not in the snippet", name))
			return false
		}
		m, body = source.model, source.node
		if sameAs(n, i.Name) {
			return true
		}
	}
	if m == nil {
		i.refuse(faultf(unsupported, "the metric names no table"))
		return false
	}
	i.Table = m.table
	var filters []expression.Node
	input := at(at(n, "type_params"), "measure")
	for _, list := range []*yaml.Node{at(n, "filter"), at(input, "filter")} {
		for _, filter := range texts(list) {
			node, f := r.filter(m, filter)
			if f != nil {
				i.refuse(f)
				return false
			}
			filters = append(filters, node)
		}
	}
	r.aggregate(m, i, body, filters)
	for _, where := range []*yaml.Node{n, at(n, "type_params"), input} {
		if value := textOf(where, "fill_nulls_with"); value != "" && i.Definition != nil {
			if _, err := strconv.ParseFloat(value, 64); err == nil {
				i.Definition = append(i.Definition, Key{"default", value})
			}
			break
		}
	}
	return false
}

// placeholder is a reference inside of a filter's template.
var placeholder = text.Pattern(`\{\{\s*(\w+)\(\s*['"]([\w.]+)['"]\s*(?:,[^)]*)?\)\s*\}\}`)

// filter reads a condition with Dimension('entity__name') and Entity('name') in it.
func (r *flowReader) filter(m *flowModel, condition string) (expression.Node, *fault) {
	sql, f := inline(placeholder(), condition, func(match string) (string, *fault) {
		parts := placeholder().FindStringSubmatch(match)
		kind, name := parts[1], parts[2]
		if kind == "TimeDimension" {
			return "", faultf(periodInFilter, "%s chooses a period; a request does that", match)
		}
		entity, member, dotted := strings.Cut(name, "__")
		switch {
		case kind == "Entity" && m.entities[name] != "":
			return "(" + m.entities[name] + ")", nil
		case kind != "Dimension" || !dotted:
			return "", faultf(unsupported, "%s is not read", match)
		case entity != m.primary && m.entities[entity] != "" || entity != m.primary:
			return "", faultf(joinNeeded, "%s is a dimension of another model", name)
		case m.times[member]:
			return "", faultf(periodInFilter, "%s chooses a period; a request does that", match)
		case m.dimensions[member] == "":
			return "", faultf(unsupported, "the dimension %s is not in the snippet", member)
		}
		return "(" + m.dimensions[member] + ")", nil
	})
	if f != nil {
		return nil, f
	}
	if word := clock().FindString(sql); word != "" {
		return nil, faultf(periodInFilter, "%s chooses a period; a request does that", word)
	}
	node, f := parse(sql, lastPart(m.table), m.table)
	if f == nil {
		f = period(node)
	}
	return node, f
}

// inputOf returns the reference of a metric that another one is made of, and its alias.
// One with a filter or another time is no metric of ours.
func (r *flowReader) inputOf(n *yaml.Node) (reference, alias string, f *fault) {
	if n == nil {
		return "", "", faultf(unsupported, "what the metric is made of is missing")
	}
	name := n.Value
	if n.Kind == yaml.MappingNode {
		name, alias = textOf(n, "name"), textOf(n, "alias")
		for _, key := range []string{"filter", "offset_window", "offset_to_grain"} {
			if at(n, key) != nil {
				return "", "", faultf(unsupported, "%s has %s here; define it as a measure of its own", name, key)
			}
		}
	}
	if alias == "" {
		alias = name
	}
	if reference = r.metrics[name]; reference == "" {
		reference = name
	}
	return reference, alias, nil
}

func (r *flowReader) ratio(i *Item, params *yaml.Node) {
	above, _, f := r.inputOf(at(params, "numerator"))
	below, _, g := r.inputOf(at(params, "denominator"))
	if f == nil {
		f = g
	}
	if f != nil {
		i.refuse(f)
		return
	}
	i.Definition = []Key{{"type", "ratio"}, {"numerator", above}, {"denominator", below}}
}

func (r *flowReader) derived(i *Item, params *yaml.Node) {
	inputs := at(params, "metrics")
	if inputs == nil {
		inputs = at(params, "input_metrics")
	}
	if inputs == nil || inputs.Kind != yaml.SequenceNode {
		i.refuse(faultf(unsupported, "what the metric is made of is missing"))
		return
	}
	references := map[string]string{}
	for _, input := range inputs.Content {
		reference, alias, f := r.inputOf(input)
		if f != nil {
			i.refuse(f)
			return
		}
		references[strings.ToLower(alias)] = reference
	}
	node, f := parseAny(textOf(params, "expr"))
	if f != nil {
		i.refuse(f)
		return
	}
	node, err := expression.Substitute(node, func(n *expression.Name) (expression.Node, error) {
		reference := references[strings.ToLower(strings.Join(n.Parts, "."))]
		if reference == "" {
			f = faultf(unsupported, "%s is none of the metrics that it is made of", n)
			return n, nil
		}
		return &expression.Name{Parts: strings.Split(reference, ".")}, nil
	})
	if err != nil {
		f = faultf(unsupported, "%v", err)
	}
	if f != nil {
		i.refuse(f)
		return
	}
	i.derive(node)
}

// cumulative reads a window or a period to date whose value is that at the end of a
// longer period. Without period_agg it is the first value, which is another number.
func (r *flowReader) cumulative(i *Item, params *yaml.Node) {
	own := at(params, "cumulative_type_params")
	if own == nil {
		own = params
	}
	if textOf(own, "period_agg") != "last" {
		i.refuse(faultf(unsupported, "over a longer period it is the first or an average value; ours is that at its end"))
		return
	}
	input := at(params, "measure")
	for _, key := range []string{"metric", "input_metric"} {
		if n := at(own, key); n != nil {
			input = n
		}
	}
	reference, _, f := r.inputOf(input)
	if f != nil {
		i.refuse(f)
		return
	}
	i.Definition = []Key{{"type", "cumulative"}, {"measure", reference}}
	window, grain := textOf(own, "window"), textOf(own, "grain_to_date")
	if window == "" && grain == "" {
		window, grain = textOf(params, "window"), textOf(params, "grain_to_date")
	}
	switch {
	case window != "" && !flowWindow().MatchString(window):
		i.refuse(faultf(unsupported, "the window %q is not read", window))
	case window != "":
		i.Definition = append(i.Definition, Key{"window", window})
	case grain != "":
		i.Definition = append(i.Definition, Key{"grain_to_date", grain})
	}
}

var flowWindow = text.Pattern(`^[1-9]\d{0,4} (day|week|month|quarter|year)s?$`)
