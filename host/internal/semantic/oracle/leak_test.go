package oracle_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/loam-data/loam/host/internal/semantic/compile"
	"github.com/loam-data/loam/host/internal/semantic/oracle"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/host/internal/semantic/request"
)

// inner is what the compiler calls things by itself: bases, entities, columns of plans,
// and marks. No name of a random model looks like it.
var inner = regexp.MustCompile(`(^|[^\pL\pN_])([dem][0-9]+|c[0-9]+|#[0-9]+|\?column\?)($|[^\pL\pN_])|[\x00-\x08]|""`)

// Refusals and notes have no name in them that nobody wrote.
func TestMessagesNameNothingInner(t *testing.T) {
	t.Parallel()
	d := sqliteDialect(t)
	refused, noted := 0, 0
	for n := range uint64(400) {
		g := oracle.NewGenerator(*seed+9, n)
		c := g.World()
		m := c.Model(d)
		if len(problemsOf(m)) > 0 {
			continue
		}
		for range requests {
			r := g.Request()
			if n%2 == 0 {
				r = spoiled(rand.New(rand.NewPCG(n, 7)), r)
			}
			q, err := compile.Compile(m, d, r, compile.Options{Now: oracle.Now})
			var texts []string
			if e, ok := errors.AsType[*refusal.Error](err); ok {
				refused++
				texts = slices.Concat([]string{e.Message, e.Member, e.Measure, e.Fix}, e.Candidates, e.DidYouMean, e.Paths)
			} else if err == nil {
				noted += len(q.Notes)
				texts = q.Notes
			}
			for _, text := range texts {
				if found := inner.FindString(text); found != "" {
					t.Errorf("%q is in %q\n%s", found, text, oracle.FormatRequest(r))
				}
			}
		}
	}
	t.Logf("%d refusals, %d notes", refused, noted)
	if refused < 300 || noted < 100 {
		t.Errorf("%d refusals and %d notes are too few to tell", refused, noted)
	}
}

// spoiled is a request with a mistake of types, names or places.
func spoiled(r *rand.Rand, of request.Request) request.Request {
	source := "fa"
	if len(of.Measures) > 0 {
		source, _, _ = strings.Cut(of.Measures[0].Name, ".")
	}
	pick := func(all ...string) string { return fmt.Sprintf(all[r.IntN(len(all))], source, source) }
	switch r.IntN(6) {
	case 0:
		of.Measures = append(of.Measures, request.Measure{Name: "spoiled", Expr: pick("sum(%s.amount) + min(%s.kind)", "sum(%s.kind)", "max(%s.day) - sum(%s.qty)", "%s.n || %s.total AND TRUE", "sum(per(%s.n, %s.kind))", "avg(%s.amount - per(%s.n, nothing.id))")})
	case 1:
		of.Filters = append(of.Filters, request.Filter{SQL: pick("%s.n", "%s.n + 1", "%s.n > 'x' OR %s.total", "per(%s.n, %s.kind) || 1", "NOT per(%s.n, %s.kind)", "per(%s.n, %s.kind) > %s.n", "any(per(%s.n, %s.kind) > 1)")})
	case 2:
		of.Dimensions = append(of.Dimensions, request.Dimension{Expr: pick("%s.kind + 1", "per(%s.n, %s.kind) || %s.day", "%s.n", "sum(%s.qty)", "per(%s.nothing, %s.kind)", "%s.nothing")})
	case 3:
		of.OrderBy = append(of.OrderBy, request.Order{Field: pick("%s.nothing", "%s.n.x", "m1", "%s.kind")})
	case 4:
		of.Dimensions = append(of.Dimensions, request.Dimension{Measure: pick("%s.n", "%s.total"), Per: []string{pick("%s.kind", "%s.nothing", "%s.n")}, Grain: "month"})
	case 5:
		of.Segments = append(of.Segments, pick("%s.nothing", "%s.chosen"))
	}
	return of
}
