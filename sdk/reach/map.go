package reach

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/sdk/dialect"
)

// Map finds the paths of statements, for one version of a catalogue.
// Concurrency: its methods may be called concurrently.
type Map struct {
	d          *dialect.Dialect
	exceptions *Exceptions
	objects    []Object
	reasons    []*Reason
	// next is the next object on the shortest path to one that leaves the transaction; the object
	// itself if it is the last; -1 if there is no path.
	next    []int
	ids     map[Object]int
	byName  map[string][]int // objects with a path, by their name in lower case
	symbols []int            // the operators among them
}

// Solve returns the shortest paths to objects that leave the transaction. It does
// not follow exceptions.
// Units: the time grows linearly with objects and uses.
func (g *Graph) Solve() *Map {
	linked := g.link() // may add builtins
	m := &Map{
		d: g.d, exceptions: g.exceptions, ids: g.ids, byName: make(map[string][]int, len(g.nodes)), next: make([]int, len(g.nodes)),
		objects: make([]Object, 0, len(g.nodes)), reasons: make([]*Reason, 0, len(g.nodes)),
	}
	if m.exceptions == nil {
		m.exceptions = NewExceptions(nil)
	}
	fold := g.d.Folding == dialect.FoldInsensitive
	users := make([][]int, len(g.nodes))
	var queue []int
	for id := range g.nodes {
		n := &g.nodes[id]
		m.objects, m.reasons = append(m.objects, n.Object), append(m.reasons, n.reason)
		m.next[id] = -1
		if m.exceptions.match(n.Object, fold) {
			continue
		}
		if n.reason != nil {
			m.next[id] = id
			queue = append(queue, id)
			continue
		}
		for _, used := range n.uses {
			users[used] = append(users[used], id)
		}
		for _, t := range n.mentions {
			for _, used := range linked[t] {
				users[used] = append(users[used], id)
			}
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		for _, user := range users[at] {
			if m.next[user] < 0 {
				m.next[user] = at
				queue = append(queue, user)
			}
		}
	}
	m.index(g)
	return m
}

// index adds the objects with a path to byName and symbols. A relation comes before the type of its
// rows, which has the same name.
func (m *Map) index(g *Graph) {
	for _, types := range []bool{false, true} {
		for id := range m.objects {
			o := &m.objects[id]
			if m.next[id] < 0 || (o.Kind == Type) != types {
				continue
			}
			if o.Kind.use() == symbol {
				m.symbols = append(m.symbols, id)
			}
			for _, name := range g.spellings(o) {
				m.byName[name] = append(m.byName[name], id)
			}
		}
	}
}

// Find returns the path of the first name of a statement that reaches an object that leaves the
// transaction; nil = there is none. path lists the schemas in which the engine looks up unqualified
// names; nil = any.
// Units: no allocation when nothing is found.
func (m *Map) Find(sql string, tokens []dialect.Token, path []string) *Path {
	if len(m.byName) == 0 && len(m.symbols) == 0 {
		return nil
	}
	var found *Path
	mentions(sql, tokens, m.d, func(at mention) bool {
		if id := m.named(&at, path); id >= 0 {
			found = m.way(id, at.start)
		}
		return found == nil
	})
	return found
}

// named returns the object with a path that a mention names; -1 = none.
func (m *Map) named(at *mention, path []string) int {
	if at.symbol {
		for _, id := range m.symbols {
			if strings.Contains(at.text, m.objects[id].Name) {
				return id
			}
		}
		return -1
	}
	var buf [128]byte
	name := appendLower(buf[:0], at.text)
	for cut := len(name); cut > 0; cut = shorter(cut) {
		for _, id := range m.byName[string(name[:cut])] {
			if o := &m.objects[id]; o.Kind.use() == symbol || at.names(o, path) {
				return id
			}
		}
	}
	return -1
}

// Path returns the path from an object to one that leaves the transaction; nil = there is none.
func (m *Map) Path(o Object) *Path {
	if id, known := m.ids[o]; known && m.next[id] >= 0 {
		return m.way(id, 0)
	}
	return nil
}

// Has reports whether the graph has an object.
func (m *Map) Has(o Object) bool {
	_, known := m.ids[o]
	return known
}

func (m *Map) way(id, start int) *Path {
	p := &Path{Objects: []Object{m.objects[id]}, Start: start}
	for m.next[id] != id {
		id = m.next[id]
		p.Objects = append(p.Objects, m.objects[id])
	}
	p.Reason = *m.reasons[id]
	return p
}

// Reaches reports whether an object of a kind that statements can name reaches one that leaves the
// transaction.
func (m *Map) Reaches(kind Kind) bool {
	for _, ids := range m.byName {
		for _, id := range ids {
			if m.objects[id].Kind == kind {
				return true
			}
		}
	}
	return false
}

// Reached lists every object that reaches one that leaves the transaction.
func (m *Map) Reached() []Object {
	var all []Object
	for id := range m.objects {
		if m.next[id] >= 0 {
			all = append(all, m.objects[id])
		}
	}
	return slices.Clip(all)
}

// appendLower appends a name with its letters in lower case.
func appendLower(buf []byte, name string) []byte {
	for i := range len(name) {
		c := name[i]
		if c >= 0x80 {
			return append(buf[:0], strings.ToLower(name)...)
		}
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		buf = append(buf, c)
	}
	return buf
}
