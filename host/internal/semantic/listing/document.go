package listing

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/search"
)

// Counts returns the number of documents that Index adds for an entry, by kind.
func (e *Entry) Counts() map[search.Kind]int {
	counts := map[search.Kind]int{search.Source: 1, search.Measure: e.Measures, search.Dimension: e.Dimensions}
	if e.IsMetrics() {
		counts[search.Source] = 0
	}
	return counts
}

// Index adds the documents of an entry to a segment. The context of a measure is the names of the
// source's dimensions, because questions name what a measure is grouped by.
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
		d.Expr = cmp.Or(d.Expr, d.Name) // without an expression it is the column of this name
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

// otherNames returns the label and the synonyms.
func (m *Member) otherNames() []string {
	if m.Label == "" {
		return m.Synonyms
	}
	return append([]string{m.Label}, m.Synonyms...)
}

// Text returns the texts of a source besides its description: instructions, segments and examples,
// one per line. It is indexed like the body of a page.
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
