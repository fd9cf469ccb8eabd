package project

import (
	"net/netip"
	"net/url"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/loam-data/loam/host/internal/secret"
)

// Memory is the settings of the memory (texts, proposals and reviews); a zero field is the default.
type Memory struct {
	// Review is "balanced", "strict" or "off"; "" = balanced.
	Review string
	// Policy says by kind of change "pending" or "draft".
	Policy map[string]string
	// Scope of new pages: "global" or "user"; "" = global.
	Scope string
	// ApproveOverMCP: a client of the MCP server may approve what others proposed.
	ApproveOverMCP bool
	// ApproveFrom lists the channels by which people approve: "cli" with a terminal, "script" the command line
	// without one, "console"; nil = DefaultApproveFrom.
	ApproveFrom []string
	// Refuse names clients, users and principals whose texts are not accepted.
	Refuse []string
	// LearnFrom names the repositories of ingest files from which facts are learned without a request.
	LearnFrom []string
	// ProbeMaxBytes bounds the bytes that a test run of a measure reads; 0 = DefaultProbeBytes.
	ProbeMaxBytes int64
	// Planner is "rules" or "llm"; "" = rules, which sends nothing anywhere.
	Planner string
	// LLM is the language model of planner "llm".
	LLM LLM
}

// DefaultApproveFrom lists the channels by which people approve where loam.yaml names none.
func DefaultApproveFrom() []string { return []string{"cli", "console"} }

// LLM is a language model behind an HTTP API.
type LLM struct {
	Kind string // "openai" or "anthropic"
	// BaseURL has no slash at its end. Nothing is sent there before a person allowed it: Trust.Model.
	BaseURL string
	Model   string
	// APIKey is a reference to a secret, "" = none is sent.
	APIKey string
	// DailyTokens bounds the tokens used in a day of UTC; 0 = no bound.
	DailyTokens int
	// Timeout of one call; 0 = the usual one.
	Timeout time.Duration
}

const (
	// DefaultProbeBytes bounds the bytes that a test run of a measure reads.
	DefaultProbeBytes = 1 << 30
	minProbeBytes     = 1 << 10
	maxProbeBytes     = 1 << 50
	// minDailyTokens is what one call may take.
	minDailyTokens = 20_000
	maxDailyTokens = 1_000_000_000
	maxLLMTimeout  = 10 * time.Minute
)

// memoryKinds are the kinds of changes that a policy can be about.
// Source: change.Kind, which a test of package memory compares.
var memoryKinds = []string{"page", "alias", "measure", "segment", "description", "unit", "values", "synonyms", "join", "query", "tag", "source", "skill"}

// MemoryKinds lists the kinds of changes that memory.policy may name.
func MemoryKinds() []string { return memoryKinds }

func (d *decoder) memory(n *yaml.Node, path string, into *Memory) {
	word := func(into *string, words ...string) func(*yaml.Node, string) {
		return func(n *yaml.Node, path string) { d.oneOf(n, path, words, into) }
	}
	d.mapping(n, path, []key{
		{"review", false, func(n *yaml.Node, path string) {
			d.oneOf(notFalse(n), path, []string{"balanced", "strict", "off"}, &into.Review)
		}},
		{"policy", false, func(n *yaml.Node, path string) { d.policy(n, path, into) }},
		{"scope", false, word(&into.Scope, "global", "user")},
		{"approve_over_mcp", false, func(n *yaml.Node, path string) { d.bool(n, path, &into.ApproveOverMCP) }},
		{"approve_from", false, func(n *yaml.Node, path string) {
			d.words(n, path, []string{"cli", "script", "console"}, &into.ApproveFrom)
		}},
		{"refuse", false, func(n *yaml.Node, path string) { d.names(n, path, &into.Refuse) }},
		{"learn_from", false, func(n *yaml.Node, path string) { d.names(n, path, &into.LearnFrom) }},
		{"probe", false, func(n *yaml.Node, path string) {
			d.mapping(n, path, []key{{"max_bytes", false, func(n *yaml.Node, path string) {
				d.bytes(n, path, minProbeBytes, maxProbeBytes, &into.ProbeMaxBytes)
			}}}, "")
		}},
		{"planner", false, word(&into.Planner, "rules", "llm")},
		{"llm", false, func(n *yaml.Node, path string) { d.llm(n, path, &into.LLM) }},
	}, "")
	if _, given := d.positions[join(path, "llm")]; into.Planner == "llm" && !given {
		d.problem(n, join(path, "llm"), "is missing: planner: llm needs a model with kind, base_url and model")
	}
}

// llm decodes a language model. No problem quotes the address or the key: they may hold a secret.
func (d *decoder) llm(n *yaml.Node, path string, into *LLM) {
	d.mapping(n, path, []key{
		{"kind", true, func(n *yaml.Node, path string) { d.oneOf(n, path, []string{"openai", "anthropic"}, &into.Kind) }},
		{"base_url", true, func(n *yaml.Node, path string) {
			d.text(n, path, &into.BaseURL)
			into.BaseURL = strings.TrimRight(into.BaseURL, "/")
			if u, err := url.Parse(into.BaseURL); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
				d.problem(n, path, "must be the address of a model's API, such as https://api.openai.com/v1 or https://api.anthropic.com, without user or query")
			}
		}},
		{"model", true, func(n *yaml.Node, path string) {
			d.text(n, path, &into.Model)
			if strings.TrimSpace(into.Model) == "" {
				d.problem(n, path, "must name a model")
			}
		}},
		{"api_key", false, func(n *yaml.Node, path string) {
			if n.Kind != yaml.ScalarNode || !secret.IsReference(n.Value) {
				d.problem(n, path, "must be a reference to a secret, such as env:NAME, keyring:NAME or file:path, never the key itself")
				return
			}
			into.APIKey = n.Value
		}},
		{"daily_tokens", false, func(n *yaml.Node, path string) { d.integer(n, path, minDailyTokens, maxDailyTokens, &into.DailyTokens) }},
		{"timeout", false, func(n *yaml.Node, path string) { d.duration(n, path, maxLLMTimeout, &into.Timeout) }},
	}, "")
	if u, err := url.Parse(into.BaseURL); err == nil && u.Scheme == "http" && into.APIKey != "" && !isLoopback(u.Hostname()) {
		d.problem(n, join(path, "base_url"), "must begin with https://, or be of this machine: the key would be sent in the clear")
	}
}

// isLoopback reports whether a host is this machine.
func isLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
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
