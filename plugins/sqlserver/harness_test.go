package sqlserver_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/loam-data/loam/e2e/testserver/tds"
	"github.com/loam-data/loam/plugins/sqlserver"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/conform"
)

const password = "p@ss wörd"

// server is a backend of the fixture whose answers tests write: it knows the
// connector's own questions, and makes a plan of everything else.
type server struct {
	showplan, snapshots bool
	readOnly            bool                // the database is
	permissions         [][2]string         // scope and name
	kind                func(string) string // of a statement: SELECT, UPDATE, …; nil = SELECT
	plan                func(string) string // the whole plan; nil = one of kind
	answer              func(context.Context, tds.Request, *tds.Answer) error
	login               func(tds.Login) error

	mu     sync.Mutex
	logins []tds.Login
}

type session struct {
	*server
	planning bool
}

func (s *server) Login(_ context.Context, l tds.Login) (tds.Session, error) {
	s.mu.Lock()
	s.logins = append(s.logins, l)
	s.mu.Unlock()
	if s.login != nil {
		if err := s.login(l); err != nil {
			return nil, err
		}
	}
	if l.Password != password {
		return nil, &tds.Error{Number: 18456, Class: 14, Message: "Login failed for user '" + l.User + "'."}
	}
	return &session{server: s}, nil
}

func (s *session) Reset(context.Context) error { return nil }
func (s *session) Close()                      {}

// rows answers with texts; "" is NULL.
func rows(a *tds.Answer, width int, all ...[]string) error {
	columns := make([]tds.Column, width)
	for i := range columns {
		columns[i] = tds.Column{Name: fmt.Sprint("c", i), Type: tds.Type{Name: "nvarchar", Length: tds.Max}, Nullable: true}
	}
	a.Columns(columns...)
	for _, row := range all {
		values := make([]any, width)
		for i, text := range row {
			if text != "" {
				values[i] = text
			}
		}
		if err := a.Row(values...); err != nil {
			return err
		}
	}
	return nil
}

func digit(b bool) string {
	if b {
		return "1"
	}
	return "0"
}

func (s *session) Answer(ctx context.Context, r tds.Request, a *tds.Answer) error {
	text := strings.TrimSpace(r.Text)
	switch {
	case text == "SET SHOWPLAN_XML ON", text == "SET SHOWPLAN_XML OFF":
		s.planning = strings.HasSuffix(text, "ON")
		return nil
	case s.planning && !s.showplan:
		return &tds.Error{Number: 262, Class: 14, Message: "SHOWPLAN permission denied in database 'shop'."}
	case s.planning && s.plan != nil:
		return rows(a, 1, []string{s.plan(text)})
	case s.planning:
		kind := "SELECT"
		if s.kind != nil {
			kind = s.kind(text)
		}
		return rows(a, 1, []string{planOf(statement(kind, ""))})
	case strings.Contains(text, "SERVERPROPERTY"):
		updatable := "READ_WRITE"
		if s.readOnly {
			updatable = "READ_ONLY"
		}
		return rows(a, 9, []string{"16.0.4210.1", "3", "reader", "reader", "shop", "dbo", digit(s.snapshots), updatable, digit(s.showplan)})
	case strings.Contains(text, "fn_my_permissions"):
		var all [][]string
		for _, p := range append([][2]string{{"server", "CONNECT SQL"}, {"server", "VIEW ANY DATABASE"}, {"database", "CONNECT"}, {"database", "SELECT"}}, s.permissions...) {
			all = append(all, p[:])
		}
		return rows(a, 2, all...)
	case strings.Contains(text, "ROLEMEMBER"), strings.Contains(text, "HAS_PERMS_BY_NAME"):
		return rows(a, 2)
	case strings.HasPrefix(text, "SET "), strings.HasPrefix(text, "IF @@TRANCOUNT"):
		return nil
	case s.answer != nil:
		return s.answer(ctx, r, a)
	default:
		return rows(a, 1, []string{"1"})
	}
}

const showplan = "http://schemas.microsoft.com/sqlserver/2004/07/showplan"

// planOf is a plan of statements, statement one of a kind with operators.
func planOf(statements ...string) string {
	return `<?xml version="1.0" encoding="utf-16"?>` + "\n" + `<ShowPlanXML xmlns="` + showplan + `" Version="1.564" Build="16.0.4210.1"><BatchSequence><Batch><Statements>` +
		strings.Join(statements, "") + `</Statements></Batch></BatchSequence></ShowPlanXML>`
}

func statement(kind, inside string) string {
	return `<StmtSimple StatementText="…" StatementId="1" StatementCompId="1" StatementType="` + kind + `" StatementSubTreeCost="0.0032" StatementEstRows="12.4">` + inside + `</StmtSimple>`
}

// configOf returns the configuration of a connection to a fixture; extra overrides
// single keys.
func configOf(s *tds.Server, extra map[string]any) sdk.Config {
	object := map[string]any{"host": s.Host, "port": s.Port, "database": "shop", "user": "reader"}
	for key, value := range extra {
		object[key] = value
	}
	raw, err := json.Marshal(object)
	if err != nil {
		panic(err)
	}
	return sdk.Config{JSON: raw, Secrets: map[string]sdk.Secret{"password": sdk.NewSecret(password)}}
}

// open starts a fixture and opens a session on it.
func open(t testing.TB, s *server) (*tds.Server, *sqlserver.Session) {
	t.Helper()
	fixture := tds.Start(t, tds.Config{Backend: s})
	return fixture, openWith(t, configOf(fixture, nil))
}

func openWith(t testing.TB, config sdk.Config) *sqlserver.Session {
	t.Helper()
	opened, err := sqlserver.Connector().Open(t.Context(), sdk.OpenRequest{ConnectionID: "test", Config: config})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := opened.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return opened.(*sqlserver.Session)
}

// texts are what arrived since the first n requests.
func texts(s *tds.Server, n int) (all []string) {
	for _, r := range s.Requests()[n:] {
		if r.Procedure != "" {
			all = append(all, r.Procedure+" "+r.Text)
		} else {
			all = append(all, r.Text)
		}
	}
	return all
}

// result is what a statement gave.
type result = conform.Answer

var execute, wantKind = conform.Execute, conform.WantKind
