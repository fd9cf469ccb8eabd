package clickhouse

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/reach"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// localEngines keep their rows in the server, or read what is looked up behind
// them. The table of every other engine is at another place: a server, a bucket, a
// queue whose messages are gone once they are read, a program.
// Source: system.table_engines of 18.16 and 26.7.
var localEngines = strings.Fields(`Log TinyLog StripeLog Memory Null Set Join File GenerateRandom EmbeddedRocksDB TimeSeries
	Buffer Merge View LiveView WindowView MaterializedView Dictionary Distributed Alias SharedSet SharedJoin`)

func local(engine string) bool {
	return strings.HasSuffix(engine, "MergeTree") || slices.Contains(localEngines, engine)
}

// remoteDatabases are the engines of databases whose tables are at another place;
// to list such a database asks that place.
var remoteDatabases = []string{"MySQL", "PostgreSQL", "SQLite", "S3", "HDFS", "Filesystem", "DataLakeCatalog", "Remote"}

// The questions of the catalogue. Their columns are: what it is about, database,
// name, engine or state, text; of a table also the port of the server. A table has its
// text only when reading it runs something.
const (
	databasesSQL  = `SELECT 'database', name, '', engine, '' FROM system.databases WHERE name IN ({names})`
	tablesLookSQL = `SELECT 'table', database, name, engine,
if(engine LIKE '%MergeTree' AND position(create_table_query, ' ALIAS ') = 0 AND position(create_table_query, ' DEFAULT ') = 0 AND position(create_table_query, ' MATERIALIZED ') = 0, '', create_table_query),
{port} FROM system.tables WHERE database IN ({schemas}) AND name IN ({names})`
	matchingSQL     = `SELECT 'table', database, name, engine, '' FROM system.tables WHERE database = {schemas} AND match(name, {names})`
	functionsSQL    = `SELECT 'function', '', name, toString(origin), create_query FROM system.functions WHERE origin != 'System' AND name IN ({names})`
	dictionariesSQL = `SELECT 'dictionary', database, name, toString(status), type FROM system.dictionaries WHERE name IN ({names})`
	oldDictionaries = `SELECT 'dictionary', '', name, if(source = '', 'NOT_LOADED', 'LOADED'), type FROM system.dictionaries WHERE name IN ({names})`
)

// Since which version a question can be asked.
const (
	namedFunctions  = "21.11"
	ownDictionaries = "20.5"
)

// looked is what the server has under the names of one look.
type looked struct {
	s       *Session
	entries map[reach.Ref][]reach.Entry
	// byName are the names that are asked for, by what they are called.
	byName map[string][]reach.Ref
}

// lookUp is the reach.Lookup of a session.
func (s *Session) lookUp(ctx context.Context, names []reach.Ref) (map[reach.Ref][]reach.Entry, error) {
	l := &looked{s: s, entries: map[reach.Ref][]reach.Entry{}, byName: map[string][]reach.Ref{}}
	var schemas, called []string
	for _, name := range names {
		quoted := s.Dialect.QuoteString(strings.TrimPrefix(name.Name, notLoaded))
		l.byName[name.Name] = append(l.byName[name.Name], name)
		switch {
		case name.Name == byExpression:
			o := reach.Object{Kind: reach.Table, Name: "chosen by an expression"}
			l.entries[name] = []reach.Entry{{Object: o, Reason: &reach.Reason{Text: "may be any"}}}
		case name.Called && s.leaving(name.Name) != "": // the guard refuses it where it is called itself
			o := reach.Object{Kind: reach.Function, Name: strings.ToLower(name.Name)}
			l.entries[name] = []reach.Entry{{Object: o, Reason: &reach.Reason{Text: s.leaving(name.Name)}}}
		case name.Called && !s.natives[name.Name]:
			called = append(called, quoted)
		case !name.Called && !s.databases.known(name.Schema):
			schemas = append(schemas, s.Dialect.QuoteString(name.Schema))
		}
	}
	if err := l.databases(ctx, schemas); err != nil {
		return nil, err
	}
	if err := l.tables(ctx, names); err != nil {
		return nil, err
	}
	if s.newer(namedFunctions) {
		if err := l.each(ctx, functionsSQL, called, l.function); err != nil {
			return nil, err
		}
	}
	question := dictionariesSQL
	if !s.newer(ownDictionaries) {
		question = oldDictionaries
	}
	if err := l.each(ctx, question, l.unnamed(names), l.dictionary); err != nil {
		return nil, err
	}
	l.unseen(names)
	return l.entries, nil
}

