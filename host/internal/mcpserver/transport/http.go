package transport

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"runtime/debug"
	"strings"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/loam-data/loam/host/internal/caller"
	"github.com/loam-data/loam/sdk"
)

// Endpoint and Health are the paths of the HTTP server.
const (
	Endpoint = "/mcp"
	Health   = "/health"
	console  = "/console"
)

// Config is the configuration of both transports.
type Config struct {
	// Library speaks the protocol.
	Library *server.MCPServer
	// Check decides on each tools/call.
	Check Check
	// Self is the server's description of itself, as JSON.
	Self json.RawMessage
	// Task returns the task with which a call of the stateless era is answered in place of its answer; nil = there is
	// none, and a nil Task makes none.
	Task func(meta *mcp.Meta, tool string, answer json.RawMessage) any
	// Methods are the methods of extensions, by name.
	Methods map[string]Method
	// Admit decides on requests of these, and on those of the library that answer with
	// what the server has.
	Admit Admit
	// Console answers the requests below /console over HTTP; nil = there is none.
	Console http.Handler
	Logger  *slog.Logger
	Limits  Limits
}

// HTTP serves MCP over Streamable HTTP, both eras on one endpoint.
type HTTP struct {
	check   Check
	answers answers
	console http.Handler // nil = none
	log     *slog.Logger
	limits  Limits
	access  *access
	alive   *Liveness

	core     *server.MCPServer
	library  *server.StreamableHTTPServer
	sessions *sessions
	requests *Quota       // of those being served
	port     atomic.Int64 // listened on; 0 = not yet

	// streaming is done when streams must end, calling when calls must.
	streaming, calling context.Context
	endStreams         context.CancelCauseFunc
	endCalls           context.CancelCauseFunc
}

// errStopping is why calls are cancelled when the server ends.
var errStopping error = &sdk.Error{
	Kind: sdk.KindUnavailable, Source: sdk.SourceHost, Retry: true,
	Msg: "the server is stopping", Hint: "connect again and repeat the call",
}

// NewHTTP makes a server. /health reports version.
// Errors: KindInvalid for an access without a token that others could use, or
// that cannot be parsed.
func NewHTTP(c Config, a Access, version string) (*HTTP, error) {
	checked, err := newAccess(a)
	if err != nil {
		return nil, err
	}
	h := &HTTP{check: c.Check, console: c.Console, answers: answers{c.Library, c.Methods, c.Admit, c.Self, c.Task}, log: c.Logger, limits: c.Limits.orDefault(), access: checked, alive: NewLiveness(version)}
	h.sessions = newSessions(h.limits, h.forget)
	h.requests = NewQuota(h.limits.Requests)
	h.streaming, h.endStreams = context.WithCancelCause(context.Background())
	h.calling, h.endCalls = context.WithCancelCause(context.Background())
	h.core = c.Library
	h.library = server.NewStreamableHTTPServer(c.Library,
		server.WithSessionIdManagerResolver(sessionIDs{}),
		server.WithDisableLocalhostProtection(true), // access is stricter
		server.WithStreamableHTTPLogger(c.Logger))
	return h, nil
}

// requestKey leads to the context that ends what a request started: with the
// session or with the server. The context of the request itself ends only with
// the connection: the library answers nothing once that is done.
type requestKey struct{}

// EndCalls is the middleware that ends tool calls with their request. The
// library must have it.
func EndCalls(next server.ToolHandlerFunc) server.ToolHandlerFunc {
	return func(ctx context.Context, call mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		ctx, ended := untilTakenBack(ctx)
		defer ended()
		return next(ctx, call)
	}
}

// untilTakenBack is ctx until the request that it is of ends.
func untilTakenBack(ctx context.Context) (_ context.Context, ended func()) {
	request, ok := ctx.Value(requestKey{}).(context.Context)
	if !ok {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	if request.Err() != nil {
		cancel(context.Cause(request)) // before the call sees its context
	}
	stop := endWith(cancel, request)
	return ctx, func() {
		stop()
		cancel(nil)
	}
}

// endWith calls end when ctx is done, for the same reason; stop undoes that.
func endWith(end context.CancelCauseFunc, ctx context.Context) (stop func() bool) {
	return context.AfterFunc(ctx, func() { end(context.Cause(ctx)) })
}

// ServeHTTP answers one request: it checks access and limits and passes it to
// the library.
func (h *HTTP) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	request, end := context.WithCancelCause(context.Background())
	defer end(nil)
	out := newResponse(w, r, h.limits.Write, h.streaming.Done())
	defer h.recover(out, r)
	switch {
	case !h.access.allowsHost(r):
		h.refuse(out, r, http.StatusForbidden, fmt.Sprintf("the Host %.100q is not served: add it with --allowed-host", r.Host))
	case h.console != nil && (r.URL.Path == console || strings.HasPrefix(r.URL.Path, console+"/")):
		h.serveConsole(out, r)
	case !h.access.allowsOrigin(r):
		h.refuse(out, r, http.StatusForbidden, fmt.Sprintf("the Origin %.100q is not served: add it with --allowed-origin", strings.Join(r.Header.Values("Origin"), ", ")))
	case h.crossOrigin(out, r):
	case r.URL.Path == Health:
		h.health(out, r)
	default:
		ctx := context.WithValue(r.Context(), requestKey{}, request)
		h.authorize(out, r.WithContext(withEmitter(ctx, out)), end)
	}
}

