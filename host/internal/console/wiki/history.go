package wiki

import (
	"context"
	"html/template"
	"slices"
	"strconv"
	"time"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/console/markdown"
	"github.com/loam-data/loam/host/internal/console/page"
	"github.com/loam-data/loam/host/internal/memory"
	"github.com/loam-data/loam/host/internal/wiki"
	"github.com/loam-data/loam/sdk"
)

// history lists the revisions of a page, and shows the difference of two.
type history struct {
	Key       string     `json:"key"`
	Href      string     `json:"href"`
	Revisions []revision `json:"revisions"`
	Pager     page.Pager `json:"pager"`
	// Changed is the difference from revision From to revision To; 0 = none is asked for.
	From    int         `json:"from,omitempty"`
	To      int         `json:"to,omitempty"`
	Changed *difference `json:"changed,omitempty"`
}

// revision is one content of a page.
type revision struct {
	N      int       `json:"n"`
	At     time.Time `json:"at"`
	Origin string    `json:"origin"` // machine or person
	By     string    `json:"by,omitempty"`
	Change change.ID `json:"changeId,omitempty"`
	// ChangeHref leads to the change that wrote it, Href to the revision.
	ChangeHref string `json:"-"`
	Href       string `json:"-"`
	Bytes      int    `json:"bytes"`
	// Gone: there was no page.
	Gone bool `json:"gone,omitempty"`
	// Present: it is the content of the page now.
	Present bool `json:"present,omitempty"`
}

const (
	// listedRevisions is how many revisions are on one page.
	listedRevisions = 50
	// revisionRoom is the room of a rendered revision, in bytes of HTML.
	revisionRoom = 16 << 10
)

func (p *pages) history(ctx context.Context, r *page.Request, key string) (*page.View, error) {
	versions, err := p.Revisions.PageHistory(ctx, key)
	if err != nil {
		return nil, err
	}
	below, err := r.Number("cursor", 0, 1, 1<<31-1)
	if err != nil {
		return nil, err
	}
	data := &history{Key: markdown.Line(key, maxKey), Href: address(key), Revisions: []revision{}, Pager: page.Pager{Total: len(versions), Cursor: r.Param("cursor")}}
	for i := range versions {
		if v := &versions[i]; below == 0 || v.N < below {
			data.Revisions = append(data.Revisions, revisionOf(key, v, i == 0))
		}
	}
	if len(data.Revisions) > listedRevisions {
		data.Revisions = data.Revisions[:listedRevisions]
		data.Pager.Next = strconv.Itoa(data.Revisions[listedRevisions-1].N)
	}
	data.Pager.Shown = len(data.Revisions)
	after := ""
	if r.Param("from") != "" || r.Param("to") != "" {
		if err := p.compare(ctx, r, key, data); err != nil {
			return nil, err
		}
		after = " --diff " + strconv.Itoa(data.To)
	}
	return &page.View{Title: "History of " + titleOf("", key), Command: command("loam wiki history", key, after), Data: data, Template: "wiki.history"}, nil
}

func revisionOf(key string, v *memory.PageVersion, present bool) revision {
	return revision{
		N: v.N, At: v.At, Origin: v.Origin, By: markdown.Line(v.By, maxTitle), Change: v.Change, ChangeHref: changeAddress(v.Change),
		Href: versionAddress(key, v.N), Bytes: v.Bytes, Gone: v.Hash == "", Present: present,
	}
}

// compare adds the difference of the two revisions that the address names.
func (p *pages) compare(ctx context.Context, r *page.Request, key string, data *history) (err error) {
	if data.From, err = r.Number("from", 0, 1, 1<<31-1); err != nil {
		return err
	}
	if data.To, err = r.Number("to", 0, 1, 1<<31-1); err != nil {
		return err
	}
	if data.From == 0 || data.To == 0 {
		return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "two revisions are compared, and one is named").WithHint("choose both")
	}
	before, err := p.Revisions.PageVersionText(ctx, key, data.From)
	if err != nil {
		return err
	}
	after, err := p.Revisions.PageVersionText(ctx, key, data.To)
	if err != nil {
		return err
	}
	data.Changed, err = differ(before, after, diffRoom)
	return err
}

// version is one revision of a page.
type version struct {
	Key  string `json:"key"`
	Href string `json:"href"`
	revision
	// Before is the number of the revision before it, After of the one after it; 0 = none is kept.
	Before  int         `json:"before,omitempty"`
	After   int         `json:"after,omitempty"`
	Changed *difference `json:"changed,omitempty"`
	// Base is the hash of the page now, which a revert names.
	Base string `json:"base"`
	// Back is the difference that a revert makes; nil = none.
	Back *difference   `json:"back,omitempty"`
	HTML template.HTML `json:"-"`
	Cut  bool          `json:"cut,omitempty"`
	Text string        `json:"text"`
}

