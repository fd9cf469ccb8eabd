package eval

import (
	"embed"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/loam-data/loam/host/internal/search"
	"github.com/loam-data/loam/host/internal/semantic/listing"
	"github.com/loam-data/loam/host/internal/semantic/model"
)

//go:embed testdata/pages.txt
var pageFile string

//go:embed testdata/semantic-layer
var sourceFiles embed.FS

// Semantic is what the files of the semantic layer over the made-up warehouse
// offer, as it is indexed in a project.
// Errors: a file that a person would be told to mend.
func Semantic() (*listing.Listing, error) {
	const dir = "testdata/semantic-layer"
	entries, err := sourceFiles.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var files []*model.File
	for _, e := range entries {
		content, err := sourceFiles.ReadFile(dir + "/" + e.Name())
		if err != nil {
			return nil, err
		}
		f := model.Parse(e.Name(), content)
		if len(f.Problems) > 0 {
			return nil, errors.New(f.Problems[0].String())
		}
		files = append(files, f)
	}
	return listing.Of(files, nil), nil
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
