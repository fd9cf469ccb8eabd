// Package engine describes engines that have no connector here, for tests: that
// a dialect can say what each needs, and that the guard keeps clear of the traps
// in their lexis. A connector for one of them starts from its description.
package engine

import (
	"maps"

	"github.com/loam-data/loam/sdk/dialect"
)

// All returns every description, each list as a connector would offer it.
func All() [][]dialect.Dialect {
	return [][]dialect.Dialect{BigQuery()}
}

var (
	single = dialect.Quote{Open: "'", Close: "'", Doubled: true}
	double = dialect.Quote{Open: `"`, Close: `"`, Doubled: true}

	dashes = dialect.LineComment{Open: "--"}
	block  = dialect.BlockComment{Open: "/*", Close: "*/"}
)

func prefixed(prefix string, q dialect.Quote) dialect.Quote {
	q.Prefix = prefix
	return q
}

func query(words ...string) dialect.Statement {
	return dialect.Statement{Words: words, Kind: dialect.StatementQuery}
}

func with() dialect.Statement {
	return dialect.Statement{Words: []string{"WITH"}, Kind: dialect.StatementWith}
}

func show(words ...string) dialect.Statement {
	return dialect.Statement{Words: words, Kind: dialect.StatementShow}
}

func explain(options ...string) dialect.Statement {
	return dialect.Statement{Words: []string{"EXPLAIN"}, Kind: dialect.StatementExplain, Options: options}
}

func phrase(reason string, words ...string) dialect.Phrase {
	return dialect.Phrase{Words: words, Reason: reason}
}

// standard returns the forms that most engines write alike, with others added
// or put in their place.
func standard(others map[dialect.Form]string) map[dialect.Form]string {
	f := map[dialect.Form]string{
		dialect.Cast: "CAST({x} AS {type})", dialect.True: "TRUE", dialect.False: "FALSE",
		dialect.NullSafeEqual: "({a} IS NOT DISTINCT FROM {b})",
		dialect.Sum:           "SUM({x})", dialect.Avg: "AVG({x})", dialect.Count: "COUNT({x})",
		dialect.CountDistinct: "COUNT(DISTINCT {x})", dialect.Min: "MIN({x})", dialect.Max: "MAX({x})",
		dialect.Like:         `({x} LIKE {p} ESCAPE '\')`,
		dialect.ILike:        `({x} ILIKE {p} ESCAPE '\')`,
		dialect.AscNullsLast: "{x} ASC NULLS LAST", dialect.AscNullsFirst: "{x} ASC NULLS FIRST",
		dialect.DescNullsLast: "{x} DESC NULLS LAST", dialect.DescNullsFirst: "{x} DESC NULLS FIRST",
	}
	maps.Copy(f, others)
	return f
}

// units are the grains as most engines spell them.
var units = map[dialect.Grain]string{
	dialect.Second: "SECOND", dialect.Minute: "MINUTE", dialect.Hour: "HOUR", dialect.Day: "DAY",
	dialect.Week: "WEEK", dialect.Month: "MONTH", dialect.Quarter: "QUARTER", dialect.Year: "YEAR",
}
