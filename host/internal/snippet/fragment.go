package snippet

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

// fault says why a construct is left out.
type fault struct{ code, message string }

func faultf(code, format string, args ...any) *fault {
	return &fault{code, fmt.Sprintf(format, args...)}
}

// refuse leaves an item out.
func (i *Item) refuse(f *fault) {
	i.LeftOut, i.Message, i.Definition = f.code, f.message, nil
}

// note adds a sentence to an item that is taken.
func (i *Item) note(message string) {
	if i.Message != "" {
		message = i.Message + "; " + message
	}
	i.Message = message
}

// maxQuote bounds the quote of an item. Units: bytes.
const maxQuote = 300

// reader collects the items of a snippet.
type reader struct {
	snippet *Snippet
	lines   []string
}

func newReader(f Format, text string) *reader {
	return &reader{snippet: &Snippet{Format: f}, lines: strings.Split(text, "\n")}
}

// add adds an item that begins in a line.
func (r *reader) add(i Item, line int) {
	slices.SortStableFunc(i.Definition, func(a, b Key) int {
		return slices.Index(definitionKeys, a.Name) - slices.Index(definitionKeys, b.Name)
	})
	i.Line = line
	if line > 0 && line <= len(r.lines) {
		i.Quote = strings.ToValidUTF8(strings.TrimSpace(r.lines[line-1])[:min(maxQuote, len(strings.TrimSpace(r.lines[line-1])))], "")
	}
	r.snippet.Items = append(r.snippet.Items, i)
}

// lastPart is the name of a table without its schema.
func lastPart(table string) string { return table[strings.LastIndexByte(table, '.')+1:] }

// parse reads a fragment in SQL as an expression over the columns of one table, which
// names before a column may mean.
func parse(text string, tables ...string) (expression.Node, *fault) {
	node, f := parseAny(text)
	if f != nil {
		return nil, f
	}
	node, err := expression.Substitute(node, func(n *expression.Name) (expression.Node, error) {
		last := len(n.Parts) - 1
		qualifier := strings.Join(n.Parts[:last], ".")
		if last == 0 {
			return n, nil
		}
		if !slices.ContainsFunc(tables, func(t string) bool { return strings.EqualFold(t, qualifier) }) {
			f = faultf(joinNeeded, "%s is of another table than %s", strings.Join(n.Parts, "."), strings.Join(tables, ", "))
		}
		return &expression.Name{Parts: n.Parts[last:]}, nil
	})
	if err != nil {
		return nil, faultf(unsupported, "%v", err)
	}
	return node, f
}

