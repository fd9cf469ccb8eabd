package request

import (
	"fmt"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/host/internal/text"
)

// The keys of a filter, which has filters in it.
var (
	filterKeys    = []string{"sql", "field", "via", "op", "values", "measure", "per", "filter", "left", "right", "and", "or", "not", "any", "none", "all"}
	filterAliases = map[string]string{
		"member": "field", "dimension": "field", "column": "field", "id": "field", "metric": "measure",
		"operator": "op", "operation": "op", "comparison": "op", "value": "values", "path": "via",
		"expr": "sql", "expression": "sql", "where": "sql",
	}
)

// opAliases are other words for the operators.
var opAliases = map[string]Op{
	"=": OpEquals, "==": OpEquals, "eq": OpEquals, "equal": OpEquals, "is": OpEquals, "on_the_date": OpInDateRange,
	"!=": OpNotEquals, "<>": OpNotEquals, "ne": OpNotEquals, "neq": OpNotEquals, "not_equal": OpNotEquals, "is_not": OpNotEquals,
	">": OpGreater, ">=": OpAtLeast, "ge": OpAtLeast, "<": OpLess, "<=": OpAtMost, "le": OpAtMost,
	"greater_than": OpGreater, "less_than": OpLess, "nin": OpNotIn, "notin": OpNotIn, "one_of": OpIn, "none_of": OpNotIn,
	"set": OpIsNotNull, "not_null": OpIsNotNull, "not_set": OpIsNull, "null": OpIsNull, "isnull": OpIsNull, "notnull": OpIsNotNull,
	"before_date": OpBefore, "after_date": OpAfter, "before_or_on_date": OpAtMost, "after_or_on_date": OpAtLeast, "date_range": OpInDateRange,
	"startswith": OpStartsWith, "endswith": OpEndsWith,
}

const filterExample = `write "orders.status = 'paid'" or {"field": "orders.status", "op": "equals", "values": ["paid"]}`

func (n *normaliser) topFilters(g given, r *Request) {
	if last := g.key[strings.LastIndexByte(g.key, '.')+1:]; snake(last) == "having" {
		n.note("having", g.key+" was put with the filters, where conditions on measures are")
	}
	r.Filters = append(r.Filters, n.filterList(g)...)
}

// filterList reads conditions that all hold.
func (n *normaliser) filterList(g given) []Filter {
	all := n.list(g, maxFilters)
	filters := make([]Filter, len(all))
	for i, one := range all {
		filters[i] = n.filter(one)
	}
	return filters
}

func (n *normaliser) filter(g given) (f Filter) {
	if n.filters++; n.filters > maxFilters {
		n.invalid(g.key, "the request has more than %d conditions", maxFilters).Advise("use in with a list of values")
		return f
	}
	switch v := n.unpacked(g).(type) {
	case string:
		return n.filterText(g)
	case *object:
		return n.filterObject(g, v)
	default:
		n.invalid(g.key, "a filter is a text or an object, not %s", ValueWords(v)).Advise(filterExample)
	}
	return f
}

func (n *normaliser) filterText(g given) Filter {
	if text, ok := g.value.(string); ok && strings.Contains(text, "{{") {
		if plain, ok := withoutTemplates(text); ok {
			n.note("template", g.key+" was read without its {{ … }}: "+refusal.Quote(plain))
			g.value = plain
		}
	}
	return Filter{SQL: n.condition(g)}
}

// template is a reference as MetricFlow writes it.
var template = text.Pattern(`^\{\{\s*(Dimension|TimeDimension|Entity|Metric)\(\s*'([A-Za-z0-9_.]+)'\s*(?:,\s*'([a-z]+)'\s*)?\)\s*\}\}`)

