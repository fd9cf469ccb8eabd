package project

import (
	"gopkg.in/yaml.v3"
)

// Memory is what a project says of remembering; a zero field stands for the default.
type Memory struct {
	// Review is "balanced", "strict" or "off"; "" = balanced.
	Review string
	// Policy says by kind of change "pending" or "draft".
	Policy map[string]string
	// Scope of the pages that are written: "global" or "user"; "" = global.
	Scope string
	// ApproveOverMCP: a client of the MCP server may approve what others proposed.
	ApproveOverMCP bool
	// ApproveFrom are the ways by which people approve: "cli" with a terminal, "script" the
	// command line without one, "console"; nil = cli.
	ApproveFrom []string
	// Refuse names clients, users and principals whose texts are not accepted.
	Refuse []string
	// ProbeMaxBytes is the most that a measure may read when it is tried; 0 = DefaultProbeBytes.
	ProbeMaxBytes int64
}

const (
	// DefaultProbeBytes is the most that a measure reads when it is tried.
	DefaultProbeBytes = 1 << 30
	minProbeBytes     = 1 << 10
	maxProbeBytes     = 1 << 50
)

// memoryKinds are the kinds of changes that a policy can be about.
// Source: change.Kind, which a test of package memory compares.
var memoryKinds = []string{"page", "alias", "measure", "segment", "description", "unit", "values", "synonyms", "join", "query"}

// MemoryKinds lists the kinds of changes that memory.policy may name.
func MemoryKinds() []string { return memoryKinds }

func (d *decoder) memory(n *yaml.Node, path string, into *Memory) {
	word := func(into *string, words ...string) func(*yaml.Node, string) {
		return func(n *yaml.Node, path string) { d.oneOf(n, path, words, into) }
	}
	d.mapping(n, path, []key{
		{"review", false, func(n *yaml.Node, path string) {
			if n.Kind == yaml.ScalarNode && n.Value == "false" { // YAML 1.1 reads off so
				n = &yaml.Node{Kind: yaml.ScalarNode, Value: "off", Line: n.Line, Column: n.Column}
			}
			d.oneOf(n, path, []string{"balanced", "strict", "off"}, &into.Review)
		}},
		{"policy", false, func(n *yaml.Node, path string) { d.policy(n, path, into) }},
		{"scope", false, word(&into.Scope, "global", "user")},
		{"approve_over_mcp", false, func(n *yaml.Node, path string) { d.bool(n, path, &into.ApproveOverMCP) }},
		{"approve_from", false, func(n *yaml.Node, path string) {
			d.words(n, path, []string{"cli", "script", "console"}, &into.ApproveFrom)
		}},
		{"refuse", false, func(n *yaml.Node, path string) { d.names(n, path, &into.Refuse) }},
		{"probe", false, func(n *yaml.Node, path string) {
			d.mapping(n, path, []key{{"max_bytes", false, func(n *yaml.Node, path string) {
				d.bytes(n, path, minProbeBytes, maxProbeBytes, &into.ProbeMaxBytes)
			}}}, "")
		}},
	}, "")
}

// policy decodes what happens to changes of some kinds.
func (d *decoder) policy(n *yaml.Node, path string, into *Memory) {
	into.Policy = map[string]string{}
	keys := make([]key, len(memoryKinds))
	for i, kind := range memoryKinds {
		keys[i] = key{kind, false, func(n *yaml.Node, path string) {
			var word string
			d.oneOf(n, path, []string{"pending", "draft"}, &word)
			into.Policy[kind] = word
		}}
	}
	d.mapping(n, path, keys, "")
}

// words decodes a list of words out of some.
func (d *decoder) words(n *yaml.Node, path string, known []string, into *[]string) {
	if n.Kind != yaml.SequenceNode {
		d.problem(n, path, "must be a list, such as [%s], not %s", known[0], kindName(n))
		return
	}
	*into = []string{}
	for _, item := range n.Content {
		var word string
		d.oneOf(follow(item), path, known, &word)
		*into = append(*into, word)
	}
}
