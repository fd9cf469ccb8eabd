package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/approved"
	"github.com/loam-data/loam/host/internal/assemble"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/discover"
	"github.com/loam-data/loam/host/internal/text/markdown"
	"github.com/loam-data/loam/sdk"
)

// charsOfToken is about how many characters of an indented answer a token has.
const charsOfToken = 4

// readOverview returns the answer of get_context at depth domain, which counts what it leaves out.
func (c Config) readOverview(ctx context.Context, _ []string) (document, error) {
	text, err := answered("# Overview\n\n", "json", "get_context", func(chars int) (string, error) {
		a, err := c.Assemble.Context(ctx, assemble.ContextRequest{Depth: assemble.Domain, Budget: chars / charsOfToken})
		if err != nil {
			return "", err
		}
		return indented(a)
	})
	return document{text: text}, err
}

// readQuery returns what list_approved_queries has of one query, and its SQL.
// Errors: KindNotFound for a query that nobody reviewed.
func (c Config) readQuery(ctx context.Context, values []string) (document, error) {
	q, err := c.Approved.Show(ctx, values[1], connection.ID(values[0]))
	if err != nil {
		return document{}, err
	}
	if q.Unreviewed {
		return document{}, sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "no person has reviewed the saved query %q", brief(values[1])).
			WithHint("list the reviewed ones with list_approved_queries")
	}
	about, err := indented(q.Listed)
	if err != nil {
		return document{}, err
	}
	text, err := answered(heading("Approved query", q.Name)+markdown.Block("json", about)+"\n", "sql", "execute_approved_query", func(int) (string, error) { return q.SQL, nil })
	return document{text: text, modified: q.Modified.UTC().Format(time.RFC3339)}, err
}

// queryNames completes the names of the reviewed queries of a connection.
func (c Config) queryNames(ctx context.Context, id connection.ID, prefix string) (*discover.Names, error) {
	found := &discover.Names{}
	for r := (approved.ListRequest{Connection: id, Limit: approved.MaxQueries}); ; {
		page, err := c.Approved.List(ctx, r)
		if err != nil {
			return nil, err
		}
		for _, q := range page.Queries {
			if !strings.HasPrefix(q.Name, prefix) {
				continue
			}
			if found.Total++; found.Total <= discover.MaxNames {
				found.Names = append(found.Names, q.Name)
			}
		}
		if page.NextCursor == nil {
			return found, nil
		}
		r.Cursor = *page.NextCursor
	}
}

// indented returns an answer as JSON that people can read.
func indented(answer any) (string, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(answer)
	return strings.TrimSuffix(b.String(), "\n"), err
}
