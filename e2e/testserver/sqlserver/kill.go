//go:build cgo

package sqlserver

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/loam-data/loam/e2e/testserver/tds"
)

// running is a request that has begun.
type running struct {
	what Executed
	end  context.CancelCauseFunc
}

// Answer runs a request. One that is killed ends with its session.
func (s *session) Answer(ctx context.Context, r tds.Request, a *tds.Answer) error {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	now := &running{what: Executed{Session: s.id, Login: s.login.User, Database: s.database, Text: r.Text, Procedure: r.Procedure, Planned: s.showplan, Begun: time.Now()}, end: end}
	s.set(now)
	err := s.request(ctx, r, a)
	s.set(nil)
	now.what.Took, now.what.Failed = time.Since(now.what.Begun), err != nil
	s.server.record(now.what)
	if killed, ok := errors.AsType[*tds.Error](context.Cause(ctx)); ok {
		return killed
	}
	return err
}

func (s *session) set(r *running) {
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	s.running = r
}

// Running returns the requests that have begun and not ended.
func (s *Server) Running() []Executed {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []Executed
	for _, one := range s.open {
		if one.running != nil {
			all = append(all, one.running.what)
		}
	}
	return all
}

// Kill ends a session as KILL does: its statement with error 596, and its connection.
// It reports whether there was one.
func (s *Server) Kill(session int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.open[session]
	if one == nil || one == s.admin {
		return false
	}
	if one.running == nil {
		one.login.Disconnect()
		return true
	}
	one.running.end(&tds.Error{Number: 596, Class: 21, Message: "Cannot continue the execution because the session is in the kill state."})
	return true
}

// Disconnect ends every connection of a login without a word.
func (s *Server) Disconnect(login string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range s.open {
		if one != s.admin && strings.EqualFold(one.login.User, login) {
			one.login.Disconnect()
		}
	}
}

// kill runs KILL session.
func (s *session) kill(st statement) error {
	if len(st.tokens) != 2 || st.tokens[1].kind != number {
		return missing(st.line(), "such a KILL")
	}
	id, err := strconv.ParseInt(st.tokens[1].raw, 10, 64)
	switch {
	case err != nil:
		return syntaxError(st.tokens[1])
	case !s.account.member("sysadmin"):
		return &tds.Error{Number: 6102, Class: 14, Line: uint32(st.line()), Message: "User does not have permission to use the KILL statement."}
	case !s.server.Kill(id):
		return &tds.Error{Number: 6106, Class: 16, Line: uint32(st.line()), Message: "Process ID " + st.tokens[1].raw + " is not an active process ID."}
	}
	return nil
}
