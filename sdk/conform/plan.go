package conform

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
)

// check is one check, with its name in the group.
type check struct {
	name  string
	prove func(*probe)
}

// group is a list of checks about one subject, run in order.
type group struct {
	name   string
	checks []check
}

// groups returns all groups of a mode. Leaks come last of the shared ones, because they check what
// the others left behind.
func (r *run) groups() []group {
	groups := []group{
		{"describe", describeChecks(r.mode)},
		{"config", configChecks()},
		{"open", openChecks(r.mode)},
		{"types", typeChecks(r.target)},
		{"errors", errorChecks(r.target)},
		{"stream", streamChecks()},
		{"limits", limitChecks()},
		{"guard", guardChecks()},
		{"dialect", dialectChecks()},
		{"read_only", readOnlyChecks(r.target)},
		{"reach", reachChecks(r.target)},
		{"cancel", cancelChecks()},
		{"server", serverChecks()},
		{"scan", scanChecks()},
		{"profile", profileChecks(r.target)},
		{"plan", planChecks()},
		{"query_log", queryLogChecks()},
		{"concurrent", concurrentChecks()},
		{"secret", secretChecks(r.mode)},
		{"leak", leakChecks()},
	}
	if r.target.Request != nil {
		groups = append(groups, group{semantic, semanticChecks(r.target)})
	}
	if r.mode != InProcess {
		groups = append(groups, group{"drain", drainChecks()})
	}
	if r.mode == Binary {
		groups = append(groups, group{"process", processChecks()}, group{"foreign", foreignChecks()})
	}
	return groups
}

// kind returns the first word of Server: real, fixture or embedded.
func (t *Target) kind() string {
	word, _, _ := strings.Cut(strings.Replace(t.Server, ":", " ", 1), " ")
	return word
}

// problems returns the faults of the target itself.
func (t *Target) problems() []string {
	var problems []string
	if t.Connector == nil && len(t.command()) == 0 {
		problems = append(problems, "Target has neither a Connector nor a Binary")
	}
	if !slices.Contains([]string{"real", fixture, embedded}, t.kind()) {
		problems = append(problems, t.field("Server")+" must say what the configuration leads to and begin with real, fixture or embedded")
	}
	known := map[string]bool{}
	for _, mode := range []Mode{InProcess, Wire, Binary} {
		for _, g := range (&run{target: t, mode: mode}).groups() {
			known[g.name] = true
			for _, c := range g.checks {
				known[g.name+"/"+c.name] = true
			}
		}
	}
	for class, skips := range t.skips() {
		for _, name := range slices.Sorted(maps.Keys(skips)) {
			if !known[name] {
				problems = append(problems, fmt.Sprintf("%s names %q, which is no check and no group", t.field("Skips"), name))
			}
			if strings.TrimSpace(skips[name]) == "" {
				problems = append(problems, fmt.Sprintf("%s gives no reason for %q", t.field("Skips"), name))
			}
		}
		if !slices.Contains([]Class{ByEngine, ByDriver, ByFixture, ToDo}, class) {
			problems = append(problems, fmt.Sprintf("Target.SkipsBy has the class %q, which is none of engine, driver, fixture and to do", class))
		}
	}
	seen := map[string]bool{}
	for i := range t.Cases {
		c := &t.Cases[i]
		if err := c.check(); err != nil {
			problems = append(problems, fmt.Sprintf("case %q: %v", c.Name, err))
		}
		if seen[c.Name] || c.Name == "" {
			problems = append(problems, fmt.Sprintf("case %q has no name or one that was used before", c.Name))
		}
		seen[c.Name] = true
	}
	return problems
}

// skips returns the checks that the target skips, by class.
func (t *Target) skips() iter.Seq2[Class, map[string]string] {
	return func(yield func(Class, map[string]string) bool) {
		if !yield(ByEngine, t.Skips) {
			return
		}
		for _, class := range slices.Sorted(maps.Keys(t.SkipsBy)) {
			if !yield(class, t.SkipsBy[class]) {
				return
			}
		}
	}
}

// skipped returns why the target skips a check; an empty class means that it does not.
func (t *Target) skipped(group, name string) (Class, string) {
	for _, full := range []string{group + "/" + name, group} {
		for class, skips := range t.skips() {
			if reason, ok := skips[full]; ok {
				return class, reason
			}
		}
	}
	return "", ""
}
