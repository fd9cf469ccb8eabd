package wiki

import (
	"context"
	"html/template"
	"slices"
	"time"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/console/markdown"
	"github.com/loam-data/loam/host/internal/console/page"
	common "github.com/loam-data/loam/host/internal/console/shown"
	"github.com/loam-data/loam/host/internal/discover"
	"github.com/loam-data/loam/host/internal/wiki"
	"github.com/loam-data/loam/sdk"
)

const (
	// maxNamed is how many references and links a page lists of each kind, maxWaiting how many changes.
	maxNamed, maxWaiting = 20, 10
	// pageRoom is the room of the rendered page, in bytes of HTML.
	pageRoom = 32 << 10
)

// shown is a page with what is known of it.
type shown struct {
	Key   string   `json:"key"`
	Href  string   `json:"href"`
	Scope string   `json:"scope"`
	Trust string   `json:"trust"`
	Flags []string `json:"flags,omitempty"`
	// Source is what the page was written from, according to its frontmatter.
	Source    string    `json:"source,omitempty"`
	Summary   string    `json:"summary,omitempty"`
	Tags      []string  `json:"tags,omitempty"`
	UpdatedAt time.Time `json:"updatedAt"`
	Version   string    `json:"version"`
	Body      string    `json:"body"`
	// Machine: no person vouches for the page as a whole.
	Machine bool `json:"machine,omitempty"`
	// HTML is the body; Cut: it has only the beginning of its Size bytes.
	HTML template.HTML `json:"-"`
	Cut  bool          `json:"cut,omitempty"`
	Size int           `json:"size"`
	// Waiting are changes that a person has to review, drafts among them.
	Waiting     []waiting  `json:"waiting,omitempty"`
	MoreWaiting int        `json:"moreWaiting,omitempty"`
	Conflicts   []conflict `json:"conflicts,omitempty"`
	// MoreConflicts counts those that are left out.
	MoreConflicts int    `json:"moreConflicts,omitempty"`
	Refs          []ref  `json:"refs,omitempty"`
	MoreRefs      int    `json:"moreRefs,omitempty"`
	Links         []link `json:"links,omitempty"`
	MoreLinks     int    `json:"moreLinks,omitempty"`
	BackLinks     []link `json:"backLinks,omitempty"`
	MoreBackLinks int    `json:"moreBackLinks,omitempty"`
	// Notes say what could not be found out.
	Notes []string `json:"notes,omitempty"`
}

// waiting is a change of the page that waits for a person.
type waiting struct {
	ID    change.ID `json:"id"`
	Href  string    `json:"href"`
	State string    `json:"state"`
	Says  string    `json:"says"`
	By    string    `json:"by"`
	At    time.Time `json:"at"`
	// Approve approves it as it is shown here; nil = that is decided on its own page.
	Approve *page.Form `json:"-"`
}

// link leads to another page.
type link struct {
	Key  string `json:"key"`
	Href string `json:"href,omitempty"` // "" = there is no such page
}

// ref leads to what the page is about.
type ref struct {
	Name string `json:"name"`
	Kind string `json:"kind,omitempty"`
	Href string `json:"href,omitempty"` // "" = nothing has this name now
}

func (p *pages) show(ctx context.Context, key string) (*page.View, error) {
	of, err := p.Discover.ReadWiki(ctx, key)
	if sdk.KindOf(err) == sdk.KindNotFound {
		return missing(key, err), nil
	}
	if err != nil {
		return nil, err
	}
	data := shownOf(of)
	view, err := p.refsOf(ctx, of, data)
	if err != nil {
		return nil, err
	}
	made, err := p.changesOf(ctx, view, of.Key)
	if err != nil {
		return nil, err
	}
	data.conflictsOf(of)
	data.waitingOf(made, of.Version)
	data.linksOf(view, of)
	data.render(view, of, saidBy(made))
	return &page.View{Title: titleOf(of.Title, of.Key), Command: command("loam wiki read", of.Key, ""), Data: data}, nil
}

// changesOf returns the changes of a page; nil for one that was removed in this moment.
func (p *pages) changesOf(ctx context.Context, view *wiki.View, key string) ([]change.Change, error) {
	one, ok := view.Find(key)
	if !ok {
		return nil, nil
	}
	return p.Changes.PageChanges(ctx, "wiki/"+one.Path)
}

// titleOf returns a title that can be read, the key if there is none.
func titleOf(title, key string) string {
	if t := markdown.Line(title, maxTitle); t != "" {
		return t
	}
	return markdown.Line(key, maxTitle)
}

