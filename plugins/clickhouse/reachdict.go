package clickhouse

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/reach"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// A dictionary keeps the rows of its source in memory, and the server loads them
// anew as its lifetime says, whoever reads it. Reading one reaches its source all
// the same when its layout asks for each key, and when it was not loaded before.

// askingLayouts ask the source when they are read.
var askingLayouts = strings.Fields("CACHE COMPLEX_KEY_CACHE SSD_CACHE COMPLEX_KEY_SSD_CACHE DIRECT COMPLEX_KEY_DIRECT")

// defined returns a dictionary that was made in SQL. Whether it is loaded is in a
// row of its own, which dictionary reads. port is that of the server.
func (s *Session) defined(o reach.Object, definition, port string) reach.Entry {
	o.Kind = reach.Dictionary
	e := reach.Entry{Object: o}
	t := s.read(o.Schema, definition)
	kind, source := t.clause("SOURCE")
	layout, _ := t.clause("LAYOUT")
	switch {
	case kind == "NULL" || kind == "FILE" || kind == "CLICKHOUSE" && source.own(port):
		e.Uses = source.sourceTables()
		e.Definition = strings.Join([]string{
			source.value("QUERY"), source.value("WHERE"), source.value("INVALIDATE_QUERY"), t.attributes(),
		}, ",\n")
	case slices.Contains(askingLayouts, layout):
		e.Reason = &reach.Reason{Text: "asks its source for every key (" + kind + ", layout " + layout + ")"}
	default:
		e.Uses = []reach.Ref{{Schema: o.Schema, Name: notLoaded + o.Name, Inner: true}}
	}
	return e
}

// clause returns the kind that a clause of a dictionary names, in upper case, and what
// stands in its parentheses: SOURCE(kind(…)).
func (t *body) clause(word string) (kind string, inner *body) {
	for i := range t.tokens {
		if !t.is(i, word) || !t.is(i+1, "(") || !t.named(i+2) {
			continue
		}
		part := *t
		part.tokens = t.tokens[i+3 : max(t.closing(i+1), i+3)]
		return strings.ToUpper(t.d.Unquote(t.sql, t.tokens[i+2])), &part
	}
	return "", &body{d: t.d, sql: t.sql, schema: t.schema, inner: t.inner}
}

// attributes returns the text in front of the clauses: columns with the expressions
// that the source is asked for.
func (t *body) attributes() string {
	first := slices.IndexFunc(t.tokens, func(k dialect.Token) bool { return k.Is(t.sql, "(") })
	for i := first; first >= 0 && i < len(t.tokens); i++ {
		if t.is(i, "PRIMARY") && t.is(i+1, "KEY") {
			return t.sql[t.tokens[first].Start:t.tokens[i].Start]
		}
	}
	return ""
}

// notLoaded and the name of a dictionary stand for the look whether it is loaded.
const notLoaded = "\x00loaded "

// own reports whether the source of a dictionary is this very server, whose port is
// given. A named collection may hold any host.
func (t *body) own(port string) bool {
	host := t.value("HOST")
	return t.value("NAME") == "" && (t.value("PORT") == "" || t.value("PORT") == port) &&
		(host == "" || host == "localhost" || host == "127.0.0.1" || host == "::1")
}

// escapes are undone in the strings of a definition, as the server writes them.
var escapes = strings.NewReplacer(`\'`, "'", `\\`, `\`, `\n`, "\n", `\t`, "\t")

// value returns the string behind a word of a source, "" without one.
func (t *body) value(word string) string {
	for i := range t.tokens {
		if t.is(i, word) && i+1 < len(t.tokens) && !t.is(i+1, "(", ")") {
			return escapes.Replace(t.d.Unquote(t.sql, t.tokens[i+1]))
		}
	}
	return ""
}

// sourceTables returns the table that a source of this server reads.
func (t *body) sourceTables() []reach.Ref {
	table := t.value("TABLE")
	if table == "" {
		return nil
	}
	schema := t.value("DB")
	if schema == "" {
		schema = t.schema
	}
	return []reach.Ref{{Schema: schema, Name: table, Inner: true}}
}

// dictionary reads a row of dictionariesSQL: the state of a dictionary that was
// made in SQL, or one that the server's own files define, of which nothing else is
// known.
func (l *looked) dictionary(r sqlkit.Row) error {
	e := reach.Entry{Object: reach.Object{Kind: reach.Dictionary, Schema: r.Text(1), Name: r.Text(2)}}
	status, layout := r.Text(3), strings.ToUpper(r.Text(4))
	asking := slices.ContainsFunc(askingLayouts, func(l string) bool { return strings.ReplaceAll(l, "_", "") == strings.ReplaceAll(layout, "_", "") })
	switch {
	case !strings.HasPrefix(status, "LOADED"):
		e.Reason = &reach.Reason{Text: "is not loaded: reading it asks its source, and SYSTEM RELOAD DICTIONARY loads it"}
	case asking && e.Schema == "":
		e.Reason = &reach.Reason{Text: "asks its source for every key (layout " + r.Text(4) + ")"}
	}
	for _, name := range l.byName[e.Name] {
		if !name.Called && e.Schema == "" {
			l.entries[name] = append(l.entries[name], e)
		}
	}
	for _, name := range l.byName[notLoaded+e.Name] {
		if name.Schema == e.Schema && e.Reason != nil {
			l.entries[name] = append(l.entries[name], e)
		}
	}
	return nil
}
