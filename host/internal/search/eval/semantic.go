package eval

import (
	_ "embed"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/search"
)

//go:embed testdata/pages.txt
var pageFile string

//go:embed testdata/sources.txt
var sourceFile string

// Source is a source of the semantic layer with its measures and dimensions.
type Source struct {
	search.Document
	Members []search.Document
	// Entity is what it is about, and Concepts the columns that its members read,
	// by position; "" for measures.
	Entity   string
	Concepts []string
}

var (
	measure   = regexp.MustCompile(`^(\w+) = (.+) : (.+)$`)
	dimension = regexp.MustCompile(`^(\w+) \((\w+)\) : (.+)$`)
)

// sources returns the semantic layer over the made-up warehouse.
func sources() (out []Source) {
	for _, r := range rows(sourceFile, 5) {
		s := Source{Entity: r[1], Document: search.Document{
			Kind: search.Source, ID: r[0], Connection: warehouseName, Name: r[0], Description: r[2],
		}}
		at := slices.IndexFunc(entities(), func(e entity) bool { return e.name == s.Entity })
		for part := range strings.SplitSeq(r[3], "; ") {
			m := measure.FindStringSubmatch(part)
			s.add("", search.Document{Kind: search.Measure, Name: m[1], Expr: m[2], Description: m[3]})
		}
		for part := range strings.SplitSeq(r[4], "; ") {
			m := dimension.FindStringSubmatch(part)
			if !slices.Contains(entities()[at].columns, m[2]) {
				panic(fmt.Sprintf("testdata: %s has no %s", s.Entity, m[2]))
			}
			s.add(m[2], search.Document{Kind: search.Dimension, Name: m[1], Expr: m[2], Description: m[3]})
		}
		out = append(out, s)
	}
	return out
}

// add adds a member. A measure is asked for by what it can be grouped by.
func (s *Source) add(concept string, member search.Document) {
	member.Connection, member.Context = s.Connection, []string{s.Name}
	s.Context = append(s.Context, member.Name)
	if member.Kind == search.Dimension {
		for i := range s.Members {
			if s.Members[i].Kind == search.Measure {
				s.Members[i].Context = append(s.Members[i].Context, member.Name)
			}
		}
	}
	s.Members, s.Concepts = append(s.Members, member), append(s.Concepts, concept)
}

// pages returns the wiki's pages, and what each is about. As everywhere, a page's
// name is its title, and its key what it is shown as.
func pages() (out []search.Document, about [][]string) {
	for _, r := range rows(pageFile, 5) {
		out = append(out, search.Document{Kind: search.Wiki, ID: r[0], Name: r[1], Display: r[0], Description: r[3], Body: r[4]})
		var of []string
		for entity := range strings.SplitSeq(r[2], ", ") {
			of = append(of, entity)
		}
		about = append(about, of)
	}
	return out, about
}

// Note returns one of the many pages that answer nothing and mention everything.
// The same number gives the same page.
func Note(n int) search.Document {
	r := stream("note", fmt.Sprint(n))
	all := entities()
	kind := pick(r, "meeting-notes", "release-notes", "how-to", "postmortem", "onboarding", "workshop")
	var body strings.Builder
	for body.Len() < 400+r.IntN(2000) {
		e := &all[r.IntN(len(all))]
		body.WriteString(remark(r, e))
	}
	name := fmt.Sprintf("%s-20%02d-%02d-%04d", kind, 18+r.IntN(6), 1+r.IntN(12), n)
	return search.Document{
		Kind: search.Wiki, ID: name, Name: strings.ReplaceAll(kind, "-", " ") + fmt.Sprintf(" %d", n), Display: name,
		Description: "Written down by " + people[r.IntN(len(people))], Body: body.String(),
	}
}

func remark(r *rand.Rand, e *entity) string {
	name := strings.ReplaceAll(e.name, "_", " ")
	column := strings.ReplaceAll(e.columns[r.IntN(len(e.columns))], "_", " ")
	return fmt.Sprintf(pick(r,
		"We looked at the %[1]s data and found that the %[2]s is often empty. ",
		"%[3]s will check the %[2]s of each %[1]s until Friday. ",
		"The dashboard for %[1]s was slow; the filter on %[2]s is gone now. ",
		"Nobody knows why %[1]s and %[2]s differ since the move. ",
		"New in this version: every %[1]s shows its %[2]s. ",
		"Ask the owner of %[1]s before you change the %[2]s. ",
	), name, column, people[r.IntN(len(people))])
}
