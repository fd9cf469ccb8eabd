package mcpserver

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/loam-data/loam/host/internal/mcpserver/tool"
	"github.com/loam-data/loam/host/internal/mcpserver/transport"
)

// skillsExtension is the extension by which clients find skills. Its methods are
// answered here: the library has none of them.
// Source: https://github.com/modelcontextprotocol/ext-skills, specification/stable.
const skillsExtension = "io.modelcontextprotocol/skills"

const skillMedia = "text/markdown"

// Skill tells agents how to work with the tools. It is served as a prompt, which a
// person picks, and by the skills extension, from which a client takes it.
type Skill struct {
	Name, Description string
	// Body is Markdown; File is the same with its name and description before it,
	// as clients keep it.
	Body string
	File []byte
}

func (s Skill) uri() string { return "skill://" + s.Name + "/SKILL.md" }

// skillEntry is a Skill as the extension describes one.
type skillEntry struct {
	URI         string            `json:"uri"`
	Frontmatter map[string]string `json:"frontmatter"`
	Resources   []skillFile       `json:"resources"`
}

type skillFile struct {
	URI    string `json:"uri"`
	Digest string `json:"digest"`
	Size   int    `json:"size"`
}

func (s Skill) entry() skillEntry {
	return skillEntry{
		URI:         s.uri(),
		Frontmatter: map[string]string{"name": s.Name, "description": s.Description},
		Resources:   []skillFile{{s.uri(), fmt.Sprintf("sha256:%x", sha256.Sum256(s.File)), len(s.File)}},
	}
}

// install gives the library the skill as a prompt and as a resource.
func (s Skill) install(library *server.MCPServer) {
	library.AddPrompt(mcp.NewPrompt(s.Name, mcp.WithPromptDescription(s.Description)),
		func(context.Context, mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return mcp.NewGetPromptResult(s.Description, []mcp.PromptMessage{
				mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent(s.Body)),
			}), nil
		})
	library.AddResource(mcp.NewResource(s.uri(), s.Name, mcp.WithResourceDescription(s.Description), mcp.WithMIMEType(skillMedia)),
		func(context.Context, mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
			return []mcp.ResourceContents{mcp.TextResourceContents{URI: s.uri(), MIMEType: skillMedia, Text: string(s.File)}}, nil
		})
}

// skillResult is what the results of both methods have in common.
type skillResult struct {
	ResultType string         `json:"resultType"`
	Skills     []skillEntry   `json:"skills,omitempty"`
	Skill      *skillEntry    `json:"skill,omitempty"`
	TTL        int64          `json:"ttlMs"`
	CacheScope string         `json:"cacheScope"`
	Meta       map[string]any `json:"_meta"`
}

// unread is the refusal of a request whose skills cannot be read.
func unread(ctx context.Context, err error) *transport.Error {
	return &transport.Error{Code: mcp.INTERNAL_ERROR, Message: tool.Fail(ctx, err).Error()}
}

// skillMethods are the methods of the extension.
func (c Config) skillMethods(project *projectSkills) map[string]transport.Method {
	result := func() skillResult {
		return skillResult{
			ResultType: string(mcp.ResultTypeComplete), TTL: project.fresh().Milliseconds(), CacheScope: string(mcp.CacheScopePrivate),
			Meta: map[string]any{mcp.MetaKeyServerInfo: c.implementation()},
		}
	}
	return map[string]transport.Method{
		"skills/list": func(ctx context.Context, params json.RawMessage) (any, *transport.Error) {
			var p struct{ Cursor string }
			if err := paramsOf(params, &p); err != nil || p.Cursor != "" {
				return nil, &transport.Error{Code: mcp.INVALID_PARAMS, Message: "skills/list: there is one page, which has no cursor"}
			}
			entries, err := project.entries(ctx)
			if err != nil {
				return nil, unread(ctx, err)
			}
			r := result()
			r.Skills = append([]skillEntry{c.Skill.entry()}, entries...)
			return r, nil
		},
		"skills/get": func(ctx context.Context, params json.RawMessage) (any, *transport.Error) {
			var p struct{ URI string }
			invalid := paramsOf(params, &p)
			entries, err := project.entries(ctx)
			if err != nil && invalid == nil && p.URI != c.Skill.uri() {
				return nil, unread(ctx, err)
			}
			entries = append([]skillEntry{c.Skill.entry()}, entries...)
			at := slices.IndexFunc(entries, func(e skillEntry) bool { return e.URI == p.URI })
			if invalid != nil || at < 0 {
				return nil, &transport.Error{
					Code: mcp.INVALID_PARAMS, Message: fmt.Sprintf("skills/get: there is no skill %q; there is %s, and skills/list has the others", brief(p.URI), c.Skill.uri()),
					Data: map[string]string{"uri": p.URI},
				}
			}
			r := result()
			r.Skill = &entries[at]
			return r, nil
		},
	}
}

// paramsOf reads params; none are empty ones.
func paramsOf(params json.RawMessage, into any) error {
	if len(bytes.TrimSpace(params)) == 0 {
		return nil
	}
	return json.Unmarshal(params, into)
}
