package conform

import (
	"fmt"
	"slices"
	"strings"
)

// Level is how much of the contract a connector has passed.
type Level string

const (
	LevelNone Level = "none"
	// LevelBasic: it starts, connects, runs statements, and cancels them.
	LevelBasic Level = "basic"
	// LevelReads: also, results are correct, and statements cannot write.
	LevelReads Level = "reads"
	// LevelFull: also, the semantic layer, profiles and concurrent calls work.
	LevelFull Level = "full"
)

// Levels returns the levels that can be reached, lowest first. Each includes the ones before it.
func Levels() []Level { return []Level{LevelBasic, LevelReads, LevelFull} }

// semantic is the group that a host adds.
const semantic = "semantic"

// levels has the level of each group.
var levels = map[string]Level{
	"target": LevelBasic, "describe": LevelBasic, "config": LevelBasic, "open": LevelBasic, "errors": LevelBasic,
	"stream": LevelBasic, "limits": LevelBasic, "cancel": LevelBasic, "secret": LevelBasic, "drain": LevelBasic,
	"process": LevelBasic, "foreign": LevelBasic,
	"types": LevelReads, "guard": LevelReads, "read_only": LevelReads, "reach": LevelReads, "scan": LevelReads,
	"dialect": LevelFull, "server": LevelFull, "profile": LevelFull, "plan": LevelFull, "query_log": LevelFull,
	"concurrent": LevelFull, "leak": LevelFull, semantic: LevelFull,
}

// Needs reports whether a level requires the checks of a group.
func (l Level) Needs(group string) bool {
	all := Levels()
	return slices.Index(all, levels[group]) <= slices.Index(all, l)
}

// Reached returns the highest level that results reach, and what is missing for the next one, in
// words; none at LevelFull. A level is not reached if one of its checks failed, did not run or has
// the class ToDo. LevelReads also requires every attack, and LevelFull every harmless statement
// and the group "semantic": the author may not skip them.
func Reached(results []Result) (level Level, lacks []string) {
	level = LevelNone
	for _, next := range Levels() {
		if lacks := lacking(next, results); len(lacks) > 0 {
			return level, lacks
		}
		level = next
	}
	return level, nil
}

// lacking returns what is missing for a level, in words.
func lacking(level Level, results []Result) (lacks []string) {
	counts := map[string]int{}
	var order []string
	count := func(what string) {
		if counts[what]++; counts[what] == 1 {
			order = append(order, what)
		}
	}
	asked := false
	for _, r := range results {
		asked = asked || r.Group == semantic
		byAuthor := r.Outcome == Skipped && r.Class != Undeclared && r.Class != NotApplicable
		switch {
		case r.Dropped && level == LevelFull:
			count("every harmless statement, %d left out")
		case r.Dropped || !level.Needs(r.Group):
		case r.Outcome == Failed:
			count(r.Group + ", %d failed")
		case r.Outcome == NotRun:
			count(r.Group + ", %d not run")
		case r.Class == ToDo:
			count(r.Group + ", %d to do")
		case byAuthor && r.Group == "read_only":
			count("read_only whole, %d left out")
		}
	}
	if level == LevelFull && !asked {
		order = append(order, "the requests of a semantic layer, which a host asks")
	}
	for _, what := range order {
		lacks = append(lacks, strings.Replace(what, "%d", fmt.Sprint(counts[what]), 1))
	}
	return lacks
}

// offline are the checks that need no connection.
var offline = map[string]bool{
	"describe/quick": true, "describe/identity": true, "describe/schema": true, "describe/dialects": true, "describe/manifest": true,
	"config/missing": true, "config/unknown": true, "config/wrong_type": true, "config/secret_in_the_open": true, "config/no_object": true,
	"guard/attacks": true, "guard/harmless": true,
	"process/cookie": true, "process/stdout": true, "process/start": true,
	"foreign/hello": true, "foreign/mutual_tls": true, "foreign/wrong_cookie": true, "foreign/health": true, "foreign/stdin": true,
	"foreign/sigterm": true, "foreign/shutdown": true, "foreign/drain": true, "foreign/unknown_fields": true, "foreign/unknown_call": true,
	"foreign/invalid_utf8": true, "foreign/large_message": true, "foreign/many_calls": true,
}

// breaks has the consequence of a failure in a group for a user of the connector.
var breaks = map[string]string{
	"describe":   "loam does not list the connector, or refuses to start it",
	"config":     "a mistake in a connection is found late, and not where it is",
	"open":       "a connection that fails does not say why, or keeps people waiting",
	"types":      "answers show other values than the warehouse holds",
	"errors":     "an agent cannot tell what to correct in its statement",
	"stream":     "answers lose rows or do not arrive",
	"limits":     "a large answer is cut without notice, or fills the memory",
	"guard":      "statements that only read are refused, or a write reaches the connector",
	"dialect":    "sl_query answers an error or a wrong number",
	"read_only":  "a statement of an agent can change data, or one that only reads does not run",
	"reach":      "a statement that names a view or a function can change data",
	"cancel":     "a statement that was cancelled goes on in the warehouse and costs",
	"server":     "after a broken connection statements fail until loam is restarted",
	"scan":       "tables and columns are missing or wrong in search and in the semantic layer",
	"profile":    "profiles and samples show wrong numbers",
	"plan":       "a check of a statement misleads, or runs it",
	"query_log":  "the log of past statements is missing or wrong",
	"concurrent": "statements of several agents mix or block each other",
	"secret":     "a password appears where others can read it",
	semantic:     "sl_query answers an error or a wrong number",
	"leak":       "a connector that runs for days uses up memory, files or connections",
	"drain":      "statements are cut off, or run on, when loam ends",
	"process":    "loam cannot start or end the connector cleanly",
	"foreign":    "hosts of other systems and versions cannot start, use or end the connector",
}
