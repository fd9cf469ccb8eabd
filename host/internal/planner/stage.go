package planner

import (
	"bytes"
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/loam-data/loam/host/internal/semantic/compile"
	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/request"
	"github.com/loam-data/loam/host/internal/snippet"
	"github.com/loam-data/loam/sdk"
)

// entry is what a file has below the name of a member, in the order of the file.
type entry []snippet.Key

func (e entry) with(key, value string) entry {
	if value == "" {
		return e
	}
	return append(e, snippet.Key{Name: key, Value: value})
}

// node is the entry as YAML.
func (e entry) node(name string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode}
	if name != "" {
		e = append(entry{{Name: "name", Value: name}}, e...)
	}
	for _, k := range e {
		n.Content = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: k.Name}, scalar(k))
	}
	return n
}

// scalar is the value of a key: a text, except where the format wants a number or a list.
func scalar(k snippet.Key) *yaml.Node {
	switch k.Name {
	case "percentile", "default":
		return &yaml.Node{Kind: yaml.ScalarNode, Value: k.Value}
	case "segments", "within", "per", "synonyms", "values", "non_additive":
		var n yaml.Node
		if yaml.Unmarshal([]byte(k.Value), &n) == nil && len(n.Content) == 1 && n.Content[0].Kind != yaml.AliasNode {
			return n.Content[0]
		}
	}
	return textNode(k.Value)
}

func textNode(value string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: value}
}

func list(nodes ...*yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.SequenceNode, Content: nodes}
}

// encode writes YAML.
func encode(n *yaml.Node) string {
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(n); err != nil {
		panic(fmt.Sprintf("a tree of texts cannot be written: %v", err))
	}
	return b.String()
}

// stage returns the model with one more measure, the file that has it alone, and the measure. The measures of the text
// before it are in the model where the measure may be about them.
// Shape: nil = it has no place in the source.
func (w *work) stage(s *model.Source, name string, e entry) (*model.Model, *model.File, *model.Measure) {
	at := w.overlayPath(s)
	one := &yaml.Node{Kind: yaml.MappingNode}
	section := "metrics"
	if s.ID != model.Metrics {
		section = "measures"
		one.Content = append(one.Content, textNode("name"), textNode(s.Identity))
	}
	one.Content = append(one.Content, textNode(section), list(e.node(name)))
	path := strings.TrimPrefix(at, "semantic-layer/"+w.in.Connection+"/")
	file := model.ParseNode(path, one)
	if s.ID == model.Metrics {
		w.grow()
	}
	for {
		whole := file
		if before := w.learned(at, path); before != nil {
			whole = before.Plus(file)
		}
		grown := w.v.Model.With(whole)
		m := sourceMeasure(grown.Source(s.ID), name)
		switch {
		case m == nil:
			return nil, nil, nil
		case m.Broken != "" && w.grow(): // it may be made of a measure of the text
		default:
			return grown, file, m
		}
	}
}

// sourceMeasure is the measure of a name, usable or not.
func sourceMeasure(s *model.Source, name string) *model.Measure {
	for i := range s.Measures {
		if m := &s.Measures[i]; m.Name == name {
			return m
		}
	}
	return nil
}

// learned is a learned file as the model has it; nil = there is none.
func (w *work) learned(at, path string) *model.File {
	if f, ok := w.files[at]; ok {
		return f
	}
	var f *model.File
	if root := w.overlay(at); len(root.Content) > 0 {
		f = model.ParseNode(path, root)
	}
	w.files[at] = f
	return f
}

// overlay is the root of a learned file as it is, else an empty one.
func (w *work) overlay(path string) *yaml.Node {
	content, err := w.content(path)
	var doc yaml.Node
	if err == nil && yaml.Unmarshal(content, &doc) == nil && len(doc.Content) == 1 && doc.Content[0].Kind == yaml.MappingNode {
		return doc.Content[0]
	}
	return &yaml.Node{Kind: yaml.MappingNode}
}

// remember has later statements of the text know a measure of it. The model gets it when somebody asks: to make a model
// with a measure costs as much as its source has measures.
func (w *work) remember(s *model.Source, file *model.File, name string) {
	w.later = append(w.later, addition{w.overlayPath(s), file})
	w.lexicon.include(name, thing{kind: aMeasure, source: s.ID, name: name}, func() { w.grow() })
}

// addition is a measure of the text that the model does not have yet.
type addition struct {
	at   string
	file *model.File
}

// grow adds the measures of the text so far to the model, and reports whether there were any.
func (w *work) grow() bool {
	if len(w.later) == 0 {
		return false
	}
	byPath := map[string][]*model.File{}
	for _, a := range w.later {
		if len(byPath[a.at]) == 0 && w.files[a.at] != nil {
			byPath[a.at] = append(byPath[a.at], w.files[a.at])
		}
		byPath[a.at] = append(byPath[a.at], a.file)
	}
	changed := make([]*model.File, 0, len(byPath))
	for path, files := range byPath {
		w.files[path] = files[0].Plus(files[1:]...)
		changed = append(changed, w.files[path])
	}
	w.later = nil
	w.v.Model = w.v.Model.With(changed...)
	w.lexicon.m = w.v.Model
	return true
}

