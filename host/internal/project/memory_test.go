package project

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestMemory(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text string
		want       Memory
		problem    string
	}{
		{name: "nothing", text: "memory: {}"},
		{
			name: "all",
			text: "memory: {review: strict, policy: {measure: pending, unit: draft}, scope: user, approve_over_mcp: true, approve_from: [cli, script], refuse: [codex], learn_from: [handbook], probe: {max_bytes: 2GiB}}",
			want: Memory{
				Review: "strict", Policy: map[string]string{"measure": "pending", "unit": "draft"}, Scope: "user", ApproveOverMCP: true,
				ApproveFrom: []string{"cli", "script"}, Refuse: []string{"codex"}, LearnFrom: []string{"handbook"}, ProbeMaxBytes: 2 << 30,
			},
		},
		{name: "off", text: "memory: {review: off}", want: Memory{Review: "off"}},
		{name: "nobody approves", text: "memory: {approve_from: []}", want: Memory{ApproveFrom: []string{}}},
		{name: "no such review", text: "memory: {review: loose}", problem: "memory.review: must be balanced or strict or off"},
		{name: "no such kind", text: "memory: {policy: {mesure: pending}}", problem: `memory.policy.mesure: unknown key; did you mean "measure"?`},
		{name: "no such policy", text: "memory: {policy: {measure: always}}", problem: "memory.policy.measure: must be pending or draft"},
		{name: "no such way", text: "memory: {approve_from: [mail]}", problem: "memory.approve_from: must be cli or script or console"},
		{name: "no list", text: "memory: {approve_from: cli}", problem: "memory.approve_from: must be a list"},
		{name: "no size", text: "memory: {probe: {max_bytes: 1}}", problem: "memory.probe.max_bytes: must be a size"},
		{
			name: "a model", text: "memory: {planner: llm, llm: {kind: openai, base_url: 'http://localhost:11434/v1/', model: qwen3, api_key: 'env:KEY', daily_tokens: 50000, timeout: 2m}}",
			want: Memory{Planner: "llm", LLM: LLM{Kind: "openai", BaseURL: "http://localhost:11434/v1", Model: "qwen3", APIKey: "env:KEY", DailyTokens: 50000, Timeout: 2 * time.Minute}},
		},
		{
			name: "a model without a key", text: "memory: {llm: {kind: openai, base_url: 'http://llm:8000/v1', model: qwen3}}",
			want: Memory{LLM: LLM{Kind: "openai", BaseURL: "http://llm:8000/v1", Model: "qwen3"}},
		},
		{name: "no such planner", text: "memory: {planner: sampling}", problem: "memory.planner: must be rules or llm"},
		{name: "no model", text: "memory: {planner: llm}", problem: "memory.llm: is missing"},
		{name: "no address", text: "memory: {llm: {kind: openai, model: m}}", problem: "memory.llm.base_url: is missing"},
		{name: "a password in the address", text: "memory: {llm: {kind: openai, base_url: 'https://me:hunter2@x', model: m}}", problem: "memory.llm.base_url: must be the address"},
		{name: "a key", text: "memory: {llm: {kind: openai, base_url: 'https://x', model: m, api_key: hunter2}}", problem: "memory.llm.api_key: must be a reference"},
		{name: "a key in the clear", text: "memory: {llm: {kind: openai, base_url: 'http://10.0.0.7/v1', model: m, api_key: 'env:K'}}", problem: "memory.llm.base_url: must begin with https://"},
		{name: "everything wrong", text: "memory: {llm: {kind: other, base_url: x, model: '', daily_tokens: 1, timeout: 1h}}", problem: "has 5 problems"},
		{name: "unknown", text: "memory: {auto: true}", problem: "memory.auto: unknown key"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, err := parse(t.TempDir(), []byte("version: 1\n"+tt.text+"\n"))
			if tt.problem != "" {
				if err == nil || !strings.Contains(err.Error(), tt.problem) || strings.Contains(err.Error(), "hunter2") {
					t.Fatalf("%v, want %q", err, tt.problem)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, p.Memory); diff != "" {
				t.Error(diff)
			}
		})
	}
}
