//go:build cgo

package sqlserver

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"maps"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/loam-data/loam/e2e/testserver/tds"
)

// session is a client's: one connection of DuckDB.
type session struct {
	server   *Server
	login    tds.Login
	account  *Account
	conn     *sql.Conn
	id       int64
	database string
	showplan bool
	open     int // transactions

	running *running // under server.mu; nil = nothing
}

var sessions atomic.Int64

func (s *Server) session(ctx context.Context, login tds.Login) (*session, error) {
	conn, err := s.db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	one := &session{server: s, login: login, account: s.accounts[login.User], conn: conn, id: 50 + sessions.Add(1)}
	if err := one.use(ctx, login.Database); err != nil {
		one.Close()
		return nil, err
	}
	s.mu.Lock()
	s.open[one.id] = one
	s.mu.Unlock()
	return one, nil
}

// use makes a database the session's.
func (s *session) use(ctx context.Context, name string) error {
	known, ok := s.server.database(name)
	if !ok {
		return &tds.Error{Number: 911, Class: 16, Message: "Database '" + name + "' does not exist. Make sure that the name is entered correctly."}
	}
	if !s.account.enters(known) {
		return &tds.Error{Number: 916, Class: 14, Message: `The server principal "` + s.login.User + `" is not able to access the database "` + known + `" under the current security context.`}
	}
	s.database = known
	for _, one := range []string{
		"SET search_path = " + literal(quote(known)+".dbo,fixture.main"),
		"SET VARIABLE ms_hidden = " + s.account.hidden(),
		"SET VARIABLE ms_login = " + literal(s.login.User),
	} {
		if _, err := s.conn.ExecContext(ctx, one); err != nil {
			return err
		}
	}
	return nil
}

func (s *session) Reset(ctx context.Context) error {
	if err := s.rollback(ctx); err != nil {
		return err
	}
	s.showplan = false
	return s.use(ctx, s.login.Database)
}

func (s *session) Close() {
	s.server.mu.Lock()
	delete(s.server.open, s.id)
	s.server.mu.Unlock()
	_ = s.rollback(context.Background())
	// The settings of the session end with its connection.
	_ = s.conn.Raw(func(any) error { return driver.ErrBadConn })
	_ = s.conn.Close()
}

func (s *session) request(ctx context.Context, r tds.Request, a *tds.Answer) error {
	switch strings.ToLower(strings.TrimPrefix(strings.ToLower(r.Procedure), "sys.")) {
	case tds.Begin:
		return s.begin(ctx)
	case tds.Commit:
		return s.commit(ctx)
	case tds.Rollback:
		return s.rollback(ctx)
	case "", "sp_executesql":
		if s.showplan && r.Procedure != "" {
			return missing(1, "SHOWPLAN of a procedure call")
		}
		return s.batch(ctx, r.Text, r.Parameters, a)
	}
	return s.procedure(ctx, procedureCall{name: r.Procedure, line: 1, named: r.Parameters, arguments: r.Arguments}, a)
}

func (s *session) begin(ctx context.Context) error {
	if s.open++; s.open > 1 {
		return nil
	}
	// A transaction sees the snapshot of its begin.
	if err := s.server.refresh(ctx); err != nil {
		return err
	}
	_, err := s.conn.ExecContext(ctx, "BEGIN TRANSACTION")
	return err
}

func (s *session) commit(ctx context.Context) error {
	if s.open == 0 {
		return &tds.Error{Number: 3902, Class: 16, Message: "The COMMIT TRANSACTION request has no corresponding BEGIN TRANSACTION."}
	}
	if s.open--; s.open > 0 {
		return nil
	}
	_, err := s.conn.ExecContext(ctx, "COMMIT")
	s.server.stale.Store(true)
	return err
}

func (s *session) rollback(ctx context.Context) error {
	if s.open == 0 {
		return nil
	}
	s.open = 0
	// What was interrupted is rolled back, too.
	_, err := s.conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
	return err
}

