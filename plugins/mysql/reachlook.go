package mysql

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/loam-data/loam/sdk/reach"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// maxTogether is how many names one question of the catalogue is about.
const maxTogether = 100

// The questions of the catalogue, about one name each: the servers answer them by
// the name alone only when both parts are compared with constants. %d is the
// number of the name, %s are the schema and the name.
const (
	tableSQL   = "(SELECT %d, TABLE_SCHEMA, TABLE_NAME, TABLE_TYPE, ENGINE FROM information_schema.TABLES WHERE TABLE_SCHEMA = %s AND TABLE_NAME = %s)"
	viewSQL    = "(SELECT %d, TABLE_SCHEMA, TABLE_NAME, VIEW_DEFINITION FROM information_schema.VIEWS WHERE TABLE_SCHEMA = %s AND TABLE_NAME = %s)"
	routineSQL = "(SELECT %d, ROUTINE_SCHEMA, ROUTINE_NAME, ROUTINE_TYPE, ROUTINE_BODY, ROUTINE_DEFINITION, SQL_MODE FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA = %s AND ROUTINE_NAME = %s)"
)

// lookUp is the reach.Lookup of a session.
func (r *reading) lookUp(names []reach.Ref) (map[reach.Ref][]reach.Entry, error) {
	found := map[reach.Ref][]reach.Entry{}
	var tables, called, views []reach.Ref
	for _, name := range names {
		if name.Called {
			called = append(called, name)
		} else {
			tables = append(tables, name)
		}
	}
	err := r.about(tableSQL, tables, func(name reach.Ref, row sqlkit.Row) {
		o := reach.Object{Kind: reach.Table, Schema: row.Text(0), Name: row.Text(1)}
		switch engine := strings.ToUpper(row.Text(3)); {
		case row.Text(2) == "VIEW":
			views = append(views, name)
		case slices.Contains(remote, engine):
			o.Kind = reach.ForeignTable
			found[name] = []reach.Entry{{Object: o, Reason: &reach.Reason{Text: "lives on another server, where nothing is read-only (engine " + engine + ")"}}}
		}
	})
	if err != nil {
		return nil, err
	}
	err = r.about(viewSQL, views, func(name reach.Ref, row sqlkit.Row) {
		v := reach.Entry{Object: reach.Object{Kind: reach.View, Schema: row.Text(0), Name: row.Text(1)}, Definition: row.Text(2)}
		if v.Definition == "" {
			v.Reason = unseen("the account may not look into: GRANT SHOW VIEW ON %s.%s TO %s", quote(v.Schema), quote(v.Name), accountName(r.s.Info.CurrentUser))
		}
		found[name] = []reach.Entry{v}
	})
	if err != nil {
		return nil, err
	}
	return found, r.lookUpRoutines(called, found)
}

func (r *reading) lookUpRoutines(names []reach.Ref, found map[reach.Ref][]reach.Entry) error {
	err := r.about(routineSQL, names, func(name reach.Ref, row sqlkit.Row) {
		found[name] = append(found[name], r.routine(row))
	})
	if err != nil {
		return err
	}
	for _, name := range names {
		if len(found[name]) > 0 {
			continue
		}
		reason, err := r.absent(name)
		if err != nil {
			return err
		}
		if reason != nil {
			o := reach.Object{Kind: reach.Function, Name: name.Name}
			found[name] = []reach.Entry{{Object: o, Reason: reason}}
		}
	}
	return nil
}

// routine returns what a row of routineSQL says.
func (r *reading) routine(row sqlkit.Row) reach.Entry {
	e := reach.Entry{
		Object:     reach.Object{Kind: reach.Function, Schema: row.Text(0), Name: row.Text(1)},
		Definition: row.Text(4),
	}
	if row.Text(2) == "PROCEDURE" {
		e.Kind = reach.Procedure
	}
	switch {
	case row.Text(3) != "SQL":
		e.Reason, e.Definition = unseen("is written in a language that is not read"), ""
	case row[4] == nil:
		e.Reason = unseen("has a body that the account may not read: %s", r.s.bodyGrant(e.Schema))
	default:
		if why := leak(r.s.Dialect, e.Definition, row.Text(5)); why != "" {
			e.Reason, e.Definition = &reach.Reason{Text: why}, ""
		}
	}
	return e
}

