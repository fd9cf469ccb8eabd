package compile_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/loam-data/loam/host/internal/semantic/compile"
	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/host/internal/semantic/request"
	"github.com/loam-data/loam/sdk/dialect"
)

// hostile are names that a warehouse may give and an expression reads as something
// else.
var hostile = []string{
	"select", "from", "case", "end", "null", "not", "and", "or", "in", "is", "like", "between", "as", "distinct", "date", "timestamp", "interval",
	"true", "false", "any", "none", "all", "sum", "count", "filter", "order", "group", "day", "month", "measure", "segment", "via", "metrics",
	"a b", "a.b", `q"q`, "it's", "1st", "ünï", "A", "a-b", "a:b", "-x", "x desc", "x as y", "%", "`", "[x]", "{x}", "a,b", ";", "--", "/*", "Select",
}

// Every candidate that a refusal offers is a reference that works as it is written,
// whatever the warehouse calls its tables and columns.
func TestCandidatesRun(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	pick := func() string { return hostile[r.IntN(len(hostile))] }
	d := engine(t, "sqlite")
	offered := 0
	for range 600 {
		source, other, column, measure := pick(), pick(), pick(), pick()
		if strings.EqualFold(source, other) || strings.EqualFold(column, measure) {
			continue
		}
		file := func(name, more string) string {
			return fmt.Sprintf("name: %q\ntable: t\nprimary_key: [id]\ndimensions:\n  - {name: id, type: number}\n  - {name: %q, type: string}\n%s", name, column, more)
		}
		name := func(parts ...string) string { return (&expression.Name{Parts: parts}).String() }
		one, two := pick(), pick()
		if strings.EqualFold(one, two) {
			continue
		}
		joins := "joins:\n"
		for i, role := range []string{one, two} {
			joins += fmt.Sprintf("  - {to: %q, role: %q, on: %q, relationship: many_to_one}\n", other, role, fmt.Sprintf("%s = %s", name(source, fmt.Sprintf("k%d", i)), name(role, "id")))
		}
		m := model.Build(model.Input{Dialect: d, Files: []*model.File{
			model.Parse("a.yaml", []byte(file(source, fmt.Sprintf("measures:\n  - {name: %q, agg: count}\n", measure)+joins))),
			model.Parse("b.yaml", []byte(file(other, fmt.Sprintf("measures:\n  - {name: %q, agg: count}\n", measure)))),
		}})
		if p := m.Problems(); len(p) > 0 {
			continue // two roles are alike, or a role is called like a source
		}
		known := request.Measure{Name: name(source, measure)}
		for _, wrong := range []request.Request{
			{Measures: []request.Measure{{Name: name(source, measure+"x")}}},
			{Measures: []request.Measure{{Name: name(source+"x", measure)}}},
			{Measures: []request.Measure{{Name: name(measure)}}},
			{Measures: []request.Measure{known}, Dimensions: []request.Dimension{{Field: name(source, column+"x")}}},
			{Measures: []request.Measure{known}, Dimensions: []request.Dimension{{Field: name(column + "x")}}},
			{Measures: []request.Measure{known}, Dimensions: []request.Dimension{{Field: name(other, column)}}},
			{Measures: []request.Measure{{Name: name(other, measure)}}, Dimensions: []request.Dimension{{Field: name(source, column)}}},
			{Measures: []request.Measure{{Name: name(other, measure)}}, Dimensions: []request.Dimension{{Field: name(source, column)}}, Fanout: request.FanoutError},
			{Measures: []request.Measure{known}, Filters: []request.Filter{{Field: name(other, column), Op: request.OpIsNull}}},
			{Measures: []request.Measure{known}, Dimensions: []request.Dimension{{Field: name(source, "nothing like it")}}},
			{Measures: []request.Measure{{Name: name(source, "nothing like it")}}},
			{Measures: []request.Measure{{Name: source + "." + measure}}},
			{Measures: []request.Measure{known}, Dimensions: []request.Dimension{{Field: source + "." + column}}},
			{Measures: []request.Measure{known}, OrderBy: []request.Order{{Field: source + "." + column}}},
			{Measures: []request.Measure{known}, Segments: []string{name(source, column+"x")}},
			{Measures: []request.Measure{known}, Filters: []request.Filter{{Field: source + "." + column, Op: request.OpIsNull}}},
			{Measures: []request.Measure{known}, Filters: []request.Filter{{SQL: name(source, column+"x") + " = 'a'"}}},
		} {
			_, err := compile.Compile(m, d, wrong, compile.Options{})
			e, refused := errors.AsType[*refusal.Error](err)
			if !refused {
				continue
			}
			for _, c := range slices.Concat(e.DidYouMean, e.Candidates) {
				offered++
				text := []byte(c) // a field with its way, as an object
				if !strings.HasPrefix(c, `{"field"`) {
					text, _ = json.Marshal(c)
				}
				requests := []string{`{"dimensions": [%s]}`, `{"measures": [%s]}`}
				for _, of := range []string{source, other} {
					beside, _ := json.Marshal(name(of, measure))
					requests = append(requests, `{"measures": [`+strings.ReplaceAll(string(beside), "%", "%%")+`], "dimensions": [%s]}`)
				}
				var all []error
				for _, r := range requests {
					all = append(all, asked(m, d, fmt.Sprintf(r, text)))
				}
				if !slices.Contains(all, nil) {
					t.Fatalf("source %q, other %q, column %q, measure %q: %v offers %s, which is refused: %v", source, other, column, measure, e, c, all)
				}
			}
		}
	}
	t.Logf("%d candidates", offered)
	if offered < 500 {
		t.Errorf("%d candidates were offered, too few to tell", offered)
	}
}

// asked compiles a request as it is sent.
func asked(m *model.Model, d *dialect.Dialect, raw string) error {
	r, _, err := request.Normalise([]byte(raw))
	if err == nil {
		_, err = compile.Compile(m, d, r, compile.Options{})
	}
	return err
}
