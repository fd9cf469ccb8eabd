package request

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/sdk/dialect"
)

var (
	orderKeys    = []string{"field", "direction", "nulls", "desc", "granularity"}
	orderAliases = map[string]string{
		"id": "field", "member": "field", "measure": "field", "dimension": "field", "column": "field", "name": "field", "by": "field",
		"dir": "direction", "order": "direction", "sort": "direction", "descending": "desc", "grain": "granularity", "null": "nulls",
	}
	directions = map[string]bool{"asc": false, "ascending": false, "desc": true, "descending": true}
)

const orderExample = `write {"field": "orders.revenue", "direction": "desc"}`

func (n *normaliser) orderBy(g given) error {
	if o, ok := g.value.(*object); ok && !isOrderKey(o) {
		for i, key := range o.keys {
			if err := n.orderPair(given{inside(g.key, key), nil}, key, o.values[i]); err != nil {
				return err
			}
		}
		return nil
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
	all, err := n.list(g, maxMembers)
	if err != nil {
		return err
	}
	for _, one := range all {
		if err := n.order(one); err != nil {
			return err
		}
	}
	return nil
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
		return word == "field" || orderAliases[word] == "field" && !isDirection(o.get(key))
	})
}

func isDirection(v any) bool {
	s, ok := v.(string)
	_, known := directions[strings.ToLower(s)]
	return ok && known
}

func (n *normaliser) order(g given) error {
	switch v := g.value.(type) {
	case string:
		if o, ok := n.encodedObject(g, v); ok {
			return n.order(given{g.key, o})
		}
		return n.orderText(g, v)
	case []any:
		if len(v) == 2 {
			if field, ok := v[0].(string); ok {
				return n.orderPair(g, field, v[1])
			}
		}
	case *object:
		if isOrderKey(v) {
			return n.orderObject(g, v)
		}
		if len(v.keys) == 1 {
			return n.orderPair(g, v.keys[0], v.values[0])
		}
	}
	return refusal.Invalid(g.key, "%s is no order key", ValueWords(g.value)).Advise(orderExample)
}

// orderPair reads a field and a direction.
func (n *normaliser) orderPair(g given, field string, direction any) error {
	if !isDirection(direction) {
		return refusal.Invalid(g.key, "a direction is asc or desc, not %s", ValueWords(direction)).Advise(orderExample)
	}
	o := Order{Field: field, Desc: directions[strings.ToLower(direction.(string))]}
	n.note("order pair", fmt.Sprintf("%s was read as %s", g.key, o.words()))
	return n.addOrder(g, o, true)
}

func (o Order) words() string {
	word := "ascending"
	if o.Desc {
		word = "descending"
	}
	return refusal.Short(o.Field) + " " + word
}

