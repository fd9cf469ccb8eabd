package oracle_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/loam-data/loam/host/internal/semantic/compile"
	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/oracle"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/host/internal/semantic/request"
)

// subject runs cases: compiled, on the engine.
type subject struct {
	context.Context
	*testing.T
	db *engine
}

// rows are those of a case, with false when the compiler refuses it.
func (b subject) rows(c *oracle.Case) ([][]any, bool) {
	b.Helper()
	query, err := compile.Compile(c.Model(b.db.dialect), b.db.dialect, c.Request, compile.Options{Now: oracle.Now})
	if err != nil {
		if _, ok := errors.AsType[*refusal.Error](err); !ok {
			b.Fatalf("an error without a code: %v", err)
		}
		return nil, false
	}
	if err := b.db.load(b.Context, c); err != nil {
		b.Fatal(err)
	}
	all, err := b.db.ask(b.Context, query.SQL)
	if err != nil && b.db.known(err) != "" {
		return nil, false
	}
	if err != nil {
		b.Fatalf("%v\n%s\n%s", err, query.SQL, c.Source())
	}
	return all, true
}

// law says what a change of a case does to its rows.
type law struct {
	name string
	// change returns the changed case, nil when the law does not speak of it.
	change func(g *rand.Rand, c *oracle.Case) *oracle.Case
	// expect returns what is wrong, "" = nothing; nil: the rows stay the same.
	expect func(c *oracle.Case, before, after [][]any) string
}

// changed returns a case with another request.
func changed(c *oracle.Case, change func(*request.Request)) *oracle.Case {
	next := *c
	next.Files = slices.Clone(c.Files)
	change(&next.Request)
	return &next
}

var laws = []law{
	{"adding a measure never changes another", addMeasure, otherMeasures},
	{"the groups of a to-one dimension add up to the total", toTotal, addsUp},
	{"splitting a filter into parts is neutral", splitFilters, nil},
	{"the side that declares a join is neutral", swapJoins, nil},
	{"renaming is neutral", rename, nil},
	{"a computed dimension that is called like a column is neutral", shadow, nil},
	{"the order of filters is neutral", reverseFilters, nil},
	{"the order of measures is neutral", reverseMeasures, reversedColumns},
}

// The laws hold for what the compiler makes of random cases, without anyone
// saying what the rows should be.
func TestLaws(t *testing.T) {
	t.Parallel()
	for _, name := range names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sqliteAlone(t, name, "laws")
			db := engines[name](t)
			for _, l := range laws {
				t.Run(strings.ReplaceAll(l.name, " ", "-"), func(t *testing.T) { l.check(subject{t.Context(), t, db}) })
			}
		})
	}
}

// check tests a law.
func (l *law) check(b subject) {
	held, refused := 0, 0
	tries := uint64(max(40, b.db.run()/20))
	enough := int(tries) / 3
	if !b.db.inside {
		enough /= 2 // a case takes a server several times as long
	}
	for n := uint64(0); n < tries && held < enough; n++ { // few cases have what some laws are about
		c := oracle.NewGenerator(*seed+1, n).Case()
		c.Request.Limit, c.Request.Offset, c.Request.OrderBy = 0, 0, nil
		c.Request.Totals, c.Request.Rest, c.Request.LimitPer = false, false, nil
		next := l.change(rand.New(rand.NewPCG(*seed, n)), c)
		if next == nil || len(problemsOf(c.Model(b.db.dialect))) > 0 {
			continue
		}
		before, ok := b.rows(c)
		if !ok {
			continue
		}
		after, ok := b.rows(next)
		if !ok {
			refused++
			continue
		}
		expect := l.expect
		if expect == nil {
			expect = sameRows
		}
		if wrong := expect(c, before, after); wrong != "" {
			b.Fatalf("case %d of seed %d: %s\nbefore:\n%s\nafter:\n%s\n-- of --\n%s\n-- and --\n%s", n, *seed+1, wrong, formatted(before), formatted(after), c.Source(), next.Source())
		}
		held++
	}
	b.Logf("held %d times; %d changed cases were refused", held, refused)
	if held == 0 {
		b.Error("the law was never put to the test")
	}
}

func sameRows(_ *oracle.Case, before, after [][]any) string {
	if len(before) != len(after) {
		return fmt.Sprintf("%d rows became %d", len(before), len(after))
	}
	left := slices.Clone(after)
	for _, row := range before {
		at := slices.IndexFunc(left, func(o []any) bool { return slices.EqualFunc(row, o, oracle.Same) })
		if at < 0 {
			return "a row changed: " + oracle.FormatRow(row)
		}
		left = slices.Delete(left, at, at+1)
	}
	return ""
}