// withoutTemplates writes {{ Dimension('customer__segment') }} as
// customer.segment; false where there is something else in braces.
func withoutTemplates(text string) (string, bool) {
	var b strings.Builder
	quoted := false
	for i := 0; i < len(text); i++ {
		if text[i] == '\'' {
			quoted = !quoted
		}
		if quoted || !strings.HasPrefix(text[i:], "{{") {
			b.WriteByte(text[i])
			continue
		}
		m := template().FindStringSubmatch(text[i:])
		if m == nil {
			return "", false
		}
		name := strings.ReplaceAll(m[2], "__", ".")
		switch {
		case m[3] != "":
			name = fmt.Sprintf("date_trunc('%s', %s)", m[3], name)
		case m[1] == "Metric":
			name = m[2]
		}
		b.WriteString(name)
		i += len(m[0]) - 1
	}
	return b.String(), true
}

func (n *normaliser) filterObject(g given, o *object) (f Filter) {
	said := n.fields(g.key, o, filterKeys, filterAliases)
	for _, key := range []string{"sql", "and", "or", "not", "any", "none", "all"} {
		if !said.has(key) {
			continue
		}
		if len(said) > 1 {
			n.invalid(g.key, "%q stands alone in a filter", key).Advise(`write {"and": [{…}, {…}]}`)
			return f
		}
		switch inner := said[key][0]; key {
		case "and":
			f.And = n.group(inner)
		case "or":
			f.Or = n.group(inner)
		case "not":
			f.Not = n.inner(inner)
		case "any":
			f.Any = n.related(key, inner)
		case "none":
			f.None = n.related(key, inner)
		case "all":
			f.All = n.related(key, inner)
		default:
			return n.sql(g, inner)
		}
		return f
	}
	if said.has("filter") && len(said) == 1 {
		return n.sql(g, said["filter"][0])
	}
	return n.comparison(g, said)
}

// sql reads the text of an object that has nothing else.
func (n *normaliser) sql(g, text given) Filter {
	n.note("sql", g.key+" was read as an expression")
	return n.filterText(text)
}

func (n *normaliser) inner(g given) *Filter {
	f := n.filter(g)
	return &f
}

// related reads the condition of any, none and all.
func (n *normaliser) related(key string, g given) *Filter {
	if _, several := g.value.([]any); several {
		n.invalid(g.key, "%s takes one condition on related rows, not a list", key).
			Advise(`write {%q: {"field": "orders.status", "op": "equals", "values": ["paid"]}}; and, or join conditions`, key)
	}
	return n.inner(g)
}

// group reads the conditions of and and or.
func (n *normaliser) group(g given) []Filter {
	all := n.filterList(g)
	if len(all) == 0 {
		n.invalid(g.key, "the list is empty").Advise("name at least one condition, or leave it out")
	}
	return all
}

// comparison reads {field, op, values}, {left, op, right} or {measure, per, filter, op, values}.
func (n *normaliser) comparison(g given, said fields) (f Filter) {
	field := said["field"]
	switch {
	case n.refused != nil:
		return f
	case said.has("measure") && !said.has("field", "per", "filter"):
		n.note("measure", g.key+".measure was read as field")
		field = said["measure"]
	case said.has("measure", "per", "filter"):
		return n.ofEntity(g, said)
	case said.has("left") && (said.has("field") || !said.has("right")):
		n.invalid(g.key, "left stands with right").Advise(`write {"left": "order_items.qty", "op": "lt", "right": {"measure": …, "per": […]}}`)
		return f
	case said.has("left"):
		field = said["left"]
	}
	switch {
	case field == nil || !said.has("op"):
		n.invalid(g.key, "a comparison has a field and an op").Advise(filterExample)
		return f
	case said.has("right") && said.has("values"):
		n.invalid(g.key, "a comparison has values or right, not both").Advise(filterExample)
		return f
	}
	f.Field = n.name(field[0])
	for _, via := range said["via"] {
		f.Via = n.names(via)
	}
	n.compare(g, &f, said)
	for _, right := range said["right"] {
		f.Right = n.operand(right)
	}
	return f
}

const perExample = `write {"measure": "orders.order_count", "per": ["customers.id"], "op": "gt", "values": [1]}`

