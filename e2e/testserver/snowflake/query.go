package snowflake

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

type queryRequest struct {
	SQL        string             `json:"sqlText"`
	Async      bool               `json:"asyncExec"`
	Describe   bool               `json:"describeOnly"`
	Parameters map[string]any     `json:"parameters"`
	Bindings   map[string]binding `json:"bindings"`
}

// statement is a statement from its request to its result. The server's lock guards
// what changes: the fields behind done.
type statement struct {
	id, sql, tag, requestID string
	describe                bool
	session                 *session
	view                    *session // the session as it was
	binds                   map[string]binding
	multiple                int // how many statements the text may have; 0 = any
	limit                   time.Duration
	cancel                  context.CancelFunc
	started                 time.Time

	done    chan struct{}
	ended   time.Time
	typeID  int64
	waiting bool // for the warehouse
	result  *result
	failed  *failure
}

func (s *Server) query(w http.ResponseWriter, r *http.Request) {
	session, failed := s.sessionOf(r)
	if failed != nil {
		replyFailure(w, failed, nil)
		return
	}
	var q queryRequest
	if err := read(r, &q); err != nil {
		replyFailure(w, fail("390000", "08001", "the fixture cannot read the request: %s", err), nil)
		return
	}
	x := s.begin(session, q, r.URL.Query().Get("requestId"))
	if q.Async {
		s.reply(w, x, 0)
		return
	}
	s.reply(w, x, s.hold)
}

// begin starts a statement.
func (s *Server) begin(session *session, q queryRequest, requestID string) *statement {
	view := session.snapshot()
	for name, value := range q.Parameters {
		view.parameters[strings.ToUpper(name)] = fmt.Sprint(value)
	}
	ctx, cancel := context.WithCancel(s.ending)
	s.mu.Lock()
	x := &statement{
		id: fmt.Sprintf("01fc%04x-0000-%04x-0000-%012x", s.numbers&0xffff, session.id&0xffff, s.next()), sql: q.SQL, requestID: requestID, describe: q.Describe,
		tag: view.parameter("QUERY_TAG"), session: session, view: view, binds: q.Bindings, multiple: atoi(view.parameter("MULTI_STATEMENT_COUNT")),
		limit: time.Duration(atoi(view.parameter("STATEMENT_TIMEOUT_IN_SECONDS"))) * time.Second, cancel: cancel, started: now(), done: make(chan struct{}),
	}
	s.statements[x.id] = x
	s.order = append(s.order, x)
	kind := KindQuery
	if q.Describe {
		kind = KindDescribe
	}
	s.log = append(s.log, Request{Kind: kind, Text: q.SQL, Session: session.id, RequestID: requestID, QueryID: x.id, Parameters: q.Parameters, Binds: len(q.Bindings)})
	s.mu.Unlock()
	s.running.Go(func() {
		defer cancel()
		s.finish(x, s.run(ctx, x))
	})
	return x
}

func (s *Server) finish(x *statement, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		x.failed = asFailure(err, nil)
		x.result = nil
	}
	x.ended = now()
	if !x.describe {
		x.session.last = x.id
	}
	close(x.done)
}

// reply waits for a statement and answers with its result, or with where to ask again.
func (s *Server) reply(w http.ResponseWriter, x *statement, wait time.Duration) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-x.done:
	case <-timer.C:
	}
	select {
	case <-x.done:
	default:
		code := "333333"
		if wait == 0 {
			code = "333334"
		}
		send(w, object{"success": true, "code": code, "message": "Query execution in progress", "data": object{
			"queryId": x.id, "getResultUrl": "/queries/" + x.id + "/result", "queryAbortsAfterSecs": 300, "progressDesc": nil,
		}})
		return
	}
	if x.failed != nil {
		replyFailure(w, x.failed, object{"queryId": x.id, "internalError": false})
		return
	}
	data, err := s.encode(x)
	if err != nil {
		replyFailure(w, asFailure(err, nil), object{"queryId": x.id})
		return
	}
	reply(w, data)
}

