package reach

import (
	"sync"

	"github.com/loam-data/loam/sdk/dialect"
)

// Ref is a name that a text may look up in the catalogue.
type Ref struct {
	// Schema is the schema in which the name is looked up; "" where the engine has none.
	Schema, Name string
	// Called says that the name is called, and so is not a table. From says that it follows FROM,
	// and so is a table.
	Called, From bool
	// Inner says that the name is in a definition, not in the caller's statement.
	Inner bool
}

// Mention is a Ref with its byte offset in the text.
type Mention struct {
	Ref
	Start int
}

// Entry is an object that the catalogue has under a name.
type Entry struct {
	Object
	// Definition is the text that runs when the object is used; "" = there is none.
	Definition string
	// Reason is why the object can leave the transaction by itself; nil = it cannot.
	Reason *Reason
	// Uses are names that the definition looks up without writing them.
	Uses []Ref
}

// Lookup returns the objects of the catalogue by name. The result leaves out names without objects.
type Lookup func(names []Ref) (map[Ref][]Entry, error)

// Explorer finds the objects that statements use by looking up their names in the catalogue, level
// by level. It is for catalogues that are too large, or change too often, for a Graph of the whole
// catalogue. Its cache is valid for one version of the catalogue. The exported fields must be set
// before the first call.
// Concurrency: its methods may be called concurrently.
type Explorer struct {
	// Dialect reads definitions, and Builtins are the functions of the engine that
	// leave the transaction when a definition calls them.
	Dialect    *dialect.Dialect
	Builtins   []dialect.FunctionRule
	Exceptions *Exceptions
	// Names calls each for every name that a text may look up, with schema as the
	// default schema. inner: the text is a definition.
	Names func(sql string, tokens []dialect.Token, schema string, inner bool, each func(Mention))

	mu      sync.Mutex
	version string
	known   map[Ref]finding
}

// finding is what the catalogue has under a name.
type finding struct {
	entries []Entry
	// harmless says that none of them reaches an object that leaves the transaction.
	harmless bool
}

// maxExplored bounds the names that are kept, and that one statement may reach.
const maxExplored = 20_000

// Find returns a path from a statement to an object that leaves the transaction; nil = there is
// none. version identifies the state of the catalogue: another version clears the cache. Find
// calls look for names that are not cached. A statement that reaches more than 20,000 names is
// treated as leaving the transaction.
// Errors: those of look.
func (e *Explorer) Find(version, sql string, tokens []dialect.Token, schema string, look Lookup) (*Path, error) {
	var named []Mention
	e.mu.Lock()
	if e.version != version || len(e.known) > maxExplored {
		e.version, e.known = version, map[Ref]finding{}
	}
	e.Names(sql, tokens, schema, false, func(m Mention) {
		if !e.known[m.Ref].harmless {
			named = append(named, m)
		}
	})
	e.mu.Unlock()
	if len(named) == 0 {
		return nil, nil
	}
	x := exploration{explorer: e, version: version, seen: map[Ref][]Entry{}, uses: map[Object][]Ref{}}
	for _, m := range named {
		x.want(m.Ref)
	}
	if err := x.run(look); err != nil {
		return nil, err
	}
	return x.solve(named), nil
}

// exploration is the search from the names of one statement.
type exploration struct {
	explorer *Explorer
	version  string
	seen     map[Ref][]Entry
	uses     map[Object][]Ref
	wanted   []Ref
	cut      bool // maxExplored was reached
}

func (x *exploration) want(name Ref) {
	if _, known := x.seen[name]; known || x.cut {
		return
	}
	if x.cut = len(x.seen) >= maxExplored; x.cut {
		return
	}
	x.seen[name] = nil
	x.wanted = append(x.wanted, name)
}

// run looks up the wanted names, then the names in their definitions, until there are no new ones.
func (x *exploration) run(look Lookup) error {
	for len(x.wanted) > 0 {
		wanted := x.wanted
		x.wanted = nil
		if err := x.load(wanted, look); err != nil {
			return err
		}
		for _, name := range wanted {
			for i := range x.seen[name] {
				x.enter(&x.seen[name][i])
			}
		}
	}
	return nil
}

// load fills seen for names, from the cache or from the catalogue.
func (x *exploration) load(names []Ref, look Lookup) error {
	e := x.explorer
	var unknown []Ref
	e.mu.Lock()
	for _, name := range names {
		if found, known := e.known[name]; known && e.version == x.version {
			x.seen[name] = found.entries
		} else {
			unknown = append(unknown, name)
		}
	}
	e.mu.Unlock()
	if len(unknown) == 0 {
		return nil
	}
	found, err := look(unknown)
	if err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, name := range unknown {
		x.seen[name] = found[name]
		if e.version == x.version {
			e.known[name] = finding{entries: found[name]}
		}
	}
	return nil
}

// enter records the names that an object uses, and wants them.
func (x *exploration) enter(o *Entry) {
	if _, known := x.uses[o.Object]; known {
		return
	}
	uses := append([]Ref{}, o.Uses...)
	// A definition that cannot be tokenized counts as leaving the transaction, see Graph.Define.
	if tokens, err := x.explorer.Dialect.Tokens(o.Definition, nil); err == nil {
		x.explorer.Names(o.Definition, tokens, o.Schema, true, func(m Mention) { uses = append(uses, m.Ref) })
	}
	x.uses[o.Object] = uses
	for _, name := range uses {
		x.want(name)
	}
}

// solve returns the path of the first name that has one. If there is none, it caches all names as
// harmless.
func (x *exploration) solve(named []Mention) *Path {
	e := x.explorer
	g := New(e.Dialect, e.Exceptions)
	g.Builtins(e.Builtins)
	for _, entries := range x.seen {
		for i := range entries {
			x.add(g, &entries[i])
		}
	}
	m := g.Solve()
	for _, name := range named {
		for i := range x.seen[name.Ref] {
			if p := m.Path(x.seen[name.Ref][i].Object); p != nil {
				p.Start = name.Start
				return p
			}
		}
	}
	if x.cut {
		return &Path{Objects: []Object{{Kind: Table, Name: named[0].Name}}, Reason: Reason{Text: "reaches more objects than can be looked at"}, Start: named[0].Start}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for name, entries := range x.seen {
		if e.version == x.version {
			e.known[name] = finding{entries, true}
		}
	}
	return nil
}

func (x *exploration) add(g *Graph, o *Entry) {
	g.Add(o.Object)
	if o.Reason != nil {
		g.Leaves(o.Object, *o.Reason)
	}
	if o.Definition != "" {
		g.Define(o.Object, o.Definition)
	}
	for _, name := range x.uses[o.Object] {
		for i := range x.seen[name] {
			g.Uses(o.Object, x.seen[name][i].Object)
		}
	}
}
