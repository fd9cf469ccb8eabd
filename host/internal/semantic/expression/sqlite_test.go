package expression_test

import (
	"database/sql"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	_ "modernc.org/sqlite"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/sdk"
)

// rows are the rows that random expressions compute over; nil is NULL.
var rows = []map[string]any{
	{"i": 1.0, "j": 0.0, "x": 0.5, "s": "Abc", "t": "", "p": true, "q": false},
	{"i": -3.0, "j": 7.0, "x": -2.25, "s": "a%c", "t": "bc", "p": false, "q": nil},
	{"i": nil, "j": 2.0, "x": nil, "s": nil, "t": "it's", "p": nil, "q": true},
	{"i": 4.0, "j": nil, "x": 8.0, "s": "xÿz", "t": nil, "p": true, "q": true},
	{"i": 0.0, "j": 0.0, "x": 0.0, "s": "\\_", "t": "_", "p": false, "q": false},
}

var rowTypes = map[string]sdk.Type{
	"i": sdk.TypeInt64, "j": sdk.TypeInt64, "x": sdk.TypeFloat64, "s": sdk.TypeText, "t": sdk.TypeText, "p": sdk.TypeBool, "q": sdk.TypeBool,
}

// table makes the rows a table r.
func table(t *testing.T) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { db.Close() })
	if _, err := db.Exec(`CREATE TABLE r (n INTEGER, i INTEGER, j INTEGER, x REAL, s TEXT, t TEXT, p INTEGER, q INTEGER)`); err != nil {
		t.Fatal(err)
	}
	for n, r := range rows {
		whole := func(name string) any {
			if f, ok := r[name].(float64); ok {
				return int64(f)
			}
			return nil
		}
		if _, err := db.Exec("INSERT INTO r VALUES (?, ?, ?, ?, ?, ?, ?, ?)", n, whole("i"), whole("j"), r["x"], r["s"], r["t"], r["p"], r["q"]); err != nil {
			t.Fatal(err)
		}
	}
	return db
}

// SQLite refuses trees of more than 1000 levels, and reads each OR and AND as one.
func TestLongConditionsOnTheEngine(t *testing.T) {
	t.Parallel()
	db := table(t)
	for _, op := range []expression.LogicOp{expression.Or, expression.And} {
		all := &expression.Logic{Op: op}
		for i := range int64(5000) {
			all.Terms = append(all.Terms, &expression.Binary{Op: expression.Less, Left: &expression.Name{Parts: []string{"n"}}, Right: expression.Int(4999 - i)})
		}
		text, err := printer(engine(t, "sqlite")).Predicate(all)
		if err != nil {
			t.Fatal(err)
		}
		var n int
		if err := db.QueryRow("SELECT count(*) FROM r WHERE " + text).Scan(&n); err != nil {
			t.Fatalf("%s: %.200v", op, err)
		}
		if want := map[expression.LogicOp]int{expression.Or: len(rows), expression.And: 0}[op]; n != want {
			t.Errorf("%d rows satisfy a chain of %s, not %d", n, op, want)
		}
	}
}

