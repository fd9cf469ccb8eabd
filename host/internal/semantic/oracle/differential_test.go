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
	"github.com/loam-data/loam/host/internal/semantic/refusal"
)

// By hand, with more cases or another seed, of some engines:
//
//	go test ./host/internal/semantic/oracle -run TestRandomCases -v -oracle.engine postgres,mariadb -oracle.cases 20000 -oracle.seed 7
//
// A failing case is shrunk and printed as decisions are written, in
// testdata/decisions, so that it can become one.
var (
	cases  = flag.Int("oracle.cases", 0, "random cases of a differential run; 0: as many as each engine has by default")
	only   = flag.String("oracle.engine", "", "engines to ask, separated by commas; none: all that tests can start")
	seed   = flag.Uint64("oracle.seed", 1, "seed of the differential run")
	faults = flag.Int("oracle.faults", 3, "failing cases that are shrunk and printed")
)

// allowed are the codes with which the compiler may refuse what the oracle can
// answer: it needs a key to count rows once, and an engine may lack something.
var allowed = []refusal.Code{
	refusal.CodePrimaryKey, refusal.CodeUnsupported, refusal.CodeNotSupported, refusal.CodeGranularity,
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

// judge compares the compiler's rows with the oracle's.
func judge(ctx context.Context, db *engine, m *model.Model, c *oracle.Case) (v verdict) {
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
	query, err := compile.Compile(m, db.dialect, c.Request, compile.Options{Now: oracle.Now})
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
	got, err := db.ask(ctx, query.SQL)
	if err != nil {
		v.detail = err.Error()
		if words := db.known(err); words != "" {
			v.outcome = "the engine lacks it: " + words
			return v
		}
		v.fault = "the engine refuses the statement"
		return v
	}
	if refused {
		v.outcome = "answered, not specified"
		v.detail = refusal.Why
		return v
	}
	if v.detail = oracle.Difference(want, got); v.detail != "" {
		v.fault = "other rows"
		v.detail += "\nwant:\n" + want.Shown() + "\ngot:\n" + formatted(got)
	}
	v.outcome = "equal rows"
	return v
}

func judgeRefusal(err error, want *oracle.Refusal) verdict {
	e, ok := errors.AsType[*refusal.Error](err)
	switch {
	case !ok || e.Code == refusal.CodeInternal || e.Code == "":
		return verdict{fault: "an error without a code", detail: err.Error()}
	case want != nil && want.Code == e.Code:
		return verdict{outcome: "both refuse: " + string(e.Code)}
	case want != nil:
		return verdict{outcome: fmt.Sprintf("both refuse: %s, the oracle %s", e.Code, want.Code), detail: e.Message + " - " + want.Why}
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

// run is how many random cases are asked of an engine.
func (e *engine) run() int {
	switch {
	case *cases > 0:
		return *cases
	case testing.Short():
		return e.cases / 24
	}
	return e.cases
}

// known are the words of a refusal that is known of the engine, "" = of another.
func (e *engine) known(err error) string {
	at := slices.IndexFunc(e.lacks, func(words string) bool { return strings.Contains(err.Error(), words) })
	if at < 0 {
		return ""
	}
	return e.lacks[at]
}

// Random models, rows and requests have on each engine the rows that the oracle
// gives them, or are refused.
func TestRandomCases(t *testing.T) {
	t.Parallel()
	for _, name := range names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sqliteAlone(t, name, "random cases")
			db := engines[name](t)
			if n := db.run(); testing.Short() && n < db.cases {
				t.Logf("-short: %d more random cases", db.cases-n)
			}
			r := newRun()
			r.ask(t, db, db.run())
			r.report(t)
		})
	}
}

// run counts what comes of random cases.
type run struct {
	cases, skipped            int
	outcomes, features, found map[string]int
	example                   map[string]string
}

func newRun() *run {
	return &run{outcomes: map[string]int{}, features: map[string]int{}, found: map[string]int{}, example: map[string]string{}}
}

// ask asks n random cases of an engine.
func (r *run) ask(t *testing.T, db *engine, n int) {
	t.Helper()
	r.cases = n
	for at := uint64(0); at < uint64(n); at += requests {
		g := oracle.NewGenerator(*seed, at)
		c := g.World()
		m := c.Model(db.dialect)
		if len(problemsOf(m)) > 0 {
			r.skipped += requests // a definition that several ways lead from is refused with the model
			continue
		}
		for i := range uint64(requests) {
			clear(g.Features)
			if broken := c.Broken(); broken != "" {
				t.Fatalf("case %d: %s", at+i, broken)
			}
			c.Request = g.Request()
			v := judge(t.Context(), db, m, c)
			for f := range g.Features {
				r.features[f]++
			}
			if v.fault == "" {
				r.outcomes[v.outcome]++
				r.example[v.outcome] = v.detail
				continue
			}
			r.found[v.fault]++
			if total(r.found) <= *faults {
				small, v := shrink(t.Context(), db, c, v)
				t.Errorf("case %d of seed %d: %s\n%s\n-- statement --\n%s\n%s", at+i, *seed, v.fault, v.detail, v.sql, small.Source())
			}
		}
	}
}

func (r *run) report(t *testing.T) {
	t.Helper()
	if total(r.found) > 0 {
		t.Errorf("%d faults: %v", total(r.found), r.found)
	}
	for _, name := range slices.Sorted(maps.Keys(r.outcomes)) {
		t.Logf("%6d %s (%s)", r.outcomes[name], name, r.example[name])
	}
	t.Logf("%d cases, %d of them in models with problems; seed %d; cases with: %v", r.cases, r.skipped, *seed, r.features)
	if r.skipped > r.cases/10 {
		t.Errorf("too many models have problems: %d", r.skipped)
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