// leaving is why a function of the server leaves readonly = 1, or "".
func (s *Session) leaving(function string) string {
	return dialect.Refusal(s.explorer.Builtins, strings.ToLower(function))
}

// maxListed bounds the names of one question: a server takes one of 256 KiB.
const maxListed = 1000

// each asks a question about quoted names, in which more is replaced, too.
func (l *looked) each(ctx context.Context, question string, quoted []string, row func(sqlkit.Row) error, more ...string) error {
	slices.Sort(quoted)
	for some := range slices.Chunk(slices.Compact(quoted), maxListed) {
		fill := strings.NewReplacer(append(more, "{names}", strings.Join(some, ", "))...)
		if err := l.s.ask(ctx, l.s.Limit(0), fill.Replace(question), row); err != nil {
			return err
		}
	}
	return nil
}

func (l *looked) databases(ctx context.Context, schemas []string) error {
	return l.each(ctx, databasesSQL, schemas, func(r sqlkit.Row) error {
		l.s.databases.learn(r.Text(1), r.Text(3))
		return nil
	})
}

// unnamed returns the names, quoted, that may be those of dictionaries: the ones
// whose state is asked for, and the arguments of functions that no table has.
func (l *looked) unnamed(names []reach.Ref) (quoted []string) {
	for _, name := range names {
		state, found := strings.CutPrefix(name.Name, notLoaded)
		if found || !name.Called && (name.Inner || !name.From) && len(l.entries[name]) == 0 {
			quoted = append(quoted, l.s.Dialect.QuoteString(state))
		}
	}
	return quoted
}

// databases are the engines of databases by their names. They are forgotten after
// a while: a database may be made anew.
// Concurrency: safe for several goroutines.
type databases struct {
	mu      sync.Mutex
	engines map[string]string
	since   time.Time
}

const databasesFresh = time.Minute

func (d *databases) known(name string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if time.Since(d.since) > databasesFresh {
		d.engines, d.since = map[string]string{}, time.Now()
	}
	_, known := d.engines[name]
	return known
}

func (d *databases) learn(name, engine string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.engines[name] = engine
}

// remote returns the engine of a database whose tables are at another place.
func (d *databases) remote(name string) (string, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.engines[name], slices.Contains(remoteDatabases, d.engines[name])
}

// tables looks up tables and views, in databases of the server alone.
func (l *looked) tables(ctx context.Context, names []reach.Ref) error {
	d := l.s.Dialect
	var schemas, quoted []string
	for _, name := range names {
		engine, elsewhere := l.s.databases.remote(name.Schema)
		pattern, matching := strings.CutPrefix(name.Name, byPattern)
		switch {
		case name.Name == byExpression || name.Called && l.s.natives[name.Name] || strings.HasPrefix(name.Name, notLoaded) || hidden(name.Schema):
		case elsewhere && (name.From || matching):
			o := reach.Object{Kind: reach.ForeignTable, Schema: name.Schema, Name: name.Name}
			l.entries[name] = []reach.Entry{{Object: o, Reason: &reach.Reason{Text: "is at another place (a database of the engine " + engine + ")"}}}
		case elsewhere:
		case matching:
			all := reach.Entry{Object: reach.Object{Kind: reach.Table, Schema: name.Schema, Name: "/" + pattern + "/"}}
			err := l.each(ctx, matchingSQL, []string{d.QuoteString(pattern)}, func(r sqlkit.Row) error {
				all.Uses = append(all.Uses, reach.Ref{Schema: r.Text(1), Name: r.Text(2), Inner: true})
				return nil
			}, "{schemas}", d.QuoteString(name.Schema))
			if err != nil {
				return err
			}
			l.entries[name] = []reach.Entry{all}
		default:
			schemas, quoted = append(schemas, d.QuoteString(name.Schema)), append(quoted, d.QuoteString(name.Name))
		}
	}
	slices.Sort(schemas)
	port := "''"
	if l.s.newer(ownDictionaries) {
		port = "toString(tcpPort())"
	}
	return l.each(ctx, tablesLookSQL, quoted, l.table, "{schemas}", strings.Join(slices.Compact(schemas), ", "), "{port}", port)
}

