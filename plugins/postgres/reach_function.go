package postgres

import (
	"maps"
	"strings"

	"github.com/loam-data/loam/sdk/reach"
)

// function is one that users or extensions made.
type function struct {
	reach.Object
	oid, owner string
	language   string
	trusted    bool // the language is
	definer    bool // it runs with the rights of its owner
	super      bool // a superuser owns it
	volatile   bool
	extension  string
	uses       []key
	source     string
	parsed     bool        // the server keeps the body as a tree
	calls      []string    // OIDs of functions that its trees call
	parts      []string    // OIDs of the functions that an aggregate is made of
	does       *deed       // nil until somebody looked
	text       *reach.Text // what the body mentions; nil until somebody read it
}

var functionKinds = map[byte]reach.Kind{'f': reach.Function, 'w': reach.Function, 'a': reach.Aggregate, 'p': reach.Procedure}

// function notes a row of functionsSQL.
func (k *known) function(v [][]byte) {
	k.functions[string(v[0])] = &function{
		oid: string(v[0]), Object: reach.Object{Kind: functionKinds[v[9][0]], Schema: string(v[1]), Name: string(v[2]), Args: string(v[3])},
		language: string(v[4]), trusted: v[5][0] == 't', definer: v[6][0] == 't', owner: string(v[7]), volatile: v[8][0] == 'v',
		super: v[15][0] == 't', extension: string(v[10]), source: string(v[11]), parsed: v[12][0] == 't', calls: elements(v[13]), parts: elements(v[14]),
	}
}

// judge finds the functions that leave the transaction, and reads the bodies of new
// functions; all bodies when the names of those that leave it have changed.
func (k *known) judge(s *Session) {
	k.denied = make(map[string]denied, len(s.reacher.system))
	names := make(map[string]effect, len(s.reacher.system))
	deny := func(oid string, o reach.Object, as effect, reason string) {
		k.denied[oid] = denied{o, as, reason}
		names[strings.ToLower(o.Name)] = as
	}
	for _, f := range s.reacher.system {
		deny(f.oid, f.Object, f.as.effect, f.as.reason)
	}
	for _, f := range k.functions {
		if reason, as, leaves := f.leaves(); leaves {
			deny(f.oid, f.Object, as, reason)
		}
	}
	again := !maps.Equal(names, k.names)
	k.names = names
	for _, f := range k.functions {
		if f.does != nil && !again || f.judged() {
			continue
		}
		body, readable := f.body()
		switch {
		case readable:
			does := look(body, s.Dialect, k.names)
			does.dynamic = does.dynamic && !f.vetted()
			f.does = &does
		case f.language == "c" || f.language == "internal" || f.parsed || f.source == "":
			f.does = &deed{}
		default: // a language whose SQL is in strings
			f.does = &deed{dynamic: f.trusted}
		}
	}
}

// body returns the function's text when it is SQL that can be read.
func (f *function) body() (string, bool) {
	return f.source, (f.language == "sql" || f.language == "plpgsql") && !f.parsed && f.source != ""
}

// leaves returns why the function itself can leave the transaction: it is known
// to, or it cannot be read.
func (f *function) leaves() (string, effect, bool) {
	if f.Kind == reach.Aggregate || constructors[f.source] && f.language == "internal" {
		return "", inside, false
	}
	if f.language == "c" || f.language == "internal" {
		d := deniedAs(f.Name)
		if d == nil && f.language == "c" { // it was renamed
			d = deniedAs(f.source)
		}
		if d != nil && f.extension != "" {
			return d.reason, d.effect, d.effect != inside
		}
		switch {
		case f.extension == "":
			return "is code in " + strings.ToUpper(f.language) + " of no extension, which cannot be read", outside, true
		case f.volatile && !harmlessExtensions[f.extension]:
			return "is code of the extension " + f.extension + ", which is not known", outside, true
		}
		return "", inside, false
	}
	if !f.trusted {
		return "is written in " + f.language + ", which may do anything on the server and cannot be read", outside, true
	}
	return "", inside, false
}

// constructors are the bodies that the server gives to the functions of a range
// type that somebody makes.
var constructors = map[string]bool{
	"range_constructor2": true, "range_constructor3": true,
	"multirange_constructor0": true, "multirange_constructor1": true, "multirange_constructor2": true,
}

// judged reports whether what the function does is known without its body. A body in
// SQL is read: ALTER EXTENSION adds anybody's function to an extension of theirs.
func (f *function) judged() bool {
	_, readable := f.body()
	return f.vetted() && !readable
}

// vetted reports whether the function came with an extension that is known. Of an
// extension that somebody without rights installed, superusers own the functions too.
func (f *function) vetted() bool { return harmlessExtensions[f.extension] && f.super }
