package planner

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/assertion"
	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

// filter collects the conditions on the rows of one source.
type filter struct {
	work  *work
	s     *model.Source
	quote string
	terms []expression.Node
	// equal are the values that columns must have, by their names.
	equal map[string]string
	// excluding: the condition that is read says which rows are left out.
	excluding bool
	notes     []string
}

// add takes a condition of a sentence.
func (f *filter) add(c assertion.Condition) *Question {
	text := strings.TrimSpace(strings.TrimRight(strings.TrimSpace(c.Text), ".,;:"))
	f.excluding = c.Excluded
	tree, q := f.condition(text)
	if q != nil {
		return q.at(c.Text)
	}
	if c.Excluded {
		if tree, q = f.except(tree, text); q != nil {
			return q.at(c.Text)
		}
	} else if q := f.impossible(tree, text); q != nil {
		return q.at(c.Text)
	}
	if written := expression.String(tree); !slices.ContainsFunc(f.terms, func(o expression.Node) bool { return expression.String(o) == written }) {
		f.terms = append(f.terms, tree) // "whole blood only (proc_type = 'whole_blood')" says it twice
	}
	return nil
}

// condition reads a condition as code, else as words.
func (f *filter) condition(text string) (expression.Node, *Question) {
	if tree, q := f.empty(text); tree != nil || q != nil {
		return tree, q
	}
	if strings.Count(text, " ") > 2 {
		text = inequality().ReplaceAllString(text, "$1 IS DISTINCT FROM $2")
	}
	code := strings.ReplaceAll(text, "`", "")
	if strings.ContainsAny(code, "=<!") {
		code = bareWord().ReplaceAllString(code, "$1 $2 '$3'")
	}
	if !comparison().MatchString(text) {
		return f.words(text)
	}
	if f.bareValue(text) {
		text = code
	}
	tree, err := parsed(text)
	if err != nil {
		return nil, ask(TwoReadings, f.quote, "Write the condition “%s” as a comparison of columns of %s.", text, f.s.Identity).with(f.columns()...)
	}
	return f.check(tree, text)
}

var (
	// comparison is the sign of code: an operator, or a word that SQL has.
	comparison = text.Pattern(`[=<>(]|(?i)\b(?:is\s+(?:not\s+)?(?:null|true|false)|is\s+distinct\s+from|in\s*\(|between|like)\b`)
	// inequality is a comparison in words; rows without a value are not equal to one.
	inequality = text.Pattern(`(?i)^([\p{L}\w.]+) (?:is|are|ist|sind) (?:not|nicht) ('[^']*'|\d+(?:\.\d+)?)$`)
	// bareWord is a value without quotes.
	bareWord = text.Pattern(`^([\p{L}\w.]+)\s*(=|<>|!=)\s*([\p{L}][\p{L}\w-]*)$`)
)

// bareValue reports whether a comparison has a word in place of a value: one that is no column.
func (f *filter) bareValue(text string) bool {
	m := bareWord().FindStringSubmatch(strings.ReplaceAll(text, "`", ""))
	return m != nil && dimension(f.s, m[3]) == nil && !slices.Contains([]string{"true", "false", "null"}, strings.ToLower(m[3]))
}

// check resolves the names of a condition and looks at its constants.
func (f *filter) check(tree expression.Node, text string) (expression.Node, *Question) {
	if expression.ClassOf(tree) != expression.Scalar {
		return nil, ask(TwoReadings, f.quote, "“%s” is no condition on single rows of %s.", text, f.s.Identity).with(f.columns()...)
	}
	tree, _, q := f.work.bind(f.s, tree, f.quote)
	if q != nil {
		return nil, q
	}
	if fixedPeriod(f.s, tree) != nil {
		return nil, periodic(f.quote, text)
	}
	if _, err := expression.CheckCondition(tree, typesOf(f.s)); err != nil {
		return nil, ask(TwoReadings, f.quote, "“%s” is no condition: %s.", text, sdk.AsError(err, sdk.SourceCaller).Msg)
	}
	return f.spelled(tree)
}

// spelled gives the texts that a condition compares columns with the spelling of the
// columns' values.
func (f *filter) spelled(tree expression.Node) (expression.Node, *Question) {
	var question *Question
	fix := func(name, value expression.Node) expression.Node {
		column, ok := name.(*expression.Name)
		literal, text := value.(*expression.Literal)
		if !ok || !text || literal.Type() != sdk.TypeText || question != nil {
			return value
		}
		var known string
		if known, question = f.value(dimension(f.s, column.Parts[len(column.Parts)-1]), literal.Value); question != nil {
			return value
		}
		return expression.Text(known)
	}
	changed, err := expression.Transform(tree, func(n expression.Node) (expression.Node, error) {
		switch n := n.(type) {
		case *expression.Binary:
			if n.Op == expression.Equal || n.Op == expression.NotEqual || n.Op == expression.Distinct || n.Op == expression.NotDistinct {
				m := *n
				m.Left, m.Right = fix(n.Right, n.Left), fix(n.Left, n.Right)
				return &m, nil
			}
		case *expression.In:
			m := *n
			m.List = slices.Clone(n.List)
			for i := range m.List {
				m.List[i] = fix(n.X, m.List[i])
			}
			return &m, nil
		}
		return n, nil
	})
	if err != nil {
		panic(err) // the change above has none
	}
	return changed, question
}

