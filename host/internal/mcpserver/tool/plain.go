package tool

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"
)

// plain is what an input schema says of strings, whole numbers and truth values, which most calls consist of. It accepts
// arguments without an allocation; the schema library takes some forty for three arguments. What it does not accept
// may be valid all the same: the whole schema decides, and explains.
type plain struct {
	properties map[string]property
	required   []string
}

// property is a plain property. Units: least and most are of a number, or of the characters of a text.
type property struct {
	kind        string
	least, most int64
	values      []string // nil = all
}

// newPlain returns the plain part of a schema; nil where the root has a keyword that it does not know.
func newPlain(root map[string]any) *plain {
	for keyword := range root {
		switch keyword {
		case "type", "properties", "required", "additionalProperties", "description":
		default:
			return nil
		}
	}
	if root["additionalProperties"] != false {
		return nil
	}
	p := &plain{properties: map[string]property{}}
	required, _ := root["required"].([]any)
	for _, name := range required {
		text, _ := name.(string)
		p.required = append(p.required, text)
	}
	properties, _ := root["properties"].(map[string]any)
	for name, node := range properties {
		node, _ := node.(map[string]any)
		if one, ok := newProperty(node); ok {
			p.properties[name] = one
		}
	}
	return p
}

// newProperty returns a property; ok is false when it is not plain.
func newProperty(node map[string]any) (p property, ok bool) {
	p = property{least: math.MinInt64, most: math.MaxInt64}
	p.kind, _ = node["type"].(string)
	for keyword, v := range node {
		number, whole := v.(float64)
		whole = whole && number == math.Trunc(number) && math.Abs(number) < 1<<53
		switch {
		case keyword == "type", keyword == "description", keyword == "default":
		case whole && (p.kind == "integer" && keyword == "minimum" || p.kind == "string" && keyword == "minLength"):
			p.least = int64(number)
		case whole && (p.kind == "integer" && keyword == "maximum" || p.kind == "string" && keyword == "maxLength"):
			p.most = int64(number)
		case p.kind == "string" && keyword == "enum":
			values, _ := v.([]any)
			for _, value := range values {
				text, is := value.(string)
				if !is {
					return p, false
				}
				p.values = append(p.values, text)
			}
		default:
			return p, false
		}
	}
	return p, p.kind == "string" || p.kind == "integer" || p.kind == "boolean"
}

// accepts reports whether arguments are certain to fit the schema as they are. p may be nil.
func (p *plain) accepts(arguments map[string]any) bool {
	if p == nil {
		return false
	}
	for _, name := range p.required {
		if _, given := arguments[name]; !given {
			return false
		}
	}
	for name, value := range arguments {
		if one, is := p.properties[name]; !is || !one.accepts(value) {
			return false
		}
	}
	return true
}

func (p *property) accepts(value any) bool {
	switch v := value.(type) {
	case string:
		n := int64(utf8.RuneCountInString(v))
		return p.kind == "string" && p.least <= n && n <= p.most && (p.values == nil || slices.Contains(p.values, v))
	case json.Number: // in another form than digits it is changed before it is checked
		n, err := strconv.ParseInt(string(v), 10, 32)
		return p.kind == "integer" && err == nil && p.least <= n && n <= p.most
	case bool:
		return p.kind == "boolean"
	}
	return false
}
