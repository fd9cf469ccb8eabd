package statement

import (
	"strings"
	"sync"

	"github.com/loam-data/loam/sdk/dialect"
)

// word is a word of the grammar; 0 is any other one.
type word uint8

const (
	wAll word = iota + 1
	wAnd
	wAnti
	wAny
	wApply
	wArray
	wAs
	wAsc
	wAsof
	wAt
	wBetween
	wBy
	wCase
	wCollate
	wCross
	wDesc
	wDistinct
	wDiv
	wElse
	wEnd
	wEscape
	wExcept
	wExists
	wFalse
	wFetch
	wFilter
	wFinal
	wFirst
	wFor
	wForce
	wFormat
	wFrom
	wFull
	wGlob
	wGlobal
	wGroup
	wHaving
	wIgnore
	wIlike
	wIn
	wInner
	wIntersect
	wInterval
	wInto
	wIs
	wIsnull
	wJoin
	wLateral
	wLeft
	wLike
	wLimit
	wMatch
	wMatchRecognize
	wMaterialized
	wMinus
	wMod
	wNatural
	wNot
	wNotnull
	wNull
	wNulls
	wOffset
	wOn
	wOnly
	wOption
	wOr
	wOrder
	wOuter
	wOver
	wPivot
	wPositional
	wPrewhere
	wQualify
	wRecursive
	wRegexp
	wRespect
	wRight
	wRlike
	wRow
	wSample
	wSelect
	wSemi
	wSettings
	wSimilar
	wStraightJoin
	wTable
	wTablesample
	wThen
	wTop
	wTrue
	wUnion
	wUnpivot
	wUse
	wUsing
	wValues
	wWhen
	wWhere
	wWindow
	wWith
	wWithin
	wXor
)

var words = map[string]word{
	"ALL": wAll, "AND": wAnd, "ANTI": wAnti, "ANY": wAny, "APPLY": wApply, "ARRAY": wArray, "AS": wAs, "ASC": wAsc, "ASOF": wAsof,
	"AT": wAt, "BETWEEN": wBetween, "BY": wBy, "CASE": wCase, "COLLATE": wCollate, "CROSS": wCross, "DESC": wDesc,
	"DISTINCT": wDistinct, "DIV": wDiv, "ELSE": wElse, "END": wEnd, "ESCAPE": wEscape, "EXCEPT": wExcept, "EXISTS": wExists,
	"FALSE": wFalse, "FETCH": wFetch, "FILTER": wFilter, "FINAL": wFinal, "FIRST": wFirst, "FOR": wFor, "FORCE": wForce,
	"FORMAT": wFormat, "FROM": wFrom, "FULL": wFull, "GLOB": wGlob, "GLOBAL": wGlobal, "GROUP": wGroup, "HAVING": wHaving,
	"IGNORE": wIgnore, "ILIKE": wIlike, "IN": wIn, "INNER": wInner, "INTERSECT": wIntersect, "INTERVAL": wInterval, "INTO": wInto,
	"IS": wIs, "ISNULL": wIsnull, "JOIN": wJoin, "LATERAL": wLateral, "LEFT": wLeft, "LIKE": wLike, "LIMIT": wLimit, "MATCH": wMatch,
	"MATCH_RECOGNIZE": wMatchRecognize, "MATERIALIZED": wMaterialized, "MINUS": wMinus, "MOD": wMod, "NATURAL": wNatural,
	"NOT": wNot, "NOTNULL": wNotnull, "NULL": wNull, "NULLS": wNulls, "OFFSET": wOffset, "ON": wOn, "ONLY": wOnly,
	"OPTION": wOption, "OR": wOr, "ORDER": wOrder, "OUTER": wOuter, "OVER": wOver, "PIVOT": wPivot, "POSITIONAL": wPositional,
	"PREWHERE": wPrewhere, "QUALIFY": wQualify, "RECURSIVE": wRecursive, "REGEXP": wRegexp, "RESPECT": wRespect, "RIGHT": wRight,
	"RLIKE": wRlike, "ROW": wRow, "SAMPLE": wSample, "SELECT": wSelect, "SEMI": wSemi, "SETTINGS": wSettings,
	"SIMILAR": wSimilar, "STRAIGHT_JOIN": wStraightJoin, "TABLE": wTable, "TABLESAMPLE": wTablesample, "THEN": wThen, "TOP": wTop,
	"TRUE": wTrue, "UNION": wUnion, "UNPIVOT": wUnpivot, "USE": wUse, "USING": wUsing, "VALUES": wValues, "WHEN": wWhen,
	"WHERE": wWhere, "WINDOW": wWindow, "WITH": wWith, "WITHIN": wWithin, "XOR": wXor,
}

