package console

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/console/asset"
	"github.com/loam-data/loam/host/internal/console/page"
	"github.com/loam-data/loam/sdk"
)

// layoutDot is the dot of the layout.
type layoutDot struct {
	page.Dot
	Title, Command, Project, Version string
	// Content is the page's own part, already rendered.
	Content  template.HTML
	Section  string
	Sections []page.Section
	Flash    *page.Flash
	// Who is the name of the person; "" = nobody is signed in.
	Who   string
	Role  page.Role
	Style string
	// Script and Icon are the addresses of the script and of the icon.
	Script, Icon string
	// Refresh is how many seconds after which the page is loaded again; 0 = never.
	Refresh int
	// Ends is after how many seconds without a request the session ends.
	Ends int
}

func (s *Server) layoutFor(of visit, r *http.Request, title string) layoutDot {
	d := layoutDot{
		Title: title, Project: s.Project, Version: s.Version, Sections: page.Sections(),
		Style: asset.Address(asset.Style), Script: asset.Address(asset.Script), Icon: asset.Address(asset.Icon),
		Dot: page.Dot{Now: s.Now(), Here: r.URL},
	}
	if of.who != nil {
		idle := of.settings.Idle
		if idle <= 0 {
			idle = defaultIdle
		}
		d.Who, d.Role, d.Token, d.Ends = of.who.actor.Name(), of.who.role, of.who.token, int(idle/time.Second)
		d.Reviewer = of.who.role == page.Reviewer
		d.MayQuery = d.Reviewer || of.settings.ReaderQuery
	}
	return d
}

// show answers with a view.
func (s *Server) show(w http.ResponseWriter, r *http.Request, of visit, p *page.Page, v *page.View) {
	switch {
	case v.File != nil:
		s.send(w, r, of, v.File)
		return
	case wantsJSON(r):
		s.showJSON(w, r, of, v)
		return
	}
	all, err := s.routes()
	if err != nil {
		s.fail(w, r, of.who, err)
		return
	}
	d := s.layoutFor(of, r, v.Title)
	d.Data, d.Command, d.Section, d.Refresh = v.Data, v.Command, p.Section, int(v.Refresh/time.Second)
	name := p.Template
	if v.Template != "" {
		name = v.Template
	}
	var out bytes.Buffer
	if err := all.templates.ExecuteTemplate(&out, name, d.Dot); err != nil {
		s.fail(w, r, of.who, fmt.Errorf("page %s: %w", p.Path, err))
		return
	}
	d.Content = template.HTML(out.String()) //nolint:gosec // a template escaped it
	d.Flash = of.who.shown()
	status := v.Status
	if status == 0 {
		status = http.StatusOK
	}
	s.write(w, all.templates, status, &d, func(out *bytes.Buffer) error {
		if v.Then == nil {
			return nil
		}
		if err := flush(w, out); err != nil {
			return err
		}
		return s.then(r.Context(), all.templates, out, &d, v)
	})
}

// then renders the part of a page that follows when its work is done. A failure is a part of the page.
func (s *Server) then(ctx context.Context, t *template.Template, out *bytes.Buffer, d *layoutDot, v *page.View) error {
	data, err := v.Then(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err() // nobody reads it
		}
		return t.ExecuteTemplate(out, "console.failure", s.failureOf(err))
	}
	dot := d.Dot
	dot.Data = data
	return t.ExecuteTemplate(out, v.ThenTemplate, dot)
}

// write sends a page: its head with the content, what more renders, and its foot.
func (s *Server) write(w http.ResponseWriter, t *template.Template, status int, d *layoutDot, more func(*bytes.Buffer) error) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	var out bytes.Buffer
	err := t.ExecuteTemplate(&out, "console.head", d)
	if err != nil {
		s.Logger.Error("the layout of the console cannot be shown", "error", err)
		http.Error(w, "the page cannot be shown: see the server's log", http.StatusInternalServerError)
		return
	}
	w.WriteHeader(status)
	if err := more(&out); err != nil {
		s.Logger.Warn("a page of the console was cut off", "title", d.Title, "error", s.Redact(err.Error()))
		return
	}
	if err := t.ExecuteTemplate(&out, "console.foot", d); err == nil {
		_, _ = out.WriteTo(w) // a browser that is gone misses nothing
	}
}

// flush sends what was rendered so far.
func flush(w http.ResponseWriter, out *bytes.Buffer) error {
	if _, err := out.WriteTo(w); err != nil {
		return err
	}
	return http.NewResponseController(w).Flush()
}

// showJSON answers with the data of a view.
func (s *Server) showJSON(w http.ResponseWriter, r *http.Request, of visit, v *page.View) {
	data, status := v.Data, v.Status
	if v.Then != nil {
		var err error
		if data, err = v.Then(r.Context()); err != nil {
			s.fail(w, r, of.who, err)
			return
		}
	}
	if status == 0 {
		status = http.StatusOK
	}
	s.document(w, status, data)
}

