package project

import (
	"encoding/json"
	"strings"

	"github.com/loam-data/loam/sdk"
)

// configShape has the types of the keys in a connector's configuration schema.
type configShape struct {
	Type       string                 `json:"type"`
	Properties map[string]configShape `json:"properties"`
}

// typedConfig returns a configuration from dotted keys and texts. The value of an unknown key
// stays text; the check that follows reports the key.
func typedConfig(configSchema json.RawMessage, values map[string]string) (map[string]any, error) {
	var root configShape
	if err := json.Unmarshal(configSchema, &root); err != nil {
		return nil, sdk.Errorf(sdk.KindInternal, sdk.SourceConnector, "the connector's configuration schema is malformed: %w", err)
	}
	config := map[string]any{}
	for key, text := range values {
		at, shape := config, root
		parts := strings.Split(key, ".")
		for _, part := range parts[:len(parts)-1] {
			inner, ok := at[part].(map[string]any)
			if !ok {
				inner = map[string]any{}
				at[part] = inner
			}
			at, shape = inner, shape.Properties[part]
		}
		last := parts[len(parts)-1]
		var err error
		if at[last], err = typedValue(key, shape.Properties[last].Type, text); err != nil {
			return nil, err
		}
	}
	return config, nil
}

// typedValue parses the text of a key. A list is written with commas, or as JSON if an item
// contains one.
func typedValue(key, typ, text string) (any, error) {
	switch bare := strings.TrimSpace(text); {
	case typ == "array" && bare == "":
		return []any{}, nil
	case typ == "array" && bare[0] == '[', typ == "object":
		var v any
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%s is not JSON: %w", key, err).
				WithHint("write a list as %[1]s=a,b or as '%[1]s=[\"a\",\"b\"]', and keys that nest with dots: see loam connector show NAME; nothing was written", key)
		}
		return v, nil
	case typ == "array":
		var list []any
		for _, item := range strings.Split(text, ",") {
			list = append(list, strings.TrimSpace(item))
		}
		return list, nil
	case typ == "integer", typ == "number", typ == "boolean":
		var v any
		if json.Unmarshal([]byte(text), &v) == nil {
			return v, nil
		}
	}
	return text, nil
}
