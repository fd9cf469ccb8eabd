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

// stage returns the model with one more measure, the file that has it, and the measure.
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
	file := model.Parse(path, []byte(encode(one)))
	if before := w.learned(at, path); before != nil {
		file = before.Plus(file)
	}
	grown := w.v.Model.With(file)
	home := grown.Source(s.ID)
	for i := range home.Measures {
		if m := &home.Measures[i]; m.Name == name {
			return grown, file, m
		}
	}
	return nil, nil, nil
}

// learned is a learned file with what the text added to it so far; nil = there is none.
func (w *work) learned(at, path string) *model.File {
	if f, ok := w.files[at]; ok {
		return f
	}
	var f *model.File
	if root := w.overlay(at); len(root.Content) > 0 {
		f = model.Parse(path, []byte(encode(root)))
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

// grow has later statements of the text know a measure of it.
func (w *work) grow(s *model.Source, grown *model.Model, file *model.File, name string) {
	w.files[w.overlayPath(s)] = file
	w.v.Model = grown
	w.lexicon.grow(grown, name, thing{kind: aMeasure, source: s.ID, name: name})
}

// try compiles a measure alone, by month and by each dimension of its source.
// Shape: coverage is how many of them compile, in words.
func (w *work) try(grown *model.Model, s *model.Source, name string) (coverage string, err error) {
	o := compile.Options{Now: w.in.At}
	own := request.Measure{Name: reference(s, name)}
	r := request.Request{Measures: []request.Measure{own}}
	if _, err := compile.Compile(grown, w.v.Dialect, r, o); err != nil {
		return "", err
	}
	var asked []request.Dimension
	if s.ID == model.Metrics {
		asked = append(asked, request.Dimension{Field: request.MetricTime, Grain: "month"})
	}
	if s.DefaultTime != 0 {
		asked = append(asked, request.Dimension{Field: reference(s, grown.Dimension(s.DefaultTime).Name), Grain: "month"})
	}
	for i := range s.Dimensions {
		if d := &s.Dimensions[i]; d.Visibility == model.Public && d.Broken == "" && len(asked) <= maxTried {
			asked = append(asked, request.Dimension{Field: reference(s, d.Name)})
		}
	}
	var refused []string
	for _, d := range asked {
		r.Dimensions = []request.Dimension{d}
		if _, err := compile.Compile(grown, w.v.Dialect, r, o); err != nil {
			refused = append(refused, d.Field)
		}
	}
	coverage = fmt.Sprintf("compiles alone and by %d of %d dimensions", len(asked)-len(refused), len(asked))
	if len(refused) > 0 {
		coverage += ", not by " + strings.Join(refused, ", ")
	}
	return coverage, nil
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
