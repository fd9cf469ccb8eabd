package expression

import (
	"errors"
	"slices"
	"strings"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// ParseNative reads a definition in an engine's own SQL by the lexis of its
// dialect. It may be one expression: without semicolon, comment, parameter,
// subquery, window or statement, its brackets matching. It must never be called
// with text from a request.
//
// Every name that could be a column becomes a Name, in the case that the dialect
// folds it to; Bind tells columns from other words.
// Errors: *sdk.Error with the position: KindSyntax, KindNotReadOnly, KindInvalid,
// KindLimit, and KindInternal for a dialect that no text can be read with.
func ParseNative(text string, d *dialect.Dialect) (*Native, error) {
	if len(text) > MaxTextBytes {
		return nil, fail(sdk.KindLimit, sdk.Position{}, "move it into a view or the source's sql", "the expression has %d bytes; the limit is %d", len(text), MaxTextBytes)
	}
	tokens, err := d.Tokens(text, nil)
	if err != nil {
		return nil, lexError(text, err)
	}
	f := &fragment{text: text, d: d, tokens: tokens, place: lexer{text: text, pos: sdk.Position{Line: 1, Column: 1}}}
	if len(tokens) == 0 {
		return nil, fail(sdk.KindSyntax, sdk.Position{}, "write an expression", "the expression is empty")
	}
	if err := f.check(); err != nil {
		return nil, err
	}
	n := &Native{Dialect: d.Name, Text: strings.TrimSpace(text), Aggregated: f.aggregated()}
	n.pos = f.place.at(int(tokens[0].Start))
	n.Parts = f.parts()
	return n, nil
}

func lexError(text string, err error) error {
	lex, ok := errors.AsType[*dialect.LexError](err)
	if !ok || lex.Problem == dialect.ProblemDialect {
		return sdk.AsError(err, sdk.SourceConnector)
	}
	kind := sdk.KindSyntax
	if lex.Problem == dialect.ProblemExecutable {
		kind = sdk.KindNotReadOnly
	}
	e := fail(kind, sdk.PositionAtByte(text, lex.Offset), "close quotes and brackets, and quote names with other characters", "%s", lex.Detail)
	e.Err = err
	return e
}

// fragment is a native text while it is read.
type fragment struct {
	text   string
	d      *dialect.Dialect
	tokens []dialect.Token
	place  lexer // for positions, which are asked for from left to right
}

func (f *fragment) fail(i int, kind sdk.Kind, hint, format string, args ...any) error {
	return fail(kind, sdk.PositionAtByte(f.text, int(f.tokens[i].Start)), hint, format, args...)
}

func (f *fragment) is(i int, operator string) bool {
	return i >= 0 && i < len(f.tokens) && f.tokens[i].Is(f.text, operator)
}

// upper returns the unquoted word at i in upper case, "" for anything else.
func (f *fragment) upper(i int) string {
	if i < 0 || i >= len(f.tokens) || f.tokens[i].Kind != dialect.TokenWord {
		return ""
	}
	return strings.ToUpper(f.tokens[i].Text(f.text))
}

// check refuses what is not one expression.
func (f *fragment) check() error {
	end := 0
	var open []int
	for i, t := range f.tokens {
		if err := f.gap(i, end); err != nil {
			return err
		}
		end = int(t.End)
		switch t.Kind {
		case dialect.TokenParameter:
			return f.fail(i, sdk.KindInvalid, "write the value as a literal", "%s is a parameter, and there are none", t.Text(f.text))
		case dialect.TokenWord:
			if err := f.word(i); err != nil {
				return err
			}
		case dialect.TokenOperator:
			var err error
			if open, err = f.bracket(i, open); err != nil {
				return err
			}
		}
	}
	if len(open) > 0 {
		return f.fail(open[len(open)-1], sdk.KindSyntax, "close every bracket", "the bracket is not closed")
	}
	if err := f.whole(); err != nil {
		return err
	}
	return f.gap(len(f.tokens), end)
}

// between are the operators that stand between operands in every dialect, and
// leading the words that an operand follows.
var (
	between = strings.Fields("+ - / % = < > <= >= <> != || :: . ,")
	leading = strings.Fields("AND OR NOT BETWEEN LIKE IN IS CASE WHEN THEN ELSE")
)

// whole refuses what no dialect can complete: an operand is missing at an end, or
// the END of a CASE.
func (f *fragment) whole() error {
	const hint = "complete the expression"
	isBetween := func(i int) bool {
		return f.tokens[i].Kind == dialect.TokenOperator && slices.Contains(between, f.tokens[i].Text(f.text))
	}
	if isBetween(0) && !f.is(0, "+") && !f.is(0, "-") && !f.is(0, "||") || f.is(0, "*") { // ||/ is a root
		return f.fail(0, sdk.KindSyntax, hint, "the expression begins with %s", f.tokens[0].Text(f.text))
	}
	last := len(f.tokens) - 1
	if isBetween(last) || f.is(last, "*") && !f.is(last-1, ".") || slices.Contains(leading, f.upper(last)) && !f.is(last-1, ".") {
		return f.fail(last, sdk.KindSyntax, hint, "the expression ends with %s", f.tokens[last].Text(f.text))
	}
	var open []int
	for i := range f.tokens {
		switch {
		case f.is(i-1, "."):
		case f.upper(i) == "CASE":
			open = append(open, i)
		case f.upper(i) == "END" && len(open) > 0:
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		return f.fail(open[len(open)-1], sdk.KindSyntax, "close every CASE with END", "the CASE has no END")
	}
	return nil
}

// gap refuses a comment between end and token i: it could hide the bracket that
// the printed expression is closed with.
func (f *fragment) gap(i, end int) error {
	next := len(f.text)
	if i < len(f.tokens) {
		next = int(f.tokens[i].Start)
	}
	if strings.Trim(f.text[end:next], " \t\n\v\f\r"+f.d.Lexis.Spaces) == "" {
		return nil
	}
	return fail(sdk.KindInvalid, sdk.PositionAtByte(f.text, end), "move the comment into the description", "the expression has a comment")
}

// bracket follows the brackets; open holds the tokens of the open ones.
func (f *fragment) bracket(i int, open []int) ([]int, error) {
	op := f.tokens[i].Text(f.text)
	switch op {
	case ";":
		return nil, f.fail(i, sdk.KindNotReadOnly, "write one expression without a semicolon", "a second statement is refused: an expression has no semicolon")
	case "(", "[", "{":
		if f.is(i+1, "{") && op == "{" {
			return nil, f.fail(i, sdk.KindInvalid, "write the column's name; templates are not expanded", "{{ starts a template")
		}
		if len(open) == MaxDepth {
			return nil, f.fail(i, sdk.KindLimit, "split the expression", "the expression nests deeper than %d levels", MaxDepth)
		}
		return append(open, i), nil
	case ")", "]", "}":
		if len(open) == 0 || strings.Index(")]}", op) != strings.Index("([{", f.tokens[open[len(open)-1]].Text(f.text)) {
			return nil, f.fail(i, sdk.KindSyntax, "match every bracket", "%s closes no bracket", op)
		}
		return open[:len(open)-1], nil
	}
	return open, nil
}

// word refuses the words of queries and statements.
func (f *fragment) word(i int) error {
	w := f.upper(i)
	if f.is(i-1, ".") {
		return nil
	}
	const hint = "write one expression over columns; a query belongs in a source's sql"
	starts := i == 0 || f.is(i-1, "(")
	switch {
	case w == "WITH" && (f.upper(i+1) == "TIME" || f.upper(i+1) == "LOCAL"):
	case slices.Contains([]string{"SELECT", "WITH", "UNION", "INTERSECT", "EXCEPT"}, w), starts && f.begins(w):
		return f.fail(i, sdk.KindInvalid, hint, "%s begins a query: an expression has no subquery", w)
	case w == "OVER":
		return f.fail(i, sdk.KindInvalid, "use a measure of type cumulative, share or time_shift", "windows are not part of an expression")
	case slices.Contains(writing, w) && !f.is(i+1, "("):
		return f.fail(i, sdk.KindNotReadOnly, hint, "%s begins a statement, not an expression", w)
	}
	return nil
}

// begins reports whether a statement of the dialect begins with the word.
func (f *fragment) begins(word string) bool {
	return slices.ContainsFunc(f.d.Guard.Statements, func(s dialect.Statement) bool { return s.Words[0] == word })
}

// aggregateNames are the names of aggregates in one engine or another; those that
// end with * are prefixes.
var aggregateNames = strings.Fields(`any_value approx_* arg_max arg_min argmax argmin array_agg avg* bit_and bit_or bit_xor bool_and bool_or
	corr count* covar_* every group_concat grouparray* json_agg json_object_agg jsonb_agg listagg logical_and logical_or max maxif
	maxornull median* min minif minornull mode percentile* quantile* stddev* string_agg sum* total uniq* var_* variance xmlagg`)

// aggregated reports whether a word that is called looks like an aggregate.
func (f *fragment) aggregated() bool {
	for i := range f.tokens {
		if w := strings.ToLower(f.upper(i)); w != "" && f.is(i+1, "(") && slices.ContainsFunc(aggregateNames, func(a string) bool {
			prefix, many := strings.CutSuffix(a, "*")
			return w == prefix || many && strings.HasPrefix(w, prefix)
		}) {
			return true
		}
	}
	return false
}

// joining are words between operands: what follows one may be a column.
var joining = strings.Fields(`AND BETWEEN BOTH BY CASE DISTINCT DIV ELSE ESCAPE FOR FROM GLOB ILIKE IN INTERVAL IS LEADING LIKE MOD NOT OR
	REGEXP RLIKE SEPARATOR SIMILAR THEN TO TRAILING USING WHEN WHERE XOR`)

// constant are words that stand for themselves.
var constant = strings.Fields("AS ASC CAST DATE DESC END FALSE FIRST LAST NULL NULLS ORDER TIME TIMESTAMP TRUE")

// parts cuts the text into names and what is between them.
func (f *fragment) parts() []NativePart {
	var parts []NativePart
	from := int(f.tokens[0].Start)
	for i := 0; i < len(f.tokens); {
		name, end, ends := f.name(i)
		if name != nil {
			start := int(f.tokens[i].Start)
			if start > from {
				parts = append(parts, NativePart{SQL: f.text[from:start]})
			}
			from = int(f.tokens[end-1].End)
			parts = append(parts, NativePart{SQL: f.text[start:from], Name: name, ends: ends})
		}
		i = max(end, i+1)
	}
	if end := int(f.tokens[len(f.tokens)-1].End); end > from {
		parts = append(parts, NativePart{SQL: f.text[from:end]})
	}
	return parts
}

// name reads a name that starts at token i; end is the token behind what was
// looked at. It is nil for what cannot be a column: a keyword, a function, a
// type, what follows an operand or a path operator.
func (f *fragment) name(i int) (name *Name, end int, ends []int) {
	var parts []string
	j := i
	for f.identifier(j) {
		parts = append(parts, f.fold(j))
		ends = append(ends, int(f.tokens[j].End-f.tokens[i].Start))
		j++
		if !f.is(j, ".") || !f.identifier(j+1) {
			break
		}
		j++
	}
	first := f.upper(i)
	switch {
	case len(parts) == 0:
		return nil, i + 1, nil
	case len(parts) == 1 && first != "" && (slices.Contains(joining, first) || slices.Contains(constant, first) || slices.Contains(f.d.Reserved, first)),
		f.is(j, "("), j < len(f.tokens) && f.tokens[j].Kind == dialect.TokenString,
		f.is(i-1, "(") && f.upper(j) == "FROM", // EXTRACT(year FROM x)
		f.afterOperand(i):
		return nil, j, nil
	}
	name = &Name{Parts: parts}
	name.pos = f.place.at(int(f.tokens[i].Start))
	return name, j, ends
}

// identifier reports whether token i can be part of a name whose text is known.
func (f *fragment) identifier(i int) bool {
	if i >= len(f.tokens) {
		return false
	}
	t := f.tokens[i]
	return t.Kind == dialect.TokenWord || t.Kind == dialect.TokenQuoted && !f.d.Escaped(f.text, t)
}

// afterOperand reports whether token i follows something that an operator would
// have to stand behind: then it is a unit, a type or a keyword.
func (f *fragment) afterOperand(i int) bool {
	if i == 0 {
		return false
	}
	switch t := f.tokens[i-1]; t.Kind {
	case dialect.TokenWord:
		return !slices.Contains(joining, f.upper(i-1))
	case dialect.TokenOperator:
		return slices.Contains([]string{")", "]", "}", ".", ":", "::", "->", "->>"}, t.Text(f.text))
	}
	return true
}

// fold returns the name at token i as the engine stores it.
func (f *fragment) fold(i int) string {
	t := f.tokens[i]
	name := f.d.Unquote(f.text, t)
	if t.Kind == dialect.TokenWord {
		switch f.d.Folding {
		case dialect.FoldLower:
			return strings.ToLower(name)
		case dialect.FoldUpper:
			return strings.ToUpper(name)
		}
	}
	return name
}
