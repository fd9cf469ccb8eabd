package claim

import (
	"fmt"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/sdk"
)

// tally says what of the groups g is counted.
type tally struct {
	// nulls gives how many rows of a group have no whole key, else nullsElse (nil =
	// all of them).
	nulls     []expression.When
	nullsElse expression.Node
	// orphaned groups lead nowhere; nil = that is not asked.
	orphaned expression.Node
	// violated groups count as violations.
	violated, violations expression.Node
	most                 expression.Node
}

// counted is a column of a summary.
type counted struct {
	name string
	x    expression.Node
}

// summary adds groups up to one row.
func (w *writer) summary(groups string, keys []expression.Node, t tally) (string, error) {
	if w.direction == nil {
		w.direction = expression.Int(1)
	}
	if t.nullsElse == nil {
		t.nullsElse = groupSize
	}
	zero := expression.Int(0)
	columns := []counted{
		{"direction", w.direction},
		{"n_rows", sum(groupSize)},
		{"n_nulls", sum(&expression.Case{Whens: t.nulls, Else: t.nullsElse})},
		{"n_orphans", zero},
		{"n_violations", sum(&expression.Case{Whens: []expression.When{{Condition: t.violated, Result: t.violations}}, Else: zero})},
		{"most", &expression.Aggregate{Function: expression.Max, X: t.most}},
	}
	if t.orphaned != nil {
		columns[3].x = sum(&expression.Case{Whens: []expression.When{{Condition: t.orphaned, Result: groupSize}}, Else: zero})
	}
	columns = append(columns, w.faulty(keys, t)...)
	list := make([]string, len(columns))
	for i, c := range columns {
		text, err := w.value(c.x)
		if err != nil {
			return "", err
		}
		list[i] = text + " AS " + c.name
	}
	return "SELECT " + strings.Join(list, ", ") + " FROM " + groups, nil
}

// faulty gives the first and the last key at fault, where they can be written as
// text and may be shown.
func (w *writer) faulty(keys []expression.Node, t tally) (columns []counted) {
	if !w.examples || len(keys) == 0 {
		return nil
	}
	text := shown(keys)
	if _, err := w.value(text); err != nil {
		return nil
	}
	for _, condition := range []expression.Node{t.violated, t.orphaned} {
		if condition == nil {
			continue
		}
		x := &expression.Case{Whens: []expression.When{{Condition: condition, Result: text}}}
		for _, f := range []expression.AggregateFunction{expression.Min, expression.Max} {
			columns = append(columns, counted{fmt.Sprintf("example_%d", len(columns)+1), &expression.Aggregate{Function: f, X: x}})
		}
	}
	return columns
}

func sum(x expression.Node) expression.Node {
	return &expression.Aggregate{Function: expression.Sum, X: x}
}

// shown is a key as text.
func shown(keys []expression.Node) expression.Node {
	var text expression.Node
	for _, k := range keys {
		var one expression.Node = &expression.Cast{X: k, To: sdk.TypeText}
		if text != nil {
			comma := &expression.Binary{Op: expression.Concat, Left: text, Right: expression.Text(", ")}
			one = &expression.Binary{Op: expression.Concat, Left: comma, Right: one}
		}
		text = one
	}
	return text
}

// present is that no part of a key is NULL; true when there are no parts.
func present(keys []expression.Node) expression.Node {
	if len(keys) == 0 {
		return compare(expression.Equal, expression.Int(1), 1)
	}
	terms := make([]expression.Node, len(keys))
	for i, k := range keys {
		terms[i] = &expression.IsNull{X: k, Negated: true}
	}
	return expression.Conjoin(terms...)
}

func compare(op expression.BinaryOp, x expression.Node, n int64) expression.Node {
	return &expression.Binary{Op: op, Left: x, Right: expression.Int(n)}
}

// value writes an expression over cells.
func (w *writer) value(x expression.Node) (string, error) {
	checked, err := expression.Check(x, func(n *expression.Name) (sdk.Type, error) { return n.Type(), nil })
	if err != nil {
		return "", err
	}
	return w.print.Value(checked)
}

func column(i int) string { return fmt.Sprintf("k%d", i+1) }

// aliased names columns as they are called without their table.
func aliased(columns []string) []string {
	all := make([]string, len(columns))
	for i, c := range columns {
		_, name, _ := strings.Cut(c, ".")
		all[i] = c + " AS " + name
	}
	return all
}

func named(columns []string) string { return strings.Join(aliased(columns), ", ") }
