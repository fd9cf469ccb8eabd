package claim

import (
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/compile"
	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// Statement writes the claim as one read-only statement, which reads each source
// once for each direction. With examples it gives some of the keys at fault too.
// Shape: one row, and for OneToOne a second one for the way back.
// Errors: *compile.Error.
func (c Claim) Statement(m *model.Model, d *dialect.Dialect, examples bool) (string, error) {
	w := &writer{m: m, d: d, print: compile.Printer(d), examples: examples}
	if c.Join == 0 {
		return w.key(c)
	}
	text, err := w.join(c)
	if err != nil || c.Kind != OneToOne {
		return text, err
	}
	back := c
	back.Home, back.To, back.Reversed = c.To, c.Home, !c.Reversed
	back.Fields, back.ToFields = c.ToFields, c.Fields
	w.direction = expression.Int(2)
	other, err := w.join(back)
	return text + "\nUNION ALL\n" + other, err
}

// writer writes one statement.
type writer struct {
	m        *model.Model
	d        *dialect.Dialect
	print    expression.Printer
	examples bool
	// direction is what the row is told by, nil = 1.
	direction expression.Node
}

// key groups the rows by a key.
func (w *writer) key(c Claim) (string, error) {
	tuples, keys, err := w.tuples(c.Home, c.Fields, "g")
	if err != nil {
		return "", err
	}
	repeated := compare(expression.Greater, groupSize, 1)
	return w.summary(tuples.sql, keys, tally{
		nulls:      []expression.When{{Condition: present(keys), Result: expression.Int(0)}},
		violations: expression.Int(1),
		violated:   expression.Conjoin(present(keys), repeated),
		most:       groupSize,
	})
}

// groupSize is how many rows have a tuple, matches how many rows one leads to.
var (
	groupSize = compile.Cell("g.n", sdk.TypeInt64)
	matches   = compile.Cell("g.m", sdk.TypeInt64)
)

// join counts for each tuple of the home the rows that it leads to. Rows are told
// apart by what the condition names, so that it may be any condition.
func (w *writer) join(c Claim) (string, error) {
	from, keys, err := w.tuples(c.Home, c.Fields, "f")
	if err != nil {
		return "", err
	}
	to, err := compile.NewSourceRows(w.m, w.d, c.To, "t")
	if err != nil {
		return "", err
	}
	on, err := w.condition(c, from.values, to)
	if err != nil {
		return "", err
	}
	rows, err := to.SQL()
	if err != nil {
		return "", err
	}
	counted, err := w.value(&expression.Aggregate{Function: expression.Sum, X: &expression.Case{
		// A row that is not there has NULL or the default of the type.
		Whens: []expression.When{{Condition: compare(expression.Equal, compile.Cell("t.hit", sdk.TypeInt64), 1), Result: expression.Int(1)}},
		Else:  expression.Int(0),
	}})
	if err != nil {
		return "", err
	}
	columns := append(from.columns(), "f.n")
	grouped := "(SELECT " + named(columns) + ", " + counted + " AS m FROM " + from.sql + " LEFT JOIN " + rows + " ON " + on + " GROUP BY " + strings.Join(columns, ", ") + ") AS g"
	for i, k := range keys {
		keys[i] = compile.Cell("g."+column(i), k.Type())
	}
	alone := compare(expression.Equal, matches, 0)
	nulls := []expression.When{{Condition: present(keys), Result: expression.Int(0)}, {Condition: alone, Result: groupSize}}
	return w.summary(grouped, keys, tally{
		nulls:      nulls,
		nullsElse:  expression.Int(0),
		orphaned:   expression.Conjoin(present(keys), alone),
		violations: groupSize,
		violated:   compare(expression.Greater, matches, 1),
		most:       matches,
	})
}

// condition is the join's, between tuples f and rows t.
func (w *writer) condition(c Claim, home []expression.Node, to *compile.SourceRows) (string, error) {
	j := w.m.Join(c.Join)
	tree, err := expression.Substitute(j.On.Tree, func(n *expression.Name) (expression.Node, error) {
		ref, _ := j.On.Ref(n)
		if (side(ref) == 0) != c.Reversed {
			for i, f := range c.Fields {
				if f == ref.Field {
					return home[i], nil
				}
			}
		}
		return to.Value(ref.Field)
	})
	if err != nil {
		return "", err
	}
	return w.print.Predicate(tree)
}

// tuples are the distinct values of some fields.
type tuples struct {
	sql    string // with n, how many rows have them, under an alias
	alias  string
	values []expression.Node
}

func (t *tuples) columns() (all []string) {
	for i := range t.values {
		all = append(all, t.alias+"."+column(i))
	}
	return all
}

// tuples groups the rows of a source by fields.
func (w *writer) tuples(source model.SourceID, fields []model.Field, alias string) (*tuples, []expression.Node, error) {
	rows, err := compile.NewSourceRows(w.m, w.d, source, alias)
	if err != nil {
		return nil, nil, err
	}
	t := &tuples{alias: alias}
	for _, f := range fields {
		value, err := rows.Value(f)
		if err != nil {
			return nil, nil, err
		}
		t.values = append(t.values, value)
	}
	inner, err := rows.SQL()
	if err != nil {
		return nil, nil, err
	}
	count, err := w.value(&expression.Aggregate{Function: expression.Count})
	if err != nil {
		return nil, nil, err
	}
	group := ""
	if len(fields) > 0 {
		group = " GROUP BY " + strings.Join(t.columns(), ", ")
	}
	t.sql = "(SELECT " + strings.Join(append(aliased(t.columns()), count+" AS n"), ", ") + " FROM " + inner + group + ") AS " + alias
	return t, append([]expression.Node(nil), t.values...), nil
}