func (s *Server) resultOf(w http.ResponseWriter, r *http.Request) {
	session, failed := s.sessionOf(r)
	if failed != nil {
		replyFailure(w, failed, nil)
		return
	}
	id := r.PathValue("id")
	s.record(Request{Kind: KindResult, QueryID: id, Session: session.id})
	s.mu.Lock()
	x := s.statements[id]
	s.mu.Unlock()
	if x == nil || x.session.user.Name != session.user.Name {
		replyFailure(w, fail("000709", "02000", "Statement %s not found", id), nil)
		return
	}
	s.reply(w, x, max(s.hold, time.Millisecond))
}

func (s *Server) abort(w http.ResponseWriter, r *http.Request) {
	session, failed := s.sessionOf(r)
	if failed != nil {
		replyFailure(w, failed, nil)
		return
	}
	var q struct {
		RequestID string `json:"requestId"`
	}
	if err := read(r, &q); err != nil {
		replyFailure(w, fail("390000", "08001", "the fixture cannot read the request: %s", err), nil)
		return
	}
	s.record(Request{Kind: KindAbort, Session: session.id, RequestID: q.RequestID})
	s.mu.Lock()
	var x *statement
	for _, candidate := range s.order {
		if candidate.requestID == q.RequestID && candidate.session == session && candidate.ended.IsZero() {
			x = candidate
		}
	}
	s.mu.Unlock()
	if x == nil {
		replyFailure(w, fail("000605", "02000", "Identified SQL statement is not currently executing."), nil)
		return
	}
	x.cancel()
	<-x.done
	reply(w, nil)
}

// cancel ends a statement of the session's user by its id.
func (x *session) cancel(id string) string {
	s := x.server
	s.mu.Lock()
	target := s.statements[id]
	s.mu.Unlock()
	if target == nil || target.session.user.Name != x.user.Name {
		return "Invalid UUID supplied or the query is not found."
	}
	select {
	case <-target.done:
		return "Identified SQL statement is not currently executing."
	default:
	}
	target.cancel()
	<-target.done
	return "query [" + id + "] terminated."
}

func (s *Server) monitor(w http.ResponseWriter, r *http.Request) {
	session, failed := s.sessionOf(r)
	if failed != nil {
		replyFailure(w, failed, nil)
		return
	}
	id := r.PathValue("id")
	s.record(Request{Kind: KindMonitor, QueryID: id, Session: session.id})
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.statements[id]
	if x == nil || x.session.user.Name != session.user.Name {
		reply(w, object{"queries": []object{}})
		return
	}
	entry := object{"id": id, "status": x.status(), "sqlText": x.sql, "startTime": x.started.UnixMilli(), "sessionId": x.session.id, "stats": object{}}
	switch {
	case x.ended.IsZero(): // the rest is the statement's own
	case x.failed != nil:
		entry["endTime"], entry["errorCode"], entry["errorMessage"] = x.ended.UnixMilli(), x.failed.code, x.failed.message
	default:
		entry["endTime"], entry["stats"] = x.ended.UnixMilli(), object{"producedRows": len(x.result.rows), "scanBytes": x.result.bytes}
	}
	reply(w, object{"queries": []object{entry}})
}

// status is what monitoring calls a statement's state. The lock is held.
func (x *statement) status() string {
	switch {
	case x.ended.IsZero() && x.waiting:
		return "RESUMING_WAREHOUSE"
	case x.ended.IsZero():
		return "RUNNING"
	case x.failed != nil && x.failed.code == canceled.code:
		return "ABORTED"
	case x.failed != nil:
		return "FAILED_WITH_ERROR"
	}
	return "SUCCESS"
}

func (s *Server) chunk(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	s.record(Request{Kind: KindChunk, QueryID: strings.Split(id, "_")[0]})
	s.mu.Lock()
	content, ok := s.chunks[id]
	s.mu.Unlock()
	if !ok {
		http.NotFound(w, r)
		return
	}
	_, _ = w.Write(content) // the client's loss
}

// binding is a parameter of a statement.
type binding struct {
	Type  string          `json:"type"`
	Value json.RawMessage `json:"value"`
	Form  string          `json:"fmt"`
}
