package postgres

import (
	"maps"
	"slices"
	"strings"

	"github.com/loam-data/loam/sdk/reach"
)

// key is an object of the system tables: the table and the OID.
type key struct{ class, oid string }

// known is what was read of the catalogue. A row that has the version that it had
// is not read again.
type known struct {
	hashes    map[string]string // of the version that was read
	rows      map[key]string    // row versions
	functions map[string]*function
	objects   map[key]*object
	foreign   map[string]reach.Reason // why foreign tables must not be read, by OID
	texts     map[string]string       // definitions of views that run texts, by OID
	denied    map[string]denied       // by OID
	names     map[string]effect       // of denied, by name
	strong    map[string]role         // by OID
	self      string                  // OID of the current role, if it is strong
	asked     [][]byte                // what strong was asked for
	linked    bool                    // links matter
}

// denied is a function that is known to leave the transaction, of the server or
// of an extension.
type denied struct {
	reach.Object
	effect effect
	reason string
}

// role is one that could leave the transaction with SQL of its own.
type role struct{ name, may string }

func newKnown() *known {
	return &known{rows: map[key]string{}, functions: map[string]*function{}, objects: map[key]*object{}, foreign: map[string]reach.Reason{}, linked: true}
}

// object is a row of a class.
type object struct {
	// Object has no kind when the row belongs to another object, which is its user.
	reach.Object
	users []key    // what runs it without naming it
	uses  []key    // what it runs
	calls []string // OIDs of functions that its tree calls
}

// changes are the keys of the rows that came or changed since they were read.
type changes map[key]bool

// global are the system tables whose rows say something about many others: when one of
// theirs changes, everything is read again. A new one has no others yet, but for a
// function of an operator family, whose classes may be in use.
var global = []string{"pg_namespace", "pg_extension", "pg_language", "pg_amproc"}

// outdated returns the system tables that have changed, of those that were asked for.
func (k *known) outdated(now *edition) []systemTable {
	changed := map[string]bool{}
	if now.rows == nil {
		for _, c := range systemTables {
			changed[c.name] = now.hashes[c.name] != k.hashes[c.name]
		}
	} else {
		for row := range k.rows {
			if _, there := now.rows[row]; !there {
				changed[row.class] = true
			}
		}
		for row, version := range now.rows {
			if before, there := k.rows[row]; !there || before != version {
				changed[row.class] = true
			}
		}
	}
	var which []systemTable
	for _, c := range systemTables {
		if changed[c.name] && !(c.link && now.narrow) {
			which = append(which, c)
		}
	}
	return which
}

// compare sets the row versions of system tables to those of now, and drops the rows that
// are gone. It returns the rows that have to be read; whole: all have to.
func (k *known) compare(which []systemTable, now map[key]string) (changed changes, whole bool) {
	has := map[string]bool{}
	for _, c := range which {
		has[c.name] = true
	}
	changed = changes{}
	for row := range k.rows {
		if _, there := now[row]; there || !has[row.class] {
			continue
		}
		whole = whole || slices.Contains(global, row.class)
		delete(k.rows, row)
		delete(k.objects, row)
		switch row.class {
		case "pg_proc":
			delete(k.functions, row.oid)
		case "pg_attribute": // its table is there, and uses less
			changed[row] = true
		}
	}
	for row, version := range now {
		before, there := k.rows[row]
		if there && before == version {
			continue
		}
		whole = whole || (there || row.class == "pg_amproc") && slices.Contains(global, row.class)
		changed[row] = true
	}
	maps.Copy(k.rows, now)
	return changed, whole
}

// of lists the keys in system tables, and their OIDs.
func (c changes) of(tables ...string) (keys []key, oids []string) {
	for k := range c {
		if slices.Contains(tables, k.class) {
			keys, oids = append(keys, k), append(oids, k.oid)
		}
	}
	return keys, oids
}

// typedOperator is an operator that is found by the types it takes: its symbol
// says nothing.
const typedOperator reach.Kind = "operator of its types"

// storedView is a view whose rows are stored: reading it runs nothing of its text.
const storedView reach.Kind = "materialized view"

var relationKinds = map[string]reach.Kind{
	"v": reach.View, "f": reach.ForeignTable, "m": storedView, "c": reach.Type,
}

// show notes a row of shownSQL.
func (k *known) show(v [][]byte) {
	row := key{string(v[0]), string(v[1])}
	o := &object{Object: reach.Object{Schema: string(v[3]), Name: string(v[4])}, users: keys(v[5]), uses: keys(v[6]), calls: elements(v[7])}
	kind := string(v[2])
	switch {
	case v[2] == nil:
		o.Object = reach.Object{}
	case row.class == "pg_class":
		if o.Kind = relationKinds[kind]; o.Kind == "" {
			o.Kind = reach.Table
		}
	case row.class == "pg_type":
		if o.Kind = reach.Type; kind == "d" {
			o.Kind = reach.Domain
		}
	case row.class == "pg_operator":
		// Overloads of a symbol count as one.
		if o.Kind = reach.Operator; kind == "typed" {
			o.Kind = typedOperator
		}
	default:
		o.Kind = reach.Cast
	}
	if before := k.objects[row]; before != nil { // a table that inherits from several
		o.users = append(o.users, before.users...)
	}
	k.objects[row] = o
}

// use notes a row of usesSQL. It skips what is not among the objects: parts of others that
// do not run when these are read.
func (k *known) use(v [][]byte) {
	user, used := key{string(v[0]), string(v[1])}, key{string(v[2]), string(v[3])}
	if user.class == "pg_proc" {
		if f := k.functions[user.oid]; f != nil {
			f.uses = append(f.uses, used)
		}
		return
	}
	o := k.objects[user]
	if o == nil && user.class == "pg_class" {
		o = k.objects[key{"pg_index", user.oid}]
	}
	if o != nil {
		o.uses = append(o.uses, used)
	}
}

// keys reads "class OID" with commas.
func keys(list []byte) []key {
	var all []key
	for _, element := range elements(list) {
		class, oid, _ := strings.Cut(element, " ")
		all = append(all, key{class, oid})
	}
	return all
}

func elements(list []byte) []string {
	if len(list) == 0 {
		return nil
	}
	return strings.Split(string(list), ",")
}
