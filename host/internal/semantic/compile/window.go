package compile

import (
	"slices"
	"strconv"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// overWindow gives every period the rows of the window that ends with it, and
// every group that has any a row in every period.
func (l *leg) overWindow(rows string) (string, error) {
	c := l.rows.c
	x, p, j := l.name+"x", l.name+"p", l.name+"j"
	start, err := c.print.Operand(&expression.Call{Function: "date_trunc", Args: []expression.Node{expression.Text(string(l.period.Grain)), cell("b.t0", sdk.TypeDate)}})
	if err != nil {
		return "", err
	}
	first, last := c.ends(l.period, l.sameTime)
	var used []string
	for _, e := range l.rows.entities {
		used = append(used, e.text...)
	}
	spine, err := c.spine(l.period, first, last, "SELECT "+start+" AS "+l.period.column+" FROM ("+rows+") AS b", used)
	if err != nil {
		return "", err
	}
	bounds, on, err := l.bounds()
	if err != nil {
		return "", err
	}
	others := slices.DeleteFunc(l.groups(), func(name string) bool { return name == l.period.column })
	kept := append([]string{"p.period AS " + l.period.column}, prefixed("q.", slices.Concat(others, l.inputNames()))...)
	kind := "SELECT "
	if len(l.keys) > 0 { // a row has several days in one window, and counts once
		kind = "SELECT DISTINCT "
		for i := range l.keys {
			kept = append(kept, "q.k"+strconv.Itoa(i+1))
		}
	}
	l.before = []string{
		x + " AS (" + rows + ")",
		p + " AS (SELECT q.period AS period, " + bounds + " FROM (" + spine + ") AS q)",
		j + " AS (" + kind + strings.Join(kept, ", ") + " FROM " + p + " AS p JOIN " + x + " AS q ON " + on + ")",
	}
	columns := slices.Concat([]string{l.period.column}, others, l.inputNames())
	blank := append([]string{"p.period"}, prefixed("g.", others)...)
	for _, in := range l.inputs {
		null, err := c.nullLike(in.value.Type(), in.name, j)
		if err != nil {
			return "", err
		}
		blank = append(blank, null)
	}
	from := p + " AS p"
	if len(others) > 0 {
		from += " CROSS JOIN (SELECT DISTINCT " + strings.Join(others, ", ") + " FROM " + j + ") AS g"
	}
	return "SELECT " + strings.Join(columns, ", ") + " FROM " + j + " UNION ALL SELECT " + strings.Join(blank, ", ") + " FROM " + from, nil
}

// bounds are the first day of the window that ends with a period, and the first
// day after it; and the condition that a row is between them.
func (l *leg) bounds() (columns, on string, err error) {
	c, w := l.rows.c, l.take.window
	period := cell("q.period", sdk.TypeDate)
	end, err := c.moved(period, 1, l.period.Grain)
	if err != nil {
		return "", "", err
	}
	until, err := c.print.Value(end)
	if err != nil {
		return "", "", err
	}
	columns, on = until+" AS hi", "q.t0 < p.hi"
	var from expression.Node
	switch {
	case w.ToDate != "":
		from = &expression.Call{Function: "date_trunc", Args: []expression.Node{expression.Text(string(w.ToDate)), period}}
	case w.Window.N > 0:
		if from, err = c.moved(end, -w.Window.N, w.Window.Grain); err != nil {
			return "", "", err
		}
	default:
		return columns, on, nil
	}
	text, err := c.print.Value(from)
	return text + " AS lo, " + columns, "q.t0 >= p.lo AND " + on, err
}

// nullLike writes a NULL of a type; of one that nobody knows, that of a column. What
// a file calls a number may be a float: an engine that has no type for both, and none
// for decimals of any scale, needs the column too.
func (c *compiler) nullLike(t sdk.Type, column, from string) (string, error) {
	if t == sdk.TypeUnspecified || t == sdk.TypeDecimal && c.d.Forms[dialect.Nullable] != "" {
		return "(SELECT MAX(" + column + ") FROM " + from + " WHERE 1 = 0)", nil
	}
	return c.print.Value(&expression.Cast{X: expression.Null(), To: t})
}
