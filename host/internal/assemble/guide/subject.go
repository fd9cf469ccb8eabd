package guide

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/savedquery/library"
	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/listing"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/text/markdown"
	"github.com/loam-data/loam/host/internal/wiki"
)

// subject is what the prompt analyze is about.
type subject struct {
	about   string // in words, with its name
	sources []*definition
	measure *member // nil = all of them
}

// Subject writes the prompt analyze: what a source, a measure or an area (a schema) means, and two requests that run.
// Errors: those of choose, of the semantic layer, of the wiki and of the saved queries.
func (g *Guide) Subject(ctx context.Context, name string) (string, error) {
	all, err := g.definitions(ctx)
	if err != nil {
		return "", err
	}
	s, err := choose("subject", name, subjects(all))
	if err != nil {
		return "", err
	}
	pages, err := g.pages(ctx)
	if err != nil {
		return "", err
	}
	saved, err := g.approved(ctx)
	if err != nil {
		return "", err
	}
	var out sheet
	requests, err := g.requests(ctx, s)
	if err != nil {
		return "", err
	}
	out.end(requests)
	out.section("", "# Analyze "+s.about, "", "This is what people wrote and reviewed. Ask with sl_query first; pass on what its notes say.")
	s.write(&out, pages, saved)
	return out.String(), nil
}

// Subjects completes the name of a subject.
// Errors: those of Subject.
func (g *Guide) Subjects(ctx context.Context, prefix string) ([]string, error) {
	all, err := g.definitions(ctx)
	if err != nil {
		return nil, err
	}
	return begin(subjects(all), prefix), nil
}

// subjects lists the sources, the measures and the areas.
func subjects(all []*definition) (choices []choice[*subject]) {
	areas := map[string]*subject{}
	for _, d := range all {
		if d.id != "" {
			choices = append(choices, choice[*subject]{d.connection, append([]string{d.id}, d.Synonyms...), &subject{about: markdown.Code(d.id) + " of connection " + string(d.connection), sources: []*definition{d}}})
		}
		for i := range d.Measures {
			m := &member{d, &d.Measures[i]}
			choices = append(choices, choice[*subject]{d.connection, append([]string{m.name(), d.Measures[i].Name}, m.Member.Synonyms...), &subject{
				about: markdown.Code(m.name()) + " of connection " + string(d.connection), sources: []*definition{d}, measure: m,
			}})
		}
		source, err := d.model.FindSource(d.id)
		if err != nil || source.Table.Schema == "" {
			continue
		}
		key := string(d.connection) + "\x00" + source.Table.Schema
		if areas[key] == nil {
			areas[key] = &subject{about: "the area " + markdown.Code(source.Table.Schema) + " of connection " + string(d.connection)}
			choices = append(choices, choice[*subject]{d.connection, []string{"area " + source.Table.Schema, source.Table.Schema}, areas[key]})
		}
		areas[key].sources = append(areas[key].sources, d)
	}
	return choices
}

// write writes what is known of the subject, the most important first.
func (s *subject) write(out *sheet, pages []*wiki.Page, saved []library.Item) {
	var means, measures, dimensions, joins, segments []string
	for _, d := range s.sources {
		if d.Description != "" {
			means = append(means, clip("- "+markdown.Code(d.id)+": "+d.Description))
		}
		if d.Instructions != "" {
			means = append(means, clip("- To know: "+d.Instructions))
		}
		joins = append(joins, joinsOf(d)...)
		for i := range d.Measures {
			if one := (member{d, &d.Measures[i]}); s.measure == nil || s.measure.Member == one.Member {
				measures = append(measures, one.line())
			}
		}
		for i := range d.Dimensions {
			dimensions = append(dimensions, member{d, &d.Dimensions[i]}.line())
		}
		for i := range d.Segments {
			segments = append(segments, member{d, &d.Segments[i]}.line())
		}
	}
	out.section("Meaning", means...)
	out.section("Measures", measures...)
	out.section("Segments", segments...)
	out.section("Conventions", s.conventions(pages)...)
	out.section("Dimensions", dimensions...)
	out.section("Joins", joins...)
	var queries []string
	for _, item := range saved {
		if item.Connection == s.sources[0].connection && s.uses(item) {
			queries = append(queries, queryLine(item))
		}
	}
	out.section("Approved queries", queries...)
}

// conventions lists the pages about the subject.
func (s *subject) conventions(pages []*wiki.Page) (lines []string) {
	for _, p := range pages {
		about := func(ref string) bool {
			return slices.ContainsFunc(s.sources, func(d *definition) bool {
				if d.id == "" {
					return s.measure != nil && strings.EqualFold(ref, s.measure.name())
				}
				head := ref[:min(len(ref), len(d.id))]
				return strings.EqualFold(head, d.id) && (len(ref) == len(d.id) || ref[len(d.id)] == '.') || d.Table != "" && strings.EqualFold(ref, d.Table)
			})
		}
		if slices.ContainsFunc(p.SLRefs, about) || slices.ContainsFunc(p.Refs, about) {
			lines = append(lines, pageLine(p))
		}
	}
	return lines
}

// uses reports whether an approved query names a source of the subject.
func (s *subject) uses(item library.Item) bool {
	text := strings.ToLower(item.Query.SQL)
	return slices.ContainsFunc(s.sources, func(d *definition) bool {
		return d.Name != "" && hasWord(text, strings.ToLower(d.Name))
	})
}

// hasWord reports whether a text has a word, which no letter, digit or underscore adjoins.
func hasWord(text, word string) bool {
	part := func(b byte) bool { return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 0x80 }
	for at := 0; ; {
		i := strings.Index(text[at:], word)
		if i < 0 {
			return false
		}
		i += at
		if end := i + len(word); (i == 0 || !part(text[i-1])) && (end == len(text) || !part(text[end])) {
			return true
		}
		at = i + 1
	}
}

