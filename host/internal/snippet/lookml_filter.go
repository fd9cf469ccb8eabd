package snippet

import (
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/text"
)

// filters reads the filters of a measure, all of which hold: [dimension: "value", …], or
// blocks of field and value. nil = there are none.
func (r *lookReader) filters(v *view, e *block) (expression.Node, *fault) {
	var all []expression.Node
	add := func(name, value string) *fault {
		node, f := r.condition(v, strings.TrimPrefix(name, v.name+"."), value)
		if f == nil {
			all = append(all, node)
		}
		return f
	}
	for _, b := range e.all("filters") {
		if b.entries != nil || b.list == nil {
			if f := add(b.text("field"), b.text("value")); f != nil {
				return nil, f
			}
			continue
		}
		if len(b.list) != 2*b.colons {
			return nil, faultf(unsupported, "the filters are no pairs of dimension and value")
		}
		for i := 0; i < len(b.list); i += 2 {
			if f := add(b.list[i], b.list[i+1]); f != nil {
				return nil, f
			}
		}
	}
	return conjoin(all), nil
}

// plainText is a value that only a text has; lookName is how a column is called.
var (
	plainText = text.Pattern(`^[\pL][\pL _-]*$`)
	lookName  = text.Pattern(`^[A-Za-z_]\w*$`)
)

// truth reports whether a value is one of a condition.
func truth(value string) bool {
	switch strings.ToLower(value) {
	case "yes", "no", "true", "false", "null":
		return true
	}
	return false
}

// condition reads one filter expression, whose form depends on the dimension's type.
func (r *lookReader) condition(v *view, name, value string) (expression.Node, *fault) {
	d := v.dimensions[name]
	if group := v.dimensions[frame().ReplaceAllString(name, "")]; d == nil && group != nil && group.key == "dimension_group" || d != nil && d.key == "dimension_group" {
		return nil, faultf(periodInFilter, "%s: %q chooses a period; a request does that", name, value)
	}
	if strings.Contains(name, ".") {
		return nil, faultf(joinNeeded, "%s is of another view", name)
	}
	if d == nil && lookName().MatchString(name) && plainText().MatchString(value) && !truth(value) { // a column that the fragment does not declare
		return textFilter(&expression.Name{Parts: []string{name}}, value)
	}
	if d == nil {
		return nil, faultf(unsupported, "%s is no dimension of the snippet, so that its type is not known", name)
	}
	x, f := r.sql(v, lookSQL(d), 0)
	if f != nil {
		return nil, f
	}
	switch kind := d.text("type"); kind {
	case "", "string", "zipcode":
		return textFilter(x, value)
	case "number":
		return numberFilter(x, value)
	case "yesno":
		return truthFilter(x, value)
	case "date", "date_time", "time":
		return nil, faultf(periodInFilter, "%s: %q chooses a period; a request does that", name, value)
	default:
		return nil, faultf(unsupported, "a filter on a dimension of type %s is not read", kind)
	}
}

// underscore stands for ^_ while a filter is read.
const underscore = "\x00"

