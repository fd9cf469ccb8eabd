package extract

import (
	"bytes"
	"encoding/json"
	"net/http"

	"github.com/loam-data/loam/sdk"
)

// openAI is the Chat Completions API, which many servers implement.
type openAI struct{}

func (openAI) path() string { return "/chat/completions" }

func (openAI) headers(key sdk.Secret, h http.Header) {
	if !key.IsZero() {
		h.Set("Authorization", "Bearer "+key.Reveal())
	}
}

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type responseFormat struct {
	Type       string     `json:"type"`
	JSONSchema jsonSchema `json:"json_schema"`
}

type jsonSchema struct {
	Name   string          `json:"name"`
	Strict bool            `json:"strict"`
	Schema json.RawMessage `json:"schema"`
}

func (openAI) body(m Model, p prompt, plain bool) any {
	b := struct {
		Model       string          `json:"model"`
		Messages    []message       `json:"messages"`
		Temperature int             `json:"temperature"`
		MaxTokens   int             `json:"max_tokens"`
		Format      *responseFormat `json:"response_format,omitempty"`
	}{Model: m.Name, Messages: []message{{"system", system}, {"user", p.user()}}, MaxTokens: maxTokens}
	if plain {
		b.Messages[0].Content += "\n\nAnswer with one JSON object and nothing else. Its schema: " + string(schema)
	} else {
		b.Format = &responseFormat{"json_schema", jsonSchema{"statements", true, schema}}
	}
	return b
}

func (openAI) read(body []byte, plain bool) ([]byte, int64, error) {
	var a struct {
		Choices []struct {
			Message struct {
				Content string `json:"content"`
				Refusal string `json:"refusal"`
			} `json:"message"`
			Finish string `json:"finish_reason"`
		} `json:"choices"`
		Usage struct {
			Prompt     int64 `json:"prompt_tokens"`
			Completion int64 `json:"completion_tokens"`
		} `json:"usage"`
	}
	if json.Unmarshal(body, &a) != nil || len(a.Choices) == 0 {
		return nil, 0, noAnswer()
	}
	switch one := a.Choices[0]; {
	case one.Message.Refusal != "" || one.Finish == "content_filter":
		return nil, 0, declined()
	case one.Finish == "length":
		return nil, 0, tooLong()
	default:
		answer := []byte(one.Message.Content)
		if plain {
			answer = unfenced(answer)
		}
		return answer, a.Usage.Prompt + a.Usage.Completion, nil
	}
}

// unfenced removes the code fence that models put around JSON when no schema is enforced.
func unfenced(text []byte) []byte {
	text = bytes.TrimSpace(text)
	if rest, ok := bytes.CutPrefix(text, []byte("```")); ok {
		if rest, ok = bytes.CutSuffix(rest, []byte("```")); ok {
			return bytes.TrimPrefix(rest, []byte("json"))
		}
	}
	return text
}

func noAnswer() error {
	return useless("the model's server answered with something else than its API does", "see whether kind and base_url below memory.llm in loam.yaml are right")
}

func declined() error {
	return useless("the model refused to answer", "try another model in memory.llm.model")
}

func tooLong() error { return useless("the model's answer was cut off", "ingest the text in parts") }
