package postgres

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"github.com/loam-data/loam/sdk/reach"
)

// systemFunction is a function of the server that leaves the transaction.
type systemFunction struct {
	reach.Object
	oid string
	as  *denial
}

// survey is a look at what has changed in the catalogue.
type survey struct {
	r       *reading
	s       *reacher
	known   *known
	version *edition // nil = not asked yet
	changed changes
	all     bool // changed is everything
}

// maxListed is how many rows of system tables are listed to find out which have changed:
// a round trip less than hashes, with which the server need not send each row.
const maxListed = 1000

// edition is the version of the catalogue.
type edition struct {
	narrow bool              // without the links
	hashes map[string]string // by class; only that of roles where rows are listed
	rows   map[key]string    // row versions; nil = not listed
}

// versionQuestion asks for the version of the catalogue. The caller holds mu, or
// loading.
func (s *reacher) versionQuestion(into *edition) question {
	oids := make([]string, len(s.system))
	for i := range s.system {
		oids[i] = s.system[i].oid
	}
	into.hashes, into.narrow = map[string]string{}, s.narrow
	of := &wholeVersion
	if s.narrow {
		of = &sourceVersion
	}
	sql := of.hashed
	if s.rows <= maxListed {
		into.rows, sql = make(map[key]string, s.rows), of.listed
	}
	return question{sql, [][]byte{list(oids)}, func(v [][]byte) error {
		if class := string(v[0]); into.rows == nil || class == rolesClass {
			into.hashes[class] = string(v[1])
		} else {
			note(into.rows, key{class, string(v[2])}, string(v[1]))
		}
		return nil
	}}
}

// note adds the version of a row to those that have the same key, in the order of
// their text.
func note(rows map[key]string, k key, version string) {
	if before, there := rows[k]; there {
		all := append(strings.Split(before, " "), version)
		slices.Sort(all)
		version = strings.Join(all, " ")
	}
	rows[k] = version
}

// survey returns what is reached in the version of the catalogue that is there
// now; version may have been asked for a moment ago. It takes at most four round
// trips: the first time for the functions of the server, the rows, the objects and the
// roles; later, where the rows are many, for their hashes instead of the functions.
func (r *reading) survey(version *edition) (*reach.Map, error) {
	s := r.s.reacher
	s.loading.Lock()
	defer s.loading.Unlock()
	l := survey{r: r, s: s, version: version}
	m, err := l.run()
	if err != nil {
		s.known, s.solved = nil, nil // it may be half done
		return nil, err
	}
	s.known, s.solved = l.known, m
	s.want(len(l.known.rows), !l.known.linked)
	return m, nil
}

// want sets how the version is asked for, by how many rows there are. The caller holds loading.
func (s *reacher) want(rows int, narrow bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rows, s.narrow = rows, narrow
}

func (l *survey) run() (*reach.Map, error) {
	if l.known = l.s.known; l.known == nil {
		if err := l.loadSystem(); err != nil {
			return nil, err
		}
		l.restart()
		l.s.want(0, false) // all rows are new
	}
	which, roles, err := l.outdated()
	if err != nil || len(which) == 0 && !roles && !l.all {
		return l.s.solved, err
	}
	if l.version.narrow { // what has changed may be reached by the links
		l.s.want(l.s.rows, false)
		if which, roles, err = l.outdated(); err != nil {
			return nil, err
		}
	}
	rows := len(l.known.rows)
	if err := l.loadRows(which); err != nil {
		return nil, err
	}
	if len(l.changed) == 0 && len(l.known.rows) == rows && !roles && !l.all { // hashes of rows that had been listed
		l.known.hashes = l.version.hashes
		return l.s.solved, nil
	}
	if l.all {
		which = systemTables
	}
	if err := l.loadShown(which); err != nil {
		return nil, err
	}
	l.known.judge(l.r.s)
	exceptions := reach.NewExceptions(l.r.s.cfg.AllowFunctions)
	if err := l.loadRoles(roles || l.all, exceptions); err != nil {
		return nil, err
	}
	l.known.hashes = l.version.hashes
	excepted := len(l.r.s.cfg.AllowFunctions) > 0 // by name
	l.known.linked = excepted
	if !excepted && !l.known.dangerous() && !l.known.dynamic() {
		return reach.New(l.r.s.Dialect, exceptions).Solve(), nil
	}
	m := l.known.solve(l.r.s.Dialect, exceptions)
	l.known.linked = l.known.linked || excepted
	return m, nil
}

// outdated asks for the version unless it was asked for, and returns the system tables that
// have changed, and whether roles have.
func (l *survey) outdated() (which []systemTable, roles bool, err error) {
	if l.version == nil || l.version.narrow && !l.s.narrow {
		l.version = &edition{}
		if err := l.r.together(l.s.versionQuestion(l.version)); err != nil {
			return nil, false, err
		}
	}
	return l.known.outdated(l.version), l.version.hashes[rolesClass] != l.known.hashes[rolesClass], nil
}

func (l *survey) restart() { l.known, l.all = newKnown(), true }

// loadSystem lists the functions of the server that leave the transaction. They
// stay as they are as long as the server runs.
func (l *survey) loadSystem() error {
	if l.s.system != nil {
		return nil
	}
	var names []string
	for i := range denials {
		if denials[i].effect == inside {
			continue
		}
		for _, pattern := range denials[i].patterns {
			names = append(names, strings.NewReplacer("_", `\\_`, "*", "%").Replace(pattern)) // the array takes one backslash
		}
	}
	var found []systemFunction
	err := l.r.together(question{systemFunctionsSQL, [][]byte{list(names)}, func(v [][]byte) error {
		if as := deniedAs(string(v[1])); as != nil && as.effect != inside {
			found = append(found, systemFunction{reach.Object{Kind: reach.Function, Schema: "pg_catalog", Name: string(v[1]), Args: string(v[2])}, string(v[0]), as})
		}
		return nil
	}})
	l.s.mu.Lock()
	defer l.s.mu.Unlock()
	l.s.system = found
	return err
}