// orderText reads "revenue", "-revenue", "revenue desc", "revenue desc nulls first".
func (n *normaliser) orderText(g given, text string) error {
	if n.isColumn(text) {
		return n.addOrder(g, Order{Field: text}, false)
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
	return n.addOrder(g, o, true)
}

// cutWords drops the last words of a text.
func cutWords(s string, words int) string {
	for range words {
		s = strings.TrimRight(s, " \t\r\n")
		s = s[:strings.LastIndexAny(s, " \t\r\n")+1]
	}
	return strings.TrimSpace(s)
}

func (n *normaliser) orderObject(g given, v *object) error {
	fields, err := n.keys(g.key, v, orderKeys, orderAliases)
	if err != nil {
		return err
	}
	f := fields["field"]
	if f == nil {
		return refusal.Invalid(g.key, "it names no field").Advise(orderExample)
	}
	var o Order
	if o.Field, err = f[0].column(); err != nil {
		return err
	}
	if d := fields["direction"]; d != nil {
		if fields["desc"] != nil {
			return refusal.Invalid(g.key, "it has a direction and desc").Advise(orderExample)
		}
		if !isDirection(d[0].value) {
			return refusal.Invalid(d[0].key, "a direction is asc or desc, not %s", ValueWords(d[0].value)).Advise(orderExample)
		}
		word := d[0].value.(string)
		if o.Desc = directions[strings.ToLower(word)]; word != "asc" && word != "desc" {
			n.note("direction", fmt.Sprintf("%s was read as %s", d[0].key, o.words()))
		}
	}
	if d := fields["desc"]; d != nil {
		if err := n.truth(d[0], &o.Desc); err != nil {
			return err
		}
		n.note("desc", fmt.Sprintf("%s was read as the direction of %s", d[0].key, refusal.Short(o.Field)))
	}
	if d := fields["nulls"]; d != nil {
		word, err := d[0].oneOf([]string{string(NullsLast), string(NullsFirst)})
		if err != nil {
			return err
		}
		if word == string(NullsFirst) {
			o.Nulls = NullsFirst
		}
	}
	if d := fields["granularity"]; d != nil {
		grain, err := n.grain(d[0])
		if err != nil {
			return err
		}
		n.note("order grain", fmt.Sprintf("%s was read as the dimension with that granularity", d[0].key))
		return n.orderByGrain(g, o, o.Field, grain)
	}
	// The canonical key means what it says; another may have a period behind it.
	return n.addOrder(g, o, f[0].key != g.key+".field")
}

// addOrder takes an order key: a column by its name, or a member.
func (n *normaliser) addOrder(g given, o Order, cutPeriod bool) error {
	if strings.TrimSpace(o.Field) == "" {
		return refusal.Invalid(g.key, "it names no field").Advise(orderExample)
	}
	field, grain, err := n.period(g, o.Field, cutPeriod)
	if err != nil {
		return err
	}
	if grain != "" {
		return n.orderByGrain(g, o, field, grain)
	}
	n.r.OrderBy = append(n.r.OrderBy, o)
	return nil
}

// period cuts the period off a member that is a dimension of the request by it; a
// column's name is none.
func (n *normaliser) period(g given, text string, cutPeriod bool) (field string, grain dialect.Grain, err error) {
	if n.isColumn(text) {
		return text, "", nil
	}
	if err := checkName(g.key, text); err != nil {
		return "", "", err
	}
	name, _ := expression.ParseName(text)
	if field, grain, ok := CutGrain(name); cutPeriod && ok && n.selects(field, grain) {
		return field, grain, nil
	}
	return text, "", nil
}

// isColumn reports whether a text is the name of a column that the request gives.
func (n *normaliser) isColumn(text string) bool {
	return slices.ContainsFunc(n.r.Measures, func(m Measure) bool { return m.Name == text }) ||
		slices.ContainsFunc(n.r.Dimensions, func(d Dimension) bool { return d.Name == text && text != "" })
}

func (n *normaliser) selects(field string, grain dialect.Grain) bool {
	return slices.ContainsFunc(n.r.Dimensions, func(d Dimension) bool { return d.Field == field && d.Grain == grain })
}

// orderByGrain sorts by a dimension at one of its granularities.
func (n *normaliser) orderByGrain(g given, o Order, field string, grain dialect.Grain) error {
	var err error
	if o.Field, err = n.dimensionBy(g, field, grain); err != nil {
		return err
	}
	n.note("order grain", fmt.Sprintf("%s was read as %s", g.key, o.words()))
	n.r.OrderBy = append(n.r.OrderBy, o)
	return nil
}

// dimensionBy is what names the dimension of a field by a period.
func (n *normaliser) dimensionBy(g given, field string, grain dialect.Grain) (string, error) {
	var same []Dimension
	at := -1
	for _, d := range n.r.Dimensions {
		if d.Field == field {
			if d.Grain == grain {
				at = len(same)
			}
			same = append(same, d)
		}
	}
	switch {
	case at < 0:
		return "", refusal.Invalid(g.key, "%s by %s is not among the dimensions", refusal.Short(field), grain).Advise("add it to the dimensions, or name another column")
	case same[at].Name != "":
		return same[at].Name, nil
	case len(same) == 1:
		return field, nil
	}
	return "", refusal.Invalid(g.key, "%s is among the dimensions at several granularities", refusal.Short(field)).
		Advise(`give it a name of its own, and write that: {"field": %s, "granularity": %q, "name": "…"}`, refusal.Quote(field), grain)
}

var (
	limitPerKeys    = []string{"by", "n"}
	limitPerAliases = map[string]string{"dimensions": "by", "partition_by": "by", "limit": "n", "top": "n"}
)

const limitPerExample = `write {"by": ["regions.name"], "n": 3}`

// limitPer reads how many groups each group of some dimensions keeps.
func (n *normaliser) limitPer(g given) error {
	o, ok := g.value.(*object)
	if !ok {
		return refusal.Invalid(g.key, "it must be an object, not %s", ValueWords(g.value)).Advise(limitPerExample)
	}
	fields, err := n.keys(g.key, o, limitPerKeys, limitPerAliases)
	if err != nil {
		return err
	}
	if fields["by"] == nil || fields["n"] == nil {
		return refusal.Invalid(g.key, "it does not say how many groups of what").Advise(limitPerExample)
	}
	l := &LimitPer{}
	if l.N, err = n.count(fields["n"][0]); err != nil {
		return err
	}
	if l.N < 1 || l.N > MaxLimit {
		return refusal.Invalid(fields["n"][0].key, "%d groups cannot be kept", l.N).Advise("write a number from 1 to %d", MaxLimit)
	}
	all, err := n.list(fields["by"][0], maxMembers)
	if err != nil {
		return err
	}
	for _, one := range all {
		text, err := one.column()
		if err != nil {
			return err
		}
		field, grain, err := n.period(one, text, true)
		if err == nil && grain != "" {
			field, err = n.dimensionBy(one, field, grain)
		}
		if err != nil {
			return err
		}
		l.By = append(l.By, field)
	}
	if len(l.By) == 0 {
		return refusal.Invalid(fields["by"][0].key, "it names no dimension").Advise(limitPerExample)
	}
	n.r.LimitPer = l
	return nil
}