func hidden(database string) bool {
	return database == "system" || strings.EqualFold(database, "information_schema")
}

// put adds an object to the names that name it.
func (l *looked) put(e reach.Entry, called bool) {
	for _, name := range l.byName[e.Name] {
		view := name.Called && e.Kind == reach.View // one with parameters
		if (name.Called == called || view) && (called || name.Schema == e.Schema) {
			l.entries[name] = append(l.entries[name], e)
		}
	}
}

// table reads a row of tablesLookSQL.
func (l *looked) table(r sqlkit.Row) error {
	e := reach.Entry{Object: reach.Object{Kind: reach.Table, Schema: r.Text(1), Name: r.Text(2)}}
	engine, definition := r.Text(3), r.Text(4)
	switch {
	case engine == "Dictionary" && strings.HasPrefix(definition, "CREATE DICTIONARY"):
		l.put(l.s.defined(e.Object, definition, r.Text(5)), false)
		return nil
	case engine != "MaterializedView" && strings.HasSuffix(engine, "View"):
		e.Kind, e.Definition = reach.View, l.s.read(e.Schema, definition).query()
		l.put(e, false)
		return nil
	}
	t := l.s.read(e.Schema, definition)
	if engine == "MaterializedView" {
		e.Uses = t.targets()
		engine = t.engine()
	}
	switch {
	case engine == "":
	case !local(engine):
		e.Kind, e.Reason = reach.ForeignTable, &reach.Reason{Text: "is at another place (engine " + engine + ")"}
	default:
		e.Definition, e.Uses = t.computed(), append(e.Uses, t.behind(engine)...)
	}
	l.put(e, false)
	return nil
}

// function reads a row of functionsSQL.
func (l *looked) function(r sqlkit.Row) error {
	e := reach.Entry{Object: reach.Object{Kind: reach.Function, Name: r.Text(2)}}
	if origin := r.Text(3); origin == "SQLUserDefined" {
		e.Definition = r.Text(4)
		e.Schema = ""
	} else {
		e.Reason = &reach.Reason{Text: "runs a program of the server (" + origin + ")"}
	}
	l.put(e, true)
	return nil
}

// unseen notes the tables and dictionaries of definitions that the account may not see: they
// are read with the rights of somebody else.
func (l *looked) unseen(names []reach.Ref) {
	for _, name := range names {
		pattern, matching := strings.CutPrefix(name.Name, byPattern)
		seen := len(l.entries[name]) > 0
		if matching {
			seen = l.s.databases.known(name.Schema)
		}
		if seen || !name.Inner || hidden(name.Schema) || !name.From && !matching {
			continue
		}
		o := reach.Object{Kind: reach.Table, Schema: name.Schema, Name: pattern}
		grant := "GRANT SHOW ON " + l.s.Dialect.QuoteIdentifier(name.Schema) + ".* TO " + l.s.Dialect.QuoteIdentifier(l.s.Info.CurrentUser)
		l.entries[name] = []reach.Entry{{Object: o, Reason: &reach.Reason{Text: "the account may not see: " + grant}}}
	}
}