// batch runs the statements of a batch, one after the other. A nil answer drops results.
func (s *session) batch(ctx context.Context, text string, parameters map[string]any, a *tds.Answer) error {
	tokens, err := lex(text)
	if err != nil {
		return err
	}
	statements := split(tokens)
	if on, ok, err := showplanOf(statements); err != nil || ok {
		if err == nil && on && !s.account.may("SHOWPLAN") {
			err = &tds.Error{Number: 262, Class: 14, State: 4, Message: "SHOWPLAN permission denied in database '" + s.database + "'."}
		}
		if err == nil {
			s.showplan = on
		}
		return err
	}
	if planted := s.server.plantedError(text); planted != nil && a != nil {
		return planted
	}
	if s.showplan {
		return s.plan(ctx, statements, a)
	}
	if strings.Contains(text, "dm_exec_") {
		if err := s.server.showRequests(ctx); err != nil {
			return err
		}
	}
	parameters = maps.Clone(parameters)
	if parameters == nil {
		parameters = map[string]any{}
	}
	for i := 0; i < len(statements); i++ {
		st := statements[i]
		if st.verb == "IF" {
			holds, err := s.condition(ctx, st, parameters)
			if err != nil {
				return serverError(ctx, err, st)
			}
			if !holds {
				i++ // the statement that it guards
			}
			continue
		}
		if err := s.run(ctx, st, parameters, a); err != nil {
			return serverError(ctx, err, st)
		}
	}
	return nil
}

// condition answers IF; its statement stands next.
func (s *session) condition(ctx context.Context, st statement, parameters map[string]any) (bool, error) {
	t := &translator{session: s, parameters: parameters, tokens: st.tokens, i: 1}
	x, err := t.sequence(len(t.tokens), true)
	if err != nil {
		return false, err
	}
	if err := s.server.refresh(ctx); err != nil {
		return false, err
	}
	var holds sql.NullBool
	err = s.conn.QueryRowContext(ctx, "SELECT "+x).Scan(&holds)
	return holds.Bool, err
}

// run runs one statement.
func (s *session) run(ctx context.Context, st statement, parameters map[string]any, a *tds.Answer) error {
	switch st.verb {
	case "SELECT":
		return s.selects(ctx, st, parameters, a)
	case "INSERT", "UPDATE", "DELETE":
		return s.writes(ctx, st, parameters, a)
	case "CREATE", "ALTER", "DROP", "TRUNCATE":
		return s.define(ctx, st)
	case "DECLARE":
		return s.declare(ctx, st.tokens[1:], parameters)
	case "USE":
		if len(st.tokens) != 2 || !st.tokens[1].name() {
			return syntaxError(st.tokens[len(st.tokens)-1])
		}
		err := s.use(ctx, nameOf(st.tokens[1]))
		if err == nil && a != nil {
			a.Info(5701, "Changed database context to '"+s.database+"'.")
		}
		return err
	case "SET":
		return s.setting(st)
	case "BEGIN", "COMMIT", "ROLLBACK":
		return s.transaction(ctx, st)
	case "KILL":
		return s.kill(st)
	case "WAITFOR":
		return wait(ctx, st)
	case "EXEC", "EXECUTE":
		call, err := s.readCall(st, parameters)
		if err != nil {
			return err
		}
		return s.procedure(ctx, call, a)
	}
	return missing(st.line(), "statement %s", st.verb)
}

func nameOf(t token) string {
	if t.kind == word {
		return t.raw
	}
	return t.text
}

func (s *session) selects(ctx context.Context, st statement, parameters map[string]any, a *tds.Answer) error {
	text, err := s.query(st, parameters)
	if err != nil {
		return err
	}
	query, err := s.parse(ctx, text)
	if err != nil {
		return err
	}
	if err := s.permitted(query.tables(), st.line()); err != nil {
		return err
	}
	if err := s.fresh(ctx, query); err != nil {
		return err
	}
	rows, err := s.conn.QueryContext(ctx, text)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	columns, err := s.columns(ctx, query, rows)
	if err != nil || a == nil {
		return err
	}
	return answer(a, rows, columns)
}

func (s *session) writes(ctx context.Context, st statement, parameters map[string]any, a *tds.Answer) error {
	text, err := s.query(st, parameters)
	if err != nil {
		return err
	}
	if err := s.mayWrite(st); err != nil {
		return err
	}
	result, err := s.conn.ExecContext(ctx, text)
	s.server.stale.Store(true)
	if err != nil {
		return err
	}
	n, err := result.RowsAffected()
	if err == nil && a != nil {
		a.Affected(uint64(n))
	}
	return err
}

