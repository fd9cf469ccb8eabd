package snippet

import (
	"gopkg.in/yaml.v3"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/sdk/dialect"
)

// The keys of metric views. A window is no known key, so that its measure is left out.
// Source: "Metric view YAML syntax reference" of the vendor.
const (
	metricViewFileKeys      = keys("version comment source filter joins dimensions fields measures materialization")
	metricViewDimensionKeys = keys("name expr comment display_name synonyms format")
	metricViewMeasureKeys   = keys("name expr comment display_name synonyms format")
)

// readMetricView reads a metric view of the vendor.
func readMetricView(content string) *Snippet {
	r := newReader(MetricView, content)
	return r.each(content, func(root *yaml.Node) {
		t := newLogical(r, root, "dimensions", "fields")
		source := textOf(root, "source")
		if m := wholeTable().FindStringSubmatch(source); m != nil {
			source = m[1]
		}
		t.tables, t.texts = []string{"source"}, true
		t.on(source)
		i := Item{Kind: Table, Table: t.table, Name: lastPart(t.table), Description: textOf(root, "comment")}
		if t.problem != nil {
			i.refuse(t.problem)
		}
		r.add(i, root.Line)
		var always expression.Node
		if filter := textOf(root, "filter"); filter != "" && t.problem == nil {
			if always, t.problem = t.condition(filter); t.problem != nil {
				t.problem = faultf(t.problem.code, "the filter of the view: %s", t.problem.message)
			}
		}
		for _, n := range entries(at(root, "joins")) {
			r.add(Item{Kind: JoinItem, Table: t.table, Name: textOf(n, "name"), LeftOut: unsupported, Message: "a join of a metric view is not read; say which columns relate the two tables"}, n.Line)
		}
		t.columns(at(root, "dimensions"), metricViewDimensionKeys)
		t.columns(at(root, "fields"), metricViewDimensionKeys)
		for _, n := range entries(at(root, "measures")) {
			t.add(MeasureItem, n, metricViewMeasureKeys, func(i *Item) { t.metricView(i, n, always) })
		}
		r.others(root, Table, t.table, metricViewFileKeys)
	})
}

// metricView reads a measure over rows, or over other measures: MEASURE(a) / MEASURE(b).
func (t *logical) metricView(i *Item, n *yaml.Node, always expression.Node) {
	s, f := t.selection(textOf(n, "expr"))
	if f != nil {
		i.refuse(f)
		return
	}
	tokens := s.unmeasured()
	node, condition, f := s.calculation(tokens)
	switch over := len(tokens) < len(s.tokens); {
	case f != nil:
		i.refuse(f)
	case over && condition != nil:
		i.refuse(faultf(unsupported, "FILTER of another measure is not read; define a measure with the condition"))
	case over:
		t.derive(i, node)
	default:
		t.define(i, node, always, condition)
	}
	i.metricViewFormat(at(n, "format"))
}

func (i *Item) metricViewFormat(format *yaml.Node) {
	if i.Definition == nil {
		return
	}
	switch textOf(format, "type") {
	case "percentage":
		i.Definition = append(i.Definition, Key{"format", "percent"})
	case "currency":
		i.Unit = textOf(format, "currency_code")
		i.Definition = append(i.Definition, Key{"format", "currency"})
	}
}

// unmeasured drops MEASURE( and ) around the names of measures.
func (s *selection) unmeasured() (all []dialect.Token) {
	for i := 0; i < len(s.tokens); i++ {
		if i+3 < len(s.tokens) && s.tokens[i].IsWord(s.text, "MEASURE") && s.tokens[i+1].Is(s.text, "(") && s.tokens[i+3].Is(s.text, ")") {
			all = append(all, s.tokens[i+2])
			i += 3
			continue
		}
		all = append(all, s.tokens[i])
	}
	return all
}