// Random expressions give on the engine what the evaluator of this file says, so
// that no rule of precedence, NULL or quoting is lost on the way to SQL. Each is
// read back from its text before.
func TestRandomExpressionsOnTheEngine(t *testing.T) {
	t.Parallel()
	const statements, each = 250, 24
	db, p := table(t), printer(engine(t, "sqlite"))
	g := generator{rand.New(rand.NewPCG(1, 2))}
	kinds, nulls := map[string]int{}, 0
	for range statements {
		var nodes []expression.Node
		var texts []string
		for range each {
			n := g.any(4)
			n, err := expression.Check(parsed(t, expression.String(n)), func(n *expression.Name) (sdk.Type, error) { return rowTypes[n.Parts[0]], nil })
			if err != nil {
				t.Fatalf("%s: %v", expression.String(n), err)
			}
			text, err := p.Value(n)
			if err != nil {
				t.Fatal(err)
			}
			expression.Walk(n, func(n expression.Node) bool { kinds[fmt.Sprintf("%T", n)]++; return true })
			nodes, texts = append(nodes, n), append(texts, text)
		}
		for row, got := range query(t, db, "SELECT "+strings.Join(texts, ", ")+" FROM r ORDER BY n") {
			for i, n := range nodes {
				want := evaluate(n, rows[row])
				if want == nil {
					nulls++
				}
				if !equal(want, got[i]) {
					t.Fatalf("row %d: %s\nis %v by its meaning, %v on the engine:\n%s", row, expression.String(n), want, got[i], texts[i])
				}
			}
		}
	}
	if len(kinds) < 12 {
		t.Errorf("the expressions have too few kinds of nodes: %v", kinds)
	}
	t.Logf("%d expressions over %d rows, %d values of NULL, nodes: %v", statements*each, len(rows), nulls, kinds)
}

