package snippet

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	textkit "github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk/dialect"
)

// lexis is what the quotes and comments of most engines have in common.
var lexis = &dialect.Dialect{Name: "common", Lexis: dialect.Lexis{
	Strings:       []dialect.Quote{{Open: "'", Close: "'", Doubled: true}},
	Identifiers:   []dialect.Quote{{Open: `"`, Close: `"`, Doubled: true}, {Open: "`", Close: "`"}},
	LineComments:  []dialect.LineComment{{Open: "--"}},
	BlockComments: []dialect.BlockComment{{Open: "/*", Close: "*/"}},
}}

// ReadQuery reads statements of the form SELECT … FROM one table. Aggregates with a name
// are measures, the conditions of WHERE are their filter. An aggregate without a name has
// the one that is given; "" = none.
func ReadQuery(text, name string) *Snippet {
	text = tablesOf(textkit.Retyped(strings.ReplaceAll(text, "\r\n", "\n")))
	r := newReader(SQL, text)
	if strings.Contains(text, "{{") || strings.Contains(text, "{%") {
		r.add(Item{Kind: MeasureItem, LeftOut: templated, Message: "a template is not run; write the SQL that it becomes"}, 1)
		return r.snippet
	}
	tokens, err := lexis.Tokens(text, nil)
	if err != nil {
		r.add(Item{Kind: MeasureItem, LeftOut: unsupported, Message: "the SQL cannot be read: " + err.Error()}, 1)
		return r.snippet
	}
	from := 0
	for i := 0; i <= len(tokens); i++ {
		if i == len(tokens) || tokens[i].Is(text, ";") {
			if i > from {
				s := &selection{reader: r, text: text, tokens: tokens[from:i], name: name}
				s.read()
			}
			from = i + 1
		}
	}
	return r.snippet
}

// selection is one SELECT while it is read.
type selection struct {
	reader *reader
	text   string
	tokens []dialect.Token
	name   string // of an aggregate that has none
	table  string
	tables []string // what columns may be qualified with
}

// clauses are the words that begin a part of a SELECT, outside of parentheses.
var clauses = []string{"FROM", "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", "OFFSET", "FETCH"}

// modifiers are words behind a table that are no alias of it.
var modifiers = strings.Fields("FINAL SAMPLE TABLESAMPLE PREWHERE ARRAY LATERAL PIVOT UNPIVOT FOR USE FORCE IGNORE PARTITION WINDOW MATCH_RECOGNIZE ONLY AT")

// foreign are the words that make more of a SELECT than an aggregate of one table, with
// the reason.
var foreign = map[string]fault{
	"WITH":      {joinNeeded, "a common table expression is not read; name the table and its columns"},
	"JOIN":      {joinNeeded, "columns of several tables need a join and a measure of one of them"},
	"UNION":     {joinNeeded, "a measure is of one SELECT"},
	"INTERSECT": {joinNeeded, "a measure is of one SELECT"},
	"EXCEPT":    {joinNeeded, "a measure is of one SELECT"},
	"OVER":      {notAnAggregate, "a window is no aggregate; define a cumulative measure or a share"},
	"QUALIFY":   {notAnAggregate, "a window is no aggregate"},
	"HAVING":    {notAnAggregate, "HAVING chooses groups; a measure is of rows"},
}

func (s *selection) read() {
	parts, f := s.parts()
	list := slices.DeleteFunc(s.list(parts["SELECT"]), func(entry []dialect.Token) bool { return len(entry) == 0 })
	var filter expression.Node
	if f == nil {
		f = s.source(parts["FROM"])
	}
	if f == nil {
		filter, f = s.filter(parts["WHERE"])
	}
	if len(list) == 0 {
		list = [][]dialect.Token{s.tokens[:1]}
	}
	for _, tokens := range list {
		s.column(tokens, filter, f)
	}
}

