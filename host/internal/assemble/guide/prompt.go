// Package guide writes the prompts of the MCP server: what is known about a subject, a term or a number. It takes only
// what people wrote or reviewed: definitions in their files of the semantic layer, reviewed entries of the memory,
// pages whose trust is "person" or "reviewed", and approved queries. Comments of the warehouse, and texts of agents and
// imports, have no part in it. It asks no model and no warehouse; the same project gives the same text.
package guide

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/caller"
	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/indexer"
	"github.com/loam-data/loam/host/internal/savedquery/library"
	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/layer"
	"github.com/loam-data/loam/host/internal/semantic/listing"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/text/markdown"
	"github.com/loam-data/loam/host/internal/tokens"
	"github.com/loam-data/loam/host/internal/warehouse"
	"github.com/loam-data/loam/host/internal/wiki"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// Budget is the most that a prompt has, by tokens.Estimate.
const Budget = 4000

// Config has the dependencies of a Guide. All fields are required, except those that say what nil means.
type Config struct {
	Warehouses *warehouse.Set
	Layer      *layer.Layer
	Wiki       *wiki.Wiki
	Queries    queries
	// Disputes returns the contradictions that wait for a person's decision; nil = there are none.
	Disputes func(context.Context) (*change.Disputes, error)
	// Try returns an error unless the semantic layer of a connection can answer a request.
	Try func(ctx context.Context, id connection.ID, request json.RawMessage) error
}

// queries are the saved queries; *library.Library implements it.
type queries interface {
	Items(context.Context) ([]library.Item, error)
}

// Guide writes prompts.
// Concurrency: its methods may be called concurrently.
type Guide struct{ Config }

// New returns a Guide.
func New(c Config) *Guide { return &Guide{c} }

// definition is a source as people defined it, or the metrics of a connection.
type definition struct {
	*listing.Source
	connection connection.ID
	id         string // in queries; "" = the metrics
	model      *model.Model
}

// reference returns the name of a member in queries.
func (d *definition) reference(member string) string {
	if d.id == "" {
		return member
	}
	return d.id + "." + member
}

// member is a measure, a dimension or a segment of a definition.
type member struct {
	*definition
	*listing.Member
}

func (m member) name() string { return m.reference(m.Member.Name) }

// definitions returns the definitions of people, by connection and id.
// Errors: those of warehouse.Set.Connections and of layer.Layer.Current.
func (g *Guide) definitions(ctx context.Context) (all []*definition, err error) {
	registry, err := g.Warehouses.Connections(ctx)
	if err != nil {
		return nil, err
	}
	for _, c := range registry.All() {
		known, _ := g.Warehouses.Of(c).Known(ctx) // a layer can be read without the connector
		state, err := g.Layer.Current(ctx, c.ID, known.Dialect())
		if err != nil {
			return nil, err
		}
		theirs := slices.DeleteFunc(slices.Clone(state.Files.List), func(f *model.File) bool { return f.Layer() != model.PersonLayer })
		people := listing.Of(theirs, nil)
		for e := range listing.Of(state.Files.List, nil).Entries() {
			if s := vouched(people.Entry(e.ID), e.Source()); s != nil {
				all = append(all, &definition{Source: s, connection: c.ID, id: e.ID, model: state.Model})
			}
		}
	}
	return all, nil
}

// vouched returns the part of a source that people wrote or reviewed; nil = there is none.
func vouched(people *listing.Entry, all *listing.Source) *listing.Source {
	s := &listing.Source{Name: all.Name}
	if people != nil {
		s = people.Source()
	}
	for _, one := range []struct {
		into *[]listing.Member
		from []listing.Member
	}{{&s.Measures, all.Measures}, {&s.Segments, all.Segments}} {
		for _, m := range one.from {
			has := slices.ContainsFunc(*one.into, func(o listing.Member) bool { return o.Name == m.Name })
			if m.Trust == model.Reviewed && !has {
				*one.into = append(*one.into, m)
			}
		}
	}
	if people == nil && len(s.Measures)+len(s.Segments) == 0 {
		return nil
	}
	return s
}

// pages returns the pages that the caller may read and that a person vouches for, by their keys.
func (g *Guide) pages(ctx context.Context) (all []*wiki.Page, err error) {
	view, err := g.Wiki.View(ctx)
	if err != nil {
		return nil, err
	}
	who := caller.Of(ctx)
	for p := range view.Pages() {
		open := indexer.About(p, func(id connection.ID) bool { return who.AllowsConnection(string(id)) })
		if trust := model.Trust(p.Trust()); open && (trust == model.Person || trust == model.Reviewed) {
			all = append(all, p)
		}
	}
	return all, nil
}

// approved returns the reviewed queries that the caller may run, by connection and name.
func (g *Guide) approved(ctx context.Context) (all []library.Item, err error) {
	items, err := g.Queries.Items(ctx)
	if err != nil {
		return nil, err
	}
	registry, err := g.Warehouses.Connections(ctx)
	if err != nil {
		return nil, err
	}
	for _, item := range items {
		if _, unknown := registry.Get(item.Connection); unknown == nil && item.Query != nil && item.Query.Reviewed {
			all = append(all, item)
		}
	}
	return all, nil
}

// choice is something that an argument of a prompt can name.
type choice[T any] struct {
	connection connection.ID
	names      []string // the first identifies it within the connection
	value      T
}

