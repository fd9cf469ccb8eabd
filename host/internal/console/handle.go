package console

import (
	"net/http"
	"net/url"

	"github.com/loam-data/loam/host/internal/console/page"
	"github.com/loam-data/loam/sdk"
)

const (
	// doField names the action of a form, and backField the page to go to afterwards.
	doField, backField = "do", "back"
)

// pageHandler serves a page to who is signed in.
type pageHandler struct {
	server *Server
	page   *page.Page
}

// ServeHTTP shows the page, or runs the action of a form.
func (h pageHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	of, ok := r.Context().Value(visitKey{}).(visit)
	if !ok {
		h.server.fail(w, r, nil, sdk.Errorf(sdk.KindUnauthenticated, sdk.SourceHost, "nobody is signed in").WithHint("sign in"))
		return
	}
	req := &page.Request{
		Query: r.URL.Query(), Form: r.PostForm, Actor: of.who.actor, Role: of.who.role, Session: of.who.id(),
		Path: r.PathValue, Now: h.server.Now(), URL: &url.URL{Path: r.URL.Path, RawPath: r.URL.RawPath, RawQuery: r.URL.RawQuery},
	}
	if r.Method == http.MethodPost {
		h.act(w, r, of, req)
		return
	}
	view, err := h.page.Show(r.Context(), req)
	if err != nil {
		h.server.fail(w, r, of.who, err)
		return
	}
	h.server.show(w, r, of, h.page, view)
}

// act runs the action of a form and answers with the next page.
func (h pageHandler) act(w http.ResponseWriter, r *http.Request, of visit, req *page.Request) {
	action, ok := h.page.Actions[req.Field(doField)]
	var err error
	switch {
	case !ok:
		err = sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "this page cannot do %.100q", req.Field(doField)).WithHint("load the page again")
	case of.who.role == page.Reader && !action.Reader && (!action.Query || !of.settings.ReaderQuery):
		err = sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "you are signed in as a reader, who changes nothing").WithHint("sign in with console.token to decide")
	}
	if err != nil {
		h.server.fail(w, r, of.who, err)
		return
	}
	out, err := action.Do(r.Context(), req)
	switch {
	case err != nil:
		h.server.fail(w, r, of.who, err)
		return
	case out == nil:
		out = &page.Outcome{}
	case out.View != nil:
		if out.Flash != nil {
			of.who.show(out.Flash)
		}
		h.server.show(w, r, of, h.page, out.View)
		return
	}
	if out.Flash != nil {
		h.server.Logger.Info("console action", "page", h.page.Path, "action", req.Field(doField), "actor", req.Actor.Name(), "failed", out.Flash.Failed)
	}
	if wantsJSON(r) {
		h.server.document(w, http.StatusOK, out.Flash)
		return
	}
	of.who.show(out.Flash)
	http.Redirect(w, r, next(req, out), http.StatusSeeOther)
}

// next returns the address of the page that follows an action.
func next(req *page.Request, out *page.Outcome) string {
	if out.To != "" {
		return page.Root + out.To
	}
	if back, ok := page.Local(req.Field(backField)); ok {
		return back
	}
	return req.URL.RequestURI()
}