// serveConsole passes a request to the console, which has its own login and its own rules of origins. Its requests count
// among those of their address, and end with the server.
func (h *HTTP) serveConsole(w *response, r *http.Request) {
	place := nobody.place(r.RemoteAddr)
	if _, taken := h.requests.Take(place); !taken {
		w.Header().Set("Retry-After", "1")
		http.Error(w, "too many requests at once: load the page again", http.StatusServiceUnavailable)
		return
	}
	defer h.requests.Give(place)
	ctx, cancel := context.WithCancelCause(r.Context())
	defer cancel(nil)
	defer endWith(cancel, h.calling)()
	h.console.ServeHTTP(w, r.WithContext(ctx))
}

// authorize serves who is let in.
func (h *HTTP) authorize(w *response, r *http.Request, end context.CancelCauseFunc) {
	who, refusal := h.access.authorize(r)
	switch {
	case who == nil:
		w.Header().Set("WWW-Authenticate", `Bearer realm="loam"`)
		h.refuse(w, r, http.StatusUnauthorized, refusal)
	case r.URL.Path != Endpoint:
		h.refuse(w, r, http.StatusNotFound, "the MCP endpoint is "+Endpoint)
	default:
		h.admit(w, r, who, end)
	}
}

// AsksForToken reports whether every request must have a token.
func (h *HTTP) AsksForToken() bool { return h.access.asks() }

// Sessions returns how many clients have a session.
func (h *HTTP) Sessions() int { return h.sessions.count() }

func (h *HTTP) health(w *response, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		h.refuse(w, r, http.StatusMethodNotAllowed, "use GET")
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(struct { // a client that is gone misses nothing
		Alive
		Port int64 `json:"port"`
	}{h.alive.Now(), h.port.Load()})
}

// admit limits the number of requests at the same time.
func (h *HTTP) admit(w *response, r *http.Request, who *principal, end context.CancelCauseFunc) {
	place := who.place(r.RemoteAddr)
	switch has, taken := h.requests.Take(place); {
	case taken:
		defer h.requests.Give(place)
	case has == h.requests.All():
		h.refuseForNow(w, r, http.StatusServiceUnavailable, "too many requests at once: try again later")
		return
	default:
		h.refuseForNow(w, r, http.StatusTooManyRequests, fmt.Sprintf("as many requests of this address are under way as it may have, %d: wait until some have ended", has))
		return
	}
	defer who.endWith(end)()
	switch r.Method {
	case http.MethodPost:
		h.post(w, r, who, end)
	case http.MethodGet, http.MethodDelete:
		h.sessionMethod(w, r, who, end)
	default:
		w.Header().Set("Allow", "POST, GET, DELETE")
		h.refuse(w, r, http.StatusMethodNotAllowed, "use POST")
	}
}

// sessionMethod serves GET (the stream of a session) and DELETE (its end).
func (h *HTTP) sessionMethod(w *response, r *http.Request, who *principal, end context.CancelCauseFunc) {
	if mcp.IsModernProtocol(r.Header.Get(mcp.HeaderProtocolVersion)) {
		h.library.ServeHTTP(w, r) // 405: that era has neither
		return
	}
	s, done, ok := h.useSession(w, r, who)
	if !ok {
		return
	}
	defer done()
	if r.Method == http.MethodDelete {
		h.sessions.end(s)
		h.library.ServeHTTP(w, r)
		return
	}
	defer endWith(end, s.ctx)()
	h.stream(w, r, end)
}

