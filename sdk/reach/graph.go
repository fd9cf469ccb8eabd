package reach

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/sdk/dialect"
)

// Graph is the objects of a catalogue and their uses. Fill it, then call Solve.
// Concurrency: one goroutine.
type Graph struct {
	d          *dialect.Dialect
	exceptions *Exceptions
	nodes      []node
	ids        map[Object]int
	rules      []dialect.FunctionRule
	// keywords are the words that call an operator, by its symbol, in lower case.
	keywords map[string][]string
	texts    map[mentioned]int // what definitions mention, each once
}

type node struct {
	Object
	uses     []int // nodes
	mentions []int // of texts
	reason   *Reason
}

// New returns an empty graph. The dialect tokenizes definitions; exceptions may be nil.
func New(d *dialect.Dialect, exceptions *Exceptions) *Graph {
	return &Graph{d: d, exceptions: exceptions, ids: map[Object]int{}, keywords: map[string][]string{}, texts: map[mentioned]int{}}
}

// Expect allocates memory for n objects in an empty graph.
func (g *Graph) Expect(n int) {
	g.nodes, g.ids, g.texts = make([]node, 0, n), make(map[Object]int, n), make(map[mentioned]int, n)
}

// Builtins names the functions of the engine itself that can leave the
// transaction: a definition that calls one reaches it. The engine's catalogue
// need not list them.
func (g *Graph) Builtins(rules []dialect.FunctionRule) { g.rules = append(g.rules, rules...) }

// Keywords adds keywords that call an operator: Keywords("~~", "LIKE").
func (g *Graph) Keywords(operator string, words ...string) {
	for _, word := range words {
		g.keywords[operator] = append(g.keywords[operator], strings.ToLower(word))
	}
}

// Add adds an object, so that definitions and exceptions can name it.
func (g *Graph) Add(o Object) { g.id(o) }

// Uses adds a dependency that the catalogue lists.
func (g *Graph) Uses(o, used Object) {
	to := g.id(used)
	from := g.id(o)
	g.nodes[from].uses = append(g.nodes[from].uses, to)
}

// Leaves marks an object that can leave the transaction. If it is called again for the object, the
// first reason stays.
func (g *Graph) Leaves(o Object, reason Reason) {
	if n := &g.nodes[g.id(o)]; n.reason == nil {
		n.reason = &reason
	}
}

// Define adds an object with its definition: it uses every object that the text may
// name.
func (g *Graph) Define(o Object, definition string) { g.DefineText(o, Read(definition, g.d)) }

// DefineText is Define for a text that was parsed before, or for a part of it.
func (g *Graph) DefineText(o Object, definition *Text) {
	if definition.reason != nil {
		g.Leaves(o, *definition.reason)
	}
	from := g.id(o)
	all := slices.Grow(g.nodes[from].mentions, len(definition.mentions))
	for _, t := range definition.mentions {
		id, known := g.texts[t]
		if !known {
			id = len(g.texts)
			g.texts[t] = id
		}
		all = append(all, id)
	}
	g.nodes[from].mentions = all
}

func (g *Graph) id(o Object) int {
	id, known := g.ids[o]
	if !known {
		id = len(g.nodes)
		g.ids[o] = id
		g.nodes = append(g.nodes, node{Object: o})
	}
	return id
}

// link returns, for each name in definitions, the nodes that it may name.
func (g *Graph) link() [][]int {
	byName := make(map[string][]int, len(g.nodes))
	var symbols []int
	for id := range g.nodes {
		o := &g.nodes[id].Object
		if o.Kind.use() == symbol {
			symbols = append(symbols, id)
		}
		for _, name := range g.spellings(o) {
			byName[name] = append(byName[name], id)
		}
	}
	linked := make([][]int, len(g.texts))
	for t, at := range g.texts {
		if t.symbol {
			for _, id := range symbols {
				if strings.Contains(t.name, g.nodes[id].Name) {
					linked[at] = append(linked[at], id)
				}
			}
			continue
		}
		m := mention{qualifier: t.qualifier, called: t.called, member: t.member}
		for cut := len(t.name); cut > 0; cut = shorter(cut) {
			for _, id := range byName[t.name[:cut]] {
				if o := &g.nodes[id].Object; o.Kind.use() == symbol || m.names(o, nil) {
					linked[at] = append(linked[at], id)
				}
			}
		}
		if t.called {
			if reason := dialect.Refusal(g.rules, t.name); reason != "" {
				o := Object{Kind: Function, Name: t.name}
				g.Leaves(o, Reason{Text: reason})
				linked[at] = append(linked[at], g.id(o))
			}
		}
	}
	return linked
}

// spellings returns the names under which a text can name an object, in lower
// case.
func (g *Graph) spellings(o *Object) []string {
	switch o.Kind.use() {
	case unnamed:
		return nil
	case symbol:
		return g.keywords[o.Name]
	default:
		return []string{strings.ToLower(o.Name)}
	}
}
