package snippet

import (
	"cmp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/sdk/dialect"
)

// logical is a table of a semantic view or a metric view, by the names that its expressions may have.
type logical struct {
	reader *reader
	name   string
	table  string
	tables []string // what columns may be qualified with
	// fields are the dimensions and facts, measures what is aggregated, both by name in lower case.
	fields, measures map[string]*yaml.Node
	written          inlined
	problem          *fault
	// texts says that double quotes are those of a text, elsewhere those of a name: they are not read.
	texts bool
}

// newLogical returns a table without its name in the warehouse.
func newLogical(r *reader, n *yaml.Node, fields ...string) *logical {
	t := &logical{reader: r, name: textOf(n, "name"), fields: map[string]*yaml.Node{}, measures: map[string]*yaml.Node{}, written: inlined{}}
	for _, key := range fields {
		for _, f := range entries(at(n, key)) {
			t.fields[strings.ToLower(textOf(f, "name"))] = f
		}
	}
	for _, key := range []string{"metrics", "measures"} {
		for _, m := range entries(at(n, key)) {
			t.measures[strings.ToLower(textOf(m, "name"))] = m
		}
	}
	return t
}

// on says which table of the warehouse it is.
func (t *logical) on(table string) {
	t.table = strings.NewReplacer(`"`, "", "`", "").Replace(table)
	if t.name != "" {
		t.tables = append(t.tables, t.name)
	}
	for rest, more := t.table, true; more; _, rest, more = strings.Cut(rest, ".") {
		t.tables = append(t.tables, rest)
	}
	switch {
	case t.problem != nil:
	case strings.ContainsAny(t.table, "{}"):
		t.problem = faultf(templated, "the table %s is a template", t.table)
	case strings.ContainsAny(t.table, " \n()"):
		t.problem = faultf(unsupported, "the rows of %s are those of a query, of no table", cmp.Or(t.name, "the view"))
	case t.table == "":
		t.problem = faultf(unsupported, "%s names no table of the warehouse", cmp.Or(t.name, "the view"))
	}
}

// add adds the item of a member, unless a key or its table leaves it out.
func (t *logical) add(kind ItemKind, n *yaml.Node, known keys, read func(*Item)) {
	i := Item{
		Kind: kind, Table: t.table, Name: textOf(n, "name"), Label: textOf(n, "display_name"),
		Description: cmp.Or(textOf(n, "description"), textOf(n, "comment")), Synonyms: texts(at(n, "synonyms")),
	}
	if t.problem != nil {
		i.refuse(t.problem)
	}
	if known.unknown(&i, n); i.LeftOut == "" {
		read(&i)
	}
	t.reader.add(i, n.Line)
}

// columns adds the items of the fields in a list.
func (t *logical) columns(n *yaml.Node, known keys) {
	for _, f := range entries(n) {
		t.add(Column, f, known, func(i *Item) {
			if node, problem := t.field(strings.ToLower(i.Name), 0); problem != nil {
				i.refuse(problem)
			} else {
				i.column(node)
			}
			if yes(f, "is_enum") {
				i.Values = texts(at(f, "sample_values"))
			}
		})
	}
}

// selection returns the tokens of an expression.
func (t *logical) selection(sql string) (*selection, *fault) {
	tokens, err := lexis.Tokens(sql, nil)
	switch {
	case strings.Contains(sql, "{{") || strings.Contains(sql, "{%"):
		return nil, faultf(templated, "a template is not run; write what it stands for")
	case err != nil:
		return nil, faultf(unsupported, "the SQL cannot be read: %s", err.Error())
	case len(tokens) == 0:
		return nil, faultf(unsupported, "it has no expr")
	}
	for _, token := range tokens {
		if word := token.Text(sql); t.texts && token.Kind == dialect.TokenQuoted && word[0] == '"' {
			return nil, faultf(unsupported, "%s is a text or a name; write a text in single quotes, a name in backquotes", word)
		}
	}
	return &selection{text: sql, tokens: tokens, tables: t.tables}, nil
}