// stream serves a request that stays open until it is ended.
func (h *HTTP) stream(w *response, r *http.Request, end context.CancelCauseFunc) {
	defer endWith(end, h.streaming)()
	ctx, leave := context.WithCancel(r.Context())
	defer leave()
	request, _ := ctx.Value(requestKey{}).(context.Context)
	defer context.AfterFunc(request, leave)()
	h.library.ServeHTTP(w, r.WithContext(ctx))
}

func (h *HTTP) useSession(w *response, r *http.Request, who *principal) (s *session, done func(), ok bool) {
	if version := r.Header.Get(mcp.HeaderProtocolVersion); version != "" && !mcp.IsValidProtocolVersion(version) {
		h.refuse(w, r, http.StatusBadRequest, fmt.Sprintf("the protocol version %.100q is not spoken: use one of %s", version, strings.Join(mcp.ValidProtocolVersions, ", ")))
		return nil, nil, false
	}
	id := r.Header.Get(server.HeaderKeySessionID)
	if id == "" {
		h.refuse(w, r, http.StatusBadRequest, server.HeaderKeySessionID+" is missing: send initialize first")
		return nil, nil, false
	}
	s, done, err := h.sessions.use(id, who)
	if err != nil {
		h.refuse(w, r, http.StatusNotFound, err.Error())
		return nil, nil, false
	}
	return s, done, true
}

