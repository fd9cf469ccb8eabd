package request

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/sdk/dialect"
)

var orderForm = form[Order]{
	members: []member[Order]{
		{"field", func(n *normaliser, g given, o *Order) { o.Field = n.column(g) }},
		{"direction", (*normaliser).direction},
		{"desc", func(n *normaliser, g given, o *Order) {
			o.Desc = n.truth(g)
			n.note("desc", fmt.Sprintf("%s was read as the direction of %s", g.key, refusal.Short(o.Field)))
		}},
		{"nulls", func(n *normaliser, g given, o *Order) {
			if n.oneOf(g, string(NullsLast), string(NullsFirst)) == string(NullsFirst) {
				o.Nulls = NullsFirst
			}
		}},
		{"granularity", nil},
	},
	aliases: map[string]string{
		"id": "field", "member": "field", "measure": "field", "dimension": "field", "column": "field", "name": "field", "by": "field",
		"dir": "direction", "order": "direction", "sort": "direction", "descending": "desc", "grain": "granularity", "null": "nulls",
	},
}

// directions are the words for the order of a key: true is descending.
var directions = map[string]bool{"asc": false, "ascending": false, "desc": true, "descending": true}

const orderExample = `write {"field": "orders.revenue", "direction": "desc"}`

func (n *normaliser) orderBy(g given, r *Request) {
	if o, ok := g.value.(*object); ok && !isOrderKey(o) {
		for i, key := range o.keys {
			n.orderPair(given{inside(g.key, key), nil}, key, o.values[i], r)
		}
		return
	}
	if pair, ok := g.value.([]any); ok && len(pair) == 2 && isDirection(pair[1]) && !isDirection(pair[0]) {
		g.value = []any{pair}
	}
	if text, ok := g.value.(string); ok && strings.Contains(text, ",") {
		if _, list := decodeList(text); !list {
			g.value = splitCommas(text)
			n.note("commas", fmt.Sprintf("%s was read as a list", g.key))
		}
	}
	for _, one := range n.list(g, maxMembers) {
		n.order(one, r)
	}
}

// splitCommas cuts a text at commas outside of quoted names.
func splitCommas(text string) (all []any) {
	start, quoted := 0, false
	for i, r := range text {
		switch {
		case r == '"':
			quoted = !quoted
		case r == ',' && !quoted:
			all = append(all, text[start:i])
			start = i + 1
		}
	}
	return append(all, text[start:])
}

// isOrderKey tells {field: …} from {"orders.revenue": "desc"}.
func isOrderKey(o *object) bool {
	return slices.ContainsFunc(o.keys, func(key string) bool {
		word := snake(key)
		return word == "field" || orderForm.aliases[word] == "field" && !isDirection(o.get(key))
	})
}

func isDirection(v any) bool {
	s, ok := v.(string)
	_, known := directions[strings.ToLower(s)]
	return ok && known
}

func (n *normaliser) order(g given, r *Request) {
	switch v := n.unpacked(g).(type) {
	case string:
		n.orderText(g, v, r)
		return
	case []any:
		if len(v) == 2 && isText(v[0]) {
			n.orderPair(g, v[0].(string), v[1], r)
			return
		}
	case *object:
		if isOrderKey(v) {
			n.orderObject(g, v, r)
			return
		}
		if len(v.keys) == 1 {
			n.orderPair(g, v.keys[0], v.values[0], r)
			return
		}
	}
	n.invalid(g.key, "%s is no order key", ValueWords(g.value)).Advise(orderExample)
}

// direction reads the direction of an order key.
func (n *normaliser) direction(g given, o *Order) {
	if !isDirection(g.value) {
		n.invalid(g.key, "a direction is asc or desc, not %s", ValueWords(g.value)).Advise(orderExample)
		return
	}
	word := g.value.(string)
	if o.Desc = directions[strings.ToLower(word)]; word != "asc" && word != "desc" {
		n.note("direction", fmt.Sprintf("%s was read as %s", g.key, o.words()))
	}
}