// loadRows finds out which rows of system tables have changed.
func (l *survey) loadRows(which []systemTable) error {
	if len(which) == 0 {
		return nil
	}
	now := l.version.rows
	if now == nil {
		now = map[key]string{}
		err := l.r.together(question{rowsOf(which), nil, func(v [][]byte) error {
			note(now, key{string(v[0]), string(v[1])}, string(v[2]))
			return nil
		}})
		if err != nil {
			return err
		}
	}
	var whole bool
	if l.changed, whole = l.known.compare(which, now); whole && !l.all {
		l.restart()
		return l.loadRows(systemTables)
	}
	return nil
}

// loadShown reads what has changed.
func (l *survey) loadShown(which []systemTable) error {
	pattern := l.s.calls()
	var questions []question
	if keys, oids := l.changed.of("pg_proc"); len(keys) > 0 {
		params := [][]byte{pattern}
		if !l.all {
			params = append(params, list(oids))
		}
		questions = append(questions, question{functionsSQL(l.r.s.version, l.all), params, func(v [][]byte) error {
			l.known.function(v)
			return nil
		}})
		for _, oid := range oids {
			delete(l.known.functions, oid)
		}
	}
	questions = append(questions, l.shown(which, pattern)...)
	if slices.ContainsFunc(which, func(c systemTable) bool { return strings.HasPrefix(c.name, "pg_foreign_") }) {
		clear(l.known.foreign)
		questions = append(questions, question{foreignTablesSQL, nil, l.foreignTable})
	}
	return l.r.together(questions...)
}

// shown asks for the objects of system tables that have changed, and for all that they
// and functions use.
func (l *survey) shown(which []systemTable, pattern []byte) []question {
	var questions []question
	var users, userOIDs []string
	for _, c := range which {
		keys, oids := l.changed.of(c.name)
		if len(keys) == 0 {
			continue
		}
		if c.shown != nil {
			params := [][]byte{pattern}
			if !l.all {
				params = append(params, list(oids))
			}
			questions = append(questions, question{shownSQL(c, l.r.s.version, l.all), params, func(v [][]byte) error {
				l.known.show(v)
				return nil
			}})
		}
		if class := c.dependent(); class != "" {
			for range oids {
				users = append(users, class)
			}
			userOIDs = append(userOIDs, oids...)
		}
		for _, k := range keys {
			delete(l.known.objects, k)
			if table := l.known.objects[key{"pg_class", k.oid}]; c.name == "pg_attribute" && table != nil {
				table.uses = nil
			}
		}
	}
	if len(users) > 0 {
		params := [][]byte{list(users), list(userOIDs)}
		if l.all {
			params = nil
		}
		questions = append(questions, question{usesSQL(l.all), params, func(v [][]byte) error {
			l.known.use(v)
			return nil
		}})
	}
	return questions
}

// calls is a pattern of calls, in trees, of the functions of the server that leave
// the transaction, and of all that others made.
func (s *reacher) calls() []byte {
	oids := []string{`\d{5,}`}
	for i := range s.system {
		oids = append(oids, s.system[i].oid)
	}
	return []byte(`:(?:funcid|aggfnoid|winfnoid|opfuncid) (` + strings.Join(oids, "|") + `)\M`)
}

// loadRoles finds out which roles are strong: the session's own, and those whose
// rights functions run with. It also shows the texts of views that run a text: a
// constant one can be read.
func (l *survey) loadRoles(changed bool, exceptions *reach.Exceptions) error {
	k := l.known
	var owners, outer, views []string
	for _, f := range k.functions {
		if f.definer {
			owners = append(owners, f.owner)
		}
	}
	for oid, d := range k.denied {
		if d.effect == outside {
			outer = append(outer, oid)
			changed = changed || l.changed[key{"pg_proc", oid}]
		}
	}
	for _, f := range k.lenders(l.r.s.Dialect, exceptions) {
		outer = append(outer, f.oid)
		changed = changed || l.changed[key{"pg_proc", f.oid}]
	}
	foreign := slices.Sorted(maps.Keys(k.foreign))
	for _, oid := range foreign {
		changed = changed || l.changed[key{"pg_class", oid}] // its privileges
	}
	slices.Sort(owners)
	slices.Sort(outer)
	var questions []question
	params := [][]byte{list(slices.Compact(owners)), list(slices.Compact(outer)), list(foreign)}
	if changed || !slices.EqualFunc(params, k.asked, bytes.Equal) {
		k.asked, k.strong, k.self = params, map[string]role{}, ""
		questions = append(questions, question{strongRolesSQL, params, func(v [][]byte) error {
			k.strong[string(v[0])] = role{string(v[1]), string(v[3])}
			if v[2][0] == 't' {
				k.self = string(v[0])
			}
			return nil
		}})
	}
	k.trees(func(user key, d denied) {
		if user.class == "pg_class" && d.effect == runsText {
			views = append(views, user.oid)
		}
	})
	k.texts = map[string]string{}
	if len(views) > 0 {
		questions = append(questions, question{definitionsSQL, [][]byte{list(views)}, func(v [][]byte) error {
			k.texts[string(v[0])] = string(v[1])
			return nil
		}})
	}
	return l.r.together(questions...)
}
