package query

import (
	"bytes"
	"encoding/json"

	"gopkg.in/yaml.v3"

	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/sdk"
)

// requestJSON returns a request as JSON. What begins with a brace is JSON as it
// stands, everything else YAML.
func requestJSON(text []byte) (json.RawMessage, error) {
	trimmed := bytes.TrimLeft(text, " \t\r\n")
	if len(trimmed) == 0 {
		return nil, badRequestFile(0, "it is empty")
	}
	if trimmed[0] == '{' {
		return text, nil
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var document yaml.Node
	if err := decoder.Decode(&document); err != nil {
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "the request is neither JSON nor YAML: %w", err).
			WithHint("%s", requestHint)
	}
	if decoder.Decode(&yaml.Node{}) == nil {
		return nil, badRequestFile(0, "it has several documents")
	}
	var out bytes.Buffer
	if len(document.Content) != 1 || document.Content[0].Kind != yaml.MappingNode {
		return nil, badRequestFile(document.Line, "it is no object")
	}
	if err := writeJSON(&out, document.Content[0]); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

const requestHint = `write {"measures": ["orders.revenue"], "dimensions": ["customers.segment"]}, or the same as YAML`

func badRequestFile(line int, problem string) *sdk.Error {
	e := sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "the request cannot be read: %s", problem).WithHint("%s", requestHint)
	e.Pos.Line = line
	return e
}

// writeJSON writes YAML as JSON: numbers with the digits that they are written
// with, times as the texts that they are, keys in their order, twice if they are
// there twice, which the reader of the request refuses.
func writeJSON(out *bytes.Buffer, n *yaml.Node) error {
	switch n.Kind {
	case yaml.MappingNode:
		return writeItems(out, n, '{', '}')
	case yaml.SequenceNode:
		return writeItems(out, n, '[', ']')
	case yaml.ScalarNode:
		return writeScalar(out, n)
	}
	return badRequestFile(n.Line, "a request has no anchors and aliases")
}

func writeItems(out *bytes.Buffer, n *yaml.Node, opened, closed byte) error {
	out.WriteByte(opened)
	for i, item := range n.Content {
		isKey := n.Kind == yaml.MappingNode && i%2 == 0
		switch {
		case isKey && item.Kind != yaml.ScalarNode:
			return badRequestFile(item.Line, "a key is a word")
		case i > 0 && n.Kind == yaml.MappingNode && !isKey:
			out.WriteByte(':')
		case i > 0:
			out.WriteByte(',')
		}
		if isKey {
			if err := writeText(out, item.Value); err != nil {
				return err
			}
			continue
		}
		if err := writeJSON(out, item); err != nil {
			return err
		}
	}
	out.WriteByte(closed)
	return nil
}

func writeScalar(out *bytes.Buffer, n *yaml.Node) error {
	switch n.Tag {
	case "!!str", "!!timestamp":
		if n.Style == 0 && json.Valid([]byte(n.Value)) { // a number that no float holds
			out.WriteString(n.Value)
			return nil
		}
		return writeText(out, n.Value)
	case "!!null":
		out.WriteString("null")
		return nil
	case "!!bool":
		if n.Value == "true" || n.Value == "false" {
			out.WriteString(n.Value)
			return nil
		}
	case "!!int", "!!float":
		if json.Valid([]byte(n.Value)) {
			out.WriteString(n.Value)
			return nil
		}
	}
	return badRequestFile(n.Line, "the value "+terminal.Cut(n.Value, terminal.MaxValue)+" is no text, plain number, true, false or null")
}

func writeText(out *bytes.Buffer, s string) error {
	text, err := json.Marshal(s)
	out.Write(text)
	return err
}