// orderPair reads a field and a direction.
func (n *normaliser) orderPair(g given, field string, direction any, r *Request) {
	if !isDirection(direction) {
		n.invalid(g.key, "a direction is asc or desc, not %s", ValueWords(direction)).Advise(orderExample)
		return
	}
	o := Order{Field: field, Desc: directions[strings.ToLower(direction.(string))]}
	n.note("order pair", fmt.Sprintf("%s was read as %s", g.key, o.words()))
	n.addOrder(g, o, true, r)
}

func (o Order) words() string {
	word := "ascending"
	if o.Desc {
		word = "descending"
	}
	return refusal.Short(o.Field) + " " + word
}

// orderText reads "revenue", "-revenue", "revenue desc", "revenue desc nulls first".
func (n *normaliser) orderText(g given, text string, r *Request) {
	if r.hasColumn(text) {
		n.addOrder(g, Order{Field: text}, false, r)
		return
	}
	o := Order{Field: strings.TrimSpace(text)}
	switch {
	case strings.HasPrefix(o.Field, "-"):
		o.Field, o.Desc = strings.TrimSpace(o.Field[1:]), true
	case strings.HasPrefix(o.Field, "+"):
		o.Field = strings.TrimSpace(o.Field[1:])
	}
	signed := o.Field != strings.TrimSpace(text)
	words := strings.Fields(o.Field)
	if k := len(words); k > 2 && strings.EqualFold(words[k-2], "nulls") {
		nulls := Nulls(strings.ToLower(words[k-1]))
		if nulls == NullsFirst || nulls == NullsLast {
			words = words[:k-2]
			o.Field = cutWords(o.Field, 2)
			if nulls == NullsFirst {
				o.Nulls = nulls
			}
		}
	}
	if k := len(words); k > 1 && isDirection(words[k-1]) && !signed {
		o.Desc = directions[strings.ToLower(words[k-1])]
		o.Field = cutWords(o.Field, 1)
	} else if at := strings.LastIndexByte(o.Field, ':'); at > 0 && isDirection(o.Field[at+1:]) && !signed {
		o.Desc = directions[strings.ToLower(o.Field[at+1:])]
		o.Field = o.Field[:at]
	}
	if o.Field != text {
		n.note("order", fmt.Sprintf("%s %s was read as %s", g.key, refusal.Quote(text), o.words()))
	}
	n.addOrder(g, o, true, r)
}

// cutWords drops the last words of a text.
func cutWords(s string, words int) string {
	for range words {
		s = strings.TrimRight(s, " \t\r\n")
		s = s[:strings.LastIndexAny(s, " \t\r\n")+1]
	}
	return strings.TrimSpace(s)
}

func (n *normaliser) orderObject(g given, v *object, r *Request) {
	var o Order
	said := orderForm.read(n, g.key, v, &o)
	switch {
	case n.refused != nil:
	case !said.has("field"):
		n.invalid(g.key, "it names no field").Advise(orderExample)
	case said.has("direction") && said.has("desc"):
		n.invalid(g.key, "it has a direction and desc").Advise(orderExample)
	case said.has("granularity"):
		at := said["granularity"][0]
		grain := n.grain(at)
		n.note("order grain", fmt.Sprintf("%s was read as the dimension with that granularity", at.key))
		n.orderByGrain(g, o, o.Field, grain, r)
	default:
		// The canonical key means what it says; another may have a period behind it.
		n.addOrder(g, o, said["field"][0].key != g.key+".field", r)
	}
}

// addOrder takes an order key: a column by its name, or a member.
func (n *normaliser) addOrder(g given, o Order, cutPeriod bool, r *Request) {
	if strings.TrimSpace(o.Field) == "" {
		n.invalid(g.key, "it names no field").Advise(orderExample)
		return
	}
	if field, grain := n.period(g, o.Field, cutPeriod, r); grain != "" {
		n.orderByGrain(g, o, field, grain, r)
		return
	}
	r.OrderBy = append(r.OrderBy, o)
}