// absent judges a called name under which the account sees no routine. It may be a
// function of the server itself, one of a library, or a routine that is hidden from
// the account. nil = the call leaves nothing.
func (r *reading) absent(name reach.Ref) (*reach.Reason, error) {
	library, known := r.s.catalog.library(name.Name)
	switch {
	case library != "":
		return unseen("is code of the library %s", library), nil
	case !r.s.catalog.schema(name.Schema): // of an alias, or of a package
		return nil, nil
	case name.Schema == r.s.cfg.Database || name.Inner:
		what, err := r.callable(name.Name)
		switch {
		case err != nil:
			return nil, err
		case what == callsServer:
			r.s.catalog.learn(name.Name)
			return nil, nil
		case what == callsLibrary && !known:
			return unseen("may be code of a library: %s", r.s.libraryGrant()), nil
		}
	}
	if !name.Inner || r.s.seesRoutines(name.Schema) {
		return nil, nil // the server says that there is none
	}
	return unseen("the account may not see: %s", r.s.bodyGrant(name.Schema)), nil
}

// What a name calls, as the server's errors tell.
const (
	callsRoutine = iota // or nothing
	callsServer
	callsLibrary
)

// callable has the server resolve calls of a function with different numbers of
// arguments, and runs none. A function of the server minds some number of them, or
// is a matter of grammar; one of a library minds none; and a routine that is not
// there is not found whatever the arguments.
func (r *reading) callable(name string) (int, error) {
	if variadic[strings.ToLower(name)] {
		return callsServer, nil
	}
	succeeded, tried := 0, 0
	for _, arguments := range []string{"", "1", "1, 2", "1, 2, 3", "1, 2, 3, 4, 5, 6, 7, 8, 9"} {
		number, err := r.probe(name, arguments)
		tried++
		switch {
		case err != nil:
			return 0, err
		case number == errSyntax || number == errNativeArguments:
			return callsServer, nil
		case number == errLibraryCall:
			return callsLibrary, nil
		case number == 0:
			succeeded++
		}
	}
	switch succeeded {
	case 0:
		return callsRoutine, nil
	case tried:
		return callsLibrary, nil
	default: // a routine takes one number of arguments, and is no affair of who has none of that name
		return callsServer, nil
	}
}

// variadic are the functions of the servers that take any number of arguments.
var variadic = map[string]bool{"json_array": true, "json_object": true}

// plainName is a name that needs no quotes, which make no call of some functions.
var plainName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// probe has the server resolve the call of a function, and returns the number of
// its error, 0 for none. Nothing runs.
func (r *reading) probe(name, arguments string) (uint16, error) {
	if !plainName.MatchString(name) {
		name = quote(name)
	}
	err := r.prepare("SELECT " + name + "(" + arguments + ")")
	if native, ok := asServerError(err); ok {
		return native.Number, nil
	}
	return 0, err
}

// seesRoutines reports whether the account sees every routine of a schema: one
// that it does not see is none.
func (s *Session) seesRoutines(schema string) bool {
	return slices.ContainsFunc(s.grants.list, func(g grant) bool {
		everywhere := g.schema == "*"
		switch {
		case g.routine != "":
			return false
		case !s.server.mariaDB:
			return everywhere && (g.has("SELECT") || g.has("SHOW_ROUTINE"))
		case g.has("SELECT") && (everywhere || g.schema == "mysql" && (g.table == "*" || g.table == "proc")):
			return true
		default:
			return g.has("SHOW CREATE ROUTINE") && !g.has("ALL PRIVILEGES") && g.table == "*" && (everywhere || like(g.schema, schema))
		}
	})
}

// library returns the library of a loadable function, and whether the account
// may see which there are.
func (c *catalog) library(name string) (string, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.server.libraries[strings.ToLower(name)], c.server.libraries != nil
}

// learn notes a function of the server itself.
func (c *catalog) learn(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.natives[strings.ToLower(name)] = true
}

// about asks about many names at once and passes on the rows of each.
func (r *reading) about(question string, names []reach.Ref, each func(name reach.Ref, row sqlkit.Row)) error {
	for len(names) > 0 {
		some := names[:min(maxTogether, len(names))]
		names = names[len(some):]
		var sql strings.Builder
		for i, name := range some {
			if i > 0 {
				sql.WriteString(" UNION ALL ")
			}
			fmt.Fprintf(&sql, question, i, literal(name.Schema), literal(name.Name))
		}
		err := r.query(sql.String(), func(row sqlkit.Row) error {
			var i int
			if _, err := fmt.Sscan(row.Text(0), &i); err != nil {
				return err
			}
			each(some[i], row[1:])
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
