package request

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/refusal"
)

var (
	filterKeys    = []string{"sql", "field", "via", "op", "values", "measure", "per", "filter", "left", "right", "and", "or", "not", "any", "none", "all"}
	filterAliases = map[string]string{
		"member": "field", "dimension": "field", "column": "field", "id": "field", "metric": "measure",
		"operator": "op", "operation": "op", "comparison": "op", "value": "values", "path": "via",
		"expr": "sql", "expression": "sql", "where": "sql",
	}
	operandKeys    = []string{"measure", "per", "scope", "times"}
	operandAliases = map[string]string{"metric": "measure", "factor": "times"}
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

func (n *normaliser) topFilters(g given) error {
	if last := g.key[strings.LastIndexByte(g.key, '.')+1:]; snake(last) == "having" {
		n.note("having", g.key+" was put with the filters, where conditions on measures are")
	}
	filters, err := n.filterList(g)
	n.r.Filters = append(n.r.Filters, filters...)
	return err
}

// filterList reads conditions that all hold.
func (n *normaliser) filterList(g given) ([]Filter, error) {
	all, err := n.list(g, maxFilters)
	if err != nil {
		return nil, err
	}
	filters := make([]Filter, len(all))
	for i, one := range all {
		if filters[i], err = n.filter(one); err != nil {
			return nil, err
		}
	}
	return filters, nil
}

func (n *normaliser) filter(g given) (Filter, error) {
	if n.filters++; n.filters > maxFilters {
		return Filter{}, refusal.Invalid(g.key, "the request has more than %d conditions", maxFilters).Advise("use in with a list of values")
	}
	switch v := g.value.(type) {
	case string:
		if o, ok := n.encodedObject(g, v); ok {
			return n.filterObject(g, o)
		}
		return n.filterText(g)
	case *object:
		return n.filterObject(g, v)
	}
	return Filter{}, refusal.Invalid(g.key, "a filter is a text or an object, not %s", ValueWords(g.value)).Advise(filterExample)
}

func (n *normaliser) filterText(g given) (Filter, error) {
	if text, ok := g.value.(string); ok && strings.Contains(text, "{{") {
		if plain, ok := withoutTemplates(text); ok {
			n.note("template", g.key+" was read without its {{ … }}: "+refusal.Quote(plain))
			g.value = plain
		}
	}
	text, err := g.condition()
	return Filter{SQL: text}, err
}

// template is a reference as MetricFlow writes it.
var template = regexp.MustCompile(`^\{\{\s*(Dimension|TimeDimension|Entity|Metric)\(\s*'([A-Za-z0-9_.]+)'\s*(?:,\s*'([a-z]+)'\s*)?\)\s*\}\}`)

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
		m := template.FindStringSubmatch(text[i:])
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

func (n *normaliser) filterObject(g given, o *object) (f Filter, err error) {
	fields, err := n.keys(g.key, o, filterKeys, filterAliases)
	if err != nil {
		return f, err
	}
	if len(fields) == 1 {
		for key, one := range fields {
			switch key {
			case "sql", "filter":
				n.note("sql", g.key+" was read as an expression")
				return n.filterText(one[0])
			case "and":
				f.And, err = n.group(one[0])
				return f, err
			case "or":
				f.Or, err = n.group(one[0])
				return f, err
			case "not":
				inner, err := n.filter(one[0])
				return Filter{Not: &inner}, err
			case "any", "none", "all":
				return n.related(key, one[0])
			}
		}
	}
	for _, key := range []string{"sql", "and", "or", "not", "any", "none", "all"} {
		if fields[key] != nil {
			return f, refusal.Invalid(g.key, "%q stands alone in a filter", key).Advise(`write {"and": [{…}, {…}]}`)
		}
	}
	return n.comparison(g, fields)
}

// related reads the condition of any, none and all.
func (n *normaliser) related(key string, g given) (f Filter, err error) {
	if _, several := g.value.([]any); several {
		return f, refusal.Invalid(g.key, "%s takes one condition on related rows, not a list", key).
			Advise(`write {%q: {"field": "orders.status", "op": "equals", "values": ["paid"]}}; and, or join conditions`, key)
	}
	inner, err := n.filter(g)
	switch key {
	case "any":
		f.Any = &inner
	case "none":
		f.None = &inner
	default:
		f.All = &inner
	}
	return f, err
}

// group reads the conditions of and and or.
func (n *normaliser) group(g given) ([]Filter, error) {
	all, err := n.filterList(g)
	if err == nil && len(all) == 0 {
		err = refusal.Invalid(g.key, "the list is empty").Advise("name at least one condition, or leave it out")
	}
	return all, err
}

// comparison reads {field, op, values} or {left, op, right}.
func (n *normaliser) comparison(g given, fields map[string][]given) (f Filter, err error) {
	field, measure := fields["field"], fields["measure"]
	if measure != nil && field == nil && fields["per"] == nil && fields["filter"] == nil {
		n.note("measure", g.key+".measure was read as field")
		field, measure = measure, nil
	}
	if measure != nil || fields["per"] != nil || fields["filter"] != nil {
		return n.ofEntity(g, fields)
	}
	if left := fields["left"]; left != nil {
		if field != nil || fields["right"] == nil {
			return f, refusal.Invalid(g.key, "left stands with right").Advise(`write {"left": "order_items.qty", "op": "lt", "right": {"measure": …, "per": […]}}`)
		}
		field = left
	}
	op := fields["op"]
	if field == nil || op == nil {
		return f, refusal.Invalid(g.key, "a comparison has a field and an op").Advise(filterExample)
	}
	if f.Field, err = n.name(field[0]); err != nil {
		return f, err
	}
	if via := fields["via"]; via != nil {
		if f.Via, err = n.names(via[0]); err != nil {
			return f, err
		}
	}
	if right := fields["right"]; right != nil {
		if fields["values"] != nil {
			return f, refusal.Invalid(g.key, "a comparison has values or right, not both").Advise(filterExample)
		}
		if f.Op, err = n.operator(op[0]); err == nil {
			f.Right, err = n.operand(right[0])
		}
		return f, err
	}
	err = n.compare(g, &f, fields)
	return f, err
}

const perExample = `write {"measure": "orders.order_count", "per": ["customers.id"], "op": "gt", "values": [1]}`

// ofEntity reads {measure, per, filter, op, values}.
func (n *normaliser) ofEntity(g given, fields map[string][]given) (f Filter, err error) {
	for _, key := range []string{"field", "via", "left", "right"} {
		if fields[key] != nil {
			return f, refusal.Invalid(g.key, "%s does not stand with the value of a measure per entity", key).Advise(perExample)
		}
	}
	measure, per := fields["measure"], fields["per"]
	if measure == nil || per == nil || fields["op"] == nil {
		return f, refusal.Invalid(g.key, "the value of a measure per entity has a measure, per and an op").Advise(perExample)
	}
	if f.Measure, err = n.name(measure[0]); err != nil {
		return f, err
	}
	if f.Per, err = n.names(per[0]); err != nil {
		return f, err
	}
	if len(f.Per) == 0 {
		return f, refusal.Invalid(per[0].key, "it does not say per what %s is", f.Measure).About(f.Measure).Advise(perExample)
	}
	if rows := fields["filter"]; rows != nil {
		if f.Rows, err = rows[0].condition(); err != nil {
			return f, err
		}
	}
	err = n.compare(g, &f, fields)
	return f, err
}

// compare reads the operator and the values of a comparison.
func (n *normaliser) compare(g given, f *Filter, fields map[string][]given) (err error) {
	if f.Op, err = n.operator(fields["op"][0]); err != nil {
		return err
	}
	if values := fields["values"]; values != nil {
		if f.Values, err = n.values(values[0]); err != nil {
			return err
		}
	}
	if several := map[Op]Op{OpEquals: OpIn, OpNotEquals: OpNotIn}[f.Op]; several != "" && len(f.Values) > 1 {
		n.note("several", fmt.Sprintf("%s with several values was read as %s", g.key, several))
		f.Op = several
	}
	return nil
}

func (n *normaliser) operator(g given) (Op, error) {
	s, err := g.text("an operator")
	if err != nil {
		return "", err
	}
	if _, ok := operators[Op(s)]; ok {
		return Op(s), nil
	}
	word := snake(strings.TrimSpace(s))
	op := Op(word)
	if strings.ToUpper(s) == s { // NOT IN
		op = Op(strings.ReplaceAll(strings.ToLower(strings.TrimSpace(s)), " ", "_"))
	}
	if alias, ok := opAliases[string(op)]; ok {
		op = alias
	}
	if _, ok := operators[op]; !ok {
		return "", noOperator(g.key, s)
	}
	n.note("op "+s, fmt.Sprintf("%s %s was read as %s", g.key, refusal.Quote(s), op))
	return op, nil
}

// values reads the values of a comparison.
func (n *normaliser) values(g given) ([]any, error) {
	all, err := n.list(g, maxValues)
	if err != nil {
		return nil, err
	}
	var values []any
	for _, one := range all {
		switch v := one.value.(type) {
		case []any, *object:
			return nil, refusal.Invalid(one.key, "a value is a text, a number, true, false or null, not %s", ValueWords(v)).Advise("write the values in one list")
		case string:
			if err := CheckText(one.key, v); err != nil {
				return nil, err
			}
		}
		values = append(values, one.value)
	}
	return values, nil
}

// operand reads a measure at a fixed grain.
func (n *normaliser) operand(g given) (*Operand, error) {
	o, ok := g.value.(*object)
	if !ok {
		return nil, refusal.Invalid(g.key, "it is an object, not %s", ValueWords(g.value)).Advise(`write {"measure": "order_items.avg_qty", "per": ["products.id"]}`)
	}
	fields, err := n.keys(g.key, o, operandKeys, operandAliases)
	if err != nil {
		return nil, err
	}
	right := &Operand{}
	if fields["measure"] == nil {
		return nil, refusal.Invalid(g.key, "it names no measure").Advise(`write {"measure": "order_items.avg_qty", "per": ["products.id"]}`)
	}
	if right.Measure, err = n.name(fields["measure"][0]); err != nil {
		return nil, err
	}
	if f := fields["per"]; f != nil {
		if right.Per, err = n.names(f[0]); err != nil {
			return nil, err
		}
	}
	if f := fields["scope"]; f != nil {
		scopes := []string{"filtered", "unfiltered"}
		word, err := f[0].oneOf(scopes)
		if err != nil {
			return nil, err
		}
		right.Unfiltered = word == "unfiltered"
	}
	if f := fields["times"]; f != nil {
		number, ok := numberValue(f[0].value)
		if !ok || number == 0 {
			return nil, refusal.Invalid(f[0].key, "a factor is a number other than 0, not %s", ValueWords(f[0].value)).Advise("write a number: 0.2")
		}
		right.Times = number
	}
	return right, nil
}

// oneOf reads one of a few words.
func (g given) oneOf(words []string) (string, error) {
	s, ok := g.value.(string)
	if ok && slices.Contains(words, s) {
		return s, nil
	}
	return "", refusal.Invalid(g.key, "it is one of %s, not %s", refusal.Listed(words), ValueWords(g.value)).Meant(refusal.Nearest(s, words)).Advise("write %q", words[0])
}