// parts cuts the tokens at the clauses; the first word must be SELECT.
func (s *selection) parts() (map[string][]dialect.Token, *fault) {
	parts := map[string][]dialect.Token{}
	var first *fault
	depth, from, clause := 0, 1, "SELECT"
	for i, t := range s.tokens {
		depth += nesting(s.text, t)
		word := ""
		if t.Kind == dialect.TokenWord && (i == 0 || !s.tokens[i-1].Is(s.text, ".")) {
			word = strings.ToUpper(t.Text(s.text))
		}
		switch reason, ok := foreign[word]; {
		case first != nil && i > 0:
		case ok:
			first = &reason
		case i > 0 && word == "SELECT":
			first = faultf(joinNeeded, "a subquery is not read; a measure is of the rows of one table")
		case i == 0 && word != "SELECT":
			first = faultf(unsupported, "it is no SELECT")
		}
		if i > 0 && depth == 0 && slices.Contains(clauses, word) && parts[word] == nil && !s.tokens[i-1].IsWord(s.text, "WITHIN") {
			parts[clause] = s.tokens[from:i]
			from, clause = i+1, word
		}
	}
	parts[clause] = s.tokens[min(from, len(s.tokens)):]
	if list := parts["SELECT"]; first == nil && len(list) > 0 && list[0].IsWord(s.text, "DISTINCT") {
		first = faultf(notAnAggregate, "SELECT DISTINCT chooses rows; a measure is of all of them")
	}
	return parts, first
}

func nesting(text string, t dialect.Token) int {
	switch {
	case t.Is(text, "("):
		return 1
	case t.Is(text, ")"):
		return -1
	}
	return 0
}

// list cuts tokens at the commas outside of parentheses.
func (s *selection) list(tokens []dialect.Token) (all [][]dialect.Token) {
	depth, from := 0, 0
	for i, t := range tokens {
		depth += nesting(s.text, t)
		if depth == 0 && t.Is(s.text, ",") {
			all = append(all, tokens[from:i])
			from = i + 1
		}
	}
	return append(all, tokens[from:])
}

// source reads table [AS a].
func (s *selection) source(tokens []dialect.Token) *fault {
	var parts []string
	i := 0
	for i < len(tokens) && (tokens[i].Kind == dialect.TokenWord || tokens[i].Kind == dialect.TokenQuoted) {
		parts = append(parts, lexis.Unquote(s.text, tokens[i]))
		i++
		if i+1 >= len(tokens) || !tokens[i].Is(s.text, ".") {
			break
		}
		i++
	}
	if len(parts) == 0 {
		return faultf(unsupported, "FROM names no table")
	}
	s.table = strings.Join(parts, ".")
	for n := range parts {
		s.tables = append(s.tables, strings.Join(parts[n:], "."))
	}
	rest := tokens[i:]
	if len(rest) > 0 && rest[0].IsWord(s.text, "AS") {
		rest = rest[1:]
	}
	if len(rest) > 0 && slices.Contains(modifiers, strings.ToUpper(rest[0].Text(s.text))) {
		return faultf(unsupported, "%s behind the table is not read", rest[0].Text(s.text))
	}
	if len(rest) > 0 && (rest[0].Kind == dialect.TokenWord || rest[0].Kind == dialect.TokenQuoted) {
		s.tables = append(s.tables, lexis.Unquote(s.text, rest[0]))
		rest = rest[1:]
	}
	switch {
	case len(rest) > 0 && rest[0].Is(s.text, ","):
		return faultf(joinNeeded, "columns of several tables need a join and a measure of one of them")
	case len(rest) > 0:
		return faultf(unsupported, "%s behind the table is not read", rest[0].Text(s.text))
	}
	return nil
}

// filter reads the conditions of WHERE.
func (s *selection) filter(tokens []dialect.Token) (expression.Node, *fault) {
	switch {
	case tokens == nil:
		return nil, nil
	case len(tokens) == 0:
		return nil, faultf(unsupported, "the query ends behind WHERE; its condition is missing")
	}
	text := s.span(tokens)
	if m := clock().FindString(text); m != "" {
		return nil, faultf(periodInFilter, "%s chooses a period; a request does that", m)
	}
	node, f := parse(text, s.tables...)
	if f == nil {
		f = period(node)
	}
	return node, f
}

// span returns the text of tokens, with names in the quotes of the portable language.
func (s *selection) span(tokens []dialect.Token) string {
	var out strings.Builder
	for i := 0; i < len(tokens); i++ {
		t := tokens[i]
		if i > 0 && t.Start > tokens[i-1].End {
			out.WriteByte(' ')
		}
		if of, n := s.median(tokens[i:]); n > 0 {
			out.WriteString("median(" + s.span(of) + ")")
			i += n - 1
			continue
		}
		if t.Kind == dialect.TokenQuoted {
			out.WriteString(`"` + strings.ReplaceAll(lexis.Unquote(s.text, t), `"`, `""`) + `"`)
		} else {
			out.WriteString(t.Text(s.text))
		}
	}
	return out.String()
}

// middle matches the fraction whose percentile is the median.
var middle = textkit.Pattern(`^0?\.50*$`)

