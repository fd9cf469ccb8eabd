package bigquery

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/duckdb/duckdb-go/v2"
	bq "google.golang.org/api/bigquery/v2"
)

// Server is a running fixture.
type Server struct {
	Project string
	Host    string // a loopback address
	Port    int

	location string
	pageSize int
	db       *sql.DB
	catalog  *catalog
	views    views
	http     *http.Server
	running  sync.WaitGroup
	identity identity

	mu     sync.Mutex
	serial int
	jobs   map[string]*job
	order  []*job
	log    []Request
	plants []*Plant
}

// Request is what a client sent.
type Request struct {
	Method, Path, Query string // Query is what stands after the ? of the URL
	Account             string // whose token it was
	// Kind is "query", "dry_run", "cancel", "results", "job", "jobs", "catalog", "token" or "data".
	Kind      string
	Statement string
	Location  string
	Labels    map[string]string
	// Job is its id, where the client chose one.
	Job                string
	MaximumBytesBilled int64
	JobTimeoutMs       int64
}

// Plant is an answer that a test puts in the place of the fixture's own.
type Plant struct {
	Match         string // a part of the statement; "" = every one
	DryRun        bool   // for dry runs only
	Run           bool   // for runs only
	StatementType string // told instead of the statement's own
	Error         *Error
	Bytes         int64           // that the statement reads
	Hold          <-chan struct{} // the job runs until it is closed
	Times         int             // 0 = always
}

// Option changes a server before it starts.
type Option func(*Server)

// InLocation is where datasets and jobs are that name no location; "US" without it.
func InLocation(location string) Option { return func(s *Server) { s.location = location } }

// PageSize is the most rows of an answer; 10,000 without it.
func PageSize(rows int) Option { return func(s *Server) { s.pageSize = rows } }

// Start returns a server of the project "loam-test" that ends with the test.
func Start(t testing.TB, options ...Option) *Server {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().(*net.TCPAddr)
	s := &Server{Project: "loam-test", Host: address.IP.String(), Port: address.Port, location: "US", pageSize: 10000, jobs: map[string]*job{}}
	for _, o := range options {
		o(s)
	}
	s.catalog = &catalog{project: s.Project, location: s.location, datasets: map[string]*dataset{}, closed: map[string]map[string]bool{}}
	s.identity.begin()
	if s.db, err = open(); err != nil {
		t.Fatal(err)
	}
	s.http = &http.Server{Handler: s.handler(), ReadHeaderTimeout: 10 * time.Second}
	s.running.Go(func() { _ = s.http.Serve(listener) }) // it ends with Close
	t.Cleanup(s.close)
	return s
}

// open opens DuckDB so that it cannot reach files.
func open() (*sql.DB, error) {
	connector, err := duckdb.NewConnector("", func(c driver.ExecerContext) error {
		for _, set := range []string{"SET TimeZone = 'UTC'", "SET errors_as_json = true", "SET default_null_order = 'nulls_first_on_asc_last_on_desc'"} {
			if _, err := c.ExecContext(context.Background(), set, nil); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(connector)
	for _, m := range append(macros, "SET enable_external_access = false") {
		if _, err := db.Exec(m); err != nil {
			return nil, err
		}
	}
	conn, err := db.Conn(context.Background())
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close() }()
	return db, register(conn)
}

func (s *Server) close() {
	_ = s.http.Close()
	s.mu.Lock()
	for _, j := range s.order {
		j.cancel(errCanceled)
	}
	s.mu.Unlock()
	s.running.Wait()
	_ = s.db.Close()
}

// URL is the endpoint for option.WithEndpoint.
func (s *Server) URL() string { return "http://" + net.JoinHostPort(s.Host, strconv.Itoa(s.Port)) }

// Requests returns what clients have sent so far, in the order in which it came.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.log...)
}

// Plant puts an answer in place, before those that are there; the function takes it away.
func (s *Server) Plant(p Plant) func() {
	s.mu.Lock()
	defer s.mu.Unlock()
	own := &p
	if p.Times == 0 {
		own.Times = -1
	}
	s.plants = append([]*Plant{own}, s.plants...)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		own.Times = 0
	}
}

func (s *Server) planted(statement string, dry bool) *Plant {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.plants {
		if p.Times != 0 && strings.Contains(statement, p.Match) && !(p.DryRun && !dry) && !(p.Run && dry) {
			if p.Times > 0 {
				p.Times--
			}
			return p
		}
	}
	return nil
}

// Close keeps an account from reading a dataset; "" is every account.
func (s *Server) Close(dataset, account string) {
	s.catalog.change(func() {
		if s.catalog.closed[dataset] == nil {
			s.catalog.closed[dataset] = map[string]bool{}
		}
		s.catalog.closed[dataset][account] = true
	})
}

// Exec runs statements of GoogleSQL as the server's owner, not over the protocol: they are
// not in the log.
func (s *Server) Exec(t testing.TB, statements string) {
	t.Helper()
	no := false
	j := &job{user: "owner", config: &bq.JobConfiguration{Query: &bq.JobConfigurationQuery{Query: statements, UseLegacySql: &no}}, created: time.Now()}
	tokens, err := lex(statements)
	if err != nil {
		t.Fatal(err)
	}
	nodes, err := tree(statements, tokens)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := s.db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	for _, part := range split(nodes) {
		if err := s.runOne(t.Context(), j, &session{conn}, part, nil, false); err != nil {
			t.Fatalf("%v\n%.500s", err, statements)
		}
	}
}

// Running returns the ids of the jobs that have not ended.
func (s *Server) Running() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var ids []string
	for _, j := range s.order {
		if !j.finished() {
			ids = append(ids, j.id)
		}
	}
	return ids
}

func send(w io.Writer, v any) {
	_ = json.NewEncoder(w).Encode(v) // the client's loss
}

func reply(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	send(w, v)
}
