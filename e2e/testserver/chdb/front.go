//go:build cgo && linux

package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// engineVersion is set when the engine has started.
var engineVersion string

// front answers HTTP requests with the engine.
type front struct {
	connect  []string // what a session is opened with
	timezone string
	log      *queryLog

	mu      sync.Mutex
	running map[string]bool // query ids
}

// newFront starts the engine in the folder.
func newFront(folder string) (*front, error) {
	config, err := writeConfig(folder)
	if err != nil {
		return nil, err
	}
	f := &front{running: map[string]bool{}, connect: []string{
		"--path=" + filepath.Join(folder, "data"), "--config-file=" + config,
		// What the library sets for its own shell, as a server has it.
		"--implicit_select=0", "--allow_introspection_functions=0", "--storage_file_read_method=pread",
	}}
	first, err := openSession(f.connect...) // stays open: the engine ends with its last session
	if err != nil {
		return nil, err
	}
	r, err := first.query("SELECT version(), timezone()", "TabSeparatedRaw")
	if err != nil {
		return nil, err
	}
	var ok bool
	engineVersion, f.timezone, ok = strings.Cut(strings.TrimSpace(string(r.data)), "\t")
	if !ok {
		return nil, fmt.Errorf("the engine says %q of itself", r.data)
	}
	f.log, err = newQueryLog(first)
	return f, err
}

func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/ping" || r.URL.Path == "/" && r.URL.RawQuery == "" && r.Method == http.MethodGet {
		_, _ = w.Write([]byte("Ok.\n")) // the caller's loss
		return
	}
	a := newAnswer(w, r)
	h := w.Header()
	h.Set("X-ClickHouse-Server-Display-Name", "loam-test")
	h.Set("X-ClickHouse-Timezone", f.timezone)
	req, err := parse(r)
	if err == nil {
		a.limit = req.buffer
		h.Set("X-ClickHouse-Query-Id", req.id)
		err = f.serve(r.Context(), req, a)
	}
	if err == nil {
		err = a.finish()
	}
	if err != nil {
		_ = a.fail(err) // the caller's loss
	}
}

// serve runs the request's statement and logs it. When it returns, the statement
// has left the engine.
// Errors: *exception; any other when the caller is gone.
func (f *front) serve(ctx context.Context, req *request, a *answer) error {
	if strings.Contains(req.text.text, "query_log") {
		f.log.flush()
	}
	err := f.run(ctx, req, a)
	if e, ok := errors.AsType[*exception](err); ok {
		err = asUser(e, req.user)
	}
	f.log.add(req, a.begun, a.progress, err)
	return err
}

func (f *front) run(ctx context.Context, req *request, a *answer) error {
	if err := req.text.check(); err != nil {
		return err
	}
	if !f.begin(req.id) {
		return &exception{216, "QUERY_WITH_SAME_ID_IS_ALREADY_RUNNING", "Query with id = " + req.id + " is already running"}
	}
	defer f.end(req.id)
	s, err := openSession(f.connect...)
	if err != nil {
		return err
	}
	defer s.close()
	if err := f.prepare(s, req); err != nil {
		return err
	}
	defer f.watch(ctx, req)()
	return execute(s, req, a)
}

func (f *front) begin(id string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.running[id] {
		return false
	}
	f.running[id] = true
	return true
}

func (f *front) end(id string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.running, id)
}

// tag is what the engine's list of processes knows a request by.
func (req *request) tag() string { return req.user + ":" + req.id }

// prepare makes the session the account's, with the request's settings.
func (f *front) prepare(s *session, req *request) error {
	statements := []string{
		"SET ROLE " + req.account.role,
		"USE " + quoteName(req.database),
		"SET query_cache_tag = " + quote(req.tag()),
	}
	if req.account.readonly != "" {
		statements = append(statements, "SET readonly = "+req.account.readonly)
	}
	if len(req.settings) > 0 {
		var assignments []string
		for name, values := range req.settings {
			assignments = append(assignments, quoteName(name)+" = "+quote(values[0]))
		}
		slices.Sort(assignments)
		statements = append(statements, "SET "+strings.Join(assignments, ", "))
	}
	for _, sql := range statements {
		if _, err := s.query(sql, "Null"); err != nil {
			return err
		}
	}
	return nil
}

func quote(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(text) + "'"
}

func quoteName(name string) string {
	return "`" + strings.NewReplacer(`\`, `\\`, "`", "\\`").Replace(name) + "`"
}

// watch ends the request's statement when its caller goes away, if it is to.
// The function it returns says that the statement is over, and waits.
func (f *front) watch(ctx context.Context, req *request) func() {
	if !req.cancels {
		return func() {}
	}
	over := make(chan struct{})
	var watcher sync.WaitGroup
	watcher.Go(func() {
		select {
		case <-ctx.Done():
		case <-over:
			return
		}
		// The statement may not have come to the engine yet.
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for {
			f.kill(req.tag())
			select {
			case <-over:
				return
			case <-tick.C:
			}
		}
	})
	return func() {
		close(over)
		watcher.Wait()
	}
}

// kill ends a statement in the engine. What goes wrong is left for the next try.
func (f *front) kill(tag string) {
	s, err := openSession(f.connect...)
	if err != nil {
		return
	}
	defer s.close()
	_, _ = s.query("KILL QUERY WHERE Settings['query_cache_tag'] = "+quote(tag)+" ASYNC", "Null")
}

// execute runs the statement and writes its result.
func execute(s *session, req *request, a *answer) error {
	if end, format, ok := req.text.inserts(); ok && req.data != nil {
		r, err := s.insert(req.text.text[:end], format, req.params, req.data)
		if err != nil {
			return err
		}
		a.progress.add(r.statistics)
		return nil
	}
	format := req.format
	if named := req.text.format(); named != "" {
		format = named
	}
	a.w.Header().Set("X-ClickHouse-Format", format)
	a.w.Header().Set("Content-Type", contentType(format))
	write := func(r *result) error {
		a.progress.add(r.statistics)
		if format != "Native" {
			return a.write(r.data)
		}
		blocks, err := revise(r.data, req.revision)
		if err != nil {
			return err
		}
		return a.write(blocks)
	}
	sql := req.text.translate()
	if translated := newStatement(sql); translated.selects() {
		return s.stream(sql, format, req.params, write)
	}
	r, err := s.query(sql, format, req.params...)
	if err != nil {
		return err
	}
	return write(r)
}
