package install

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/install/lockfile"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// Change is a difference between the locked version of a connector and another one.
type Change struct {
	// What is "key", "environment", "SQL", or the path of a setting: "capabilities.Explain",
	// "dialect foodb.Limit".
	What string `json:"what"`
	// From and To are values; "" = it is not there.
	From string `json:"from"`
	To   string `json:"to"`
}

// String is the change in one line.
func (c Change) String() string {
	switch "" {
	case c.From:
		return c.What + ": + " + c.To
	case c.To:
		return c.What + ": - " + c.From
	}
	return c.What + ": " + c.From + " → " + c.To
}

// differences returns how a release differs from the locked one, and what of it is wider than
// what was approved. What the lock does not tell is compared with the installed manifest, where
// there is one.
func (j *job) differences(was lockfile.Connector, o *Offer, d sdk.Description) (all []Change, more []string) {
	list := func(what string, before, now []string) {
		all = append(all, changes(what, map[string]any{"": toAny(before)}, map[string]any{"": toAny(now)})...)
	}
	if was.Key != o.Key {
		all = append(all, Change{"key", was.Key, o.Key})
	}
	list("environment", was.Environment, o.Environment)
	list("SQL", was.SQL, o.SQL)
	more = wider(was, o.Environment, o.SQL)
	before, ok := j.installed(d.ID, was)
	if !ok {
		return all, more
	}
	all = append(all, changes("capabilities.", capabilities(before), capabilities(d))...)
	old, now := dialects(before.Dialects), dialects(d.Dialects)
	for _, name := range slices.Sorted(maps.Keys(merged(old, now))) {
		all = append(all, changes(name+".", flat(old[name]), flat(now[name]))...)
	}
	if level, before := d.Capabilities.ReadOnly, before.Capabilities.ReadOnly; level < before {
		more = append(more, fmt.Sprintf("read-only by %s, and before by %s", level, before))
	}
	for name, d := range old {
		if _, there := now[name]; !there {
			continue
		}
		refused := refusals(now[name].Guard)
		for _, one := range refusals(d.Guard) {
			if !slices.Contains(refused, one) {
				more = append(more, "SQL: "+one+" is not refused any more")
			}
		}
	}
	slices.Sort(more)
	return all, more
}

// installed returns the description of the locked release, where it is installed unchanged.
func (j *job) installed(id string, was lockfile.Connector) (sdk.Description, bool) {
	s := j.service
	r := s.release(id, was.Version)
	if _, ok := j.records.Find(r); !ok {
		return sdk.Description{}, false
	}
	if tree, err := s.treeOf(s.Store.Path(r)); err != nil || tree != was.Platforms[r.Platform].Tree {
		return sdk.Description{}, false
	}
	m, err := manifestIn(s.Store.Path(r))
	return m.Description, err == nil
}

// dialects returns the dialects of a connector by what tells them apart.
func dialects(all []dialect.Dialect) map[string]dialect.Dialect {
	named := map[string]dialect.Dialect{}
	for _, d := range all {
		name := "dialect " + d.Name
		for _, part := range []string{d.Product, d.MinVersion} {
			if part != "" {
				name += " " + part
			}
		}
		named[name] = d
	}
	return named
}

// refusals are what a guard refuses.
func refusals(g dialect.Guard) (all []string) {
	for _, p := range g.Phrases {
		all = append(all, "phrase "+strings.Join(p.Words, " "))
	}
	for _, f := range g.Functions {
		all = append(all, "function "+f.Pattern)
	}
	for _, f := range g.Relations {
		all = append(all, "relation "+f.Pattern)
	}
	return all
}

// flat returns the settings of a value by their paths.
func flat(v any) map[string]any {
	content, err := json.Marshal(v)
	var tree any
	if err == nil {
		err = json.Unmarshal(content, &tree)
	}
	if err != nil {
		panic("install: a description is no JSON: " + err.Error()) // it came as JSON
	}
	all := map[string]any{}
	var walk func(path string, v any)
	walk = func(path string, v any) {
		object, ok := v.(map[string]any)
		if !ok {
			all[path] = v
			return
		}
		for name, inner := range object {
			walk(strings.TrimPrefix(path+"."+name, "."), inner)
		}
	}
	walk("", tree)
	return all
}

func capabilities(d sdk.Description) map[string]any {
	all := flat(d.Capabilities)
	all["ReadOnly"] = d.Capabilities.ReadOnly.String()
	return all
}

// changes compares settings. Of lists it returns what was added and removed.
func changes(prefix string, before, now map[string]any) (all []Change) {
	for _, path := range slices.Sorted(maps.Keys(merged(before, now))) {
		was, is := before[path], now[path]
		old, isList := was.([]any)
		list, isListNow := is.([]any)
		if isList || isListNow {
			had, has := texts(old), texts(list)
			for _, one := range had {
				if !slices.Contains(has, one) {
					all = append(all, Change{prefix + path, one, ""})
				}
			}
			for _, one := range has {
				if !slices.Contains(had, one) {
					all = append(all, Change{prefix + path, "", one})
				}
			}
			continue
		}
		if shown(was) != shown(is) {
			all = append(all, Change{prefix + path, shown(was), shown(is)})
		}
	}
	return all
}

func merged[V any](a, b map[string]V) map[string]V {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

func toAny(list []string) (all []any) {
	for _, one := range list {
		all = append(all, one)
	}
	return all
}

func texts(list []any) (all []string) {
	for _, one := range list {
		all = append(all, shown(one))
	}
	return all
}

// shown is a setting in one line, "" = it is not set.
func shown(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	content, err := json.Marshal(v)
	if err != nil {
		panic("install: a description is no JSON: " + err.Error())
	}
	return string(content)
}