// condition reads a condition on the rows, with its fields written out.
func (t *logical) condition(sql string) (expression.Node, *fault) {
	s, f := t.selection(sql)
	if f != nil {
		return nil, f
	}
	node, f := s.filter(s.tokens)
	if f != nil {
		return nil, f
	}
	return t.timeless(node)
}

// timeless writes the fields of a condition out, and refuses what chooses a period by one.
func (t *logical) timeless(condition expression.Node) (expression.Node, *fault) {
	if condition == nil {
		return nil, nil
	}
	node, f := t.expand(condition, "", 0)
	if f == nil {
		f = period(node)
	}
	return node, f
}

// field reads what a dimension or a fact computes over the columns of the table.
func (t *logical) field(key string, depth int) (expression.Node, *fault) {
	s, f := t.selection(exprOf(t.fields[key]))
	if f != nil {
		return nil, f
	}
	node, f := parse(s.span(s.tokens), t.tables...)
	if f != nil {
		return nil, f
	}
	_, plain := node.(*expression.Name)
	own := slices.ContainsFunc(expression.Names(node), func(n *expression.Name) bool { return strings.EqualFold(n.Parts[0], key) })
	switch c := expression.ClassOf(node); {
	case c == expression.Aggregated || c == expression.Mixed:
		return nil, faultf(unsupported, "%s aggregates rows, and is a value of each", textOf(t.fields[key], "name"))
	case own && !plain: // an expression that names it means either
		return nil, faultf(unsupported, "%s is a column, and what is computed of it; give them two names", textOf(t.fields[key], "name"))
	}
	return t.expand(node, key, depth)
}

// expand writes the fields in an expression out, each once; self names the column of a field that is called like it.
func (t *logical) expand(n expression.Node, self string, depth int) (expression.Node, *fault) {
	var problem *fault
	size := 0
	n, err := expression.Substitute(n, func(name *expression.Name) (expression.Node, error) {
		key := strings.ToLower(name.Parts[0])
		if problem != nil || key == self || t.fields[key] == nil {
			return nil, nil
		}
		text, f := t.written.of(key, depth, func() (expression.Node, *fault) { return t.field(key, depth+1) })
		if size += len(text); f == nil && size > expression.MaxTextBytes {
			f = faultf(unsupported, "it is longer than %d bytes when dimensions are written out", expression.MaxTextBytes)
		}
		if problem = f; f != nil {
			return nil, nil
		}
		node, f := parse(text)
		problem = f
		return node, nil
	})
	if problem == nil && err != nil {
		problem = faultf(unsupported, "%v", err)
	}
	return n, problem
}

// define makes an item the measure that a node computes over the rows of the conditions.
func (t *logical) define(i *Item, n expression.Node, conditions ...expression.Node) {
	n, f := t.expand(n, "", 0)
	var all []expression.Node
	for _, c := range conditions {
		if f == nil && c != nil {
			c, f = t.timeless(c)
			all = append(all, c)
		}
	}
	if f != nil {
		i.refuse(f)
		return
	}
	i.define(n, conjoin(all))
}

// derive makes an item a calculation over other measures of the table, all of which it names.
func (t *logical) derive(i *Item, n expression.Node) {
	n, f := t.renamed(n)
	if f != nil {
		i.refuse(f)
		return
	}
	i.derive(n)
}

// renamed writes the names of measures as they are defined.
func (t *logical) renamed(n expression.Node) (expression.Node, *fault) {
	var f *fault
	n, err := expression.Substitute(n, func(name *expression.Name) (expression.Node, error) {
		m := t.measures[strings.ToLower(name.Parts[0])]
		if m == nil {
			f = faultf(unsupported, "%s is no measure of the snippet", name.Parts[0])
			return nil, nil
		}
		return &expression.Name{Parts: []string{textOf(m, "name")}}, nil
	})
	if err != nil {
		f = faultf(unsupported, "%v", err)
	}
	return n, f
}