func query(t *testing.T, db *sql.DB, text string) [][]any {
	t.Helper()
	result, err := db.Query(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	defer result.Close()
	names, err := result.Columns()
	if err != nil {
		t.Fatal(err)
	}
	var all [][]any
	for result.Next() {
		values, into := make([]any, len(names)), make([]any, len(names))
		for i := range values {
			into[i] = &values[i]
		}
		if err := result.Scan(into...); err != nil {
			t.Fatal(err)
		}
		all = append(all, values)
	}
	if err := result.Err(); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if len(all) != len(rows) {
		t.Fatalf("there are %d rows: %s", len(all), text)
	}
	return all
}

// equal compares a value of the evaluator with one of the engine, which has
// neither booleans nor a difference between 1 and 1.0.
func equal(want, got any) bool {
	number := func(v any) (float64, bool) {
		switch v := v.(type) {
		case bool:
			if v {
				return 1, true
			}
			return 0, true
		case int64:
			return float64(v), true
		case float64:
			return v, true
		}
		return 0, false
	}
	a, numeric := number(want)
	b, too := number(got)
	if numeric && too {
		return a == b || math.Abs(a-b) <= 1e-9*math.Max(math.Abs(a), math.Abs(b))
	}
	return numeric == too && fmt.Sprint(want) == fmt.Sprint(got)
}

// generator makes well-typed expressions.
type generator struct{ rng *rand.Rand }

func (g generator) any(depth int) expression.Node {
	return []func(int) expression.Node{g.number, g.text, g.condition}[g.rng.IntN(3)](depth)
}

func (g generator) name(names ...string) expression.Node {
	return &expression.Name{Parts: []string{names[g.rng.IntN(len(names))]}}
}

func (g generator) number(depth int) expression.Node {
	if depth == 0 {
		return []expression.Node{g.name("i", "j", "x"), expression.Int(int64(g.rng.IntN(7)) - 3), parseNumber("0.25")}[g.rng.IntN(3)]
	}
	d := depth - 1
	switch g.rng.IntN(9) {
	case 0:
		return &expression.Unary{Op: expression.Negate, X: g.number(d)}
	case 1:
		return &expression.Binary{Op: expression.Modulo, Left: g.name("i", "j"), Right: g.name("i", "j")}
	case 2:
		return &expression.Case{Whens: []expression.When{{Condition: g.condition(d), Result: g.number(d)}}, Else: g.number(d)}
	case 3:
		return &expression.Call{Function: "coalesce", Args: []expression.Node{g.number(d), g.number(d)}}
	case 4:
		return &expression.Call{Function: "length", Args: []expression.Node{g.text(d)}}
	case 5:
		return &expression.Call{Function: "greatest", Args: []expression.Node{g.number(d), g.number(d)}}
	}
	op := []expression.BinaryOp{expression.Add, expression.Subtract, expression.Multiply, expression.Divide}[g.rng.IntN(4)]
	return &expression.Binary{Op: op, Left: g.number(d), Right: g.number(d)}
}

func parseNumber(s string) expression.Node {
	n, err := expression.Parse(s)
	if err != nil {
		panic(err)
	}
	return n
}

var samples = []string{"", "a", "abc", "ABC", "it's", `a\`, `\_`, "%", "-- x", "/*", "ÿ", "1"}

func (g generator) text(depth int) expression.Node {
	if depth == 0 {
		return []expression.Node{g.name("s", "t"), expression.Text(samples[g.rng.IntN(len(samples))])}[g.rng.IntN(2)]
	}
	d := depth - 1
	switch g.rng.IntN(5) {
	case 0:
		return &expression.Call{Function: "concat", Args: []expression.Node{g.text(d), g.text(d)}}
	case 1:
		return &expression.Case{Operand: g.number(d), Whens: []expression.When{{Condition: expression.Int(1), Result: g.text(d)}, {Condition: g.number(d), Result: g.text(d)}}}
	case 2:
		return &expression.Call{Function: "nullif", Args: []expression.Node{g.text(d), g.text(d)}}
	case 3:
		return &expression.Call{Function: "left", Args: []expression.Node{g.text(d), expression.Int(int64(g.rng.IntN(3)))}}
	}
	return &expression.Binary{Op: expression.Concat, Left: g.text(d), Right: g.text(d)}
}

func (g generator) condition(depth int) expression.Node {
	negated := g.rng.IntN(3) == 0
	if depth == 0 {
		return []expression.Node{g.name("p", "q"), expression.Bool(negated)}[g.rng.IntN(2)]
	}
	d := depth - 1
	switch g.rng.IntN(9) {
	case 0:
		return &expression.Unary{Op: expression.Not, X: g.condition(d)}
	case 1, 2:
		return expression.Conjoin(g.condition(d), g.condition(d), g.condition(d))
	case 3:
		return expression.Disjoin(g.condition(d), g.condition(d))
	case 4:
		return &expression.IsNull{X: g.any(d), Negated: negated}
	case 5:
		return &expression.Between{X: g.number(d), Low: g.number(d), High: g.number(d), Negated: negated}
	case 6:
		list := []expression.Node{g.text(0), expression.Text("abc"), g.text(0)}
		return &expression.In{X: g.text(d), List: list[:1+g.rng.IntN(3)], Negated: negated}
	case 7:
		kind := []expression.MatchKind{expression.ILike, expression.Contains, expression.StartsWith, expression.EndsWith}[g.rng.IntN(4)]
		return &expression.Match{Kind: kind, X: g.text(d), Pattern: expression.Text([]string{"a%", "%c", "_b_", `\_`, "%", "bc", ""}[g.rng.IntN(7)]), Negated: negated}
	}
	op := []expression.BinaryOp{
		expression.Equal, expression.NotEqual, expression.Less, expression.LessEqual, expression.Greater, expression.GreaterEqual,
		expression.Distinct, expression.NotDistinct,
	}[g.rng.IntN(8)]
	switch g.rng.IntN(3) {
	case 0:
		return &expression.Binary{Op: op, Left: g.text(d), Right: g.text(d)}
	case 1:
		op := []expression.BinaryOp{expression.Equal, expression.Distinct}[g.rng.IntN(2)]
		return &expression.Binary{Op: op, Left: g.condition(d), Right: g.condition(d)}
	}
	return &expression.Binary{Op: op, Left: g.number(d), Right: g.number(d)}
}

func literal(l *expression.Literal) any {
	switch l.Type() {
	case sdk.TypeUnspecified:
		return nil
	case sdk.TypeBool:
		return l.Value == "true"
	case sdk.TypeText:
		return l.Value
	}
	f, err := strconv.ParseFloat(l.Value, 64)
	if err != nil {
		panic(err)
	}
	return f
}
