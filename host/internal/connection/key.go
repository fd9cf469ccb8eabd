package connection

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/loam-data/loam/sdk"
)

// Key is a key of a connector's configuration, dotted where it nests.
type Key struct {
	Name        string `json:"name"`
	Type        string `json:"type"` // in words: "list", "a | b"
	Description string `json:"description,omitempty"`
	Default     string `json:"default,omitempty"`
	Required    bool   `json:"required,omitempty"`
	Secret      bool   `json:"secret,omitempty"`
	URL         string `json:"urlPart,omitempty"`
}

// keyShape is the part of a configuration schema that describes keys.
type keyShape struct {
	Type        string              `json:"type"`
	Description string              `json:"description"`
	Format      string              `json:"format"`
	Default     any                 `json:"default"`
	Enum        []string            `json:"enum"`
	Required    []string            `json:"required"`
	Secret      bool                `json:"x-secret"`
	URL         string              `json:"x-url"`
	Order       int                 `json:"x-order"`
	Properties  map[string]keyShape `json:"properties"`
}

// Keys returns the keys of a connector's configuration in the order of its author.
// Errors: KindInternal when the schema is no JSON Schema.
func Keys(configSchema json.RawMessage) ([]Key, error) {
	var root keyShape
	if err := json.Unmarshal(configSchema, &root); err != nil {
		return nil, sdk.Errorf(sdk.KindInternal, sdk.SourceConnector, "the connector's configuration schema is malformed: %w", err).
			WithHint("report this to the connector's author")
	}
	return appendKeys([]Key{}, "", root), nil
}

func appendKeys(keys []Key, prefix string, object keyShape) []Key {
	var names []string
	for name := range object.Properties {
		names = append(names, name)
	}
	slices.SortFunc(names, func(x, y string) int {
		return cmp.Or(cmp.Compare(object.Properties[x].Order, object.Properties[y].Order), cmp.Compare(x, y))
	})
	for _, name := range names {
		p := object.Properties[name]
		if p.Type == "object" {
			keys = appendKeys(keys, prefix+name+".", p)
			continue
		}
		k := Key{
			Name: prefix + name, Type: p.typeText(), Description: p.Description,
			Required: slices.Contains(object.Required, name), Secret: p.Secret, URL: p.URL,
		}
		switch d := p.Default.(type) {
		case nil:
		case []any:
			k.Default = strings.Trim(fmt.Sprint(d), "[]")
		default:
			k.Default = fmt.Sprint(d)
		}
		keys = append(keys, k)
	}
	return keys
}

func (p keyShape) typeText() string {
	switch {
	case p.Secret:
		return "secret"
	case p.Type == "array":
		return "list"
	case p.Enum != nil:
		return strings.Join(p.Enum, " | ")
	case p.Format == formatDuration, p.Format == formatPath:
		return p.Format
	}
	return p.Type
}