// longestWord is the length of the longest word of the grammar.
const longestWord = len("MATCH_RECOGNIZE")

// wordOf returns the word of a token.
func wordOf(text string, t dialect.Token) word {
	n := int(t.End - t.Start)
	if t.Kind != dialect.TokenWord || n > longestWord || n < 2 {
		return 0
	}
	var upper [longestWord]byte
	for i := range n {
		c := text[int(t.Start)+i]
		if 'a' <= c && c <= 'z' {
			c -= 'a' - 'A'
		}
		upper[i] = c
	}
	return words[string(upper[:n])]
}

// set is words that are compared without case.
type set map[string]bool

// setOf returns the set of the words of a text, which is made at the first call.
func setOf(text string) func() set {
	return sync.OnceValue(func() set {
		all := set{}
		for w := range strings.FieldsSeq(text) {
			all[w] = true
		}
		return all
	})
}

// has reports whether a word is in the set, whose words are in lower case.
func (s set) has(text string) bool {
	if len(text) > 32 {
		return false
	}
	var buf [32]byte
	for i := range len(text) {
		c := text[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		buf[i] = c
	}
	return s[string(buf[:len(text)])]
}

// values are words without parentheses that are functions, unless a column has that name.
var values = setOf(`current_date current_time current_timestamp current_user current_schema current_catalog current_role localtime
	localtimestamp session_user system_user user sysdate systimestamp rownum rowid _rowid_ oid ctid utc_date utc_time utc_timestamp default
	inf infinity nan unbounded maxvalue minvalue today`)

// units are words for periods, which some functions take as arguments.
var units = setOf(`microsecond microseconds millisecond milliseconds second seconds minute minutes hour hours day days week weeks isoweek month
	months quarter quarters year years isoyear dayofweek dayofyear weekday dow doy decade century millennium epoch yy yyyy qq mm dd dy dw wk ww hh mi
	ss ms q m d h s monday sunday julian timezone nanosecond nanoseconds`)

// unit reports whether a word is a period, or two of them joined by _.
func unit(text string) bool {
	first, second, two := strings.Cut(text, "_")
	return units().has(first) && (!two || units().has(second))
}

// aggregates are functions that make one value of many rows; those of the dialect's forms
// come in addition.
var aggregates = setOf(`count sum avg mean min max median stddev stddev_pop stddev_samp variance var_pop var_samp var stdev varp stdevp total
	group_concat string_agg listagg array_agg json_agg jsonb_agg json_object_agg jsonb_object_agg bool_and bool_or every
	approx_count_distinct any_value percentile_cont percentile_disc mode corr covar_pop covar_samp
	regr_slope regr_intercept regr_count regr_r2 bit_and bit_or bit_xor countif count_if sumif sum_if avgif avg_if uniq uniqexact quantile quantiles
	quantileexact anylast any argmin argmax arg_min arg_max min_by max_by grouparray groupuniqarray grouping approx_quantile
	approx_percentile count_big product first last list kurtosis skewness entropy histogram string_agg_distinct`)

// notAggregates are functions that the form of an aggregate may begin with.
var notAggregates = []string{"cast", "toint64", "if", "coalesce"}
