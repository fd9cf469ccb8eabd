package wiki

import (
	"html/template"
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/change/form"
	"github.com/loam-data/loam/host/internal/console/markdown"
	"github.com/loam-data/loam/host/internal/console/page"
	"github.com/loam-data/loam/host/internal/discover"
	"github.com/loam-data/loam/host/internal/wiki"
)

// conflict is a statement that contradicts the page, and the sentence of the page.
type conflict struct {
	Now  said `json:"now"`
	Page said `json:"page"`
	// Href leads to the decision.
	Href string `json:"href"`
	// Beside: it is shown below the sentence, not at the end.
	Beside bool `json:"beside,omitempty"`
}

// said is what somebody said.
type said struct {
	Says string    `json:"says"`
	By   string    `json:"by"`
	At   time.Time `json:"at,omitzero"`
}

const (
	// maxSays is how much of a statement is shown, in characters.
	maxSays = 500
	// maxRead bounds the texts of changes in which a page's blocks are looked up, in bytes.
	maxRead = 256 << 10
)

func (s *shown) conflictsOf(of *discover.WikiPage) {
	for _, d := range of.Conflicts {
		s.Conflicts = append(s.Conflicts, conflict{Now: saidOf(d.Conflict), Page: saidOf(d.Against), Href: changeAddress(d.Change)})
	}
}

func saidOf(c change.Conflict) said {
	return said{markdown.Line(c.Says, maxSays), markdown.Line(c.By, maxTitle), c.At}
}

// saidBy returns the changes by which programs wrote blocks of a page, by the words of the block. made are the
// changes of the page, the latest first.
func saidBy(made []change.Change) map[string]*change.Change {
	all := map[string]*change.Change{}
	read := 0
	for i := range made {
		c := &made[i]
		if c.State != change.Applied || c.By.Person() {
			continue
		}
		for _, b := range c.Blocks {
			text := b.After
			if b.Place == form.WholeFile {
				text = wiki.BodyOf(text)
			} else if !strings.HasPrefix(b.Place, form.Below()) {
				continue
			}
			if read += len(text); read > maxRead {
				return all
			}
			for _, words := range markdown.Words(text) {
				if all[words] == nil {
					all[words] = c
				}
			}
		}
	}
	return all
}

// render renders the body with the author of each block that a program wrote, and contradictions below their
// sentences.
func (s *shown) render(view *wiki.View, of *discover.WikiPage, authors map[string]*change.Change) {
	o := options(view, of.Key)
	o.Title, o.Room = of.Title, pageRoom
	o.Beside = func(words string) (b markdown.Beside) {
		if c := authors[words]; c != nil && !s.Machine {
			b.From = author(c)
		} else if c != nil { // the page is framed as a whole
			b.Notes = append(b.Notes, `<p class="muted">`+author(c)+`</p>`)
		}
		for i := range s.Conflicts {
			if c := &s.Conflicts[i]; !c.Beside && has(words, of.Conflicts[i].Against.Says) {
				c.Beside = true
				b.Notes = append(b.Notes, c.html())
			}
		}
		return b
	}
	r := markdown.Render(of.Body, o)
	s.HTML, s.Cut, s.Size = r.HTML, r.Cut, r.Size
}

// has reports whether a block has a statement, which may have been cut.
func has(words, statement string) bool {
	statement = strings.TrimSuffix(strings.Join(strings.Fields(strings.TrimLeft(statement, "-*+> \t")), " "), "…")
	return statement != "" && strings.Contains(words, statement)
}

// author says in HTML who wrote a block.
func author(c *change.Change) template.HTML {
	out := "Said by " + escaped(c.By.Name(), maxTitle)
	if c.Source != "" {
		out += ", from " + escaped(c.Source, maxTitle)
	}
	out += ", " + when(c.At)
	if c.Reviewed {
		out += "; approved by " + escaped(c.DecidedBy.Name(), maxTitle)
	} else {
		out += "; nobody reviewed it"
	}
	return template.HTML(out + ` · <a href="` + template.HTMLEscapeString(changeAddress(c.ID)) + `">change ` + escaped(string(c.ID), 10) + `</a>`) //nolint:gosec // each part is escaped
}

// html shows both sides of a contradiction.
func (c *conflict) html() template.HTML {
	side := func(head string, s said) string {
		out := `<figure class="machine"><figcaption>` + head + ", by " + escaped(s.By, maxTitle)
		if !s.At.IsZero() {
			out += ", " + when(s.At)
		}
		return out + `</figcaption><p dir="auto">` + escaped(s.Says, maxSays) + `</p></figure>`
	}
	out := `<aside class="card" aria-label="Contradiction"><p><span class="label label-conflict">conflict</span></p><div class="cols">` + side("The page", c.Page) + side("Said later", c.Now) + `</div>`
	if c.Href != "" {
		out += `<p><a href="` + template.HTMLEscapeString(c.Href) + `">Decide</a></p>`
	}
	return template.HTML(out + "</aside>\n") //nolint:gosec // each part is escaped
}

func escaped(s string, most int) string { return template.HTMLEscapeString(markdown.Line(s, most)) }

// when returns a time as the templates show it.
func when(at time.Time) string {
	show, ok := page.Functions()["when"].(func(time.Time) template.HTML)
	if !ok {
		return template.HTMLEscapeString(at.UTC().Format(time.DateOnly))
	}
	return string(show(at))
}
