package mcpserver

import (
	"context"
	"encoding/base64"
	"log/slog"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/loam-data/loam/host/internal/discover"
	"github.com/loam-data/loam/host/internal/mcpserver/tool"
	"github.com/loam-data/loam/host/internal/memory"
	"github.com/loam-data/loam/host/internal/skill"
	"github.com/loam-data/loam/host/internal/skillset"
	"github.com/loam-data/loam/sdk"
)

// skillCatalog lists, finds and reads the skills of the project.
type skillCatalog interface {
	List(context.Context, skillset.ListRequest) (*skillset.Listing, error)
	Search(context.Context, skillset.SearchRequest) (*skillset.Found, error)
	Apply(context.Context, skillset.ApplyRequest) (*skillset.Applied, error)
}

// skillServing has the skills that a person reviewed, the most used first. No other skill is served.
type skillServing interface {
	Reviewed(context.Context) ([]skill.Item, error)
	Prompts(ctx context.Context, most int) ([]skill.Item, error)
	Prompt(ctx context.Context, name string) (*skill.Skill, error)
	File(ctx context.Context, name, file string) ([]byte, error)
}

// skillWriting proposes changes of skills.
type skillWriting interface {
	CreateSkill(context.Context, memory.Call, skill.Skill) (*memory.SkillWritten, error)
	UpdateSkill(context.Context, memory.Call, memory.SkillEdit) (*memory.SkillWritten, error)
	DeleteSkill(ctx context.Context, c memory.Call, name, base string) (*memory.SkillWritten, error)
}

const (
	// maxPrompts bounds the list of prompts, and how many skills a list of resources has.
	maxPrompts = 20
	// skillTemplate is the template of the files of skills.
	skillTemplate = "skill://{name}/{+path}"
)

// projectSkills serves the reviewed skills of the project as prompts and resources. The lists are made when they are
// asked for, because people edit the files.
type projectSkills struct {
	serving skillServing
	most    int // skills in a list
	log     *slog.Logger

	mu sync.Mutex
	// known are the prompts that the library has for skills. A skill that is reviewed no more stays there and is refused.
	known map[string]bool
}

// projectSkills returns nil without skills.
func (c Config) projectSkills() *projectSkills {
	if c.SkillServing == nil {
		return nil
	}
	return &projectSkills{serving: c.SkillServing, most: maxPrompts - 1 - len(c.prompts()), log: c.Logger, known: map[string]bool{}}
}

// options say that lists with skills are old at once: a person's edit counts on the next call.
func (p *projectSkills) options() (all []server.ServerOption) {
	if p == nil {
		return nil
	}
	for _, method := range []mcp.MCPMethod{mcp.MethodPromptsList, mcp.MethodResourcesList} {
		all = append(all, server.WithMethodCacheHints(method, p.fresh().Milliseconds(), mcp.CacheScopePrivate))
	}
	return all
}

// fresh is how long a client may keep a list.
func (p *projectSkills) fresh() time.Duration {
	if p == nil {
		return listFresh
	}
	return 0
}

// install gives the library the template, and hooks that add the skills to its lists.
func (p *projectSkills) install(library *server.MCPServer, hooks *server.Hooks) {
	if p == nil {
		return
	}
	hooks.AddBeforeGetPrompt(func(ctx context.Context, _ any, r *mcp.GetPromptRequest) { p.offer(ctx, library, r.Params.Name) })
	hooks.AddAfterListPrompts(func(ctx context.Context, _ any, _ *mcp.ListPromptsRequest, r *mcp.ListPromptsResult) {
		p.mu.Lock()
		r.Prompts = slices.DeleteFunc(r.Prompts, func(one mcp.Prompt) bool { return p.known[one.Name] })
		p.mu.Unlock()
		for _, i := range p.listed(ctx) {
			r.Prompts = append(r.Prompts, mcp.NewPrompt(i.Name, mcp.WithPromptTitle(i.Skill.Title()), mcp.WithPromptDescription(i.Skill.Description)))
		}
	})
	hooks.AddAfterListResources(func(ctx context.Context, _ any, _ *mcp.ListResourcesRequest, r *mcp.ListResourcesResult) {
		for _, i := range p.listed(ctx) {
			r.Resources = append(r.Resources, mcp.NewResource(skillset.FileURI(i.Name, skill.FileName), i.Name,
				mcp.WithResourceDescription(i.Skill.Description), mcp.WithMIMEType(skillMedia)))
		}
	})
	library.AddResourceTemplate(mcp.NewResourceTemplate(skillTemplate, "Skill",
		mcp.WithTemplateDescription("A file of a skill that a person reviewed.")), p.read)
}

