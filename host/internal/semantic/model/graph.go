package model

import (
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
)

// Edge is a join in the direction in which each row of From has at most one of To.
// Equal declarations are one edge.
// Concurrency: never changes.
type Edge struct {
	From, To SourceID
	// Join that declares it, on the side of From, or of To when Reversed.
	Join     JoinID
	Reversed bool
	// Name is the role under which From knows To, or To's name.
	Name string
	// Role is set when Name is a role.
	Role string
	// Equal are the pairs of fields that the condition equates: From's, then To's.
	Equal []Pair
	// Rest: the condition has further terms.
	Rest bool
	// Inferred: nobody declared it, on either side.
	Inferred bool
	// Repeats: a scan found rows of From that lead to several of To, against the
	// declaration.
	Repeats bool
	// Total: each row of From has exactly one of To, which the engine guarantees.
	Total bool
	// Broken is why the join cannot be used; "" when it can. A path over a broken
	// edge is refused.
	Broken string

	rest string
	// landing is the scanned column of To that leads there alone, "" = none does.
	landing string
}

// graph is the joins between the sources of a model.
type graph struct {
	up   [][]*Edge // by From
	down [][]*Edge // by To
	// closures by home, made when they are asked for.
	closures []atomic.Pointer[closure]
}

func newGraph(m *Model) *graph {
	g := &graph{up: make([][]*Edge, len(m.sources)), down: make([][]*Edge, len(m.sources)), closures: make([]atomic.Pointer[closure], len(m.sources))}
	for _, id := range m.order { // in this order, whatever the ids are
		s := m.sources[id]
		for i := range s.Joins {
			j := &s.Joins[i]
			if j.To == 0 {
				continue
			}
			if j.Relationship != OneToMany {
				g.add(m, s, j, false)
			}
			if j.Relationship != ManyToOne {
				g.add(m, s, j, true)
			}
		}
	}
	for _, id := range m.order {
		for _, e := range g.up[id] {
			g.down[e.To] = append(g.down[e.To], e)
		}
	}
	return g
}

// add adds a join in one direction, unless there is such an edge.
func (g *graph) add(m *Model, s *Source, j *Join, reversed bool) {
	e := &Edge{From: s.ID, To: j.To, Join: j.ID, Reversed: reversed, Name: m.called(j), Role: j.Role, Equal: j.Equal, Rest: j.Rest, Inferred: j.Inferred, Broken: j.Broken, rest: j.rest, landing: j.landing[1], Total: j.total[0]}
	if reversed {
		e.From, e.To, e.Name, e.Role = j.To, s.ID, s.Name, ""
		e.Equal = make([]Pair, len(j.Equal))
		for i, p := range j.Equal {
			e.Equal[i] = Pair{p.To, p.From}
		}
		sortPairs(e.Equal)
		e.rest, e.landing, e.Total = j.mirrored, j.landing[0], j.total[1]
	}
	e.Repeats = m.repeats(e)
	same := slices.IndexFunc(g.up[e.From], e.same)
	if same < 0 {
		g.up[e.From] = append(g.up[e.From], e)
		return
	}
	old := g.up[e.From][same]
	inferred := old.Inferred && e.Inferred
	if old.Reversed && !reversed { // the side that knows the other under a role names the edge
		g.up[e.From][same] = e
	}
	g.up[e.From][same].Inferred = inferred
}

// same reports whether two edges are the same condition under the same name.
func (e *Edge) same(o *Edge) bool {
	return e.To == o.To && e.Broken == "" && o.Broken == "" && (e.Name == o.Name || e.Reversed != o.Reversed) &&
		e.rest == o.rest && slices.Equal(e.Equal, o.Equal)
}

// closure is everything that each row of a home has at most one of.
//
// Its nodes are rows, not sources: the customer of an order and the customer of
// its invoice are two, unless the same columns of the home lead to both. That
// they do is decided by what the joins equate: a node is known by its source
// and by the values that its columns must have, each traced back as far as it
// goes. Two paths with equal values are one node, and the shortest is taken.
type closure struct {
	home  SourceID
	nodes []closureNode
	// of are the places in nodes of each source, ascending.
	of map[SourceID][]int
	// reached is what was last told of it; see Model.Reachable.
	reached atomic.Pointer[reached]
	// whole: nothing was left out; a closure has a limit.
	whole bool
}

