package snowflake

import (
	"compress/gzip"
	"context"
	"database/sql"
	"database/sql/driver"
	_ "embed"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/duckdb/duckdb-go/v2"
)

// Server is a running fixture.
type Server struct {
	Host string // a loopback address
	Port int

	account   string
	arrow     bool
	chunkRows int
	hold      time.Duration // how long a request waits for its statement
	duck      *sql.DB
	http      *http.Server
	running   sync.WaitGroup // the statements
	ending    context.Context
	end       context.CancelFunc

	mu         sync.Mutex
	users      []User
	warehouses map[string]*warehouse
	sessions   map[string]*session // by session token
	masters    map[string]*session // by master token
	statements map[string]*statement
	order      []*statement
	recalled   int // how many of order the query history has
	chunks     map[string][]byte
	proofs     map[string]string // of external browsers: the proof key by the token
	idTokens   map[string]string // users by the tokens of sign-ins in a browser
	plants     []*Plant
	denied     map[string]bool // role and schema
	log        []Request
	numbers    int
	skew       time.Duration
}

// Option changes a server before it starts.
type Option func(*Server)

// Arrow makes results Arrow streams instead of JSON.
func Arrow() Option { return func(s *Server) { s.arrow = true } }

// ChunkRows sets how many rows an answer has itself; more rows come by URL, in
// chunks of that many.
func ChunkRows(n int) Option { return func(s *Server) { s.chunkRows = n } }

// Hold sets how long a request waits for its statement before the client is told to
// ask again.
func Hold(d time.Duration) Option { return func(s *Server) { s.hold = d } }

// Users replaces the users.
func Users(users ...User) Option { return func(s *Server) { s.users = users } }

// The names of a server that no option changes. DefaultUser has the roles Reader
// and Admin, and DefaultPassword.
const (
	DefaultAccount   = "FIXTURE"
	DefaultUser      = "LOAM"
	DefaultPassword  = "fixture password"
	DefaultDatabase  = "ANALYTICS"
	DefaultSchema    = "PUBLIC"
	DefaultWarehouse = "COMPUTE_WH"
	Reader           = "READER" // reads every schema that is not denied to it
	Admin            = "ADMIN"  // owns everything
)

//go:embed functions.sql
var functions string

