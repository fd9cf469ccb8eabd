package postgres

import (
	"encoding/json"
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

// viewRule is the rule of a view.
type viewRule struct {
	xmin, view string   // of the rule, OID of the view
	calls      []string // OIDs of denied functions
}

// look-around: what one version of the catalogue holds that matters here.
type around struct {
	r         *reading
	functions []*function
	byOID     map[string]*function
	denied    map[string]denied // by OID
	names     map[string]effect // of denied, by name
	trees     []treeUse
	foreign   []foreignTable
	strong    map[string]role   // by OID
	self      string            // OID of the current role, if it is strong
	views     map[string]string // definitions of views that run texts, by OID
}

// denied is a function that is known to leave the transaction, of the server or
// of an extension.
type denied struct {
	reach.Object
	effect effect
	reason string
}

// treeUse says that the tree of an object calls a denied function.
type treeUse struct{ class, oid, function string }

// role is one that could leave the transaction with SQL of its own.
type role struct{ name, may string }

// version asks for the version of the catalogue, and for the session's path.
func (r *reading) version() (version string, path []string, err error) {
	err = r.query(versionSQL, nil, func(v [][]byte) error {
		version = string(v[0]) + string(v[1])
		return json.Unmarshal(v[1], &path)
	})
	return version, path, r.unresolved(err)
}

// lookAround finds out what can be reached. Only what changed since the last look
// comes with its text.
func (r *reading) lookAround() (*reach.Map, error) {
	r.s.reacher.loading.Lock()
	defer r.s.reacher.loading.Unlock()
	a := &around{r: r, byOID: map[string]*function{}, denied: map[string]denied{}, names: map[string]effect{}, views: map[string]string{}}
	for _, step := range []func() error{a.loadSystem, a.loadFunctions, a.loadForeign, a.loadTrees, a.loadRoles, a.loadViews} {
		if err := step(); err != nil {
			return nil, r.unresolved(err)
		}
	}
	exceptions := reach.NewExceptions(r.s.cfg.AllowFunctions)
	if !a.dangerous() && len(r.s.cfg.AllowFunctions) == 0 {
		return reach.New(r.s.dialect, exceptions).Solve(), nil
	}
	catalog := &catalogue{names: map[key]reach.Object{}}
	if err := catalog.load(r); err != nil {
		return nil, r.unresolved(err)
	}
	return a.solve(catalog, exceptions), nil
}

// loadSystem lists the functions of the server that leave the transaction.
func (a *around) loadSystem() error {
	s := &a.r.s.reacher
	if s.system == nil {
		err := a.r.query(systemFunctionsSQL, nil, func(v [][]byte) error {
			if as := deniedAs(string(v[1])); as != nil && as.effect != inside {
				s.system = append(s.system, systemFunction{reach.Object{Kind: reach.Function, Schema: "pg_catalog", Name: string(v[1]), Args: string(v[2])}, string(v[0]), as})
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	for _, f := range s.system {
		a.deny(f.oid, f.Object, f.as.effect, f.as.reason)
	}
	return nil
}

func (a *around) deny(oid string, o reach.Object, as effect, reason string) {
	a.denied[oid] = denied{o, as, reason}
	a.names[strings.ToLower(o.Name)] = as
}

// loadFunctions lists the functions that users and extensions made, and reads the
// bodies of those that are new.
func (a *around) loadFunctions() error {
	s := &a.r.s.reacher
	var oids, versions []string
	for oid, f := range s.functions {
		oids, versions = append(oids, oid), append(versions, f.xmin)
	}
	err := a.r.query(functionsSQL(a.r.s.version), [][]byte{list(oids), list(versions)}, func(v [][]byte) error {
		f := &function{
			oid: string(v[0]), xmin: string(v[1]),
			Object:   reach.Object{Kind: functionKinds[v[10][0]], Schema: string(v[2]), Name: string(v[3]), Args: string(v[4])},
			language: string(v[5]), trusted: v[6][0] == 't', definer: v[7][0] == 't', owner: string(v[8]), volatile: v[9][0] == 'v',
			extension: string(v[11]), parsed: v[13][0] == 't', ownerName: string(v[14]),
		}
		if before := s.functions[f.oid]; v[12] == nil && before != nil {
			f.source, f.does = before.source, before.does
		} else {
			f.source = string(v[12])
		}
		a.functions = append(a.functions, f)
		a.byOID[f.oid] = f
		if reason, as, leaves := f.leaves(); leaves {
			a.deny(f.oid, f.Object, as, reason)
		}
		return nil
	})
	if err != nil {
		return err
	}
	s.functions = a.byOID
	for _, f := range a.functions {
		if f.does != nil || f.judged() {
			continue
		}
		body, readable := f.body()
		switch {
		case readable:
			does := look(body, a.r.s.dialect, a.names)
			f.does = &does
		case f.language == "c" || f.language == "internal" || f.parsed || f.source == "":
			f.does = &deed{}
		default: // a language whose SQL is in strings
			f.does = &deed{dynamic: f.trusted}
		}
	}
	return nil
}

var functionKinds = map[byte]reach.Kind{'f': reach.Function, 'w': reach.Function, 'a': reach.Aggregate, 'p': reach.Procedure}

// loadTrees finds the denied functions in what the server keeps as trees.
func (a *around) loadTrees() error {
	var oids []string
	for oid := range a.denied {
		oids = append(oids, oid)
	}
	slices.Sort(oids)
	pattern := []byte(`:(?:funcid|aggfnoid|winfnoid|opfuncid) (` + strings.Join(oids, "|") + `)\M`)
	err := a.r.query(treesSQL(a.r.s.version), [][]byte{pattern, list(oids)}, func(v [][]byte) error {
		a.trees = append(a.trees, treeUse{string(v[0]), string(v[1]), string(v[2])})
		return nil
	})
	if err != nil {
		return err
	}
	s := &a.r.s.reacher
	var known, versions []string
	for oid, v := range s.views {
		known, versions = append(known, oid), append(versions, v.xmin)
	}
	views := map[string]*viewRule{}
	err = a.r.query(viewsSQL, [][]byte{list(known), list(versions), pattern}, func(v [][]byte) error {
		rule := &viewRule{xmin: string(v[1]), view: string(v[2])}
		if before := s.views[string(v[0])]; v[3] == nil && before != nil {
			rule.calls = before.calls
		} else if len(v[3]) > 0 {
			rule.calls = strings.Split(string(v[3]), ",")
		}
		views[string(v[0])] = rule
		for _, call := range rule.calls {
			a.trees = append(a.trees, treeUse{"pg_class", rule.view, call})
		}
		return nil
	})
	s.views = views
	return err
}

// loadViews shows the texts of views that run a text: a constant one can be read.
func (a *around) loadViews() error {
	var oids []string
	for _, use := range a.trees {
		if use.class == "pg_class" && a.denied[use.function].effect == runsText {
			oids = append(oids, use.oid)
		}
	}
	if len(oids) == 0 {
		return nil
	}
	return a.r.query(definitionsSQL, [][]byte{list(oids)}, func(v [][]byte) error {
		a.views[string(v[0])] = string(v[1])
		return nil
	})
}

// loadRoles finds out which roles are strong: the session's own, and those whose
// rights functions run with.
func (a *around) loadRoles() error {
	var owners, outer []string
	for _, f := range a.functions {
		if f.definer {
			owners = append(owners, f.owner)
		}
	}
	for oid, d := range a.denied {
		if d.effect == outside {
			outer = append(outer, oid)
		}
	}
	a.strong = map[string]role{}
	slices.Sort(owners)
	err := a.r.query(strongRolesSQL, [][]byte{list(slices.Compact(owners)), list(outer)}, func(v [][]byte) error {
		a.strong[string(v[0])] = role{string(v[1]), string(v[3])}
		if v[2][0] == 't' {
			a.self = string(v[0])
		}
		return nil
	})
	return err
}

// dangerous reports whether anything that users made may leave the transaction.
func (a *around) dangerous() bool {
	if len(a.foreign) > 0 || len(a.trees) > 0 {
		return true
	}
	for _, f := range a.functions {
		if _, leaves := a.denied[f.oid]; leaves {
			return true
		}
		if f.does != nil && (f.does.copies || f.does.calls || f.does.dynamic && len(a.strong) > 0 || len(f.does.texts) > 0) {
			return true
		}
	}
	return false
}
