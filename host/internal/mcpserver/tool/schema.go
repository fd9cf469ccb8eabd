package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// schema is a JSON Schema, draft 2020-12, compiled when it is first used: that takes
// longer than anything else of a start.
//
// Every schema is an object, names one type per place (a large family of
// clients refuses all tools for one "type": [...]) and describes every
// property. An input schema is closed, and plain at its root, because model
// APIs refuse alternatives there.
type schema struct {
	text     json.RawMessage // as published
	root     map[string]any
	compiled func() (*jsonschema.Schema, error)
	plain    *plain                                        // of an input; nil = it has none
	aliases  func(arguments map[string]any) (changed bool) // of an input; nil = none
}

func newInput(text string) (*schema, error) {
	s, err := parseSchema([]byte(text))
	if err != nil {
		return nil, err
	}
	for _, keyword := range []string{"anyOf", "oneOf", "allOf", "not"} {
		if s.root[keyword] != nil {
			return nil, fmt.Errorf("%s at the root", keyword)
		}
	}
	err = s.walk(func(path string, node map[string]any) error {
		if node["properties"] != nil && node["additionalProperties"] != false {
			return fmt.Errorf("%s: additionalProperties must be false", path)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	s.plain = newPlain(s.root)
	return s, nil
}

// newOutput admits a failure beside the answer that text describes: widespread
// clients check the structured content of an error too, and would drop it.
func newOutput(text string) (*schema, error) {
	if _, err := parseSchema([]byte(text)); err != nil {
		return nil, err
	}
	var published map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &published); err != nil {
		return nil, err
	}
	if published["required"] == nil || published["anyOf"] != nil {
		return nil, errors.New("the root must have required and no anyOf")
	}
	published["anyOf"] = fmt.Appendf(nil, `[{"required":%s},{"required":["code"]}]`, published["required"])
	delete(published, "required")
	both, err := json.Marshal(published)
	if err != nil {
		return nil, err
	}
	return parseSchema(both)
}

func parseSchema(text []byte) (*schema, error) {
	var compact bytes.Buffer
	if err := json.Compact(&compact, text); err != nil {
		return nil, err
	}
	s := &schema{text: compact.Bytes()}
	if err := json.Unmarshal(text, &s.root); err != nil {
		return nil, err
	}
	if s.root["type"] != "object" {
		return nil, errors.New("the root must be of type object")
	}
	once, _ := compiled.LoadOrStore(string(s.text), sync.OnceValues(s.compile))
	s.compiled = once.(func() (*jsonschema.Schema, error))
	return s, s.walk(checkNode)
}

// compiled are the functions that compile a schema once, by its text: the servers of a process
// have the same tools.
var compiled sync.Map

func checkNode(path string, node map[string]any) error {
	if _, several := node["type"].([]any); several {
		return fmt.Errorf("%s: several types in one place", path)
	}
	properties, _ := node["properties"].(map[string]any)
	for name, p := range properties {
		if property, ok := p.(map[string]any); !ok || property["description"] == nil {
			return fmt.Errorf("%s: property %s has no description", path, name)
		}
	}
	return nil
}

// compile also checks the schema against its own meta-schema.
func (s *schema) compile() (*jsonschema.Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(s.text))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	if err := c.AddResource("schema.json", doc); err != nil {
		return nil, err
	}
	return c.Compile("schema.json")
}

// validate compares a value with the schema.
// Errors: *jsonschema.ValidationError for a value that does not fit.
func (s *schema) validate(value any) error {
	compiled, err := s.compiled()
	if err != nil {
		return err
	}
	return compiled.Validate(value)
}

// walk visits every subschema, in the order of the names.
func (s *schema) walk(visit func(path string, node map[string]any) error) error {
	return walkNode("#", s.root, visit)
}

func walkNode(path string, node map[string]any, visit func(string, map[string]any) error) error {
	if err := visit(path, node); err != nil {
		return err
	}
	for _, keyword := range []string{"properties", "$defs"} {
		named, _ := node[keyword].(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(named)) {
			if child, ok := named[name].(map[string]any); ok {
				if err := walkNode(path+"/"+name, child, visit); err != nil {
					return err
				}
			}
		}
	}
	children := []any{node["items"], node["additionalProperties"]}
	for _, keyword := range []string{"anyOf", "oneOf", "allOf"} {
		list, _ := node[keyword].([]any)
		children = append(children, list...)
	}
	for _, c := range children {
		if child, ok := c.(map[string]any); ok {
			if err := walkNode(path+"/*", child, visit); err != nil {
				return err
			}
		}
	}
	return nil
}

// check reports an answer that does not fit, which is a fault of the handler.
func (s *schema) check(out []byte) error {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(out))
	if err != nil {
		return fmt.Errorf("the answer is no JSON: %w", err)
	}
	if err := s.validate(value); err != nil {
		return fmt.Errorf("the answer does not fit its schema: %w", err)
	}
	return nil
}

// at returns the subschemas that describe the value at a path; several where
// the schema has alternatives.
func (s *schema) at(path []string) []map[string]any {
	nodes := alternatives(s.root)
	for _, segment := range path {
		var next []map[string]any
		for _, node := range nodes {
			properties, _ := node["properties"].(map[string]any)
			child, ok := properties[segment].(map[string]any)
			if !ok {
				child, ok = node["items"].(map[string]any)
			}
			if ok {
				next = append(next, alternatives(child)...)
			}
		}
		nodes = next
	}
	return nodes
}

func alternatives(node map[string]any) []map[string]any {
	all := []map[string]any{node}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		list, _ := node[keyword].([]any)
		for _, a := range list {
			if child, ok := a.(map[string]any); ok {
				all = append(all, child)
			}
		}
	}
	return all
}
