package tool

import (
	"bytes"
	"encoding/json"
)

// redactJSON takes secrets out of the strings of a JSON text. What it returns is
// JSON, even where a secret looks like a number or a brace.
func (s *Set) redactJSON(text json.RawMessage) json.RawMessage {
	// An escaped secret is not seen as it stands.
	if !bytes.ContainsRune(text, '\\') && s.config.Redact(string(text)) == string(text) {
		return text
	}
	var value any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&value); err != nil {
		value = string(text) // no JSON: one string
	}
	var clean bytes.Buffer
	enc := json.NewEncoder(&clean)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s.redactValue(value)); err != nil {
		panic("tool: what was JSON is none: " + err.Error())
	}
	return bytes.TrimSuffix(clean.Bytes(), []byte("\n"))
}

func (s *Set) redactValue(value any) any {
	switch v := value.(type) {
	case string:
		return s.config.Redact(v)
	case []any:
		for i := range v {
			v[i] = s.redactValue(v[i])
		}
	case map[string]any:
		clean := make(map[string]any, len(v))
		for name, member := range v {
			clean[s.config.Redact(name)] = s.redactValue(member)
		}
		return clean
	}
	return value
}
