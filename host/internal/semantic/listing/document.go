package listing

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/search"
)

// Counts says how many documents an entry is.
func (e *Entry) Counts() map[search.Kind]int {
	counts := map[search.Kind]int{search.Source: 1, search.Measure: e.Measures, search.Dimension: e.Dimensions}
	if e.IsMetrics() {
		counts[search.Source] = 0
	}
	return counts
}

// Index adds an entry of a connection to a segment. A measure is asked for by
// what it can be grouped by, so that the dimensions' names are its context.
// Errors: those of search.Builder.
func (e *Entry) Index(b *search.Builder, connection string) error {
	s := e.Source()
	if e.IsMetrics() {
		var errs []error
		for i := range s.Measures {
			d := s.Measures[i].document(search.Measure, connection, nil)
			d.ID = d.Name
			errs = append(errs, b.Add(d))
		}
		return errors.Join(errs...)
	}
	measures, dimensions := namesOf(s.Measures), namesOf(s.Dimensions)
	errs := []error{b.Add(search.Document{
		Kind: search.Source, ID: e.ID, Connection: connection, Name: s.Name, Synonyms: s.Synonyms, Description: s.Description,
		Context: slices.Concat(measures, dimensions, namesOf(s.Segments)), Body: s.Text(),
	})}
	context := append([]string{s.Name}, dimensions...)
	for i := range s.Measures {
		errs = append(errs, b.AddChild(s.Measures[i].document(search.Measure, connection, context)))
	}
	for i := range s.Dimensions {
		d := s.Dimensions[i].document(search.Dimension, connection, context[:1])
		d.Expr = cmp.Or(d.Expr, d.Name) // it is the column
		errs = append(errs, b.AddChild(d))
	}
	return errors.Join(errs...)
}

func (m *Member) document(kind search.Kind, connection string, context []string) search.Document {
	return search.Document{
		Kind: kind, Connection: connection, Name: m.Name, Synonyms: m.otherNames(), Context: context,
		Description: m.Description, Expr: m.Expr, Samples: m.Values,
	}
}

// otherNames are those that people give a member.
func (m *Member) otherNames() []string {
	if m.Label == "" {
		return m.Synonyms
	}
	return append([]string{m.Label}, m.Synonyms...)
}

// Text is what there is about a source besides its description, which is found
// like the body of a page.
func (s *Source) Text() string {
	lines := []string{s.Instructions}
	for i := range s.Segments {
		m := &s.Segments[i]
		lines = append(lines, strings.Join(m.otherNames(), ", "), m.Description)
	}
	lines = slices.DeleteFunc(append(lines, s.Examples...), func(line string) bool { return line == "" })
	return strings.Join(lines, "\n")
}

func namesOf(members []Member) []string {
	names := make([]string, len(members))
	for i := range members {
		names[i] = members[i].Name
	}
	return names
}