// transaction runs BEGIN, COMMIT and ROLLBACK TRANSACTION.
func (s *session) transaction(ctx context.Context, st statement) error {
	for _, t := range st.tokens[1:] {
		if !t.is("TRAN", "TRANSACTION", "WORK") {
			return missing(t.line, "%s %s", st.verb, t.raw)
		}
	}
	switch {
	case st.verb == "BEGIN" && len(st.tokens) == 1:
		return missing(st.line(), "BEGIN … END")
	case st.verb == "BEGIN":
		return s.begin(ctx)
	case st.verb == "COMMIT":
		return s.commit(ctx)
	case s.open == 0:
		return &tds.Error{Number: 3903, Class: 16, Message: "The ROLLBACK TRANSACTION request has no corresponding BEGIN TRANSACTION."}
	}
	return s.rollback(ctx)
}

// settings are what SET takes, with the values that change nothing here.
var settings = map[string]string{
	"NOCOUNT": "ON OFF", "XACT_ABORT": "ON OFF", "ARITHABORT": "ON", "QUOTED_IDENTIFIER": "ON", "ANSI_NULLS": "ON", "ANSI_WARNINGS": "ON", "ANSI_PADDING": "ON",
	"ANSI_NULL_DFLT_ON": "ON", "ANSI_DEFAULTS": "ON", "CONCAT_NULL_YIELDS_NULL": "ON", "NUMERIC_ROUNDABORT": "OFF", "IMPLICIT_TRANSACTIONS": "OFF",
	"CURSOR_CLOSE_ON_COMMIT": "ON OFF", "TEXTSIZE": "-1 2147483647", "LOCK_TIMEOUT": "", "DEADLOCK_PRIORITY": "LOW NORMAL HIGH", "QUERY_GOVERNOR_COST_LIMIT": "",
	"ROWCOUNT": "0", "DATEFIRST": "7", "LANGUAGE": "US_ENGLISH", "DATEFORMAT": "MDY",
	"TRANSACTION": "", "NO_BROWSETABLE": "ON OFF", "FMTONLY": "OFF",
}

func (s *session) setting(st statement) error {
	if len(st.tokens) < 3 {
		return syntaxError(st.tokens[len(st.tokens)-1])
	}
	allowed, ok := settings[st.tokens[1].text]
	value := ""
	for _, t := range st.tokens[2:] {
		value += strings.ToUpper(t.text)
	}
	if !ok || allowed != "" && !set(allowed)[value] {
		return missing(st.line(), "SET %s %s", st.tokens[1].raw, value)
	}
	if st.tokens[1].is("TRANSACTION") && !strings.HasPrefix(value, "ISOLATIONLEVEL") {
		return syntaxError(st.tokens[2])
	}
	return nil
}

// wait runs WAITFOR DELAY 'hh:mm:ss'.
func wait(ctx context.Context, st statement) error {
	if len(st.tokens) != 3 || !st.tokens[1].is("DELAY") || st.tokens[2].kind != text {
		return missing(st.line(), "such a WAITFOR")
	}
	at, err := time.Parse("15:04:05.999", st.tokens[2].text)
	if err != nil {
		return &tds.Error{Number: 148, Class: 15, Message: "Incorrect time syntax in time string '" + st.tokens[2].text + "' used with WAITFOR."}
	}
	timer := time.NewTimer(at.Sub(time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC)))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// global returns a variable of the server.
func (s *session) global(name string) (string, bool) {
	switch name {
	case "VERSION":
		return literal(versionText), true
	case "SPID":
		return "CAST(" + strconv.FormatInt(s.id, 10) + " AS SMALLINT)", true
	case "TRANCOUNT":
		return strconv.Itoa(s.open), true
	case "SERVERNAME", "SERVICENAME":
		return literal("fixture"), true
	case "DATEFIRST":
		return "CAST(7 AS UTINYINT)", true
	case "LANGUAGE":
		return literal("us_english"), true
	case "MAX_PRECISION":
		return "CAST(38 AS UTINYINT)", true
	}
	return "", false
}

const (
	productVersion = "16.0.4210.1"
	versionText    = "Microsoft SQL Server 2022 (RTM-CU21) - 16.0.4210.1 (X64) \n\tfixture, not Microsoft's server"
)

// niladic returns a function that is called without parentheses.
func (s *session) niladic(name string) (string, bool) {
	switch name {
	case "CURRENT_TIMESTAMP":
		return typed("CAST(now() AS TIMESTAMP)", "datetime"), true
	case "CURRENT_USER", "SESSION_USER", "USER", "SYSTEM_USER":
		return literal(s.login.User), true
	}
	return "", false
}

// sentence returns a list of SQL literals.
func sentence(words []string) string {
	var out []string
	for _, w := range words {
		out = append(out, literal(w))
	}
	return strings.Join(out, ", ")
}