// ofEntity reads {measure, per, filter, op, values}.
func (n *normaliser) ofEntity(g given, said fields) (f Filter) {
	for _, key := range []string{"field", "via", "left", "right"} {
		if said.has(key) {
			n.invalid(g.key, "%s does not stand with the value of a measure per entity", key).Advise(perExample)
			return f
		}
	}
	if !said.has("measure") || !said.has("per") || !said.has("op") {
		n.invalid(g.key, "the value of a measure per entity has a measure, per and an op").Advise(perExample)
		return f
	}
	f.Measure, f.Per = n.name(said["measure"][0]), n.names(said["per"][0])
	if len(f.Per) == 0 {
		n.invalid(said["per"][0].key, "it does not say per what %s is", f.Measure).About(f.Measure).Advise(perExample)
	}
	for _, rows := range said["filter"] {
		f.Rows = n.condition(rows)
	}
	n.compare(g, &f, said)
	return f
}

// compare reads the operator and the values of a comparison.
func (n *normaliser) compare(g given, f *Filter, said fields) {
	f.Op = n.operator(said["op"][0])
	for _, values := range said["values"] {
		f.Values = n.values(values)
	}
	if several := map[Op]Op{OpEquals: OpIn, OpNotEquals: OpNotIn}[f.Op]; several != "" && len(f.Values) > 1 {
		n.note("several", fmt.Sprintf("%s with several values was read as %s", g.key, several))
		f.Op = several
	}
}

// NamedOp returns the operator of a word: its own name, or another word for it such as "=" or "NOT IN". ok is false for
// an unknown word, which op repeats.
func NamedOp(word string) (op Op, ok bool) {
	if _, ok := operators[Op(word)]; ok {
		return Op(word), true
	}
	op = Op(snake(strings.TrimSpace(word)))
	if strings.ToUpper(word) == word { // NOT IN
		op = Op(strings.ReplaceAll(strings.ToLower(strings.TrimSpace(word)), " ", "_"))
	}
	if alias, ok := opAliases[string(op)]; ok {
		op = alias
	}
	_, ok = operators[op]
	return op, ok
}

func (n *normaliser) operator(g given) Op {
	s := n.text(g, "an operator")
	op, ok := NamedOp(s)
	switch {
	case !ok:
		n.fail(noOperator(g.key, s))
	case string(op) == s:
		return op
	}
	n.note("op "+s, fmt.Sprintf("%s %s was read as %s", g.key, refusal.Quote(s), op))
	return op
}

// values reads the values of a comparison.
func (n *normaliser) values(g given) (values []any) {
	for _, one := range n.list(g, maxValues) {
		switch v := one.value.(type) {
		case []any, *object:
			n.invalid(one.key, "a value is a text, a number, true, false or null, not %s", ValueWords(v)).Advise("write the values in one list")
		case string:
			if err := CheckText(one.key, v); err != nil {
				n.fail(err)
			}
		}
		values = append(values, one.value)
	}
	return values
}

var operandForm = form[Operand]{
	members: []member[Operand]{
		{"measure", func(n *normaliser, g given, right *Operand) { right.Measure = n.name(g) }},
		{"per", func(n *normaliser, g given, right *Operand) { right.Per = n.names(g) }},
		{"scope", func(n *normaliser, g given, right *Operand) {
			right.Unfiltered = n.oneOf(g, "filtered", "unfiltered") == "unfiltered"
		}},
		{"times", func(n *normaliser, g given, right *Operand) {
			var ok bool
			if right.Times, ok = numberValue(g.value); !ok || right.Times == 0 {
				n.invalid(g.key, "a factor is a number other than 0, not %s", ValueWords(g.value)).Advise("write a number: 0.2")
			}
		}},
	},
	aliases: map[string]string{"metric": "measure", "factor": "times"},
}

// operand reads a measure at a fixed grain.
func (n *normaliser) operand(g given) *Operand {
	const example = `write {"measure": "order_items.avg_qty", "per": ["products.id"]}`
	right := &Operand{}
	o, ok := g.value.(*object)
	if !ok {
		n.invalid(g.key, "it is an object, not %s", ValueWords(g.value)).Advise(example)
		return right
	}
	if said := operandForm.read(n, g.key, o, right); !said.has("measure") {
		n.invalid(g.key, "it names no measure").Advise(example)
	}
	return right
}
