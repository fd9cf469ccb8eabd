//go:build cgo

package sqlserver

import (
	"strconv"
	"strings"

	"github.com/loam-data/loam/e2e/testserver/tds"
)

// call is a function call under translation.
type call struct {
	t     *translator
	name  string // in upper case
	line  int
	parts [][2]int // its arguments, as ranges of tokens
}

// arg translates an argument.
func (c *call) arg(n int) (string, error) {
	c.t.i = c.parts[n][0]
	x, err := c.t.sequence(c.parts[n][1], true)
	return strings.TrimSpace(x), err
}

func (c *call) args() ([]string, error) {
	var all []string
	for n := range c.parts {
		x, err := c.arg(n)
		if err != nil {
			return nil, err
		}
		all = append(all, x)
	}
	return all, nil
}

// raw returns the only token of an argument; not ok = there are more.
func (c *call) raw(n int) (token, bool) {
	if n >= len(c.parts) || c.parts[n][1]-c.parts[n][0] != 1 {
		return token{}, false
	}
	return c.t.at(c.parts[n][0]), true
}

// count refuses another number of arguments.
func (c *call) count(least, most int) error {
	if n := len(c.parts); n < least || n > most {
		return &tds.Error{Number: 174, Class: 15, Line: uint32(c.line), Message: "The " + strings.ToLower(c.name) + " function requires " + strconv.Itoa(least) + " argument(s)."}
	}
	return nil
}

// call translates a call: the tokens from first are its name, t.i is at its parenthesis.
func (t *translator) call(lead string, first int, parts []string, end int) (string, error) {
	close, err := t.closing(t.i)
	if err != nil {
		return "", err
	}
	if close >= end {
		return "", syntaxError(t.at(end - 1))
	}
	c := &call{t: t, name: strings.ToUpper(strings.Join(parts, ".")), line: t.at(first).line, parts: t.commas(t.i+1, close)}
	switch {
	case t.isColumnList(first, close):
		list, err := c.args()
		t.i = close + 1
		return lead + qualified(parts) + " (" + strings.Join(list, ", ") + ")", err
	case len(parts) == 2 && strings.EqualFold(parts[0], "sys"):
		c.name = "SYS." + strings.ToUpper(parts[1])
	case len(parts) == 1 && t.at(first).kind == quoted, len(parts) > 1:
		return "", &tds.Error{Number: 4121, Class: 16, Line: uint32(c.line), Message: `Cannot find either column "` + parts[0] + `" or the user-defined function or aggregate "` + strings.Join(parts, ".") + `", or the name is ambiguous.`}
	}
	f, ok := functions[c.name]
	if !ok {
		return "", &tds.Error{Number: 195, Class: 15, State: 10, Line: uint32(c.line), Message: "'" + strings.Join(parts, ".") + "' is not a recognized built-in function name."}
	}
	x, err := f(c)
	if err != nil {
		return "", err
	}
	t.i = close + 1
	if t.at(t.i).is("WITHIN") {
		if x, err = t.within(c, x); err != nil {
			return "", err
		}
	}
	if t.at(t.i).is("OVER") && t.at(t.i+1).is("(") {
		t.i++
		over, err := t.primary(end)
		if err != nil {
			return "", err
		}
		x += " OVER " + strings.TrimSpace(over)
	}
	if c.name == "COUNT" || c.name == "GROUPING" {
		x = "CAST(" + x + " AS INTEGER)"
	}
	return lead + x, nil
}

// isColumnList tells a list of columns from a call: INSERT INTO t (a), WITH t (a) AS.
func (t *translator) isColumnList(first, close int) bool {
	before := t.at(first - 1)
	if before.is("INTO") || before.is("AS") && t.at(first-2).is(")") || t.tokens[0].is("INSERT") && first == 1 {
		return true
	}
	return before.is("WITH", ",") && t.at(close+1).is("AS") && t.at(close+2).is("(") && t.at(close+3).is("SELECT")
}

// commas returns the ranges between commas.
func (t *translator) commas(begin, end int) [][2]int {
	if begin == end {
		return nil
	}
	var all [][2]int
	depth, start := 0, begin
	for i := begin; i < end; i++ {
		switch one := t.at(i); {
		case one.is("("):
			depth++
		case one.is(")"):
			depth--
		case one.is(",") && depth == 0:
			all = append(all, [2]int{start, i})
			start = i + 1
		}
	}
	return append(all, [2]int{start, end})
}

// within translates WITHIN GROUP (ORDER BY …).
func (t *translator) within(c *call, x string) (string, error) {
	if !t.at(t.i+1).is("GROUP") || !t.at(t.i+2).is("(") {
		return "", syntaxError(t.at(t.i))
	}
	close, err := t.closing(t.i + 2)
	if err != nil {
		return "", err
	}
	if !t.at(t.i+3).is("ORDER") || !t.at(t.i+4).is("BY") {
		return "", syntaxError(t.at(t.i + 3))
	}
	t.i += 5
	order, err := t.items(close)
	if err != nil {
		return "", err
	}
	t.i = close + 1
	order = strings.TrimSpace(order)
	switch c.name {
	case "STRING_AGG":
		return strings.TrimSuffix(x, ")") + " ORDER BY " + order + ")", nil
	case "PERCENTILE_CONT", "PERCENTILE_DISC", "APPROX_PERCENTILE_CONT", "APPROX_PERCENTILE_DISC":
		if windowed := !strings.HasPrefix(c.name, "APPROX"); windowed != t.at(t.i).is("OVER") {
			return "", syntaxError(t.at(t.i))
		}
		if strings.HasSuffix(strings.ToUpper(order), " DESC") {
			return "", missing(c.line, "%s of a descending order", c.name)
		}
		name := "quantile_cont("
		if strings.HasSuffix(c.name, "DISC") {
			name = "quantile_disc("
		}
		return name + strings.TrimSuffix(strings.TrimSuffix(order, " ASC"), " asc") + ", " + x + ")", nil
	}
	return "", syntaxError(t.at(t.i))
}
