package connection

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/loam-data/loam/sdk"
)

// Split is a connection's configuration with the secrets taken out.
type Split struct {
	// JSON is the configuration without the keys that the connector's schema marks
	// as secrets.
	JSON json.RawMessage
	// References maps the dotted path of each given secret to its reference.
	References map[string]string
	// Literals are the dotted paths of secrets that are written as values
	// where a reference belongs, sorted.
	Literals []string
}

// schema is the part of a JSON Schema that the split needs.
type schema struct {
	Properties map[string]schema `json:"properties"`
	Required   []string          `json:"required"`
	Items      *schema           `json:"items"`
	Default    any               `json:"default"`
	Format     string            `json:"format"`
	Secret     bool              `json:"x-secret"`
	Harmless   bool              `json:"x-harmless"`
	Schemes    []string          `json:"x-schemes"`
	Meanings   []sdk.URLMeaning  `json:"x-url-means"`
	Reader     []string          `json:"x-reader"`
	URL        string            `json:"x-url"`
	Extensions []string          `json:"x-extensions"`
	Begins     string            `json:"x-begins"`
	BeginsAt   int               `json:"x-begins-at"`
}

const (
	// formatPath marks a string as a file or folder; a relative one is relative to
	// the project folder.
	formatPath = "path"
	// formatDuration marks a string as a length of time.
	formatDuration = "duration"
)

func parseSchema(c Connection, configSchema json.RawMessage) (shape schema, err error) {
	if len(configSchema) == 0 {
		return shape, nil
	}
	if err := json.Unmarshal(configSchema, &shape); err != nil {
		return shape, sdk.Errorf(sdk.KindInternal, sdk.SourceConnector, "the configuration schema of connector %s is malformed: %w", c.Connector, err).
			WithHint("report this to the connector's author")
	}
	return shape, nil
}

// SplitConfig separates the secrets of c from its other configuration by the
// connector's schema, and makes paths absolute. isReference reports whether a text
// is a reference to a secret.
// Errors: KindInternal when the connector's schema is no JSON Schema.
func SplitConfig(c Connection, configSchema json.RawMessage, isReference func(string) bool) (Split, error) {
	shape, err := parseSchema(c, configSchema)
	if err != nil {
		return Split{}, err
	}
	s := splitter{dir: c.Dir, isReference: isReference, references: map[string]string{}}
	plain := s.object("", c.Config, shape)
	text, err := json.Marshal(plain)
	if err != nil {
		return Split{}, sdk.Errorf(sdk.KindInvalid, sdk.SourceHost, "the configuration of connection %q cannot be sent to its connector: %w", c.ID, err).
			WithHint("write .inf and .nan as strings in loam.yaml")
	}
	slices.Sort(s.literals)
	return Split{JSON: text, References: s.references, Literals: s.literals}, nil
}

type splitter struct {
	dir         string
	isReference func(string) bool
	references  map[string]string
	literals    []string
}

func (s *splitter) object(prefix string, given map[string]any, shape schema) map[string]any {
	plain := make(map[string]any, len(given))
	for key, value := range given {
		property := shape.Properties[key]
		path := prefix + key
		if property.Secret {
			s.secret(path, value)
			continue
		}
		switch v := value.(type) {
		case map[string]any:
			plain[key] = s.object(path+".", v, property)
		case string:
			plain[key] = v
			if property.Format == formatPath {
				plain[key] = s.absolute(v)
			}
		case []any:
			plain[key] = s.list(v, property)
		default:
			plain[key] = value
		}
	}
	return plain
}

func (s *splitter) list(given []any, shape schema) []any {
	plain := slices.Clone(given)
	for i, value := range plain {
		if path, ok := value.(string); ok && shape.Items != nil && shape.Items.Format == formatPath {
			plain[i] = s.absolute(path)
		}
	}
	return plain
}

func (s *splitter) secret(path string, value any) {
	if value == nil {
		return
	}
	if reference, ok := value.(string); ok && s.isReference(reference) {
		s.references[path] = reference
		return
	}
	s.literals = append(s.literals, path)
}

func (s *splitter) absolute(path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, rest)
		}
	}
	if path == "" || s.dir == "" {
		return path
	}
	if filepath.IsAbs(path) {
		return filepath.Clean(path) // what is opened is what was looked at: a link before .. leads elsewhere
	}
	return filepath.Join(s.dir, path)
}

// Secrets turns references into secrets.
type Secrets interface {
	IsReference(text string) bool
	Resolve(ctx context.Context, reference string) (sdk.Secret, error)
}

// OpenRequest returns the request that opens c. The secrets are resolved now: call
// it as late as possible and keep the result as short as possible.
// Errors: KindInvalid for a secret written as a value, naming its key but never
// the value; the errors of Resolve, with the key as Op.
func OpenRequest(ctx context.Context, c Connection, configSchema json.RawMessage, secrets Secrets) (sdk.OpenRequest, error) {
	split, err := SplitConfig(c, configSchema, secrets.IsReference)
	if err != nil {
		return sdk.OpenRequest{}, err
	}
	if len(split.Literals) > 0 {
		return sdk.OpenRequest{}, literalError(c.ID, split.Literals)
	}
	config := sdk.Config{JSON: split.JSON, Secrets: make(map[string]sdk.Secret, len(split.References))}
	for _, path := range slices.Sorted(maps.Keys(split.References)) {
		secret, err := secrets.Resolve(ctx, split.References[path])
		if err != nil {
			named := *sdk.AsError(err, sdk.SourceHost)
			named.Op = fmt.Sprintf("connection %s, config.%s", c.ID, path)
			return sdk.OpenRequest{}, &named
		}
		config.Secrets[path] = secret
	}
	limits := c.Limits.OrDefault()
	return sdk.OpenRequest{
		ConnectionID: string(c.ID), Config: config,
		MaxOpen: limits.Concurrency, StatementTimeout: limits.Timeout, MemoryBytes: limits.Memory,
	}, nil
}

func literalError(id ID, paths []string) error {
	return sdk.Errorf(sdk.KindInvalid, sdk.SourceHost, "connection %q has a secret written as a value: config.%s", id, strings.Join(paths, ", config.")).
		WithHint("replace it in loam.yaml by a reference: env:NAME, keyring:NAME, file:path or cmd:program")
}