func (s *Server) document(w http.ResponseWriter, status int, data any) {
	text, err := json.MarshalIndent(data, "", "  ")
	if err != nil {
		s.Logger.Error("the data of a page is no JSON", "error", err)
		http.Error(w, "{}", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(text, '\n')) // a client that is gone misses nothing
}

// send answers with a file for saving.
func (s *Server) send(w http.ResponseWriter, r *http.Request, of visit, f *page.File) {
	started := &firstWrite{w: w, begin: func() {
		w.Header().Set("Content-Type", f.Type)
		w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": f.Name}))
	}}
	err := f.Write(r.Context(), started)
	switch {
	case err != nil && !started.done:
		s.fail(w, r, of.who, err)
	case err != nil:
		s.Logger.Warn("a file of the console was cut off", "name", f.Name, "error", s.Redact(err.Error()))
		panic(http.ErrAbortHandler) // the browser must not take it for whole
	case !started.done:
		_, _ = started.Write(nil)
	}
}

// firstWrite runs begin before the first byte.
type firstWrite struct {
	w     io.Writer
	begin func()
	done  bool
}

func (f *firstWrite) Write(p []byte) (int, error) {
	if !f.done {
		f.done = true
		f.begin()
	}
	return f.w.Write(p)
}

// failure is an error as a page shows it.
type failure struct {
	Kind       sdk.Kind `json:"kind"`
	Message    string   `json:"message"`
	Hint       string   `json:"hint,omitempty"`
	Code       string   `json:"code,omitempty"`
	Candidates []string `json:"candidates,omitempty"`
	// Incident is the id under which the log has an error of the program; "" = the message says all.
	Incident string `json:"incident,omitempty"`
	// Typed are long texts of the form that was not accepted, so that they are not lost.
	Typed []page.Pair `json:"-"`
	Login bool        `json:"-"` // signing in again helps
}

// failureOf describes an error. The log has those of the program.
func (s *Server) failureOf(err error) *failure {
	e := sdk.AsError(err, sdk.SourceHost)
	f := &failure{Kind: e.Kind, Message: s.Redact(err.Error()), Hint: e.Hint, Code: e.Code, Candidates: e.Candidates}
	if e.Kind == sdk.KindInternal {
		var id [4]byte
		_, _ = rand.Read(id[:]) // never fails
		f.Incident = hex.EncodeToString(id[:])
		s.Logger.Error("console request failed", "incident", f.Incident, "error", f.Message)
		f.Message, f.Hint = "the console failed", "look for incident "+f.Incident+" in the server's log: loam mcp logs"
	}
	return f
}

// minTyped is the length of a typed text that is worth showing again, in bytes.
const minTyped = 20

// fail answers with an error: what, where, and the next step.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, who *session, err error) {
	f := s.failureOf(err)
	f.Login = f.Kind == sdk.KindUnauthenticated
	for name, values := range r.PostForm {
		for _, v := range values {
			if len(v) >= minTyped && name != tokenField && name != "secret" && name != "code" {
				f.Typed = append(f.Typed, page.Pair{Name: name, Value: v})
			}
		}
	}
	status := statusOf(f.Kind)
	if wantsJSON(r) {
		s.document(w, status, struct {
			Error *failure `json:"error"`
		}{f})
		return
	}
	s.showFixed(w, r, visit{who: who}, status, "It did not work", "console.error", f)
}

// showLogin shows the login page.
func (s *Server) showLogin(w http.ResponseWriter, r *http.Request, status int, data *loginData) {
	s.showFixed(w, r, visit{}, status, "Sign in", "console.login", data)
}

// showFixed shows a page of the frame itself.
func (s *Server) showFixed(w http.ResponseWriter, r *http.Request, of visit, status int, title, name string, data any) {
	all, err := s.routes()
	if err != nil {
		s.Logger.Error("the pages of the console cannot be parsed", "error", err)
		http.Error(w, "the console cannot be shown: see the server's log", http.StatusInternalServerError)
		return
	}
	d := s.layoutFor(of, r, title)
	d.Data = data
	var out strings.Builder
	if err := all.templates.ExecuteTemplate(&out, name, d.Dot); err != nil {
		s.Logger.Error("a page of the console cannot be shown", "template", name, "error", err)
	}
	d.Content = template.HTML(out.String()) //nolint:gosec // a template escaped it
	s.write(w, all.templates, status, &d, func(*bytes.Buffer) error { return nil })
}

// statusOf returns the HTTP status of a kind of errors.
func statusOf(k sdk.Kind) int {
	switch k {
	case sdk.KindInvalid, sdk.KindSyntax, sdk.KindNotReadOnly, sdk.KindUnsupported:
		return http.StatusUnprocessableEntity
	case sdk.KindNotFound:
		return http.StatusNotFound
	case sdk.KindConflict:
		return http.StatusConflict
	case sdk.KindUnauthenticated:
		return http.StatusUnauthorized
	case sdk.KindDenied:
		return http.StatusForbidden
	case sdk.KindLimit:
		return http.StatusRequestEntityTooLarge
	case sdk.KindRateLimited:
		return http.StatusTooManyRequests
	case sdk.KindTimeout, sdk.KindUnavailable, sdk.KindCanceled:
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}
