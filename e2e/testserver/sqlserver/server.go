//go:build cgo

package sqlserver

import (
	"context"
	"crypto/tls"
	"database/sql"
	_ "embed"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	_ "github.com/duckdb/duckdb-go/v2" // the engine

	"github.com/loam-data/loam/e2e/testserver/tds"
)

// Server is a running fixture.
type Server struct {
	*tds.Server

	db        *sql.DB
	databases map[string]bool
	accounts  map[string]*Account
	config    tds.Config

	stale     atomic.Bool // DuckDB's catalogue may have changed since the snapshot
	snapshots sync.Mutex

	mu     sync.Mutex
	logins []tds.Login
	ran    []Executed
	shown  int // of ran, in the table of sys.dm_exec_query_stats
	plant  []planted
	open   map[int64]*session
	admin  *session
}

// Account is what a login may do.
type Account struct {
	Password  string
	Databases []string // nil = all
	Roles     []string // of the database: db_datareader, db_datawriter, db_ddladmin, db_owner, …; or sysadmin
	Grants    []string // permissions on the database: SHOWPLAN, VIEW DATABASE STATE, VIEW DEFINITION, …
	Denied    []string // schemas, or schema.object, that it may not read, nor see without VIEW DEFINITION
}

// Option changes a server.
type Option func(*Server)

// WithDatabase adds a database; there are master and shop without it.
func WithDatabase(name string) Option { return func(s *Server) { s.databases[name] = true } }

// WithLogin adds a login, or replaces one.
func WithLogin(name string, account Account) Option {
	return func(s *Server) { s.accounts[name] = &account }
}

// WithTLS encrypts connections.
func WithTLS(config *tls.Config) Option { return func(s *Server) { s.config.TLS = config } }

// The login that reads, and the one that may do all.
const (
	Reader         = "reader"
	ReaderPassword = "Reader-p@ss 1"
	Admin          = "sa"
	AdminPassword  = "Admin-p@ss 1"
)

//go:embed macros.sql
var macros string

// Start returns a server that ends with the test: databases master and shop, the
// logins Reader (db_datareader, db_denydatawriter, SHOWPLAN, VIEW DEFINITION) and Admin.
func Start(t testing.TB, options ...Option) *Server {
	t.Helper()
	s := &Server{
		open:      map[int64]*session{},
		databases: map[string]bool{"master": true, "shop": true},
		accounts: map[string]*Account{
			Reader: {Password: ReaderPassword, Roles: []string{"db_datareader", "db_denydatawriter"}, Grants: []string{"SHOWPLAN", "VIEW DATABASE STATE", "VIEW DEFINITION"}},
			Admin:  {Password: AdminPassword, Roles: []string{"sysadmin"}},
		},
	}
	for _, o := range options {
		o(s)
	}
	if err := s.prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.admin.Close()
		_ = s.db.Close()
	})
	s.config.Backend = s
	s.Server = tds.Start(t, s.config)
	return s
}

// prepare starts DuckDB with its databases.
func (s *Server) prepare(ctx context.Context) error {
	var err error
	if s.db, err = sql.Open("duckdb", ""); err != nil {
		return err
	}
	setup := []string{
		"SET GLOBAL integer_division = true", "SET GLOBAL default_null_order = 'nulls_first_on_asc_last_on_desc'",
		"SET GLOBAL default_collation = 'NOCASE'", "SET GLOBAL TimeZone = 'UTC'", "SET GLOBAL threads = 2",
		"ATTACH ':memory:' AS fixture", macros, internal, snapshot,
	}
	for name := range s.databases {
		setup = append(setup, "ATTACH ':memory:' AS "+quote(name), strings.ReplaceAll(catalog, "{db}", name))
	}
	setup = append(setup, "SET GLOBAL enable_external_access = false")
	for _, one := range setup {
		if _, err := s.db.ExecContext(ctx, one); err != nil {
			return fmt.Errorf("%.80s: %w", one, err)
		}
	}
	if err := s.fillTypes(ctx); err != nil {
		return err
	}
	s.stale.Store(true)
	s.admin, err = s.session(context.WithoutCancel(ctx), tds.Login{User: Admin, Database: "shop"})
	return err
}

// DB is DuckDB itself: database shop has the schema shop.dbo. Call it anew for each
// change of tables: the views of the catalogue then read DuckDB's again.
func (s *Server) DB() *sql.DB {
	s.stale.Store(true)
	return s.db
}

// URL is what the driver go-mssqldb connects with as Reader, without encryption.
func (s *Server) URL() string { return s.URLOf(Reader, ReaderPassword) }

// URLOf is URL for another login.
func (s *Server) URLOf(user, password string) string {
	u := url.URL{Scheme: "sqlserver", User: url.UserPassword(user, password), Host: fmt.Sprintf("%s:%d", s.Host, s.Port), RawQuery: "database=shop&encrypt=disable"}
	return u.String()
}

// Exec runs batches of T-SQL as Admin in database shop.
func (s *Server) Exec(t testing.TB, batches ...string) {
	t.Helper()
	for _, b := range batches {
		if err := s.admin.batch(t.Context(), b, nil, nil); err != nil {
			t.Fatalf("%.300s: %v", b, err)
		}
	}
}

// Logins returns the logins so far, with their application and ApplicationIntent.
func (s *Server) Logins() []tds.Login {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]tds.Login(nil), s.logins...)
}

// Login opens a session.
// Errors: 18456, 4060.
func (s *Server) Login(ctx context.Context, login tds.Login) (tds.Session, error) {
	s.mu.Lock()
	s.logins = append(s.logins, login)
	s.mu.Unlock()
	account := s.accounts[login.User]
	if account == nil || account.Password != login.Password {
		return nil, &tds.Error{Number: 18456, Class: 14, Message: "Login failed for user '" + login.User + "'."}
	}
	if login.Database == "" {
		login.Database = "master"
	}
	name, ok := s.database(login.Database)
	if !ok || !account.enters(name) {
		return nil, &tds.Error{Number: 4060, Class: 11, Message: `Cannot open database "` + login.Database + `" requested by the login. The login failed.`}
	}
	login.Database = name
	return s.session(ctx, login)
}

// database returns a database's name as it is written.
func (s *Server) database(name string) (string, bool) {
	for known := range s.databases {
		if strings.EqualFold(known, name) {
			return known, true
		}
	}
	return "", false
}
