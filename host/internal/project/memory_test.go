package project

import (
	"strings"
	"testing"

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
			text: "memory: {review: strict, policy: {measure: pending, unit: draft}, scope: user, approve_over_mcp: true, approve_from: [cli, script], refuse: [codex], probe: {max_bytes: 2GiB}}",
			want: Memory{
				Review: "strict", Policy: map[string]string{"measure": "pending", "unit": "draft"}, Scope: "user", ApproveOverMCP: true,
				ApproveFrom: []string{"cli", "script"}, Refuse: []string{"codex"}, ProbeMaxBytes: 2 << 30,
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
		{name: "unknown", text: "memory: {auto: true}", problem: "memory.auto: unknown key"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, err := parse(t.TempDir(), []byte("version: 1\n"+tt.text+"\n"))
			if tt.problem != "" {
				if err == nil || !strings.Contains(err.Error(), tt.problem) {
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
