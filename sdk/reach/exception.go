package reach

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/sdk/sqlkit"
)

// Exceptions are the objects that a connection allows, whatever they reach.
type Exceptions struct {
	names []string
	used  []bool
}

// NewExceptions reads the names of allow_functions: bare ("f"), with the schema in
// front ("public.f"), with the arguments of one overload ("public.f(integer)"),
// or all of a prefix ("public.st_*").
func NewExceptions(names []string) *Exceptions {
	return &Exceptions{names: names, used: make([]bool, len(names))}
}

// match reports whether an object is allowed. Names are compared as written:
// another case is another object where names keep their case.
func (e *Exceptions) match(o Object, fold bool) bool {
	if e == nil {
		return false
	}
	found := false
	for i, name := range e.names {
		if matches(name, o, fold) {
			e.used[i], found = true, true
		}
	}
	return found
}

func matches(name string, o Object, fold bool) bool {
	equal := func(a, b string) bool { return a == b || fold && strings.EqualFold(a, b) }
	qualified := o.qualified()
	if prefix, ok := strings.CutSuffix(name, "*"); ok && prefix != "" {
		return len(qualified) >= len(prefix) && equal(prefix, qualified[:len(prefix)])
	}
	return equal(name, o.Name) || equal(name, qualified) || equal(name, qualified+"("+o.Args+")")
}

// Unmatched is an exception that names nothing.
type Unmatched struct {
	Name string
	// Nearest are the names that may have been meant, best first.
	Nearest []string
}

// Unmatched returns the exceptions that matched no object of the graph, once it
// was solved.
func (m *Map) Unmatched() []Unmatched {
	var all []Unmatched
	for i, name := range m.exceptions.names {
		if !m.exceptions.used[i] {
			all = append(all, Unmatched{name, sqlkit.Nearest(name, m.names(strings.Contains(name, ".")))})
		}
	}
	return all
}

// names lists how exceptions may name the objects, each name once.
func (m *Map) names(qualified bool) []string {
	names := make([]string, 0, len(m.objects))
	for _, o := range m.objects {
		switch {
		case o.Kind.use() == unnamed || o.Kind.use() == symbol:
		case qualified:
			names = append(names, o.qualified())
		default:
			names = append(names, o.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
