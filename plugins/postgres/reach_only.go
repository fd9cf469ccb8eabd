package postgres

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/reach"
)

// alone is a table as FROM ONLY reads it: with its policies, checks and columns, without its
// children. The graph has one beside each table that has children. Its kind is one that texts
// cannot name, and that no other object here has.
func alone(table reach.Object) reach.Object {
	table.Kind = reach.Rule
	return table
}

// parents are the tables that others inherit from.
func (k *known) parents() map[reach.Object]bool {
	found := map[reach.Object]bool{}
	for at, o := range k.objects {
		if at.class != "pg_inherits" {
			continue
		}
		for _, user := range o.users {
			if table, known := k.object(user); known && table.Kind == reach.Table {
				found[table] = true
			}
		}
	}
	return found
}

// onlyReader finds the tables that a statement reads without their children.
type onlyReader struct {
	st   *statement
	d    *dialect.Dialect
	path []string
	m    *reach.Map
}

// exempt returns the offsets of names of tables whose children leave the transaction, where the
// statement reads only the tables themselves: FROM ONLY t, FROM ONLY (s.t), and the t of t.id.
func (l *onlyReader) exempt() map[int]bool {
	sql, tokens := l.st.sql, l.st.parsed.Tokens
	var found map[int]bool
	names := map[string]bool{}
	for i := range tokens {
		if !tokens[i].IsWord(sql, "ONLY") || i > 0 && tokens[i-1].Is(sql, ".") {
			continue
		}
		if at := l.table(i + 1); at >= 0 {
			if found == nil {
				found = map[int]bool{}
			}
			found[int(tokens[at].Start)] = true
			name, _ := l.name(at)
			names[name] = true
		}
	}
	for i := range tokens {
		if found == nil || i+1 >= len(tokens) || !tokens[i+1].Is(sql, ".") || i > 0 && tokens[i-1].Is(sql, ".") {
			continue
		}
		if name, ok := l.name(i); ok && names[name] {
			found[int(tokens[i].Start)] = true
		}
	}
	return found
}

// table returns the token that ends the name behind ONLY, which starts at token i or in a
// parenthesis there; -1 unless it is a harmless table.
func (l *onlyReader) table(i int) int {
	sql, tokens := l.st.sql, l.st.parsed.Tokens
	if i < len(tokens) && tokens[i].Is(sql, "(") {
		i++
	}
	name, ok := l.name(i)
	schemas := l.path
	if i+2 < len(tokens) && tokens[i+1].Is(sql, ".") {
		schemas = []string{name}
		var also bool
		name, also = l.name(i + 2)
		ok, i = ok && also, i+2
	}
	if !ok || i+1 < len(tokens) && tokens[i+1].Is(sql, ".") || !l.harmless(schemas, name) {
		return -1
	}
	return i
}

// name returns the name that token i writes, as the server reads it.
func (l *onlyReader) name(i int) (string, bool) {
	tokens := l.st.parsed.Tokens
	if i >= len(tokens) || l.d.Escaped(l.st.sql, tokens[i]) {
		return "", false
	}
	name := l.d.Unquote(l.st.sql, tokens[i])
	switch tokens[i].Kind {
	case dialect.TokenWord:
		return strings.ToLower(name), true
	case dialect.TokenQuoted:
		return name, true
	}
	return "", false
}

// harmless reports whether a name in one of the schemas is that of a table whose children alone
// leave the transaction, and in none that of another relation which does.
func (l *onlyReader) harmless(schemas []string, name string) bool {
	found := false
	for _, schema := range schemas {
		table := reach.Object{Kind: reach.Table, Schema: schema, Name: name}
		if l.m.Path(table) != nil {
			if !l.m.Has(alone(table)) || l.m.Path(alone(table)) != nil {
				return false
			}
			found = true
		}
		if slices.ContainsFunc([]reach.Kind{reach.View, reach.ForeignTable, storedView}, func(kind reach.Kind) bool {
			return l.m.Path(reach.Object{Kind: kind, Schema: schema, Name: name}) != nil
		}) {
			return false
		}
	}
	return found
}