// addMeasure adds a count to what is asked for.
func addMeasure(g *rand.Rand, c *oracle.Case) *oracle.Case {
	if len(c.Request.Measures) == 0 || len(c.Request.Dimensions) == 0 {
		return nil
	}
	home := c.Tables[g.IntN(len(c.Tables))].Ref.Name
	return changed(c, func(r *request.Request) {
		r.Measures = append(slices.Clone(r.Measures), request.Measure{Name: home + ".n"})
	})
}

// otherMeasures expects each group with the values that it had, beside new groups.
func otherMeasures(c *oracle.Case, before, after [][]any) string {
	for _, row := range before {
		if !slices.ContainsFunc(after, func(o []any) bool { return slices.EqualFunc(row, o[:len(row)], oracle.Same) }) {
			return "a row changed: " + oracle.FormatRow(row)
		}
	}
	return ""
}

// toTotal asks for a sum and a count without the dimensions.
func toTotal(_ *rand.Rand, c *oracle.Case) *oracle.Case {
	r := &c.Request
	r.IncludeEmpty, r.FillGaps, r.Fanout = false, false, request.FanoutError // to-one dimensions only
	r.Filters = slices.DeleteFunc(slices.Clone(r.Filters), func(f request.Filter) bool {
		return strings.Contains(f.SQL, ".n ") || strings.Contains(f.SQL, ".total ")
	})
	if len(r.Dimensions) == 0 || len(r.Measures) == 0 || r.Measures[0].Expr != "" {
		return nil
	}
	home, _, _ := strings.Cut(r.Measures[0].Name, ".")
	r.Measures = []request.Measure{{Name: home + ".total"}, {Name: home + ".n"}}
	return changed(c, func(r *request.Request) { r.Dimensions = nil })
}

func addsUp(c *oracle.Case, before, after [][]any) string {
	if len(after) != 1 {
		return fmt.Sprintf("a total of %d rows", len(after))
	}
	for i, total := range after[0] {
		sum, any1 := 0.0, false
		for _, row := range before {
			if v, ok := row[len(c.Request.Dimensions)+i].(float64); ok {
				sum, any1 = sum+v, true
			}
		}
		if want, ok := total.(float64); ok != (any1 || i == 1) || ok && !oracle.Same(want, sum) {
			return fmt.Sprintf("the groups add up to %v", sum)
		}
	}
	return ""
}

// splitFilters gives each part of an AND a filter of its own.
func splitFilters(_ *rand.Rand, c *oracle.Case) *oracle.Case {
	var parts []request.Filter
	for _, f := range c.Request.Filters {
		tree, err := expression.Parse(f.SQL)
		if f.SQL == "" || err != nil {
			parts = append(parts, f)
			continue
		}
		for _, term := range expression.Conjuncts(tree) {
			parts = append(parts, request.Filter{SQL: expression.String(term)})
		}
	}
	if len(parts) == len(c.Request.Filters) {
		return nil
	}
	return changed(c, func(r *request.Request) { r.Filters = parts })
}

// swapJoins moves the joins without a role to the other side.
func swapJoins(_ *rand.Rand, c *oracle.Case) *oracle.Case {
	next := changed(c, func(*request.Request) {})
	moved := map[string][]string{}
	for i, f := range next.Files {
		here := strings.TrimSuffix(f.Path, ".yaml")
		var kept []string
		for line := range strings.Lines(f.Text) {
			rest, isJoin := strings.CutPrefix(strings.TrimSpace(line), "- {to: ")
			there, rest, _ := strings.Cut(rest, ",")
			if !isJoin || strings.Contains(line, "one_to_one") {
				kept = append(kept, line)
				continue
			}
			swapped := strings.NewReplacer("many_to_one", "one_to_many", "one_to_many", "many_to_one").Replace(rest)
			moved[there] = append(moved[there], fmt.Sprintf("  - {to: %s,%s\n", here, swapped))
		}
		next.Files[i].Text = without(strings.Join(kept, ""), func(string) bool { return false })
	}
	if len(moved) == 0 {
		return nil
	}
	for i, f := range next.Files {
		joins := moved[strings.TrimSuffix(f.Path, ".yaml")]
		if len(joins) == 0 {
			continue
		}
		if !strings.Contains(f.Text, "joins:\n") {
			f.Text += "joins:\n"
		}
		next.Files[i].Text = f.Text + strings.Join(joins, "")
	}
	return next
}

