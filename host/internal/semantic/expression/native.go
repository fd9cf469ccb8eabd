package expression

import "slices"

// Native is a definition in the SQL of one engine. It is printed verbatim, in
// parentheses, with its bound names replaced. Its type is unknown, and it works on
// its own dialect only.
type Native struct {
	base
	Dialect string // dialect.Dialect's name
	Text    string // as written
	// Aggregated: it calls what looks like an aggregate.
	Aggregated bool
	// Parts make up the text, in order.
	Parts []NativePart
}

// NativePart is a piece of a fragment: SQL text, or a name that could be a column.
type NativePart struct {
	SQL  string
	Name Node // a *Name until something takes its place; nil: SQL only

	ends []int // in SQL, where the parts of the name end
}

func (n *Native) names() []Node {
	var all []Node
	for _, p := range n.Parts {
		if p.Name != nil {
			all = append(all, p.Name)
		}
	}
	return all
}

func (n *Native) with(c []Node) *Native {
	m := *n
	m.Parts = slices.Clone(n.Parts)
	for i := range m.Parts {
		if m.Parts[i].Name != nil {
			m.Parts[i].Name, c = c[0], c[1:]
		}
	}
	return &m
}

// Bind keeps the names that refer to something and turns the others, which may be
// keywords, types or fields, into SQL. known returns how many leading parts of a
// name are a reference, 0 for none; the parts after them are fields of its value.
func (n *Native) Bind(known func(*Name) int) *Native {
	m := *n
	m.Parts = nil
	for _, p := range n.Parts {
		name, ok := p.Name.(*Name)
		if !ok {
			m.Parts = append(m.Parts, p)
			continue
		}
		k := known(name)
		if k < len(name.Parts) {
			end := 0
			if k > 0 {
				end = p.ends[k-1]
				part := *name
				part.Parts = name.Parts[:k]
				m.Parts = append(m.Parts, NativePart{SQL: p.SQL[:end], Name: &part, ends: p.ends[:k]})
			}
			p = NativePart{SQL: p.SQL[end:]}
		}
		m.Parts = append(m.Parts, p)
	}
	return &m
}