// value returns a value of a column in the column's own spelling.
func (f *filter) value(d *model.Dimension, value string) (string, *Question) {
	known, whole := f.work.values(f.s, d)
	if slices.Contains(known, value) {
		return value, nil
	}
	var near []string
	for _, v := range known {
		if strings.EqualFold(v, value) {
			near = append(near, v)
		}
	}
	if len(near) == 1 && whole {
		return near[0], nil
	}
	if whole || len(near) > 0 {
		return "", ask(UnknownValue, f.quote, "%s has no value %s. Which one is meant?", member(f.s, d.Name), value).valued(value).with(append(near, known...)...)
	}
	if len(known) > 0 || f.work.v.Values != nil {
		f.note("whether %s has the value %s is not known", member(f.s, d.Name), value)
	}
	return value, nil
}

// except turns a condition round, for what is left out. Rows without a value stay.
func (f *filter) except(tree expression.Node, text string) (expression.Node, *Question) {
	names := expression.Names(tree)
	columns := map[string]bool{}
	for _, n := range names {
		columns[n.String()] = true
	}
	if len(columns) != 1 {
		return nil, ask(TwoReadings, f.quote, "“%s” is about several columns: say which rows are left.", text)
	}
	column := names[0]
	if n, ok := tree.(*expression.IsNull); ok {
		m := *n
		m.Negated = !n.Negated
		return &m, nil
	}
	f.note("rows without %s stay in", member(f.s, column.Parts[0]))
	switch n := tree.(type) {
	case *expression.Name:
		return &expression.Binary{Op: expression.Distinct, Left: n, Right: expression.Bool(true)}, nil
	case *expression.Binary:
		_, constant := n.Right.(*expression.Literal)
		if n.Op == expression.Equal && n.Left == expression.Node(column) && constant {
			return &expression.Binary{Op: expression.Distinct, Left: n.Left, Right: n.Right}, nil
		}
	}
	return expression.Disjoin(&expression.Unary{Op: expression.Not, X: tree}, &expression.IsNull{X: &expression.Name{Parts: column.Parts}}), nil
}

// impossible finds two conditions that no row fulfils together: the sentence means
// something else by them.
func (f *filter) impossible(tree expression.Node, text string) *Question {
	for _, term := range expression.Conjuncts(tree) {
		b, ok := term.(*expression.Binary)
		if !ok || b.Op != expression.Equal {
			continue
		}
		column, ok := b.Left.(*expression.Name)
		literal, constant := b.Right.(*expression.Literal)
		if !ok || !constant {
			continue
		}
		name := column.String()
		if before, twice := f.equal[name]; twice && before != literal.Value {
			return ask(TwoReadings, f.quote, "No row has %s both %s and %s: is one of the two enough?", member(f.s, name), before, literal.Value).
				with(name + " IN ('" + before + "', '" + literal.Value + "')")
		}
		f.equal[name] = literal.Value
	}
	return nil
}

// note tells something once.
func (f *filter) note(format string, args ...any) { f.notes = noted(f.notes, format, args...) }

// expr returns all conditions as one, "" = none.
func (f *filter) expr() string {
	if len(f.terms) == 0 {
		return ""
	}
	return expression.String(expression.Conjoin(slices.DeleteFunc(slices.Clone(f.terms), f.implied)...))
}

// implied reports whether a condition leaves out one value of a column that another condition compares with a second one: "not
// cancelled, so only cancelled = false".
func (f *filter) implied(term expression.Node) bool {
	b, ok := term.(*expression.Binary)
	if !ok || b.Op != expression.Distinct {
		return false
	}
	left, constant := b.Right.(*expression.Literal)
	value, compared := f.equal[expression.String(b.Left)]
	return constant && compared && value != left.Value
}

// columns are those of the source whose values are few, as candidates.
func (f *filter) columns() (all []string) {
	for i := range f.s.Dimensions {
		d := &f.s.Dimensions[i]
		if d.Visibility != model.Public || isPeriod(d) || d.Broken != "" {
			continue
		}
		if known, _ := f.work.values(f.s, d); len(known) > 0 {
			all = append(all, member(f.s, d.Name))
		}
	}
	return all
}

func typesOf(s *model.Source) expression.Resolver {
	return func(n *expression.Name) (sdk.Type, error) {
		d := dimension(s, n.Parts[len(n.Parts)-1])
		switch {
		case d == nil:
			return sdk.TypeUnspecified, nil
		case d.Logical != sdk.TypeUnspecified:
			return d.Logical, nil
		case d.Type == model.String:
			return sdk.TypeText, nil
		case d.Type == model.Boolean:
			return sdk.TypeBool, nil
		}
		return sdk.TypeUnspecified, nil
	}
}