// orderByGrain sorts by a dimension at one of its granularities.
func (n *normaliser) orderByGrain(g given, o Order, field string, grain dialect.Grain, r *Request) {
	o.Field = n.dimensionBy(g, field, grain, r)
	n.note("order grain", fmt.Sprintf("%s was read as %s", g.key, o.words()))
	r.OrderBy = append(r.OrderBy, o)
}

// period cuts the period off a member that is a dimension of the request by it; a
// column's name is none.
func (n *normaliser) period(g given, text string, cutPeriod bool, r *Request) (field string, grain dialect.Grain) {
	if r.hasColumn(text) {
		return text, ""
	}
	if n.checkName(g.key, text); n.refused != nil {
		return text, ""
	}
	name, _ := expression.ParseName(text)
	field, grain, ok := CutGrain(name)
	selected := func(d Dimension) bool { return d.Field == field && d.Grain == grain }
	if cutPeriod && ok && slices.ContainsFunc(r.Dimensions, selected) {
		return field, grain
	}
	return text, ""
}

// hasColumn reports whether a text is the name of a column that the request gives.
func (r *Request) hasColumn(text string) bool {
	return slices.ContainsFunc(r.Measures, func(m Measure) bool { return m.Name == text }) ||
		slices.ContainsFunc(r.Dimensions, func(d Dimension) bool { return d.Name == text && text != "" })
}

// dimensionBy is what names the dimension of a field by a period.
func (n *normaliser) dimensionBy(g given, field string, grain dialect.Grain, r *Request) string {
	var found *Dimension
	same := 0
	for i, d := range r.Dimensions {
		if d.Field != field {
			continue
		}
		if same++; d.Grain == grain {
			found = &r.Dimensions[i]
		}
	}
	switch {
	case found == nil:
		n.invalid(g.key, "%s by %s is not among the dimensions", refusal.Short(field), grain).Advise("add it to the dimensions, or name another column")
	case found.Name != "":
		return found.Name
	case same > 1:
		n.invalid(g.key, "%s is among the dimensions at several granularities", refusal.Short(field)).
			Advise(`give it a name of its own, and write that: {"field": %s, "granularity": %q, "name": "…"}`, refusal.Quote(field), grain)
	}
	return field
}

// limitPerForm reads n alone: by may name columns, which limitPer knows.
var limitPerForm = form[LimitPer]{
	members: []member[LimitPer]{
		{"n", func(n *normaliser, g given, l *LimitPer) {
			if l.N = n.count(g, MaxLimit); l.N < 1 || l.N > MaxLimit {
				n.invalid(g.key, "%d groups cannot be kept", l.N).Advise("write a number from 1 to %d", MaxLimit)
			}
		}},
		{"by", nil},
	},
	aliases: map[string]string{"dimensions": "by", "partition_by": "by", "limit": "n", "top": "n"},
}

// limitPer reads how many groups each group of some dimensions keeps.
func (n *normaliser) limitPer(g given, r *Request) {
	const example = `write {"by": ["regions.name"], "n": 3}`
	o, ok := g.value.(*object)
	if !ok {
		n.invalid(g.key, "it must be an object, not %s", ValueWords(g.value)).Advise(example)
		return
	}
	r.LimitPer = &LimitPer{}
	said := limitPerForm.read(n, g.key, o, r.LimitPer)
	if !said.has("by") || !said.has("n") {
		n.invalid(g.key, "it does not say how many groups of what").Advise(example)
		return
	}
	for _, one := range n.list(said["by"][0], maxMembers) {
		field, grain := n.period(one, n.column(one), true, r)
		if grain != "" {
			field = n.dimensionBy(one, field, grain, r)
		}
		r.LimitPer.By = append(r.LimitPer.By, field)
	}
	if len(r.LimitPer.By) == 0 {
		n.invalid(said["by"][0].key, "it names no dimension").Advise(example)
	}
}
