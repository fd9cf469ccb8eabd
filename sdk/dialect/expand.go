package dialect

import (
	"strconv"
	"strings"
)

// longest bounds what one template becomes: a template that repeats its argument grows
// with a power of how deep an expression is nested. No message to a connector is longer.
const longest = 16 << 20

// Expand fills a form's placeholders. It returns false when the dialect lacks
// the form, when the template is not well-formed (see Validate), when an argument for one
// of its placeholders is missing, and when the text would be longer than any statement.
func (d *Dialect) Expand(form Form, args map[string]string) (string, bool) {
	template, ok := d.Forms[form]
	if !ok {
		return "", false
	}
	return expand(template, func(name string) (string, bool) {
		value, ok := args[name]
		return value, ok
	})
}

// Call writes a call of a portable function. It returns false when the dialect
// lacks the function or the template wants more arguments.
func (d *Dialect) Call(function string, args ...string) (string, bool) {
	template, ok := d.Functions[function+"/"+strconv.Itoa(len(args))]
	if !ok {
		template, ok = d.Functions[function]
	}
	if !ok {
		return "", false
	}
	return expand(template, func(name string) (string, bool) {
		if name == "args" {
			return strings.Join(args, ", "), true
		}
		n, err := strconv.Atoi(name)
		if err != nil || n < 1 || n > len(args) {
			return "", false
		}
		return args[n-1], true
	})
}

// expand replaces {name} by what value returns and "{{" by a brace.
func expand(template string, value func(string) (string, bool)) (string, bool) {
	var b strings.Builder
	b.Grow(2 * len(template))
	for {
		open := strings.IndexByte(template, '{')
		if open < 0 {
			b.WriteString(template)
			return b.String(), true
		}
		b.WriteString(template[:open])
		template = template[open+1:]
		if strings.HasPrefix(template, "{") {
			b.WriteByte('{')
			template = template[1:]
			continue
		}
		name, rest, closed := strings.Cut(template, "}")
		if !closed {
			return "", false
		}
		text, ok := value(name)
		if !ok || b.Len()+len(text) > longest {
			return "", false
		}
		b.WriteString(text)
		template = rest
	}
}