// choose returns the choice that a text names: NAME, or CONNECTION/NAME where several connections have it. A choice
// whose first name it is comes before those whose other names it is.
// Errors: KindInvalid for an empty text, and with the candidates for one that names several; KindNotFound with near
// names.
func choose[T any](what, text string, all []choice[T]) (found T, err error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return found, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "no %s is named", what).WithHint("name a %s: completion lists them", what)
	}
	var names []string
	for _, first := range []bool{true, false} {
		var hits []choice[T]
		for _, c := range all {
			named := c.names[:1]
			if !first {
				named = c.names[1:]
			}
			names = append(names, named...)
			if slices.ContainsFunc(named, func(n string) bool {
				return strings.EqualFold(n, text) || strings.EqualFold(string(c.connection)+"/"+n, text)
			}) {
				hits = append(hits, c)
			}
		}
		if len(hits) == 1 {
			return hits[0].value, nil
		}
		if len(hits) > 1 {
			err := sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%q is the name of %d %ss", clip(text), len(hits), what).WithHint("write the one that is meant")
			for _, c := range hits {
				err.Candidates = append(err.Candidates, string(c.connection)+"/"+c.names[0])
			}
			return found, err
		}
	}
	missing := sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "nobody wrote about a %s %q", what, clip(text))
	missing.Candidates = sqlkit.Nearest(text, names)
	return found, missing.WithHint("complete the argument, or search with discover_data")
}

// begin returns the names of choices that begin with a text, without case, each once and in order.
func begin[T any](all []choice[T], prefix string) (names []string) {
	for _, c := range all {
		for _, n := range c.names {
			if len(n) >= len(prefix) && strings.EqualFold(n[:len(prefix)], prefix) {
				names = append(names, n)
			}
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(strings.ToLower(a), strings.ToLower(b)), cmp.Compare(a, b))
	})
	return slices.Compact(names)
}

// maxLine is the most that a prompt takes of one text. Units: bytes.
const maxLine = 600

// clip puts a text on one line of at most maxLine bytes.
func clip(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > maxLine {
		text = strings.ToValidUTF8(text[:maxLine], "") + "…"
	}
	return text
}

// sheet is a prompt as it is written. Its last part is reserved, so that it is never left out.
type sheet struct {
	text, last strings.Builder
	spent      int
	left       int // lines that are left out and that no line counts
}

// end adds to the last part.
func (s *sheet) end(text string) {
	s.last.WriteString(text)
	s.spent += tokens.Estimate(text)
}

// leftOutTokens are kept free for each of the lines that say what a section, and what the prompt, leaves out.
const leftOutTokens = 20

// section writes a heading and as many lines as the budget has room for, and counts the others. Lines below no
// heading have none in front.
func (s *sheet) section(title string, lines ...string) {
	left := 0
	for i, line := range lines {
		if i == 0 && title != "" {
			line = "\n## " + title + "\n" + line
		}
		line += "\n"
		if cost := tokens.Estimate(line); s.spent+cost+2*leftOutTokens <= Budget {
			s.text.WriteString(line)
			s.spent += cost
			continue
		}
		left++
	}
	if left > 0 {
		line := fmt.Sprintf("(%d left out: %s)\n", left, cmp.Or(strings.ToLower(title), "more"))
		cost := tokens.Estimate(line)
		if s.spent+cost+leftOutTokens > Budget {
			s.left += left
			return
		}
		s.text.WriteString(line)
		s.spent += cost
	}
}

func (s *sheet) String() string {
	text := s.text.String()
	if s.left > 0 {
		text += fmt.Sprintf("\n(%d more left out)\n", s.left)
	}
	return text + s.last.String()
}

// line describes a member.
func (m member) line() string {
	line := "- " + markdown.Code(m.name())
	if m.Type != "" {
		line += " " + m.Type
	}
	if m.Expr != "" {
		line += " = " + markdown.Code(m.Expr)
	}
	if unit := m.unit(); unit != "" {
		line += "; in " + unit
	}
	if len(m.Values) > 0 {
		line += "; one of " + strings.Join(m.Values, ", ")
	}
	if len(m.Synonyms) > 0 {
		line += "; also " + strings.Join(m.Synonyms, ", ")
	}
	if m.Trust == model.Reviewed {
		line += "; reviewed"
	}
	if about := strings.Trim(m.Label+": "+m.Description, ": "); about != "" {
		line += " -- " + about
	}
	return clip(line)
}

// unit of a dimension, or of the measure in the model.
func (m member) unit() string {
	if m.Unit != "" {
		return m.Unit
	}
	if one := m.measure(); one != nil {
		return one.Unit
	}
	return ""
}

// measure returns the member as a measure of the model; nil = it is none.
func (m member) measure() *model.Measure {
	id := model.Metrics
	if m.id != "" {
		source, err := m.model.FindSource(m.id)
		if err != nil {
			return nil
		}
		id = source.ID
	}
	source := m.model.Source(id)
	for i := range source.Measures {
		if one := &source.Measures[i]; one.Name != "" && one.Name == unquoted(m.Member.Name) {
			return one
		}
	}
	return nil
}

// unquoted returns a name of one part without its quotes.
func unquoted(name string) string {
	if n, err := expression.ParseName(name); err == nil && len(n.Parts) == 1 {
		return n.Parts[0]
	}
	return name
}
