package transport

import "net/http"

// What a page of an allowed origin may send and read. The wildcard is for the
// headers that repeat parameters of tools; it does not include Authorization.
const (
	crossMethods = "POST, GET, DELETE"
	crossHeaders = "Authorization, Content-Type, Accept, Mcp-Session-Id, Mcp-Protocol-Version, Mcp-Method, Mcp-Name, Last-Event-ID, *"
	crossExposed = "Mcp-Session-Id, WWW-Authenticate, Retry-After"
	crossFor     = "7200" // seconds a browser may keep the answer
)

// crossOrigin lets the page of an allowed origin read the response, and answers
// the question by which a browser finds out that it may send a request at all.
// A browser sends no token with that question, and learns nothing from its
// answer but that the origin is allowed.
func (h *HTTP) crossOrigin(w *response, r *http.Request) (answered bool) {
	origin := r.Header.Get("Origin")
	if origin == "" {
		return false
	}
	header := w.Header()
	header.Set("Access-Control-Allow-Origin", origin)
	header.Set("Access-Control-Expose-Headers", crossExposed)
	header.Add("Vary", "Origin")
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	header.Set("Access-Control-Allow-Methods", crossMethods)
	header.Set("Access-Control-Allow-Headers", crossHeaders)
	header.Set("Access-Control-Max-Age", crossFor)
	w.WriteHeader(http.StatusNoContent)
	return true
}
