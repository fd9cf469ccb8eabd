package serve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/loam-data/loam/sdk"
)

// readConfig reads a --config: a JSON object or the name of a file with one.
// Keys that the schema marks as secret hold references, "env:NAME".
func (p *program) readConfig(given string) (sdk.Config, error) {
	text := []byte(given)
	if !strings.HasPrefix(strings.TrimSpace(given), "{") {
		file, err := os.ReadFile(given)
		if err != nil {
			return sdk.Config{}, sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "the configuration cannot be read: %w", err).
				WithHint("give --config a JSON object or the name of a file with one")
		}
		text = file
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var object map[string]any
	if err := decoder.Decode(&object); err != nil {
		return sdk.Config{}, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "the configuration is no JSON object: %w", err)
	}
	var schema schemaNode
	if err := json.Unmarshal(p.connector.Config.Schema, &schema); err != nil {
		return sdk.Config{}, fmt.Errorf("the connector's own schema: %w", err)
	}
	config := sdk.Config{Secrets: map[string]sdk.Secret{}}
	if err := p.takeSecrets(object, &schema, "", config.Secrets); err != nil {
		return sdk.Config{}, err
	}
	raw, err := json.Marshal(object)
	config.JSON = raw
	return config, err
}

// schemaNode is what matters here of a JSON Schema.
type schemaNode struct {
	Properties map[string]*schemaNode `json:"properties"`
	Secret     bool                   `json:"x-secret"`
}

// takeSecrets moves the secrets of an object out of it.
func (p *program) takeSecrets(object map[string]any, schema *schemaNode, prefix string, into map[string]sdk.Secret) error {
	for name, property := range schema.Properties {
		value, given := object[name]
		if inner, ok := value.(map[string]any); ok {
			if err := p.takeSecrets(inner, property, prefix+name+".", into); err != nil {
				return err
			}
		}
		if !given || !property.Secret {
			continue
		}
		reference, _ := value.(string)
		variable, ok := strings.CutPrefix(reference, "env:")
		if !ok {
			return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%s%s is a secret and must not stand in the configuration", prefix, name).
				WithHint("put it into an environment variable and write \"env:NAME\" in its place")
		}
		secret := p.getenv(variable)
		if secret == "" {
			return sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "%s%s: the environment variable %s is not set", prefix, name, variable)
		}
		into[prefix+name] = sdk.NewSecret(secret)
		delete(object, name)
	}
	return nil
}
