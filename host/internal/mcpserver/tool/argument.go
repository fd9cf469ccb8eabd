package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// arguments checks the raw arguments of a call and returns them in the form
// that binds to the tool's input.
// Shape: args or problems, never both.
// Errors: the arguments are no JSON.
func (s *schema) arguments(raw json.RawMessage) (args []byte, problems []problem, err error) {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, nil, fmt.Errorf("read the arguments: %w", err)
	}
	object, isObject := value.(map[string]any)
	changed := dropNulls(value)
	changed = s.rename(object) || changed
	if s.aliases != nil {
		changed = s.aliases(object) || changed
	}
	if !isObject || !s.plain.accepts(object) {
		n := &normaliser{changed: changed}
		value = n.numbers(value)
		changed = n.changed
		if len(n.problems) > 0 {
			return nil, n.problems, nil
		}
		if err := s.validate(value); err != nil {
			invalid, ok := errors.AsType[*jsonschema.ValidationError](err)
			if !ok {
				return nil, nil, err
			}
			return nil, s.explain(invalid, value), nil
		}
	}
	if !changed {
		return raw, nil, nil
	}
	args, err = json.Marshal(value)
	return args, nil, err
}

// dropNulls takes a null member for one that is not given: models write both.
func dropNulls(value any) (changed bool) {
	switch v := value.(type) {
	case map[string]any:
		for name, member := range v {
			if member == nil {
				delete(v, name)
				changed = true
				continue
			}
			changed = dropNulls(member) || changed
		}
	case []any:
		for _, item := range v {
			changed = dropNulls(item) || changed
		}
	}
	return changed
}

// rename accepts connection_id where the schema says connectionId: models write
// both. A name that the schema knows, or that is given already, stays.
func (s *schema) rename(object map[string]any) (changed bool) {
	known, _ := s.root["properties"].(map[string]any)
	for name, value := range object {
		if known[name] != nil {
			continue
		}
		camel := camelCase(name)
		if _, taken := object[camel]; taken || known[camel] == nil {
			continue
		}
		delete(object, name)
		object[camel] = value
		changed = true
	}
	return changed
}

func camelCase(snake string) string {
	words := strings.Split(snake, "_")
	for i, w := range words[1:] {
		if w != "" {
			words[i+1] = strings.ToUpper(w[:1]) + w[1:]
		}
	}
	return strings.Join(words, "")
}

// normaliser writes whole numbers as integers: 1000.0 and 1e3 are integers for
// JSON Schema and none for Go.
type normaliser struct {
	changed  bool
	path     []string // of the value being looked at
	problems []problem
}

func (n *normaliser) numbers(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for name, member := range v {
			v[name] = n.at(name, member)
		}
	case []any:
		for i, item := range v {
			v[i] = n.at(strconv.Itoa(i), item)
		}
	case json.Number:
		return n.number(v)
	}
	return value
}

// at looks at a part of a value.
func (n *normaliser) at(segment string, part any) any {
	if _, ok := part.(string); ok {
		return part
	}
	n.path = append(n.path, segment)
	part = n.numbers(part)
	n.path = n.path[:len(n.path)-1]
	return part
}

func (n *normaliser) number(v json.Number) json.Number {
	if !strings.ContainsAny(string(v), ".eE") {
		return v
	}
	f, err := v.Float64()
	if err != nil {
		n.problems = append(n.problems, problem{Path: joinPath(n.path), Expected: "a number of ordinary size", Got: shorten(string(v))})
		return v
	}
	if f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return v
	}
	n.changed = true
	return json.Number(strconv.FormatInt(int64(f), 10))
}