func shownOf(of *discover.WikiPage) *shown {
	s := &shown{
		Key: markdown.Line(of.Key, maxKey), Href: address(of.Key), Scope: of.Scope, Trust: of.Trust, Flags: of.Flags, Tags: shownLines(of.Tags),
		Version: of.Version, Body: of.Body, Machine: of.Trust == "agent" || of.Trust == "imported", MoreConflicts: of.MoreConflicts,
	}
	if len(s.Tags) > maxNamed {
		s.Tags = s.Tags[:maxNamed]
	}
	if of.Summary != nil {
		s.Summary = markdown.Line(*of.Summary, 400)
	}
	if of.Provenance.Source != nil {
		s.Source = markdown.Line(*of.Provenance.Source, maxTitle)
	}
	s.UpdatedAt, _ = time.Parse(time.RFC3339, of.Provenance.UpdatedAt) // as discover writes it
	return s
}

// waitingOf lists the changes that wait, the latest first. base is the hash of the file.
func (s *shown) waitingOf(made []change.Change, base string) {
	for i := range made {
		c := &made[i]
		switch {
		case c.Shown() == change.Applied:
		case len(s.Waiting) == maxWaiting:
			s.MoreWaiting++
		default:
			s.Waiting = append(s.Waiting, waiting{
				ID: c.ID, Href: changeAddress(c.ID), State: string(c.Shown()), Says: markdown.Line(c.Says, maxSummary), By: markdown.Line(c.By.Name(), maxTitle), At: c.At,
				Approve: common.Approval(common.Pick{ID: string(c.ID), Version: c.Version, Base: base}, c.Shown(), len(c.Conflicts) > 0, s.Href),
			})
		}
	}
}

// linksOf lists the pages that the page links to, and those that link to it.
func (s *shown) linksOf(view *wiki.View, of *discover.WikiPage) {
	for i, key := range of.Links {
		if i == maxNamed {
			s.MoreLinks = len(of.Links) - maxNamed
			break
		}
		l := link{Key: markdown.Line(key, maxKey)}
		if to, ok := view.Find(key); ok {
			l.Href = address(to.Key)
		}
		s.Links = append(s.Links, l)
	}
	back := view.LinksTo(of.Key)
	s.MoreBackLinks = max(0, len(back)-maxNamed)
	for _, from := range back[:min(len(back), maxNamed)] {
		s.BackLinks = append(s.BackLinks, link{markdown.Line(from.Key, maxKey), address(from.Key)})
	}
}

// refsOf resolves what the page is about, and returns the wiki of that moment. Without an index the page is shown with a
// note.
func (p *pages) refsOf(ctx context.Context, of *discover.WikiPage, s *shown) (*wiki.View, error) {
	names := slices.Concat(of.SLRefs, of.Refs)
	if len(names) == 0 {
		return p.Wiki.View(ctx)
	}
	s.MoreRefs = max(0, len(names)-maxNamed)
	names = names[:min(len(names), maxNamed)]
	view, found, err := p.Discover.PageRefs(ctx, of.Key, names)
	for i, name := range names {
		one := ref{Name: markdown.Line(name, maxKey)}
		if err == nil {
			one.Kind, one.Href = found[i].Kind, refAddress(&found[i])
		}
		s.Refs = append(s.Refs, one)
	}
	if err != nil {
		s.Notes = append(s.Notes, "What the page refers to cannot be looked up: "+markdown.Line(sdk.AsError(err, sdk.SourceHost).Msg, 300))
		return p.Wiki.View(ctx)
	}
	return view, nil
}

// refAddress returns the address of what a reference leads to; "" = nothing has the name.
func refAddress(r *discover.PageRef) string {
	id := string(r.ConnectionID)
	switch r.Kind {
	case "table":
		return page.Link("catalog", id, "table", r.ID)
	case "column":
		return page.Link("catalog", id, "table", r.Table)
	case "sl_measure":
		return page.Link("measure", id, r.ID)
	case "sl_dimension":
		return page.Link("semantic", id, r.Source)
	case "sl_source":
		return page.Link("semantic", id, r.ID)
	}
	return ""
}

// options renders the text of a page.
func options(view *wiki.View, key string) markdown.Options {
	return markdown.Options{
		Page: func(to string) (string, bool) {
			found, ok := view.Find(to)
			if !ok {
				return "", false
			}
			return address(found.Key), true
		},
		Relative: func(to string) (string, bool) { return wiki.Linked(to, key) },
	}
}

// absent says that there is no page of a key.
type absent struct {
	Key  string `json:"key"`
	Href string `json:"href"`
	// Near are pages with a similar key.
	Near []link `json:"near,omitempty"`
}

func missing(key string, err error) *page.View {
	data := &absent{Key: markdown.Line(key, maxKey), Href: address(key)}
	for _, near := range sdk.AsError(err, sdk.SourceHost).Candidates {
		data.Near = append(data.Near, link{markdown.Line(near, maxKey), address(near)})
	}
	return &page.View{Title: "No such page", Command: "loam wiki list", Data: data, Template: "wiki.missing", Status: 404}
}