func (h *HTTP) post(w *response, r *http.Request, who *principal, end context.CancelCauseFunc) {
	if typ, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || typ != "application/json" {
		h.refuse(w, r, http.StatusUnsupportedMediaType, "Content-Type must be application/json")
		return
	}
	body, ok := h.readBody(w, r)
	if !ok {
		return
	}
	m, refusal := parse(body)
	if refusal != nil {
		h.answer(w, r, http.StatusBadRequest, m.id, refusal)
		return
	}
	modern := m.modern(r.Header.Get(mcp.HeaderProtocolVersion))
	switch {
	case modern && m.takesBack():
		// That era cancels by closing the connection. The library would look for
		// the id among the requests of all clients.
		w.WriteHeader(http.StatusAccepted)
		return
	case !modern:
		s, done, ok := h.legacySession(w, r, who, m)
		if !ok {
			return
		}
		defer done()
		if m.takesBack() {
			s.requests.takeBack(m.params.taken)
			w.WriteHeader(http.StatusAccepted)
			return
		}
		if m.response && s.questions.answer(m.reply) {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		if m.id != nil {
			defer s.requests.begin(m.id, end)()
		}
		defer endWith(end, s.ctx)()
		ctx := caller.With(context.WithValue(r.Context(), sessionKey{}, s.id), who.caller(s.id))
		r = r.WithContext(h.core.WithContext(withAsker(ctx, &asker{questions: &s.questions}), s))
	default:
		r = r.WithContext(caller.With(r.Context(), who.caller(statelessClient(r.RemoteAddr, m.params.meta))))
	}
	var run server.ToolHandlerFunc
	if m.method == string(mcp.MethodToolsCall) && m.id != nil {
		if run, refusal = h.check(r.Context(), m.params); refusal != nil {
			h.answer(w, r, callStatus(modern, refusal.Code), m.id, refusal)
			return
		}
	}
	switch {
	case m.streams():
		r.Body = io.NopCloser(bytes.NewReader(body))
		h.stream(w, r, end)
	case run != nil, h.answers.given(m):
		defer endWith(end, h.calling)()
		h.own(w, r, m, modern, run)
	default:
		defer endWith(end, h.calling)()
		r.Body = io.NopCloser(bytes.NewReader(body))
		h.library.ServeHTTP(w, r)
	}
	w.finish()
}

// maxClientName bounds what is kept of the name a client gives itself, in bytes.
const maxClientName = 64

// statelessClient names a client that has no session.
func statelessClient(remote string, said *mcp.Meta) string {
	name := ""
	if info := said.ClientInfo(); info != nil {
		name = info.Name[:min(len(info.Name), maxClientName)]
	}
	return hostOf(remote) + " " + name
}

// callStatus is the HTTP status of a JSON-RPC error: the modern era has one of
// its own.
func callStatus(modern bool, code int) int {
	switch {
	case !modern:
		return http.StatusOK
	case code == mcp.METHOD_NOT_FOUND:
		return http.StatusNotFound
	case code == mcp.INTERNAL_ERROR, code == codeRefused:
		return http.StatusOK
	default:
		return http.StatusBadRequest
	}
}

// legacySession returns the session of a message, a new one for initialize.
func (h *HTTP) legacySession(w *response, r *http.Request, who *principal, m message) (s *session, done func(), ok bool) {
	if m.method != string(mcp.MethodInitialize) || m.id == nil {
		return h.useSession(w, r, who)
	}
	s, closeRequest, err := h.sessions.open(who, who.place(r.RemoteAddr))
	if err != nil {
		status := http.StatusServiceUnavailable
		if taken, ok := errors.AsType[*full](err); ok && !taken.all {
			status = http.StatusTooManyRequests
		}
		h.refuseForNow(w, r, status, err.Error())
		return nil, nil, false
	}
	var info mcp.Implementation
	if json.Unmarshal(m.params.clientInfo, &info) == nil {
		s.SetClientInfo(info)
	}
	var capabilities mcp.ClientCapabilities
	if json.Unmarshal(m.params.capabilities, &capabilities) == nil {
		s.SetClientCapabilities(capabilities)
	}
	return s, func() {
		closeRequest()
		if s.ctx.Err() != nil {
			h.forget(s.id) // ended before the library had registered it
		}
	}, true
}

// readBody reads a message of the allowed size. One that says that it is larger
// is not read at all.
func (h *HTTP) readBody(w *response, r *http.Request) ([]byte, bool) {
	var err error = &http.MaxBytesError{Limit: h.limits.Body}
	if r.ContentLength <= h.limits.Body {
		var body []byte
		if body, err = io.ReadAll(http.MaxBytesReader(w, r.Body, h.limits.Body)); err == nil {
			return body, true
		}
	}
	if large, ok := errors.AsType[*http.MaxBytesError](err); ok {
		w.Header().Set("Connection", "close") // the rest of it is not read
		h.answer(w, r, http.StatusRequestEntityTooLarge, nil, invalidRequest(fmt.Sprintf("the message is larger than %d bytes", large.Limit)))
	} else {
		h.refuse(w, r, http.StatusRequestTimeout, "the message did not arrive")
	}
	return nil, false
}

// refuseForNow refuses what may be tried again.
func (h *HTTP) refuseForNow(w *response, r *http.Request, status int, text string) {
	w.Header().Set("Retry-After", "1")
	h.refuse(w, r, status, text)
}

func (h *HTTP) refuse(w *response, r *http.Request, status int, text string) {
	h.answer(w, r, status, nil, &Error{Code: codeRefused, Message: text})
}

func (h *HTTP) answer(w *response, r *http.Request, status int, id []byte, e *Error) {
	h.log.Warn("mcp request refused", "http_status", status, "rpc_code", e.Code, "reason", e.Message,
		"http_method", r.Method, "path", r.URL.Path, "remote", r.RemoteAddr)
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(append(e.respond(id), '\n')) // a client that is gone needs no answer
}

// recover keeps a panic of the library from cutting the connection.
func (h *HTTP) recover(w *response, r *http.Request) {
	p := recover()
	switch p {
	case nil:
		return
	case http.ErrAbortHandler: // the console cuts an answer off that is not whole
		panic(p)
	}
	h.log.Error("panic while serving an mcp request", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
	if !w.sent() {
		h.refuse(w, r, http.StatusInternalServerError, "the request could not be served: see the server's log")
	}
}

// forget takes what the library keeps of a session from it; a DELETE is the
// only way in.
func (h *HTTP) forget(id string) {
	header := http.Header{}
	header.Set(server.HeaderKeySessionID, id)
	h.library.Handle(nowhere{http.Header{}}, &server.HTTPRequest{Method: http.MethodDelete, Header: header, Context: context.Background()})
}

// nowhere is a response that nobody reads.
type nowhere struct{ header http.Header }

func (n nowhere) Header() http.Header         { return n.header }
func (n nowhere) WriteHeader(int)             {}
func (n nowhere) Write(p []byte) (int, error) { return len(p), nil }
func (n nowhere) Flush()                      {}
func (n nowhere) CanStream() bool             { return false }

type sessionKey struct{}

// sessionIDs gives the library the session that this package has chosen and
// checked; it decides nothing.
type sessionIDs struct{ id string }

// ResolveSessionIdManager is called once per request.
func (sessionIDs) ResolveSessionIdManager(r *http.Request) server.SessionIdManager {
	if r == nil {
		return sessionIDs{}
	}
	id, _ := r.Context().Value(sessionKey{}).(string)
	return sessionIDs{id}
}

// Generate returns the id of the session that was opened for an initialize.
func (s sessionIDs) Generate() string { return s.id }

// Validate accepts: the request would not be here otherwise.
func (sessionIDs) Validate(string) (ended bool, err error) { return false, nil }

// Terminate accepts: the session has ended already.
func (sessionIDs) Terminate(string) (refused bool, err error) { return false, nil }