// median returns what PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY …) at the front of tokens is of, and the number of its
// tokens; 0 = it is none. The middle is the same in both orders.
func (s *selection) median(tokens []dialect.Token) (of []dialect.Token, n int) {
	for i, word := range strings.Fields("PERCENTILE_CONT ( .5 ) WITHIN GROUP ( ORDER BY") {
		if i >= len(tokens) || !tokens[i].Is(s.text, word) && !tokens[i].IsWord(s.text, word) && !(word == ".5" && middle().MatchString(tokens[i].Text(s.text))) {
			return nil, 0
		}
		n++
	}
	of = tokens[n:]
	for depth, i := 1, 0; i < len(of); i++ {
		depth += nesting(s.text, of[i])
		switch {
		case of[i].IsWord(s.text, "WITHIN"), depth == 1 && of[i].Is(s.text, ","):
			return nil, 0
		case depth == 0:
			n, of = n+i+1, of[:i]
			if i > 1 && (of[i-1].IsWord(s.text, "ASC") || of[i-1].IsWord(s.text, "DESC")) {
				of = of[:i-1]
			}
			return of, n
		}
	}
	return nil, 0
}

// column reads one entry of the list: expression [[AS] name].
func (s *selection) column(tokens []dialect.Token, filter expression.Node, f *fault) {
	line := strings.Count(s.text[:tokens[0].Start], "\n") + 1
	i := Item{Kind: MeasureItem, Table: s.table}
	if last := len(tokens) - 1; last > 0 && (tokens[last].Kind == dialect.TokenWord || tokens[last].Kind == dialect.TokenQuoted) &&
		!tokens[last].IsWord(s.text, "END") && s.ends(tokens[last-1]) {
		i.Name = lexis.Unquote(s.text, tokens[last])
		tokens = tokens[:last]
		if len(tokens) > 1 && tokens[last-1].IsWord(s.text, "AS") {
			tokens = tokens[:last-1]
		}
	}
	defer func() { s.reader.add(i, line) }()
	if f != nil {
		i.refuse(f)
		return
	}
	conditions := []expression.Node{}
	if filter != nil {
		conditions = append(conditions, filter)
	}
	node, own, f := s.calculation(tokens)
	if f != nil {
		i.refuse(f)
		return
	}
	if own != nil {
		conditions = append(conditions, own)
	}
	if name, ok := node.(*expression.Name); ok { // what is grouped by
		i.Kind, i.Name = Column, name.Parts[0]
		return
	}
	if i.Name == "" {
		i.Name = s.name
	}
	if i.define(node, conjoin(conditions)); i.LeftOut == "" && i.Name == "" {
		i.refuse(faultf(unsupported, "the aggregate has no name; write AS and a name"))
	}
}

// calculation reads an expression, and the condition of its FILTER; nil = it has none.
func (s *selection) calculation(tokens []dialect.Token) (node, condition expression.Node, f *fault) {
	body, own := s.filtered(tokens)
	if own != nil {
		if condition, f = s.filter(own); f != nil {
			return nil, nil, f
		}
	}
	if node, f = parse(s.span(body), s.tables...); f != nil {
		return nil, nil, f
	}
	if _, single := node.(*expression.Aggregate); own != nil && !single {
		return nil, nil, faultf(unsupported, "FILTER stands inside of a calculation; give each aggregate a name")
	}
	return node, condition, nil
}

// ends reports whether what stands before a name at the end is AS or the end of an
// expression, so that the name is one of the column.
func (s *selection) ends(before dialect.Token) bool {
	return before.IsWord(s.text, "AS") || before.IsWord(s.text, "END") || before.Is(s.text, ")") || before.Kind == dialect.TokenNumber ||
		before.Kind == dialect.TokenString || before.Kind == dialect.TokenQuoted ||
		before.Kind == dialect.TokenWord && !slices.Contains([]string{"AND", "OR", "NOT", "IS", "LIKE", "IN", "THEN", "ELSE", "WHEN", "CASE", "BETWEEN"}, strings.ToUpper(before.Text(s.text)))
}

// filtered cuts aggregate FILTER (WHERE condition) into both; own is nil without one.
func (s *selection) filtered(tokens []dialect.Token) (body, own []dialect.Token) {
	for i, t := range tokens {
		if t.IsWord(s.text, "FILTER") && i+3 < len(tokens) && tokens[i+1].Is(s.text, "(") && tokens[i+2].IsWord(s.text, "WHERE") && tokens[len(tokens)-1].Is(s.text, ")") {
			return tokens[:i], tokens[i+3 : len(tokens)-1]
		}
	}
	return tokens, nil
}
