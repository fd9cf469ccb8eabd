package wiki

import (
	"context"
	"html/template"
	"strings"

	"github.com/loam-data/loam/host/internal/console/markdown"
	"github.com/loam-data/loam/host/internal/console/page"
	"github.com/loam-data/loam/host/internal/memory"
	"github.com/loam-data/loam/host/internal/wiki"
	"github.com/loam-data/loam/sdk"
)

// maxEdited is the longest text that a form edits, in bytes of HTML: a page of the console has no room for more.
const maxEdited = 40 << 10

// room returns how many bytes of HTML are left beside the form, at least what shows something.
func (e *editing) room() int { return max(3<<10, 50<<10-len(template.HTMLEscapeString(e.Content))) }

// editing is the form that edits a page.
type editing struct {
	Key  string `json:"key"`
	Href string `json:"href"`
	// Content is the text of the form: the file, or what was typed.
	Content string `json:"content"`
	// Base is the hash of the file that is edited; "" = the page is new.
	Base string `json:"base"`
	// Problem says why the typed text was not written, Hint what to do.
	Problem string `json:"problem,omitempty"`
	Hint    string `json:"hint,omitempty"`
	// Conflict: somebody else changed the page. Theirs is the difference that saving makes to their text.
	Conflict bool        `json:"conflict,omitempty"`
	Theirs   *difference `json:"theirs,omitempty"`
	// Mine is the difference from the file to the typed text, of a preview.
	Mine *difference `json:"mine,omitempty"`
	// Preview is the typed text as a page; "" = none was asked for.
	Preview template.HTML `json:"-"`
	Cut     bool          `json:"cut,omitempty"`
	// TooLong: the page cannot be edited here.
	TooLong bool `json:"tooLong,omitempty"`
}

func (e *editing) view(key string) *page.View {
	title := "Edit " + titleOf("", key)
	if e.Base == "" {
		title = "New page " + titleOf("", key)
	}
	return &page.View{Title: title, Command: command("loam wiki edit", key, ""), Data: e, Template: "wiki.edit"}
}

// edit shows the form with the page as it is now.
func (p *pages) edit(ctx context.Context, key string) (*page.View, error) {
	content, base, err := p.Files.PageFile(ctx, key)
	if err != nil {
		return nil, err
	}
	e := &editing{Key: markdown.Line(key, maxKey), Href: address(key), Content: content, Base: base}
	if len(template.HTMLEscapeString(content)) > maxEdited {
		e.Content, e.TooLong = "", true
	}
	return e.view(key), nil
}

// typed returns the form as it was sent. Browsers send lines with CR LF.
func typed(r *page.Request) *editing {
	key := keyOf(r)
	return &editing{Key: markdown.Line(key, maxKey), Href: address(key), Content: strings.ReplaceAll(r.Form.Get("content"), "\r\n", "\n"), Base: r.Field("base")}
}

// save writes the typed text. What cannot be written stays in the form.
func (p *pages) save(ctx context.Context, r *page.Request) (*page.Outcome, error) {
	key, e := keyOf(r), typed(r)
	done, err := p.Files.WritePage(ctx, memory.PageWrite{Key: key, Content: e.Content, Base: e.Base, Actor: r.Actor})
	if err != nil {
		return p.refused(ctx, key, e, err)
	}
	if done.Problem != "" {
		e.Problem = markdown.Line(done.Problem, 300)
		return &page.Outcome{View: e.view(key)}, nil
	}
	return &page.Outcome{To: below(address(key)), Flash: p.flash(ctx, key, done, "The page is saved.")}, nil
}

// refused shows the form with the typed text and why it was not written. Over another version both texts are shown, and
// the form names the present version, so that saving again is a decision.
func (p *pages) refused(ctx context.Context, key string, e *editing, refusal error) (*page.Outcome, error) {
	why := sdk.AsError(refusal, sdk.SourceHost)
	e.Problem, e.Hint = markdown.Line(why.Msg, 300), markdown.Line(why.Hint, 300)
	status := 422
	if why.Kind == sdk.KindConflict {
		status = 409
		now, base, err := p.Files.PageFile(ctx, key)
		if err != nil {
			e.Problem += " Nor can the page be read: " + markdown.Line(sdk.AsError(err, sdk.SourceHost).Msg, 300)
		} else if base != e.Base {
			e.Conflict, e.Base = true, base
			if e.Theirs, err = differ(now, e.Content, min(diffRoom, e.room())); err != nil {
				return nil, err
			}
			e.Problem, e.Hint = "Somebody changed the page while you edited it. Your text is kept below, and nothing is written.", "compare the two, and save again to replace the present text"
		}
	}
	v := e.view(key)
	v.Status = status
	return &page.Outcome{View: v}, nil
}

// preview shows the typed text as a page, and what it changes. Nothing is written.
func (p *pages) preview(ctx context.Context, r *page.Request) (*page.Outcome, error) {
	key, e := keyOf(r), typed(r)
	view, err := p.Wiki.View(ctx)
	if err != nil {
		return nil, err
	}
	now, _, err := p.Files.PageFile(ctx, key)
	if err != nil {
		return nil, err
	}
	o := options(view, key)
	o.Room = e.room() * 2 / 3
	rendered := markdown.Render(wiki.BodyOf(e.Content), o)
	e.Preview, e.Cut = rendered.HTML, rendered.Cut
	if e.Mine, err = differ(now, e.Content, min(diffRoom, e.room()/3)); err != nil {
		return nil, err
	}
	return &page.Outcome{View: e.view(key)}, nil
}
