package tool

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/loam-data/loam/sdk/sqlkit"
)

// problem is one way in which arguments do not fit.
type problem struct {
	Path     string `json:"path"`
	Expected string `json:"expected"`
	Got      string `json:"got"`
	Meant    string `json:"didYouMean,omitempty"`
}

func (p problem) String() string {
	text := fmt.Sprintf("%s: expected %s, got %s", p.Path, p.Expected, p.Got)
	if p.Meant != "" {
		text += "; did you mean " + p.Meant + "?"
	}
	return text
}

// explain returns one problem per fault, by path.
func (s *schema) explain(invalid *jsonschema.ValidationError, value any) []problem {
	found := (&explainer{schema: s, value: value}).problems(invalid)
	slices.SortStableFunc(found, func(a, b problem) int { return cmp.Compare(a.Path, b.Path) })
	return slices.Compact(found)
}

type explainer struct {
	schema *schema
	value  any
}

func (x *explainer) problems(e *jsonschema.ValidationError) []problem {
	switch k := e.ErrorKind.(type) {
	case *kind.AnyOf, *kind.OneOf:
		return x.closest(e)
	case *kind.Required:
		return x.missing(e.InstanceLocation, k.Missing)
	case *kind.AdditionalProperties:
		return x.unknown(e.InstanceLocation, k.Properties)
	}
	if len(e.Causes) == 0 {
		return []problem{{Path: joinPath(e.InstanceLocation), Expected: expected(e.ErrorKind), Got: x.got(e.InstanceLocation)}}
	}
	var all []problem
	for _, cause := range e.Causes {
		all = append(all, x.problems(cause)...)
	}
	return all
}

// closest explains the alternative that the value comes closest to: one whose
// type it has, with the fewest problems. When it has the type of none, all of
// the types are named.
func (x *explainer) closest(e *jsonschema.ValidationError) []problem {
	var types []string
	var best []problem
	for _, cause := range e.Causes {
		leaf := cause
		for len(leaf.Causes) == 1 {
			leaf = leaf.Causes[0]
		}
		if k, ok := leaf.ErrorKind.(*kind.Type); ok && len(leaf.InstanceLocation) == len(e.InstanceLocation) {
			types = append(types, k.Want...)
			continue
		}
		if p := x.problems(cause); best == nil || len(p) < len(best) {
			best = p
		}
	}
	if best != nil {
		return best
	}
	return []problem{{Path: joinPath(e.InstanceLocation), Expected: typeNames(types), Got: x.got(e.InstanceLocation)}}
}

func (x *explainer) missing(path, names []string) []problem {
	var all []problem
	for _, name := range names {
		at := append(slices.Clip(path), name)
		want := "a value"
		for _, node := range x.schema.at(at) {
			if typ, ok := node["type"].(string); ok {
				want = typeNames([]string{typ})
				break
			}
		}
		all = append(all, problem{Path: joinPath(at), Expected: want, Got: "nothing"})
	}
	return all
}

func (x *explainer) unknown(path, names []string) []problem {
	known := map[string]bool{}
	for _, node := range x.schema.at(path) {
		properties, _ := node["properties"].(map[string]any)
		for name := range properties {
			known[name] = true
		}
	}
	all := make([]problem, len(names))
	list := slices.Sorted(maps.Keys(known))
	for i, name := range names {
		all[i] = problem{
			Path: joinPath(append(slices.Clip(path), name)), Expected: "one of the names " + strings.Join(list, ", "),
			Got: "an unknown name", Meant: strings.Join(sqlkit.Nearest(name, list), " or "),
		}
		if len(list) == 0 {
			all[i].Expected = "no arguments"
		}
	}
	return all
}

func expected(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.Type:
		return typeNames(k.Want)
	case *kind.Enum:
		return "one of " + listed(k.Want)
	case *kind.Const:
		return listed([]any{k.Want})
	case *kind.Pattern:
		return "a text that matches " + k.Want
	case *kind.Minimum:
		return "at least " + k.Want.RatString()
	case *kind.Maximum:
		return "at most " + k.Want.RatString()
	case *kind.MinLength:
		if k.Want == 1 {
			return "a text that is not empty"
		}
		return fmt.Sprintf("at least %d characters", k.Want)
	case *kind.MaxLength:
		return fmt.Sprintf("at most %d characters", k.Want)
	case *kind.MinItems:
		return fmt.Sprintf("at least %d items", k.Want)
	case *kind.MaxItems:
		return fmt.Sprintf("at most %d items", k.Want)
	default:
		return "what " + strings.Join(k.KeywordPath(), "/") + " of the schema asks for"
	}
}

func typeNames(types []string) string {
	names := make([]string, len(types))
	for i, t := range types {
		switch t {
		case "array", "integer", "object":
			names[i] = "an " + t
		case "null":
			names[i] = t
		default:
			names[i] = "a " + t
		}
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), " or ")
}

func listed(values []any) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = fmt.Sprint(v)
	}
	return strings.Join(texts, ", ")
}

// got describes the value at a path without repeating much of it.
func (x *explainer) got(path []string) string {
	value := x.value
	for _, segment := range path {
		switch v := value.(type) {
		case map[string]any:
			value = v[segment]
		case []any:
			i, err := strconv.Atoi(segment)
			if err != nil || i >= len(v) {
				return "nothing"
			}
			value = v[i]
		}
	}
	switch v := value.(type) {
	case map[string]any:
		return "an object"
	case []any:
		return fmt.Sprintf("an array of %d items", len(v))
	case string:
		return "the string " + strconv.Quote(shorten(v))
	case json.Number:
		return shorten(string(v))
	case nil:
		return "null"
	default:
		return fmt.Sprint(v)
	}
}

const maxGot = 40

func shorten(text string) string {
	if runes := []rune(text); len(runes) > maxGot {
		return string(runes[:maxGot]) + "…"
	}
	return text
}

// joinPath writes a path as people do: entities[0].table.
func joinPath(path []string) string {
	var b strings.Builder
	for _, segment := range path {
		if _, err := strconv.Atoi(segment); err == nil {
			b.WriteString("[" + segment + "]")
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(segment)
	}
	return cmp.Or(b.String(), "arguments")
}
