package oracle_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/loam-data/loam/host/internal/semantic/compile"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/oracle"
	"github.com/loam-data/loam/sdk/dialect"
)

var (
	cases  = flag.Int("oracle.cases", 3000, "random cases of the differential run")
	seed   = flag.Uint64("oracle.seed", 1, "seed of the differential run")
	faults = flag.Int("oracle.faults", 3, "failing cases that are shrunk and printed")
)

// allowed are the codes with which the compiler may refuse what the oracle can
// answer: it needs a key to count rows once, and an engine may lack something.
var allowed = []compile.Code{
	compile.CodePrimaryKey, compile.CodeUnsupported, compile.CodeNotSupported, compile.CodeGranularity,
}

// verdict is what came of a case.
type verdict struct {
	// fault is what is wrong, in a few words; "" = nothing.
	fault string
	// outcome is what both sides did, for counting.
	outcome string
	detail  string
	sql     string
}

// judge holds the compiler's rows against the oracle's.
func judge(ctx context.Context, db *engine, d *dialect.Dialect, m *model.Model, c *oracle.Case) (v verdict) {
	defer func() {
		if p := recover(); p != nil {
			v = verdict{fault: "panic", detail: fmt.Sprint(p)}
		}
	}()
	want, err := oracle.Answer(m, c.Data, c.Request)
	refusal, refused := errors.AsType[*oracle.Refusal](err)
	if err != nil && !refused {
		return verdict{fault: "oracle error", detail: err.Error()}
	}
	query, err := compile.Compile(m, d, c.Request, compile.Options{})
	if err != nil {
		return judgeRefusal(err, refusal)
	}
	v.sql = query.SQL
	if refused && refusal.Code != oracle.Unspecified {
		v.fault, v.detail = "an answer to what has none: "+string(refusal.Code), refusal.Error()
		return v
	}
	if err := db.load(ctx, c); err != nil {
		return verdict{fault: "bad data", detail: err.Error()}
	}
	got, err := db.rows(ctx, query.SQL)
	if err != nil {
		v.fault, v.detail = "the engine refuses the statement", err.Error()
		return v
	}
	if refused {
		v.outcome = "answered, not specified"
		v.detail = refusal.Why
		return v
	}
	if v.detail = difference(want, got); v.detail != "" {
		v.fault = "other rows"
		v.detail += "\nwant:\n" + shown(want) + "\ngot:\n" + formatted(got)
	}
	v.outcome = "equal rows"
	return v
}

func judgeRefusal(err error, refusal *oracle.Refusal) verdict {
	e, ok := errors.AsType[*compile.Error](err)
	switch {
	case !ok || e.Code == compile.CodeInternal || e.Code == "":
		return verdict{fault: "an error without a code", detail: err.Error()}
	case refusal != nil && refusal.Code == e.Code:
		return verdict{outcome: "both refuse: " + string(e.Code)}
	case refusal != nil:
		return verdict{outcome: fmt.Sprintf("both refuse: %s, the oracle %s", e.Code, refusal.Code)}
	case slices.Contains(allowed, e.Code):
		return verdict{outcome: fmt.Sprintf("refused by the compiler alone: %s", e.Code), detail: e.Message}
	}
	return verdict{fault: "a refusal of what has an answer: " + string(e.Code), detail: e.Message}
}

func formatted(rows [][]any) string {
	var lines []string
	for _, r := range rows {
		lines = append(lines, oracle.FormatRow(r))
	}
	return strings.Join(lines, "\n")
}

// requests are asked of each random model.
const requests = 4

// Random models, rows and requests have on the engine the rows that the oracle
// gives them, or are refused.
func TestRandomCases(t *testing.T) {
	t.Parallel()
	d, db := sqlite(t), open(t)
	outcomes, features, found, example := map[string]int{}, map[string]int{}, map[string]int{}, map[string]string{}
	var g *oracle.Generator
	var c *oracle.Case
	var m *model.Model
	skip, skipped := false, 0
	for n := range uint64(*cases) {
		if n%requests == 0 {
			g = oracle.NewGenerator(*seed, n)
			c = g.World()
			m = c.Model(d)
			if skip = len(problemsOf(m)) > 0; skip {
				skipped++ // a definition that several ways lead from is refused with the model
			}
		}
		if skip {
			continue
		}
		clear(g.Features)
		c.Request = g.Request()
		v := judge(t.Context(), db, d, m, c)
		for f := range g.Features {
			features[f]++
		}
		if v.fault == "" {
			outcomes[v.outcome]++
			example[v.outcome] = v.detail
			continue
		}
		found[v.fault]++
		if total(found) <= *faults {
			small, v := shrink(t.Context(), db, d, c, v)
			t.Errorf("case %d of seed %d: %s\n%s\n-- statement --\n%s\n%s", n, *seed, v.fault, v.detail, v.sql, small.Source())
		}
	}
	if total(found) > 0 {
		t.Errorf("%d faults: %v", total(found), found)
	}
	for _, name := range slices.Sorted(maps.Keys(outcomes)) {
		t.Logf("%6d %s (%s)", outcomes[name], name, example[name])
	}
	t.Logf("%d cases, %d of them in models with problems; seed %d; cases with: %v", *cases, requests*skipped, *seed, features)
	if requests*skipped > *cases/10 {
		t.Errorf("too many models have problems: %d", skipped)
	}
}

func total(counts map[string]int) (n int) {
	for _, c := range counts {
		n += c
	}
	return n
}

func problemsOf(m *model.Model) []model.Problem {
	return append(slices.Clone(m.Problems()), m.Validate()...)
}