// textFilter reads "a", "a,b", "-a" and NULL. Rows without a value are not "a", so that
// they fulfil "-a". A lone _ is any one character, also where no % stands: "a_b" is LIKE 'a_b', "a^_b" is = 'a_b'. Of
// several values, or of one that is excluded, it is not read.
// Source: "Looker filter expressions", section String, and the grammar of Looker's filter-expressions package.
func textFilter(x expression.Node, value string) (expression.Node, *fault) {
	if strings.Contains(value, underscore) {
		return nil, faultf(unsupported, "the filter %q is not read; write it in SQL", value)
	}
	value = strings.ReplaceAll(value, "^_", underscore)
	switch {
	case strings.Contains(value, "_") && !strings.ContainsAny(value, ",%^\"\\{}"+underscore) && !strings.HasPrefix(value, "-"):
		return &expression.Match{Kind: expression.Like, X: x, Pattern: expression.Text(value)}, nil
	case strings.Contains(value, "_"):
		return nil, faultf(unsupported, "_ in the filter %q stands for any one character; write ^_ for the character itself", strings.ReplaceAll(value, underscore, "^_"))
	case strings.EqualFold(value, "NULL"):
		return &expression.IsNull{X: x}, nil
	case strings.EqualFold(value, "-NULL"):
		return &expression.IsNull{X: x, Negated: true}, nil
	case value == "" || strings.ContainsAny(value, "%^\"\\{}") || strings.Contains(strings.ToUpper(value), "EMPTY"):
		return nil, faultf(unsupported, "the filter %q is not read; write it in SQL", value)
	}
	var in, not []expression.Node
	for _, part := range strings.Split(value, ",") {
		part = strings.ReplaceAll(strings.TrimSpace(part), underscore, "_")
		other, negated := strings.CutPrefix(part, "-")
		switch {
		case part == "" || other == "" || strings.EqualFold(other, "NULL"):
			return nil, faultf(unsupported, "the filter %q is not read; write it in SQL", value)
		case negated:
			not = append(not, &expression.Binary{Op: expression.Distinct, Left: x, Right: expression.Text(other)})
		default:
			in = append(in, expression.Text(part))
		}
	}
	return combined(x, in, not, value)
}

func combined(x expression.Node, in, not []expression.Node, value string) (expression.Node, *fault) {
	switch {
	case len(in) > 0 && len(not) > 0:
		return nil, faultf(unsupported, "the filter %q both takes and excludes; write it in SQL", value)
	case len(not) > 0:
		return conjoin(not), nil
	case len(in) == 1:
		return &expression.Binary{Op: expression.Equal, Left: x, Right: in[0]}, nil
	}
	return &expression.In{X: x, List: in}, nil
}

var (
	compared = text.Pattern(`^(>=|<=|<>|!=|>|<|=|(?i:NOT)\s)?\s*(-?\d+(?:\.\d+)?)$`)
	numeric  = text.Pattern(`^-?\d+(?:\.\d+)?$`)
)

// numberFilter reads 5, "1,2", >5, NOT 5 and NULL.
func numberFilter(x expression.Node, value string) (expression.Node, *fault) {
	value = strings.TrimSpace(value)
	if strings.EqualFold(value, "NULL") || strings.EqualFold(value, "NOT NULL") {
		return &expression.IsNull{X: x, Negated: len(value) > 4}, nil
	}
	if parts := strings.Split(value, ","); len(parts) > 1 {
		var in []expression.Node
		for _, part := range parts {
			part = strings.TrimSpace(part)
			node, err := expression.Parse(part)
			if !numeric().MatchString(part) || err != nil {
				return nil, faultf(unsupported, "the filter %q is not read; write it in SQL", value)
			}
			in = append(in, node)
		}
		return combined(x, in, nil, value)
	}
	m := compared().FindStringSubmatch(value)
	if m == nil {
		return nil, faultf(unsupported, "the filter %q is not read; write it in SQL", value)
	}
	n, err := expression.Parse(m[2])
	if err != nil {
		return nil, faultf(unsupported, "the filter %q is not read; write it in SQL", value)
	}
	op := expression.BinaryOp(strings.TrimSpace(m[1]))
	switch strings.ToUpper(string(op)) {
	case "":
		op = expression.Equal
	case "<>", "!=", "NOT": // rows without a value too
		op = expression.Distinct
	}
	return &expression.Binary{Op: op, Left: x, Right: n}, nil
}

// truthFilter reads yes and no; no is whatever is not true.
func truthFilter(x expression.Node, value string) (expression.Node, *fault) {
	switch strings.ToLower(value) {
	case "yes", "true":
		return x, nil
	case "no", "false":
		return &expression.Unary{Op: expression.Not, X: &expression.Call{Function: "coalesce", Args: []expression.Node{x, expression.Bool(false)}}}, nil
	}
	return nil, faultf(unsupported, "the filter %q of a yesno is neither yes nor no", value)
}