func (p *pages) version(ctx context.Context, r *page.Request, key string) (*page.View, error) {
	n, err := r.Number("version", 0, 1, 1<<31-1)
	if err != nil {
		return nil, err
	}
	versions, err := p.Revisions.PageHistory(ctx, key)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(versions, func(v memory.PageVersion) bool { return v.N == n })
	if at < 0 {
		return nil, sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "no revision %d of %s is kept", n, markdown.Line(key, maxKey)).
			WithHint("choose one: %s", command("loam wiki history", key, ""))
	}
	data := &version{Key: markdown.Line(key, maxKey), Href: address(key), revision: revisionOf(key, &versions[at], at == 0)}
	if data.Text, err = p.Revisions.PageVersionText(ctx, key, n); err != nil {
		return nil, err
	}
	if at > 0 {
		data.After = versions[at-1].N
	}
	before := ""
	if at+1 < len(versions) {
		data.Before = versions[at+1].N
		if before, err = p.Revisions.PageVersionText(ctx, key, data.Before); err != nil {
			return nil, err
		}
	}
	if data.Changed, err = differ(before, data.Text, diffRoom); err != nil {
		return nil, err
	}
	now, base, err := p.Files.PageFile(ctx, key)
	if err != nil {
		return nil, err
	}
	data.Base = base
	if !data.Gone {
		if data.Back, err = differ(now, data.Text, diffRoom); err != nil {
			return nil, err
		}
	}
	view, err := p.Wiki.View(ctx)
	if err != nil {
		return nil, err
	}
	o := options(view, key)
	o.Room = revisionRoom
	rendered := markdown.Render(wiki.BodyOf(data.Text), o)
	data.HTML, data.Cut = rendered.HTML, rendered.Cut
	return &page.View{
		Title: "Revision " + strconv.Itoa(n) + " of " + titleOf("", key), Command: command("loam wiki history", key, " --diff "+strconv.Itoa(n)), Data: data, Template: "wiki.version",
	}, nil
}

// revert restores a revision, if the page is still the one that was shown.
func (p *pages) revert(ctx context.Context, r *page.Request) (*page.Outcome, error) {
	key := keyOf(r)
	n, err := strconv.Atoi(r.Field("version"))
	if err != nil || n < 1 {
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "no revision is named").WithHint("choose one in the history of the page")
	}
	done, err := p.Files.RevertPageFrom(ctx, key, n, memory.PageWrite{Base: r.Field("base"), Actor: r.Actor})
	if sdk.KindOf(err) == sdk.KindConflict {
		return &page.Outcome{To: below(versionAddress(key, n)), Flash: &page.Flash{
			Failed: true, Text: "Nothing was restored: the page was changed since. Look at what a restore would replace now.", Details: []string{markdown.Line(sdk.AsError(err, sdk.SourceHost).Msg, 300)},
		}}, nil
	}
	if err != nil {
		return nil, err
	}
	return &page.Outcome{To: below(address(key)), Flash: p.flash(ctx, key, done, "The page is as it was in revision "+strconv.Itoa(n)+".")}, nil
}

// flash says what became of a write, and offers to undo it.
func (p *pages) flash(ctx context.Context, key string, done *memory.Decided, written string) *page.Flash {
	switch {
	case done.Problem != "":
		return &page.Flash{Failed: true, Text: "The page could not be written.", Details: []string{markdown.Line(done.Problem, 300)}}
	case done.ID == "":
		return &page.Flash{Text: "Nothing was changed: the page has this text already."}
	case done.State == string(change.Pending):
		return &page.Flash{Text: "The page waits for review as change " + string(done.ID) + "."}
	}
	return &page.Flash{Text: written, Undo: p.undo(ctx, key)}
}

// undo restores the revision before the present one; nil = none is kept.
func (p *pages) undo(ctx context.Context, key string) *page.Form {
	versions, err := p.Revisions.PageHistory(ctx, key)
	if err != nil || len(versions) < 2 || versions[1].Hash == "" {
		return nil // the history of the page tells why
	}
	return &page.Form{To: below(address(key)), Do: "revert", Label: "Undo", Fields: map[string][]string{
		"version": {strconv.Itoa(versions[1].N)}, "base": {versions[0].Hash},
	}}
}
