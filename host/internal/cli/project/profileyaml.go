package project

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"gopkg.in/yaml.v3"
)

// target is a warehouse in a profile of dbt.
type target struct {
	profile, name string
	preferred     bool     // it is dbt's default
	keys          []string // sorted
	values        map[string]value
}

// value is a value in a profile: a text, or a reference to a variable.
type value struct {
	text     string // the value; the default of a variable
	variable string
	fallback bool   // the variable has a default
	problem  string // why it cannot be used; "" = it can
}

// mark returns the value as a text. For a variable that is variableMark and its name, unless it is
// not set and the profile has a default.
func (v value) mark(getenv func(string) string) string {
	if v.variable != "" && (!v.fallback || getenv(v.variable) != "") {
		return variableMark + v.variable
	}
	return v.text
}

const (
	// maxProfileSteps and maxProfileDepth bound the expansion of aliases.
	maxProfileSteps = 200_000
	maxProfileDepth = 8
)

// readTargets returns the targets in a file of profiles, dbt's defaults first, then ordered by name.
// problem is why there are none; "" = there are.
func readTargets(content []byte, getenv func(string) string) (targets []target, problem string) {
	var document yaml.Node
	if yaml.Unmarshal(content, &document) != nil { // the error may quote a secret
		return nil, "it is no YAML"
	}
	if len(document.Content) == 0 {
		return nil, "it is empty"
	}
	var u unfolding
	profiles, ok := u.entries(document.Content[0])
	if !ok {
		return nil, "it has no profiles"
	}
	for _, profile := range slices.Sorted(maps.Keys(profiles)) {
		settings, _ := u.entries(profiles[profile])
		chosen := "default"
		if n := settings["target"]; n != nil {
			v := newValue(n)
			if chosen = v.text; v.variable != "" && getenv(v.variable) != "" {
				chosen = getenv(v.variable)
			}
		}
		outputs, _ := u.entries(settings["outputs"])
		for _, name := range slices.Sorted(maps.Keys(outputs)) {
			fields, ok := u.entries(outputs[name])
			if !ok || !clean(profile) || !clean(name) {
				continue
			}
			t := target{profile: profile, name: name, preferred: name == chosen, keys: slices.Sorted(maps.Keys(fields)), values: map[string]value{}}
			for key, n := range fields {
				t.values[key] = u.value(n)
			}
			targets = append(targets, t)
		}
	}
	if u.over {
		return nil, "its aliases unfold to too much"
	}
	slices.SortStableFunc(targets, func(x, y target) int {
		switch {
		case x.preferred == y.preferred:
			return 0
		case x.preferred:
			return -1
		}
		return 1
	})
	return targets, ""
}

// unfolding resolves the aliases and merges of a document, up to maxProfileSteps.
type unfolding struct {
	steps int
	over  bool
}

// entries returns the entries of a mapping, including merged ones. Of several with one key, the last
// one counts.
func (u *unfolding) entries(n *yaml.Node) (all map[string]*yaml.Node, ok bool) {
	all = map[string]*yaml.Node{}
	return all, u.merge(all, n, 0)
}

func (u *unfolding) merge(into map[string]*yaml.Node, n *yaml.Node, depth int) bool {
	u.steps++
	u.over = u.over || u.steps > maxProfileSteps || depth > maxProfileDepth
	if n != nil && n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n == nil || u.over || n.Kind != yaml.MappingNode {
		return false
	}
	var merged []*yaml.Node
	for i := len(n.Content) - 2; i >= 0; i -= 2 {
		u.steps++
		key, inner := n.Content[i], n.Content[i+1]
		switch _, known := into[key.Value]; {
		case key.ShortTag() == "!!merge" && inner.Kind == yaml.SequenceNode:
			merged = append(merged, inner.Content...)
		case key.ShortTag() == "!!merge":
			merged = append(merged, inner)
		case key.Kind == yaml.ScalarNode && !known:
			into[key.Value] = inner
		}
	}
	for _, one := range merged {
		u.merge(into, one, depth+1)
	}
	return true
}

// value reads a value of a target. Of several files by name it is the main one.
func (u *unfolding) value(n *yaml.Node) value {
	if files, ok := u.entries(n); ok {
		if n = files["main"]; n == nil {
			return value{problem: "is no text"}
		}
	}
	return newValue(n)
}

// variableCall is compiled at its first use: only loam init needs it.
var variableCall = sync.OnceValue(func() *regexp.Regexp {
	const name, literal = `(?:'([A-Za-z_][A-Za-z0-9_]*)'|"([A-Za-z_][A-Za-z0-9_]*)")`, `(?:'([^'\\]*)'|"([^"\\]*)"|([0-9]+))`
	return regexp.MustCompile(`^\{\{-?\s*env_var\(\s*` + name + `\s*(,\s*` + literal + `\s*)?\)\s*(?:\|\s*(?:int|as_number|as_native|as_bool|as_text)\s*)?-?\}\}$`)
})

// newValue parses a text, or {{ env_var('NAME', 'default') }}. It evaluates no other template.
func newValue(n *yaml.Node) value {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n.Kind != yaml.ScalarNode {
		return value{problem: "is no text"}
	}
	written := strings.TrimSpace(n.Value)
	switch n.ShortTag() {
	case "!!null":
		return value{}
	case "!!bool":
		written = strings.ToLower(written)
	}
	if !clean(written) {
		return value{problem: "has control characters"}
	}
	if !strings.Contains(written, "{{") && !strings.Contains(written, "{%") && !strings.Contains(written, "{#") {
		return value{text: written}
	}
	m := variableCall().FindStringSubmatch(written)
	if m == nil {
		return value{problem: "is to be computed by dbt"}
	}
	return value{variable: m[1] + m[2], fallback: m[3] != "", text: m[4] + m[5] + m[6]}
}
