package console

import (
	"crypto/subtle"
	"net/http"
	"strings"

	"github.com/loam-data/loam/sdk"
)

// policy lets a page load the console's own files and nothing else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; " +
	"frame-ancestors 'none'; base-uri 'none'; require-trusted-types-for 'script'"

// setHeaders sets the headers of every answer.
func setHeaders(h http.Header) {
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("X-Frame-Options", "DENY") // for browsers without frame-ancestors
	h.Set("Cache-Control", "no-store")
}

const (
	// maxForm bounds the fields of a form, in bytes: the longest text that the memory takes, and the escapes.
	maxForm = 4 << 20
	// tokenField is the field with the session's token.
	tokenField = "token"
)

// checkPost refuses a form that was not sent from a page of this session.
// Errors: KindDenied, KindLimit.
func (s *Server) checkPost(w http.ResponseWriter, r *http.Request, who *session) error {
	if err := s.sameSite(r); err != nil {
		return err
	}
	if err := readForm(w, r); err != nil {
		return err
	}
	if subtle.ConstantTimeCompare([]byte(r.PostForm.Get(tokenField)), []byte(who.token)) != 1 {
		return sdk.Errorf(sdk.KindDenied, sdk.SourceCaller, "the form is not of this session").WithHint("load the page again and repeat it")
	}
	return nil
}

// sameSite refuses a request that another site made a browser send.
func (s *Server) sameSite(r *http.Request) error {
	if err := s.cross.Check(r); err != nil {
		return sdk.Errorf(sdk.KindDenied, sdk.SourceCaller, "the request came from another site").WithHint("open the console itself: loam console")
	}
	return nil
}

// readForm reads the fields of a form. Files are not taken.
func readForm(w http.ResponseWriter, r *http.Request) error {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		return sdk.Errorf(sdk.KindLimit, sdk.SourceCaller, "the form cannot be read: %w", err).WithHint("send at most %d MiB as application/x-www-form-urlencoded", maxForm>>20)
	}
	return nil
}

// wantsJSON reports whether a client asks for the data of a page.
func wantsJSON(r *http.Request) bool {
	return strings.Contains(r.Header.Get("Accept"), "application/json")
}

// secure reports whether the browser has an encrypted connection.
func (s *Server) secure(r *http.Request) bool {
	return r.TLS != nil || s.TrustedProxy && strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https")
}

// origin is the scheme and host of a request.
func (s *Server) origin(r *http.Request) string {
	if s.secure(r) {
		return "https://" + strings.ToLower(r.Host)
	}
	return "http://" + strings.ToLower(r.Host)
}
