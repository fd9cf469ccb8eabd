package mcpserver

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/discover"
	"github.com/loam-data/loam/host/internal/mcpserver/tool"
	"github.com/loam-data/loam/sdk"
)

const (
	markdownMedia = "text/markdown"
	// anyResource is the template of every URI of the scheme: the library refuses a URI that no template has
	// without a hint. Lists leave it out.
	anyResource = discover.Scheme + "{+rest}"
)

// resourceKind is one kind of resources: the Markdown of a tool's answer.
type resourceKind struct {
	name, title, description string
	// arguments are the names in the URI template after the kind, with the operator "+" for one with slashes.
	arguments []string
	// read returns the resource with the values of the arguments.
	// Errors: KindNotFound with near names; those of the tool.
	read func(ctx context.Context, values []string) (document, error)
	// complete lists the values of an argument; given are those of the others.
	complete func(ctx context.Context, argument, prefix string, given map[string]string) (*discover.Names, error)
}

func (k resourceKind) template() string {
	uri := discover.Scheme + k.name
	for _, a := range k.arguments {
		uri += "/{" + a + "}"
	}
	return uri
}

// resources are the kinds of resources of a server.
type resources []resourceKind

// resources returns those that the configuration has services for.
func (c Config) resources() resources {
	all := resources{
		{
			name: "table", title: "Table", description: "A scanned table: its columns, keys, values and joins, as entity_details has them.",
			arguments: []string{"connection", "name"}, read: c.readTable,
			complete: c.ofConnection(func(ctx context.Context, id connection.ID, prefix string) (*discover.Names, error) {
				return c.Discover.TableNames(ctx, id, prefix)
			}),
		},
		{
			name: "source", title: "Semantic source", description: "A source of the semantic layer: its measures, dimensions and joins, as sl_read_source has them.",
			arguments: []string{"connection", "name"}, read: c.readSource,
			complete: c.ofConnection(func(ctx context.Context, id connection.ID, prefix string) (*discover.Names, error) {
				names, total, err := c.Semantic.SourceNames(ctx, id, prefix)
				return &discover.Names{Names: names, Total: total}, err
			}),
		},
		{
			name: "page", title: "Wiki page", description: "A page of the wiki, with its trust in front.",
			arguments: []string{"+key"}, read: c.readPage,
			complete: func(ctx context.Context, _, prefix string, _ map[string]string) (*discover.Names, error) {
				return c.Discover.PageKeys(ctx, prefix)
			},
		},
	}
	if c.Approved != nil {
		all = append(all, resourceKind{
			name: "query", title: "Approved query", description: "A saved query that a person reviewed: its parameters and its SQL.",
			arguments: []string{"connection", "name"}, read: c.readQuery, complete: c.ofConnection(c.queryNames),
		})
	}
	if c.Assemble != nil {
		all = append(all, resourceKind{
			name: "overview", title: "Overview", description: "What the project is about, as get_context at depth domain has it.", read: c.readOverview,
		})
	}
	return all
}

// ofConnection completes the arguments connection and name.
func (c Config) ofConnection(names func(ctx context.Context, id connection.ID, prefix string) (*discover.Names, error)) func(context.Context, string, string, map[string]string) (*discover.Names, error) {
	return func(ctx context.Context, argument, prefix string, given map[string]string) (*discover.Names, error) {
		if argument == "connection" {
			return c.Discover.ConnectionIDs(ctx, prefix)
		}
		return names(ctx, connection.ID(given["connection"]), prefix)
	}
}

// install gives the library the templates. One function reads them all: the library tries templates in no order.
func (r resources) install(library *server.MCPServer) {
	read := func(ctx context.Context, q mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		d, err := r.read(ctx, q.Params.URI)
		if err != nil {
			return nil, tool.Fail(ctx, err)
		}
		contents := mcp.TextResourceContents{URI: q.Params.URI, MIMEType: markdownMedia, Text: d.text}
		if d.modified != "" {
			contents.Meta = map[string]any{"lastModified": d.modified}
		}
		return []mcp.ResourceContents{contents}, nil
	}
	for _, k := range r {
		if len(k.arguments) == 0 {
			library.AddResource(mcp.NewResource(k.template(), k.title, mcp.WithResourceDescription(k.description), mcp.WithMIMEType(markdownMedia)), read)
			continue
		}
		library.AddResourceTemplate(mcp.NewResourceTemplate(k.template(), k.title,
			mcp.WithTemplateDescription(k.description), mcp.WithTemplateMIMEType(markdownMedia)), read)
	}
	library.AddResourceTemplate(mcp.NewResourceTemplate(anyResource, "Any resource"), read)
}

// withoutAny removes the template of every URI from a list.
func withoutAny(_ context.Context, _ any, _ *mcp.ListResourceTemplatesRequest, r *mcp.ListResourceTemplatesResult) {
	r.ResourceTemplates = slices.DeleteFunc(r.ResourceTemplates, func(t mcp.ResourceTemplate) bool {
		return t.URITemplate != nil && t.URITemplate.Raw() == anyResource
	})
}

// read reads the resource of a URI.
// Errors: KindNotFound and KindInvalid for a URI of no kind; those of resourceKind.read.
func (r resources) read(ctx context.Context, uri string) (document, error) {
	name, rest, _ := strings.Cut(strings.TrimPrefix(uri, discover.Scheme), "/")
	kind := r.kind(name)
	if kind == nil {
		return document{}, r.noKind(name)
	}
	values, ok := kind.values(rest)
	if !ok {
		return document{}, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "the URI does not fit %s", kind.template()).
			WithHint("fill in the template, with every character of a value other than letters, digits, - . _ ~ as %%XX")
	}
	return kind.read(ctx, values)
}

func (r resources) kind(name string) *resourceKind {
	at := slices.IndexFunc(r, func(k resourceKind) bool { return k.name == name })
	if at < 0 {
		return nil
	}
	return &r[at]
}

func (r resources) noKind(name string) error {
	var names, templates []string
	for _, k := range r {
		names, templates = append(names, k.name), append(templates, k.template())
	}
	err := sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "there are no resources of the kind %q", brief(name)).
		WithHint("read one of %s", strings.Join(templates, ", "))
	err.Candidates = names
	return err
}

// values returns the values of the arguments in the rest of a URI.
func (k *resourceKind) values(rest string) (values []string, ok bool) {
	if len(k.arguments) == 0 {
		return nil, rest == ""
	}
	parts := strings.SplitN(rest, "/", len(k.arguments)) // the last value may have slashes
	for _, part := range parts {
		value, err := url.PathUnescape(part)
		if err != nil || value == "" || !utf8.ValidString(value) {
			return nil, false
		}
		values = append(values, value)
	}
	return values, len(values) == len(k.arguments)
}

// maxBrief bounds what a message repeats of a request, in bytes.
const maxBrief = 80

func brief(s string) string {
	if len(s) > maxBrief {
		return strings.ToValidUTF8(s[:maxBrief], "") + "…"
	}
	return s
}