// coverage is by how many of the dimensions of its source a measure compiles.
type coverage struct {
	asked   int
	refused []string
}

func (c coverage) String() string {
	text := fmt.Sprintf("compiles alone and by %d of %d dimensions", c.asked-len(c.refused), c.asked)
	if len(c.refused) > 0 {
		text += ", not by " + strings.Join(c.refused, ", ")
	}
	return text
}

// try compiles a measure alone, by month and by each dimension of its source. One measure of a shape is compiled alone for
// all of them. What groups one measure of a form groups all of them, for owned measures read rows of their source alone.
func (w *work) try(grown *model.Model, s *model.Source, m *model.Measure) (coverage, error) {
	o := compile.Options{Now: w.in.At, Ended: w.v.Ended}
	r := request.Request{Measures: []request.Measure{{Name: reference(s, m.Name)}}}
	if shape := shapeOf(grown, m.ID); shape == "" || !w.shapes[shape] {
		if _, err := compile.Compile(grown, w.v.Dialect, r, o); err != nil {
			return coverage{}, err
		}
		w.shapes[shape] = true
	}
	if w.trial {
		return coverage{}, nil
	}
	form := formOf(grown, m, 0)
	if c, known := w.groups[s.Identity+"\x00"+form]; known && form != "" {
		return c, nil
	}
	c := coverage{}
	for _, d := range axes(grown, s) {
		if err := w.ended(); err != nil {
			return coverage{}, err
		}
		c.asked++
		r.Dimensions = []request.Dimension{d}
		if _, err := compile.Compile(grown, w.v.Dialect, r, o); err != nil {
			c.refused = append(c.refused, d.Field)
		}
	}
	w.groups[s.Identity+"\x00"+form] = c
	return c, nil
}

// axes are what a measure of a source is tried by: its time in months and its dimensions.
func axes(m *model.Model, s *model.Source) (all []request.Dimension) {
	if s.ID == model.Metrics {
		all = append(all, request.Dimension{Field: request.MetricTime, Grain: "month"})
	}
	if s.DefaultTime != 0 {
		all = append(all, request.Dimension{Field: reference(s, m.Dimension(s.DefaultTime).Name), Grain: "month"})
	}
	for i := range s.Dimensions {
		if d := &s.Dimensions[i]; d.Visibility == model.Public && d.Broken == "" && len(all) <= maxTried {
			all = append(all, request.Dimension{Field: reference(s, d.Name)})
		}
	}
	return all
}

// formOf is what decides how a measure that reads one source can be grouped: its aggregates, in the order of its
// calculation. "" = more decides.
func formOf(m *model.Model, x *model.Measure, depth int) string {
	if x.ID.Source() == model.Metrics || x.Home != x.ID.Source() || x.NonAdditive != nil || x.Time.Source != 0 || depth > maxUses {
		return ""
	}
	switch x.Kind {
	case model.Simple:
		return string(x.Agg)
	case model.Derived:
		text := "("
		for _, id := range x.Uses {
			part := formOf(m, m.Measure(id), depth+1)
			if part == "" {
				return ""
			}
			text += part + " "
		}
		return text + ")"
	}
	return ""
}

const maxTried = 50

// owned reports whether a measure reads nothing but public members of one source.
func owned(m *model.Model, x *model.Measure, s *model.Source, depth int) bool {
	if x == nil || depth > maxUses {
		return false
	}
	whole := func(e *model.Expr) bool {
		if e == nil {
			return true
		}
		for _, ref := range e.Refs {
			switch {
			case ref.Measure != 0:
				if !owned(m, m.Measure(ref.Measure), s, depth+1) {
					return false
				}
			case ref.Source != s.ID || len(ref.Via) > 0 || ref.Dimension == 0 || m.Dimension(ref.Dimension).Visibility != model.Public:
				return false
			}
		}
		return true
	}
	if x.Name == "" && x.Visibility != model.Public && depth == 0 || x.Home != s.ID && x.Kind == model.Simple {
		return false
	}
	for _, e := range x.Filter {
		if !whole(e) {
			return false
		}
	}
	for _, id := range []model.MeasureID{x.Numerator, x.Denominator, x.Base} {
		if id != 0 && !owned(m, m.Measure(id), s, depth+1) {
			return false
		}
	}
	return whole(x.Expr)
}

// entry is a definition as a file has it.
func (d *definition) entry(quote string) entry {
	var e entry
	if d.s.ID == model.Metrics {
		e = e.with("type", "derived")
	}
	e = e.with("agg", string(d.agg))
	if d.x != nil {
		e = e.with("expr", expression.String(d.x))
	}
	if d.expr != nil {
		e = e.with("expr", expression.String(d.expr))
	}
	return e.with("filter", d.filter).with("label", d.label).with("description", shorten(quote, maxQuote))
}

func messageOf(err error) string { return sdk.AsError(err, sdk.SourceCaller).Msg }