// rename gives a source another name, and the count of its rows the name of one
// of its columns.
func rename(_ *rand.Rand, c *oracle.Case) *oracle.Case {
	old := c.Tables[len(c.Tables)-1].Ref.Name
	written := oracle.FormatRequest(c.Request)
	if !strings.Contains(written, old+".") || strings.Contains(written, ".n ") || strings.Contains(written, "qty") {
		return nil
	}
	source, count := regexp.MustCompile(`\b`+old+`\b`), regexp.MustCompile(`\bn\b`)
	name := "Order_Lines"
	for _, f := range c.Files {
		if strings.Contains(f.Text, "FROM "+old+" ") { // in the engine's own SQL, where capitals would need its quotes
			name = "order_lines"
		}
	}
	anew := func(text string) string {
		return count.ReplaceAllString(source.ReplaceAllString(text, name), "qty")
	}
	next := *c
	next.Files, next.Tables, next.Data = nil, nil, oracle.Data{}
	for _, f := range c.Files {
		next.Files = append(next.Files, oracle.File{Path: anew(f.Path), Text: anew(f.Text)})
	}
	for _, t := range c.Tables {
		renamed := *t
		renamed.Ref.Name = anew(t.Ref.Name)
		renamed.ForeignKeys = slices.Clone(t.ForeignKeys)
		for i := range renamed.ForeignKeys {
			renamed.ForeignKeys[i].To.Name = anew(t.ForeignKeys[i].To.Name)
		}
		next.Tables = append(next.Tables, &renamed)
		next.Data[renamed.Ref.Name] = c.Data[t.Ref.Name]
	}
	var err error
	if next.Request, err = oracle.ParseRequest([]byte(anew(written))); err != nil {
		panic(err) // it was written from one
	}
	return &next
}

// shadow adds a computed dimension that is called like a column to every scanned
// table of which neither the request nor another source names that column.
func shadow(_ *rand.Rand, c *oracle.Case) *oracle.Case {
	written := oracle.FormatRequest(c.Request)
	next := changed(c, func(*request.Request) {})
	added := 0
	for i, f := range next.Files {
		source := strings.TrimSuffix(f.Path, ".yaml")
		at := slices.IndexFunc(c.Tables, func(t *model.Table) bool { return t.Ref.Name == source })
		if at < 0 {
			continue
		}
		var dims string
		for _, column := range c.Tables[at].Columns {
			named := regexp.MustCompile(`\b` + column.Name + `\b`)
			declared := strings.Contains(f.Text, "{name: "+column.Name+",") || regexp.MustCompile(`(?:within: \[[^]]*|time_dimension: )\b`+column.Name+`\b`).MatchString(f.Text)
			if column.Name == "day" || declared || named.MatchString(written) || namedOutside(c, named) {
				continue
			}
			dims += fmt.Sprintf("  - {name: %s, expr: \"nullif(%s, %s)\"}\n", column.Name, column.Name, column.Name)
			added++
		}
		if dims == "" {
			continue
		}
		head, rest, found := strings.Cut(f.Text, "dimensions:\n")
		if !found {
			head, rest = f.Text, ""
		}
		next.Files[i].Text = head + "dimensions:\n" + dims + rest
	}
	if added == 0 {
		return nil
	}
	return next
}

// namedOutside reports whether a definition other than a join names a column with
// its source.
func namedOutside(c *oracle.Case, column *regexp.Regexp) bool {
	for _, f := range c.Files {
		for line := range strings.Lines(f.Text) {
			for _, at := range column.FindAllStringIndex(line, -1) {
				if at[0] > 0 && line[at[0]-1] == '.' && !strings.Contains(line, `"on": `) {
					return true
				}
			}
		}
	}
	return false
}

func reverseFilters(_ *rand.Rand, c *oracle.Case) *oracle.Case {
	if len(c.Request.Filters) < 2 {
		return nil
	}
	return changed(c, func(r *request.Request) {
		r.Filters = slices.Clone(r.Filters)
		slices.Reverse(r.Filters)
	})
}

func reverseMeasures(_ *rand.Rand, c *oracle.Case) *oracle.Case {
	if len(c.Request.Measures) < 2 {
		return nil
	}
	return changed(c, func(r *request.Request) {
		r.Measures = slices.Clone(r.Measures)
		slices.Reverse(r.Measures)
	})
}

func reversedColumns(c *oracle.Case, before, after [][]any) string {
	n := len(c.Request.Dimensions)
	for i := range after {
		after[i] = slices.Clone(after[i])
		slices.Reverse(after[i][n:])
	}
	return sameRows(c, before, after)
}
