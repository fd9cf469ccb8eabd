package extract

import (
	"encoding/json"
	"net/http"

	"github.com/loam-data/loam/sdk"
)

// anthropic is the Messages API. The answer is the input of a forced tool call.
type anthropic struct{}

// apiVersion is the version of the Messages API.
const apiVersion = "2023-06-01"

// toolName is the name of the tool that the model must call.
const toolName = "statements"

func (anthropic) path() string { return "/v1/messages" }

func (anthropic) headers(key sdk.Secret, h http.Header) {
	h.Set("anthropic-version", apiVersion)
	if !key.IsZero() {
		h.Set("x-api-key", key.Reveal())
	}
}

type modelTool struct {
	Name   string          `json:"name"`
	Schema json.RawMessage `json:"input_schema"`
}

type toolChoice struct {
	Type string `json:"type"`
	Name string `json:"name"`
}

func (anthropic) body(m Model, p prompt, _ bool) any {
	return struct {
		Model     string      `json:"model"`
		MaxTokens int         `json:"max_tokens"`
		System    string      `json:"system"`
		Messages  []message   `json:"messages"`
		Tools     []modelTool `json:"tools"`
		Choice    toolChoice  `json:"tool_choice"`
	}{m.Name, maxTokens, system, []message{{"user", p.user()}}, []modelTool{{toolName, schema}}, toolChoice{"tool", toolName}}
}

func (anthropic) read(body []byte, _ bool) ([]byte, int64, error) {
	var a struct {
		Content []struct {
			Type  string          `json:"type"`
			Name  string          `json:"name"`
			Input json.RawMessage `json:"input"`
		} `json:"content"`
		Stop  string `json:"stop_reason"`
		Usage struct {
			Input  int64 `json:"input_tokens"`
			Output int64 `json:"output_tokens"`
		} `json:"usage"`
	}
	if json.Unmarshal(body, &a) != nil {
		return nil, 0, noAnswer()
	}
	switch a.Stop {
	case "refusal":
		return nil, 0, declined()
	case "max_tokens":
		return nil, 0, tooLong()
	}
	for _, c := range a.Content {
		if c.Type == "tool_use" && c.Name == toolName && len(c.Input) > 0 {
			return c.Input, a.Usage.Input + a.Usage.Output, nil
		}
	}
	return nil, 0, noAnswer()
}
