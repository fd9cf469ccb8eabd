package dialect

import (
	"slices"
	"strings"
)

// opening is a word that a reading statement may begin with, and the kinds that
// such a statement may have.
type opening struct {
	word  string
	kinds []StatementKind
	// common: engines of every kind have it, so that it needs no mention.
	common bool
}

// openings is the floor under every guard. A dialect is data of a connector's
// author: it may leave words out and choose among their kinds, and whatever else
// it declares accepts nothing. A statement that begins with none of these words
// is refused, and so is a CTE.
var openings = []opening{
	{"SELECT", []StatementKind{StatementQuery}, true},
	{"WITH", []StatementKind{StatementWith}, true},
	{"VALUES", []StatementKind{StatementQuery}, true},
	{"TABLE", []StatementKind{StatementQuery}, true},
	{"FROM", []StatementKind{StatementQuery}, true},
	{"EXPLAIN", []StatementKind{StatementExplain}, true},
	{"SHOW", []StatementKind{StatementShow, StatementQuery}, true},
	{"DESCRIBE", []StatementKind{StatementShow, StatementQuery, StatementExplain}, true},
	{"DESC", []StatementKind{StatementShow, StatementQuery, StatementExplain}, true},
	{"SUMMARIZE", []StatementKind{StatementQuery, StatementShow}, true},
	{"PIVOT", []StatementKind{StatementQuery}, true},
	{"LIST", []StatementKind{StatementShow}, true},
	{"UNPIVOT", []StatementKind{StatementQuery}, false},
	{"EXISTS", []StatementKind{StatementShow}, false},
	{"HELP", []StatementKind{StatementShow}, false},
	{"PRAGMA", []StatementKind{StatementShow}, false}, // the guard reads it whole
}

// explainOptions are all options that EXPLAIN may have. None takes a statement,
// a table or a variable for its value, and FOR, SET and INTO are none of them.
var explainOptions = strings.Fields(`ACTIONS ANALYSE ANALYZE AST BUFFERS CODEGEN COMPACT COST COSTS DESCRIPTION ESTIMATE EXTENDED
	FORMAT FORMATTED GENERIC_PLAN GRAPH GRAPHVIZ HEADER HTML INDEXES JSON MEMORY PARTITIONS PIPELINE PLAN PROJECTIONS QUERY
	SERIALIZE SETTINGS SUMMARY SYNTAX TABULAR TEXT TIMING TRADITIONAL TREE TYPE USING VERBOSE WAL XML YAML`)

// Opens reports whether a statement of this kind may begin with a word, in any
// case.
func Opens(word string, kind StatementKind) bool {
	for i := range openings {
		if o := &openings[i]; strings.EqualFold(word, o.word) {
			return slices.Contains(o.kinds, kind)
		}
	}
	return false
}

// OpensSome reports whether statements of some kind may begin with a word.
func OpensSome(word string) bool {
	return slices.ContainsFunc(openings, func(o opening) bool { return strings.EqualFold(word, o.word) })
}

// OpensCommonly reports whether a word opens statements in most engines;
// UNPIVOT, EXISTS, HELP and PRAGMA open them in a few only.
func OpensCommonly(word string) bool {
	return slices.ContainsFunc(openings, func(o opening) bool { return o.common && strings.EqualFold(word, o.word) })
}

// ExplainOption reports whether a word, given in any case, is an option that
// EXPLAIN may have.
func ExplainOption(word string) bool {
	return slices.ContainsFunc(explainOptions, func(o string) bool { return strings.EqualFold(word, o) })
}

// Known reports whether this version of Loam knows the kind.
func (k StatementKind) Known() bool {
	return k == StatementQuery || k == StatementWith || k == StatementExplain || k == StatementShow
}

// ReadsWithoutArguments reports whether a function has an effect only when
// called with arguments, as last_insert_id has: the call without arguments is
// accepted.
func ReadsWithoutArguments(function string) bool {
	return strings.EqualFold(function, "last_insert_id")
}