// Start returns a server that ends with the test.
func Start(t testing.TB, options ...Option) *Server {
	t.Helper()
	s := &Server{
		account: DefaultAccount, chunkRows: 1000, hold: 45 * time.Second,
		users:      []User{{Name: DefaultUser, Password: DefaultPassword, Roles: []string{Reader, Admin}}},
		warehouses: map[string]*warehouse{DefaultWarehouse: {state: Started, autoResume: true}},
		sessions:   map[string]*session{}, masters: map[string]*session{}, statements: map[string]*statement{},
		chunks: map[string][]byte{}, proofs: map[string]string{}, idTokens: map[string]string{}, denied: map[string]bool{},
	}
	for _, option := range options {
		option(s)
	}
	s.ending, s.end = context.WithCancel(context.Background())
	connector, err := duckdb.NewConnector("", func(c driver.ExecerContext) error {
		for _, q := range []string{"SET TimeZone = 'UTC'", "SET errors_as_json = true"} {
			if _, err := c.ExecContext(context.Background(), q, nil); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	s.duck = sql.OpenDB(connector)
	for _, script := range []string{functions, catalogue, "ATTACH ':memory:' AS " + identifier(DefaultDatabase),
		"CREATE SCHEMA " + identifier(DefaultDatabase) + "." + identifier(DefaultSchema), "SET GLOBAL threads = 1", "SET enable_external_access = false"} {
		if _, err := s.duck.Exec(script); err != nil {
			t.Fatal(err)
		}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().(*net.TCPAddr)
	s.Host, s.Port = address.IP.String(), address.Port
	s.http = &http.Server{Handler: s.routes(), ReadHeaderTimeout: 10 * time.Second}
	s.running.Go(func() { _ = s.http.Serve(listener) })
	t.Cleanup(s.Close)
	return s
}

// URL returns the server's address.
func (s *Server) URL() string { return "http://" + net.JoinHostPort(s.Host, strconv.Itoa(s.Port)) }

// DB returns the engine. A database of Snowflake is an attached database of DuckDB.
func (s *Server) DB() *sql.DB { return s.duck }

// Exec runs statements of Snowflake's SQL in the default schema, as the role Admin, past
// the protocol. What only DuckDB has, such as range, passes.
func (s *Server) Exec(t testing.TB, query string) {
	t.Helper()
	tokens, err := lex(query)
	if err != nil {
		t.Fatal(err)
	}
	view := &session{server: s, user: User{Name: DefaultUser}, role: Admin, database: DefaultDatabase, schema: DefaultSchema, warehouse: DefaultWarehouse, parameters: defaults}
	for _, part := range split(tokens) {
		x := &statement{sql: query, session: view, view: view}
		if err := s.one(t.Context(), x, part); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
	}
}

// Close ends the server and its statements, and waits for both.
func (s *Server) Close() {
	s.end()
	_ = s.http.Close()
	s.running.Wait()
	_ = s.duck.Close()
}

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /session/v1/login-request", s.login)
	mux.HandleFunc("POST /session/authenticator-request", s.authenticator)
	mux.HandleFunc("POST /session/token-request", s.renew)
	mux.HandleFunc("POST /session/heartbeat", s.heartbeat)
	mux.HandleFunc("POST /session", s.closeSession)
	mux.HandleFunc("POST /telemetry/send", func(w http.ResponseWriter, _ *http.Request) {
		s.record(Request{Kind: KindTelemetry})
		reply(w, nil)
	})
	mux.HandleFunc("POST /queries/v1/query-request", s.query)
	mux.HandleFunc("POST /queries/v1/abort-request", s.abort)
	mux.HandleFunc("GET /queries/{id}/result", s.resultOf)
	mux.HandleFunc("GET /monitoring/queries/{id}", s.monitor)
	mux.HandleFunc("GET /chunk/{id}", s.chunk)
	return mux
}

// Kinds of requests.
const (
	KindLogin     = "login"
	KindBrowser   = "browser" // the first step of a login by browser
	KindRenew     = "renew"
	KindHeartbeat = "heartbeat"
	KindClose     = "close"
	KindTelemetry = "telemetry"
	KindQuery     = "query"
	KindDescribe  = "describe"
	KindAbort     = "abort"
	KindResult    = "result"
	KindMonitor   = "monitor"
	KindChunk     = "chunk"
)

// Request is what a client sent.
type Request struct {
	Kind       string
	Text       string         // of a statement; the authenticator of a login
	Session    int64          // 0 = none
	RequestID  string         // of the statement, for an abort, too
	QueryID    string         // what the server called it
	Parameters map[string]any // of the statement or the session, for example QUERY_TAG
	Binds      int
}

func (s *Server) record(r Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = append(s.log, r)
}

// Requests returns what clients have sent so far, in the order in which it came.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.log)
}

// Texts returns the statements that clients have sent to run, without those to describe.
func (s *Server) Texts() []string {
	var out []string
	for _, r := range s.Requests() {
		if r.Kind == KindQuery {
			out = append(out, r.Text)
		}
	}
	return out
}

type object = map[string]any

func reply(w http.ResponseWriter, data any) {
	send(w, object{"success": true, "code": nil, "message": nil, "data": data})
}

func replyFailure(w http.ResponseWriter, f *failure, data object) {
	if data == nil {
		data = object{}
	}
	data["sqlState"], data["errorCode"] = f.state, f.code
	send(w, object{"success": false, "code": f.code, "message": f.message, "data": data})
}

func send(w http.ResponseWriter, answer object) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer) // the client's loss
}

// read decodes the body of a request.
func read(r *http.Request, to any) error {
	var body io.Reader = r.Body
	if r.Header.Get("Content-Encoding") == "gzip" {
		z, err := gzip.NewReader(body)
		if err != nil {
			return err
		}
		body = z
	}
	d := json.NewDecoder(body)
	d.UseNumber()
	return d.Decode(to)
}

func tokenOf(r *http.Request) string {
	t, _ := strings.CutPrefix(r.Header.Get("Authorization"), `Snowflake Token="`)
	return strings.TrimSuffix(t, `"`)
}

// next returns a number that no other call returned. The lock is held.
func (s *Server) next() int {
	s.numbers++
	return s.numbers
}
