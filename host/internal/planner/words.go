package planner

import (
	"regexp"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

var (
	articles  = text.Pattern(`(?i)^(?:the|a|an|all|any|only|nur|der|die|das|den|dem|alle|allen|aller)\s+`)
	relative  = text.Pattern(`(?i)^(?:that|which|who|die|der|das|welche)\s+(?:are|is|have|has|were|was|sind|ist|haben|hat)\s+|^(?:with|mit|whose|deren|having)\s+`)
	fillers   = text.Pattern(`(?i)\s+(?:ones|rows|records|entries|zeilen|einträge|datensätze|ist|sind)$|^(?:still|currently|already|noch|derzeit|bereits)\s+`)
	copula    = text.Pattern(`(?i)^(?:is|are|equals|equal to|ist|sind|gleich|of|von)\s+`)
	either    = text.Pattern(`(?i)\s*,\s*(?:or|oder)\s+|\s+(?:or|oder)\s+`)
	together  = text.Pattern(`(?i)\s*,\s*(?:and\s+|und\s+)?|\s+(?:and|und|&)\s+`)
	periods   = text.Pattern(`(?i)\b(?:19|20)\d{2}\b|\b(?:last|this|previous|current|next|past|since|until|during|before|after|letzten?[mrs]?|diese[mrs]?|seit|bis|days?|weeks?|months?|quarters?|years?|tagen?|wochen?|monate?n?|jahre?n?|today|yesterday|heute|gestern)\b`)
	negations = text.Pattern(`(?i)\b(?:not|no|never|nicht|kein\w*|nie|without|ohne|non|un)\b`)
)

// words reads a condition that is no code: "refunded orders", "status paid", "paid or
// pending". It must have exactly one meaning.
func (f *filter) words(phrase string) (expression.Node, *Question) {
	if periods().MatchString(phrase) {
		return nil, ask(PeriodInFilter, f.quote, "A measure holds for every period: leave “%s” out, and ask for the period in the query.", phrase)
	}
	phrase = f.bare(phrase)
	if phrase == "" || negations().MatchString(phrase) {
		return nil, f.unknown(phrase)
	}
	if parts := either().Split(phrase, -1); len(parts) > 1 {
		return f.oneOf(phrase, parts)
	}
	if parts := together().Split(phrase, -1); len(parts) > 1 {
		if tree, q := f.oneOf(phrase, parts); q == nil {
			if f.excluding {
				return tree, nil
			}
			return nil, ask(TwoReadings, f.quote, "Is one of “%s” enough, or must all hold?", phrase).with(expression.String(tree))
		}
	}
	found := f.meanings(phrase)
	switch len(found) {
	case 0:
		return nil, f.unknown(phrase)
	case 1:
		return found[0], nil
	}
	q := ask(TwoReadings, f.quote, "“%s” means something in several columns of %s. Which is meant?", phrase, f.s.Identity)
	for _, tree := range found {
		q.with(expression.String(tree))
	}
	return nil, q
}

// emptiness is a condition that a column has no value, or has one: "ended_on is not empty", "shipped_at nicht leer".
var emptiness = text.Pattern(`(?i)^([\pL_][\pL\d_.]*(?: [\pL\d_]+){0,2}?)(?: (?:is|are|ist|sind))?( not| nicht)? (empty|blank|missing|null|leer)(?: ist| sind)?$`)

// empty reads a condition that a column has no value, or has one.
// Shape: nil = the text is another condition. A column of texts may hold the empty text too, unless its list is whole.
func (f *filter) empty(text string) (expression.Node, *Question) {
	m := emptiness().FindStringSubmatch(strings.ReplaceAll(text, "`", ""))
	if m == nil {
		return nil, nil
	}
	column := m[1]
	if at := strings.LastIndexByte(column, '.'); at > 0 && among(f.work.lexicon.sources(column[:at]), f.s) {
		column = column[at+1:]
	}
	found := f.work.lexicon.dimensionsCalled(f.s, column)
	if d := dimension(f.s, column); d != nil {
		found = []*model.Dimension{d}
	}
	if len(found) != 1 {
		return nil, nil
	}
	null := &expression.IsNull{X: named(found[0]), Negated: m[2] != ""}
	texts := found[0].Logical == sdk.TypeText || found[0].Logical == sdk.TypeUnspecified && found[0].Type == model.String
	if known, whole := f.work.values(f.s, found[0]); texts && !strings.EqualFold(m[3], "null") && (!whole || slices.Contains(known, "")) {
		return nil, ask(TwoReadings, f.quote, "Does “%s” mean NULL alone, or the empty text too?", text).with(expression.String(null))
	}
	return null, nil
}

// bare takes the words off that say no more than that rows of the source are meant.
func (f *filter) bare(phrase string) string {
	phrase = strings.Trim(strings.TrimSpace(strings.ReplaceAll(phrase, "`", "")), `"“”„'‘’`)
	for before := ""; before != phrase; {
		before = phrase
		for _, r := range []func() *regexp.Regexp{articles, relative, fillers} {
			phrase = strings.TrimSpace(r().ReplaceAllString(phrase, ""))
		}
		if at := strings.LastIndexByte(phrase, ' '); at > 0 && f.isSource(phrase[at+1:]) {
			phrase = strings.TrimSpace(phrase[:at])
		}
		if at := strings.IndexByte(phrase, ' '); at > 0 && f.isSource(phrase[:at]) {
			phrase = strings.TrimSpace(phrase[at+1:])
		}
	}
	return phrase
}

func (f *filter) isSource(word string) bool {
	return slices.Contains([]string{text.Key(f.s.Name), text.Key(f.s.Identity)}, text.Key(word))
}

// oneOf reads several values of one column.
func (f *filter) oneOf(phrase string, parts []string) (expression.Node, *Question) {
	in := &expression.In{}
	for _, part := range parts {
		found := f.meanings(f.bare(part))
		if len(found) != 1 {
			return nil, f.unknown(part)
		}
		b, ok := found[0].(*expression.Binary)
		if !ok || b.Op != expression.Equal || in.X != nil && expression.String(in.X) != expression.String(b.Left) {
			return nil, ask(TwoReadings, f.quote, "“%s” is about several columns: write the condition as a comparison.", phrase)
		}
		in.X, in.List = b.Left, append(in.List, b.Right)
	}
	return in, nil
}

// meanings are the conditions that a phrase may stand for: a value of one column, a
// column and its value, a flag.
func (f *filter) meanings(phrase string) (all []expression.Node) {
	for i := range f.s.Dimensions {
		d := &f.s.Dimensions[i]
		if d.Visibility != model.Public || d.Broken != "" || isPeriod(d) {
			continue
		}
		if d.Type == model.Boolean && text.Key(d.Name) == text.Key(phrase) {
			all = append(all, named(d))
		}
		known, _ := f.work.values(f.s, d)
		for _, value := range known {
			if sameWords(value, phrase) || sameWords(value, f.without(d, phrase)) {
				all = append(all, equals(d, value))
			}
		}
	}
	return all
}

// without returns what a phrase says of a column: "paid" of "status is paid".
func (f *filter) without(d *model.Dimension, phrase string) string {
	words := strings.Fields(phrase)
	for n := 1; n < len(words) && n <= 4; n++ {
		if slices.Contains(f.work.lexicon.dimensionsCalled(f.s, strings.Join(words[:n], " ")), d) {
			return strings.Trim(copula().ReplaceAllString(strings.Join(words[n:], " "), ""), `"'‘’“”`)
		}
		if slices.Contains(f.work.lexicon.dimensionsCalled(f.s, strings.Join(words[len(words)-n:], " ")), d) {
			return strings.Join(words[:len(words)-n], " ")
		}
	}
	return phrase
}

// sameWords compares a value with a phrase, without regard to case and to what separates words.
func sameWords(value, phrase string) bool {
	split := func(s string) string {
		return strings.ToLower(strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == '_' || r == '-' }), " "))
	}
	return phrase != "" && split(value) == split(phrase)
}

func named(d *model.Dimension) *expression.Name { return &expression.Name{Parts: []string{d.Name}} }

func equals(d *model.Dimension, value string) expression.Node {
	return &expression.Binary{Op: expression.Equal, Left: named(d), Right: expression.Text(value)}
}

// unknown asks for the column and the value of a phrase.
func (f *filter) unknown(phrase string) *Question {
	for _, segment := range f.s.Segments {
		if segment.Visibility == model.Public && segment.Broken == "" && text.Key(segment.Name) == text.Key(phrase) {
			return ask(TwoReadings, f.quote, "%s is a segment: write its condition, or filter by it in the query.", member(f.s, segment.Name)).with(segment.Expr.Value)
		}
	}
	return ask(UnknownValue, f.quote, "Which column and value of %s say “%s”?", f.s.Identity, phrase).with(f.columns()...)
}