// parseAny reads a fragment over the columns of any tables.
func parseAny(text string) (expression.Node, *fault) {
	if strings.Contains(text, "{{") || strings.Contains(text, "{%") || strings.Contains(text, "@{") {
		return nil, faultf(templated, "a template is not run; write what it stands for")
	}
	if strings.Contains(text, `\`) {
		return nil, faultf(unsupported, "a backslash means different things in different engines")
	}
	node, err := expression.Parse(text)
	if err != nil {
		return nil, faultf(unsupported, "the portable language does not read it: %s", sdk.AsError(err, sdk.SourceCaller).Msg)
	}
	return node, nil
}

// conjoin joins conditions, all of which must be true; nil of none.
func conjoin(parts []expression.Node) expression.Node {
	if len(parts) == 0 {
		return nil
	}
	var all []expression.Node
	for _, p := range parts {
		all = append(all, expression.Conjuncts(p)...)
	}
	return expression.Conjoin(all...)
}

// define makes an item the measure that a node computes over the rows of a filter, nil =
// all rows.
func (i *Item) define(n, filter expression.Node) {
	if f := aggregated(n); f != nil {
		i.refuse(f)
		return
	}
	if a, ok := n.(*expression.Aggregate); ok && a.Function != expression.StringAgg {
		i.Definition = append(i.Definition, Key{"agg", string(a.Function)})
		if l, constant := a.X.(*expression.Literal); a.X != nil && !(constant && a.Function == expression.Count && !l.IsNull()) {
			i.Definition = append(i.Definition, Key{"expr", expression.String(a.X)})
		}
		if a.Parameter != nil {
			i.Definition = append(i.Definition, Key{"percentile", a.Parameter.Value})
		}
	} else {
		i.Definition = append(i.Definition, Key{"expr", expression.String(n)})
	}
	if filter != nil {
		i.Definition = append(i.Definition, Key{"filter", expression.String(filter)})
	}
	i.noteDivision(n)
}

// aggregated refuses what is not one number of many rows.
func aggregated(n expression.Node) *fault {
	if c := expression.ClassOf(n); c != expression.Aggregated {
		return faultf(notAnAggregate, "%s is no aggregate of rows", expression.String(n))
	}
	return nil
}

// derive makes an item a calculation over measures.
func (i *Item) derive(n expression.Node) {
	mixed := false
	expression.Walk(n, func(n expression.Node) bool {
		_, ok := n.(*expression.Aggregate)
		mixed = mixed || ok
		return !mixed
	})
	if mixed {
		i.refuse(faultf(unsupported, "aggregates of rows and other measures are mixed; give each a name"))
		return
	}
	i.Definition = []Key{{"type", "derived"}, {"expr", expression.String(n)}}
	i.noteDivision(n)
}

// noteDivision tells of a division whose operands may be whole numbers: an engine may
// truncate it.
func (i *Item) noteDivision(n expression.Node) {
	expression.Walk(n, func(n expression.Node) bool {
		b, ok := n.(*expression.Binary)
		if ok && b.Op == expression.Divide && !strings.Contains(i.Message, "exact") {
			i.note("/ is exact division here; an engine may truncate whole numbers")
		}
		return true
	})
}

// clock are words of SQL that mean a moment relative to now.
var clock = text.Pattern(`(?i)\b(current_date|current_timestamp|now|getdate|sysdate|systimestamp|localtime|localtimestamp|interval|date_sub|date_add|dateadd|today)\b`)

// period refuses a condition that chooses rows by time: a measure is of any period.
func period(condition expression.Node) *fault {
	var found expression.Node
	expression.Walk(condition, func(n expression.Node) bool {
		if expression.Compares(n) && slices.ContainsFunc(expression.Children(n), func(c expression.Node) bool { return momentOf(c, n) }) {
			found = n
		}
		return found == nil
	})
	if found == nil {
		return nil
	}
	return faultf(periodInFilter, "%s chooses a period; a request does that", expression.String(found))
}

// dateLike is a text that begins like a date: 2026-01, 2026/01/31.
var dateLike = text.Pattern(`^(19|20)\d\d([-/.]\d{1,2}){1,2}([ T].*)?$`)

// momentOf reports whether an operand is a moment, or a part of a time that is compared
// with a constant.
func momentOf(operand, in expression.Node) bool {
	switch o := operand.(type) {
	case *expression.Literal:
		switch o.Type() {
		case sdk.TypeDate, sdk.TypeTimestamp, sdk.TypeTimestampTZ:
			return true
		case sdk.TypeText:
			return dateLike().MatchString(o.Value)
		}
	case *expression.Cast:
		return o.To == sdk.TypeDate || o.To == sdk.TypeTimestamp || o.To == sdk.TypeTimestampTZ
	case *expression.Call:
		return slices.Contains([]string{"year", "quarter", "month", "iso_week", "day", "weekday", "hour", "date_trunc", "date_diff_days"}, o.Function)
	case *expression.Name:
		return timeName().MatchString(o.Parts[len(o.Parts)-1]) && slices.ContainsFunc(expression.Children(in), yearLike)
	}
	return false
}

// timeName is what columns of times are called. A number from 1900 on that one is
// compared with is a year, a month as 202601 or a moment.
var timeName = text.Pattern(`(?i)(^|_)(at|on|date|day|month|year|week|time|ts|timestamp|dt)(_?(id|key|utc))?$`)

func yearLike(n expression.Node) bool {
	l, ok := n.(*expression.Literal)
	return ok && l.Type() == sdk.TypeInt64 && len(l.Value) >= 4 && l.Value >= "19"
}

// reference are the forms of a table in a project of dbt.
var reference = text.Pattern(`\{\{\s*(?:ref\(\s*(?:['"]\w+['"]\s*,\s*)?['"](\w+)['"]\s*\)|source\(\s*['"](\w+)['"]\s*,\s*['"](\w+)['"]\s*\))\s*\}\}`)

// tablesOf replaces ref() and source() by the tables that they mean.
func tablesOf(text string) string {
	return reference().ReplaceAllStringFunc(text, func(m string) string {
		parts := reference().FindStringSubmatch(m)
		if parts[1] != "" {
			return parts[1]
		}
		return parts[2] + "." + parts[3]
	})
}

// inline replaces what a pattern finds in a text. The result is at most as long as an
// expression may be.
func inline(pattern *regexp.Regexp, text string, of func(match string) (string, *fault)) (string, *fault) {
	var out strings.Builder
	from := 0
	for _, at := range pattern.FindAllStringIndex(text, -1) {
		with, f := of(text[at[0]:at[1]])
		if f != nil {
			return "", f
		}
		out.WriteString(text[from:at[0]] + with)
		if from = at[1]; out.Len() > expression.MaxTextBytes {
			return "", faultf(unsupported, "it is longer than %d bytes when dimensions are written out", expression.MaxTextBytes)
		}
	}
	out.WriteString(text[from:])
	return out.String(), nil
}

// inlined are dimensions as they are written out, each once.
type inlined map[string]*written

type written struct {
	text  string
	fault *fault
}

// of returns a dimension in parentheses, or as a name.
func (w inlined) of(name string, depth int, read func() (expression.Node, *fault)) (string, *fault) {
	if done := w[name]; done != nil {
		return done.text, done.fault
	}
	done := &written{fault: faultf(unsupported, "the dimension %s is made of itself, or of more than %d others in a row", name, maxNesting)}
	w[name] = done // for what refers to itself
	if depth > maxNesting {
		return "", done.fault
	}
	node, f := read()
	if done.fault = f; f != nil {
		return "", f
	}
	done.text = expression.String(node)
	if _, plain := node.(*expression.Name); !plain {
		done.text = "(" + done.text + ")"
	}
	return done.text, nil
}
