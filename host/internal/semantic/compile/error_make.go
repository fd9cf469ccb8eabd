package compile

import (
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/host/internal/semantic/timerange"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// fanout refuses a measure below its grain because the request says so. edge is
// the join that multiplies rows, finer are measures of the other side.
func fanout(measure, member, edge string, finer ...string) *refusal.Error {
	return refusal.New(refusal.CodeFanout, "%s by %s counts a row once in every group that it belongs to, and its groups do not add up to its total: %s leads to several rows",
		measure, member, edge).About(member).Of(measure).Choices(finer).
		Advise("set \"fanout\": \"distinct\" to count each row once per group, drop %s, or use a measure of the finer source", member)
}

// mixedOr refuses a condition that is about rows and about groups at once.
func mixedOr(where, text string, pos sdk.Position) *refusal.Error {
	return refusal.New(refusal.CodeMixedOr, "%s: an OR joins a condition on rows with one on measures, which are known only when the rows are grouped", where).
		At(text, pos).Advise("write two filters, which both hold, or ask in two queries; grammar: filter = row condition | measure condition, joined by AND")
}

// primaryKeyRequired refuses to count rows once without knowing what a row is.
func primaryKeyRequired(source, measure, member string) *refusal.Error {
	return refusal.New(refusal.CodePrimaryKey, "%s by %s needs the primary key of %s, to count each row once, and none is known", measure, member, source).
		About(member).Of(measure).Advise("add \"primary_key: [...]\" to the source %s, or drop %s", source, member)
}

// noCommonGrain refuses an ad-hoc measure over several sources none of which has
// one row of each of the others.
func noCommonGrain(text string, sources []string) *refusal.Error {
	return refusal.New(refusal.CodeNoCommonGrain, "%s: no source has one row of each of %s", refusal.Quote(text), strings.Join(sources, ", ")).
		Advise("aggregate in each source apart and combine the results: {\"expr\": \"sum(a.x) / sum(b.y)\"}")
}

// severalGrains refuses an ad-hoc measure over sources that have one row of each other:
// a row of one of them may have no partner, and nothing says whether it counts.
func severalGrains(text string, sources []string) *refusal.Error {
	return refusal.New(refusal.CodeNoCommonGrain, "%s: %s have one row of each other, so it may aggregate the rows of either", refusal.Quote(text), strings.Join(sources, " and ")).
		Advise("define a measure in the source whose rows are meant, or aggregate in each source apart: {\"expr\": \"sum(a.x) - sum(b.y)\"}")
}

// granularity refuses a grain that the values of a member do not have.
func granularity(member string, grain dialect.Grain, why string, allowed ...dialect.Grain) *refusal.Error {
	e := refusal.New(refusal.CodeGranularity, "%s cannot be cut to the %s: %s", member, grain, why).About(member)
	if len(allowed) == 0 {
		return e.Advise("leave the granularity of %s out, or use a time dimension", member)
	}
	words := make([]string, len(allowed))
	for i, g := range allowed {
		words[i] = string(g)
	}
	return e.Advise("use one of the granularities %s", strings.Join(words, ", "))
}

// unsupported refuses what the dialect has no form for.
func unsupported(dialect, what, fix string) *refusal.Error {
	return refusal.New(refusal.CodeUnsupported, "%s is not possible on %s", what, dialect).Advise(fix)
}

// fewValues is how many values are offered where none is near.
const fewValues = 5

// valueNotFound refuses a comparison with a value that a member does not have.
func valueNotFound(where, member, value string, near, known []string) *refusal.Error {
	e := refusal.New(refusal.CodeValueNotFound, "%s: %s is never %s", where, member, refusal.Quote(value)).About(member).Meant(near).Choices(known)
	e.Value, e.Values = value, near
	if len(near) == 0 && len(known) <= fewValues {
		e.Values = known
	}
	if len(near) > 0 {
		return e.Advise("write %s, or compare with an SQL filter, which is not looked up", refusal.Quote(near[0]))
	}
	return e.Advise("use a value that there is, or compare with an SQL filter, which is not looked up")
}

// ambiguousPeriod refuses a range that is another one by the calendar than by the fiscal year. by says what
// defines the fiscal year.
func ambiguousPeriod(where string, r timerange.Relative, calendar, fiscal, by string) *refusal.Error {
	return refusal.New(refusal.CodeAmbiguousPeriod, "%s: %s is %s by the calendar, and %s by %s", where, refusal.Quote(r.String()), calendar, fiscal, by).
		About(r.String()).Choices([]string{calendar, fiscal}).
		Advise("write the range that is meant: %s or %s; or say the year: %s or %s", refusal.Quote(calendar), refusal.Quote(fiscal),
			refusal.Quote(r.By(timerange.CalendarYear).String()), refusal.Quote(r.By(timerange.FiscalYear).String()))
}