// listed returns the skills of a list; what cannot be read is none.
func (p *projectSkills) listed(ctx context.Context) []skill.Item {
	all, err := p.serving.Prompts(ctx, p.most)
	if err != nil {
		p.log.WarnContext(ctx, "the skills of the project cannot be read", "error", err)
	}
	return all
}

// offer gives the library the prompt of a skill that it does not have yet: the library refuses other prompts itself.
func (p *projectSkills) offer(ctx context.Context, library *server.MCPServer, name string) {
	if skill.CheckName(name) != nil {
		return
	}
	if _, err := p.serving.Prompt(ctx, name); err != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.known[name] {
		return
	}
	p.known[name] = true
	library.AddPrompt(mcp.NewPrompt(name), func(ctx context.Context, _ mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		s, err := p.serving.Prompt(ctx, name)
		if err != nil {
			return nil, tool.Fail(ctx, err)
		}
		return mcp.NewGetPromptResult(s.Description, []mcp.PromptMessage{mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent(s.Body))}), nil
	})
}

// read reads a file of a reviewed skill.
func (p *projectSkills) read(ctx context.Context, r mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
	uri := r.Params.URI
	name, escaped, _ := strings.Cut(strings.TrimPrefix(uri, "skill://"), "/")
	file, err := url.PathUnescape(escaped)
	if err != nil {
		err = sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "the URI does not fit %s", skillTemplate).WithHint("take it from skills/get")
		return nil, tool.Fail(ctx, err)
	}
	content, err := p.serving.File(ctx, name, file)
	switch {
	case err != nil:
		return nil, tool.Fail(ctx, err)
	case !utf8.Valid(content):
		return []mcp.ResourceContents{mcp.BlobResourceContents{URI: uri, MIMEType: "application/octet-stream", Blob: base64.StdEncoding.EncodeToString(content)}}, nil
	}
	media := "text/plain"
	if path.Ext(file) == ".md" {
		media = skillMedia
	}
	return []mcp.ResourceContents{mcp.TextResourceContents{URI: uri, MIMEType: media, Text: string(content)}}, nil
}

// complete lists the names of reviewed skills, or the files of one.
func (p *projectSkills) complete(ctx context.Context, a mcp.CompleteArgument, given map[string]string) (*mcp.Completion, error) {
	all, err := p.serving.Reviewed(ctx)
	if err != nil {
		return nil, tool.Fail(ctx, err)
	}
	names := &discover.Names{}
	add := func(name string) {
		if strings.HasPrefix(name, a.Value) {
			if names.Total++; names.Total <= discover.MaxNames {
				names.Names = append(names.Names, name)
			}
		}
	}
	for _, i := range all {
		switch {
		case a.Name == "name":
			add(i.Name)
		case a.Name == "path" && i.Name == given["name"]:
			for _, f := range i.Files {
				add(f.Path)
			}
		}
	}
	return listed(names), nil
}

// entries returns the skills of the project as the extension describes them.
func (p *projectSkills) entries(ctx context.Context) ([]skillEntry, error) {
	if p == nil {
		return nil, nil
	}
	all, err := p.serving.Reviewed(ctx)
	if err != nil {
		return nil, err
	}
	entries := make([]skillEntry, len(all))
	for n, i := range all {
		entries[n] = skillEntry{URI: skillset.FileURI(i.Name, skill.FileName), Frontmatter: map[string]string{"name": i.Name, "description": i.Skill.Description}}
		for _, f := range i.Files {
			entries[n].Resources = append(entries[n].Resources, skillFile{skillset.FileURI(i.Name, f.Path), "sha256:" + f.Hash, f.Size})
		}
	}
	return entries, nil
}