// closureNode is a row that the home leads to.
type closureNode struct {
	source SourceID
	depth  int
	// parent and edge are the shortest way here; -1 and nil at the home.
	parent int
	edge   *Edge
	// arrivals are all ways here, the shortest first.
	arrivals []arrival
	// bound are the values that the join equates columns with.
	bound []binding
	// broken is the first broken edge on the shortest way, "" = none.
	broken string
}

type arrival struct {
	parent int
	edge   *Edge
}

// binding says that a column of a node has the value of a column of another,
// which is bound to nothing itself.
type binding struct {
	field Field
	node  int
	value Field
}

// maxClosure bounds the nodes of a closure. Diamonds of joins on different
// columns double with every step; beyond the limit a path must be written out.
const maxClosure = 4096

// maxRepeats is how often a path may come through one source: an employee's
// manager's manager is in the closure, and so on up to here.
const maxRepeats = 3

// closure returns the closure of a home, made once.
func (m *Model) closure(home SourceID) *closure {
	slot := &m.graph.closures[home]
	if c := slot.Load(); c != nil {
		return c
	}
	c := m.graph.close(home)
	c.of = make(map[SourceID][]int)
	for i := range c.nodes {
		c.of[c.nodes[i].source] = append(c.of[c.nodes[i].source], i)
	}
	slot.Store(c) // another goroutine may have stored an equal one
	return c
}

func (g *graph) close(home SourceID) *closure {
	c := &closure{home: home, whole: true, nodes: []closureNode{{source: home, parent: -1}}}
	known := map[string]int{}
	for at := 0; at < len(c.nodes); at++ {
		for _, e := range g.up[c.nodes[at].source] {
			if !c.step(at, e, false, known) {
				c.whole = false
				return c
			}
		}
	}
	return c
}

// step follows an edge, down against its direction; false when the closure is
// full.
func (c *closure) step(at int, e *Edge, down bool, known map[string]int) bool {
	to := Step{e, down}.Source()
	bound, back := c.bind(at, e, down)
	key := c.key(at, to, e, bound)
	same, seen := known[key]
	if back >= 0 {
		same, seen = back, true
	}
	if seen {
		if same != 0 {
			c.nodes[same].arrivals = append(c.nodes[same].arrivals, arrival{at, e})
		}
		return true
	}
	if c.repeats(at, to) >= maxRepeats {
		return true
	}
	if len(c.nodes) == maxClosure {
		return false
	}
	n := closureNode{source: to, depth: c.nodes[at].depth + 1, parent: at, edge: e, arrivals: []arrival{{at, e}}, bound: bound, broken: c.nodes[at].broken}
	if n.broken == "" {
		n.broken = e.Broken
	}
	known[key] = len(c.nodes)
	c.nodes = append(c.nodes, n)
	return true
}

// bind returns the values that an edge gives the columns of the row it leads to.
// back is the node that this row is, when it has its own values: the way there
// and back.
func (c *closure) bind(at int, e *Edge, down bool) (bound []binding, back int) {
	back = -1
	for i, p := range e.Equal {
		if down {
			p = Pair{p.To, p.From}
		}
		b := binding{field: p.To, node: at, value: p.From}
		for _, known := range c.nodes[at].bound {
			if known.field == p.From {
				b.node, b.value = known.node, known.value
				break
			}
		}
		bound = append(bound, b)
		itself := b.value == p.To && c.nodes[b.node].source == e.To
		switch {
		case !itself || down || e.Rest || e.Broken != "":
			back = -2
		case i == 0:
			back = b.node
		case back != b.node:
			back = -2
		}
	}
	return bound, max(back, -1)
}

// key tells rows apart.
func (c *closure) key(at int, to SourceID, e *Edge, bound []binding) string {
	var b strings.Builder
	put := func(n int) {
		b.WriteString(strconv.Itoa(n))
		b.WriteByte(' ')
	}
	put(int(to))
	if e.Rest || e.Broken != "" || len(bound) == 0 {
		put(at)
		b.WriteString(e.rest)
		if e.Broken != "" || len(bound) == 0 && e.rest == "" {
			put(int(e.Join >> 32))
			put(place(e.Join))
		}
	}
	for _, x := range bound {
		b.WriteByte('|')
		put(place(x.field.Dimension))
		b.WriteString(x.field.Column)
		b.WriteByte('=')
		put(x.node)
		put(place(x.value.Dimension))
		b.WriteString(x.value.Column)
	}
	return b.String()
}

// repeats counts how often the way to a node came through a source.
func (c *closure) repeats(at int, source SourceID) (n int) {
	for ; at >= 0; at = c.nodes[at].parent {
		if c.nodes[at].source == source {
			n++
		}
	}
	return n
}