// joinsOf lists the joins of a source that a file or the warehouse declares, and what they do to its rows.
func joinsOf(d *definition) (lines []string) {
	source, err := d.model.FindSource(d.id)
	if err != nil || d.id == "" {
		return nil
	}
	for i := range source.Joins {
		j := &source.Joins[i]
		if to := d.model.Source(j.To); !j.Inferred && j.Broken == "" && to != nil && to.Visibility == model.Public {
			lines = append(lines, "- "+markdown.Code(d.id)+" to "+markdown.Code(to.Name)+": "+fanout(j.Relationship))
		}
	}
	for _, step := range d.model.Incoming(source.ID) {
		from, j := d.model.Source(step.Source()), d.model.Join(step.Join)
		back := j.Relationship
		switch back {
		case model.ManyToOne:
			back = model.OneToMany
		case model.OneToMany:
			back = model.ManyToOne
		}
		if !step.Inferred && step.Broken == "" && from.Visibility == model.Public {
			lines = append(lines, "- "+markdown.Code(d.id)+" to "+markdown.Code(from.Name)+": "+fanout(back))
		}
	}
	return lines
}

// fanout says what a join does to the rows of the source that it leaves.
func fanout(r model.Relationship) string {
	if r == model.OneToMany {
		return "1:n, a join in SQL repeats rows; sl_query does not"
	}
	return "to one row at most, every measure can be grouped by it"
}

// pageLine describes a page in a list.
func pageLine(p *wiki.Page) string {
	line := "- page " + markdown.Code(p.Key) + " (" + p.Trust() + "): " + p.Title
	if p.Summary != "" {
		line += " -- " + p.Summary
	}
	return clip(line)
}

// queryLine describes an approved query in a list.
func queryLine(item library.Item) string {
	line := "- " + markdown.Code(string(item.Connection)+"/"+item.Name) + ": " + item.Query.Title
	var parameters []string
	for _, p := range item.Query.Parameters {
		one := p.Name + " " + string(p.Type)
		if p.Required {
			one += " (required)"
		}
		parameters = append(parameters, one)
	}
	if len(parameters) > 0 {
		line += "; parameters: " + strings.Join(parameters, ", ")
	}
	return clip(line)
}

const (
	// shownRequests is how many requests a prompt shows, maxTried how many are tried for them.
	shownRequests = 2
	maxTried      = 8
)

// requests returns requests of sl_query that the semantic layer can answer, each of which was tried.
// Errors: those of ctx.
func (g *Guide) requests(ctx context.Context, s *subject) (string, error) {
	var shown []string
	for i, r := range s.candidates() {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		if len(shown) == shownRequests || i == maxTried {
			break
		}
		if g.Try(ctx, s.sources[0].connection, r) == nil {
			shown = append(shown, string(r))
		}
	}
	if len(shown) == 0 {
		return "\n## Requests\nNo request of sl_query could be tried: look at the source with sl_read_source first.\n", nil
	}
	return "\n## Requests of sl_query that run\n" + markdown.Block("json", strings.Join(shown, "\n")), nil
}

// candidates are requests about the subject, the most useful first.
func (s *subject) candidates() (all []json.RawMessage) {
	type part struct {
		Field       string `json:"field"`
		Granularity string `json:"granularity,omitempty"`
		Direction   string `json:"direction,omitempty"`
	}
	type request struct {
		Connection string   `json:"connectionId"`
		Measures   []string `json:"measures,omitempty"`
		Dimensions []part   `json:"dimensions,omitempty"`
		Order      []part   `json:"order_by,omitempty"`
		Limit      int      `json:"limit,omitempty"`
	}
	add := func(r request) {
		text, err := json.Marshal(r)
		if err != nil {
			panic("guide: a request is no JSON: " + err.Error())
		}
		all = append(all, text)
	}
	for _, d := range s.sources {
		measures := d.Measures
		if s.measure != nil {
			measures = []listing.Member{*s.measure.Member}
		}
		for i := range measures {
			m := member{d, &measures[i]}
			r := request{Connection: string(d.connection), Measures: []string{m.name()}}
			if time := m.time(); time != "" {
				monthly := r
				monthly.Dimensions = []part{{Field: time, Granularity: "month"}}
				add(monthly)
			}
			for _, dimension := range d.Dimensions {
				if dimension.Type != "string" && dimension.Type != "boolean" {
					continue
				}
				ranked := r
				ranked.Dimensions, ranked.Order, ranked.Limit = []part{{Field: d.reference(dimension.Name)}}, []part{{Field: m.name(), Direction: "desc"}}, 10
				add(ranked)
				break
			}
			add(r)
		}
		for _, dimension := range d.Dimensions {
			if len(measures) == 0 {
				add(request{Connection: string(d.connection), Dimensions: []part{{Field: d.reference(dimension.Name)}}, Limit: 10})
			}
		}
	}
	return all
}

// time returns the name of the time dimension of a measure in queries; "" = it has none of its own source.
func (m member) time() string {
	measure := m.measure()
	if measure == nil {
		return ""
	}
	ref := m.model.TimeOf(measure)
	if ref.Dimension == 0 || len(ref.Via) > 0 {
		return ""
	}
	name := (&expression.Name{Parts: []string{"s", m.model.Dimension(ref.Dimension).Name}}).String()
	source := m.model.Source(ref.Source)
	if m.id != "" {
		return fmt.Sprintf("%s.%s", m.id, name[len("s."):])
	}
	return fmt.Sprintf("%s.%s", source.Name, name[len("s."):])
}
