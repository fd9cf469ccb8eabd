package transport

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/loam-data/loam/host/internal/caller"
	"github.com/loam-data/loam/sdk"
)

// stdioRequests bounds the requests of a stdio client that are not answered
// yet; behind it the client's next message waits in the pipe.
const stdioRequests = 1024

// parkedWorkers is how many goroutines wait for the next request of a client.
const parkedWorkers = 16

// ServeStdio serves one client over a pair of pipes, one message per line, and
// returns when the input or ctx ends: calls in flight then have the grace to
// finish. A failing output ends the server as well, without an error: the client is
// gone.
//
// The library's own stdio server is not used: at the end of the input it cancels
// running calls, it reads lines of any length, and all servers of a process would
// share its global session.
// Errors: the input failed, or calls did not end.
// Concurrency: only the goroutine that reads in is left behind when in.Read does
// not return, which pipes and sockets do.
func ServeStdio(ctx context.Context, c Config, in io.Reader, out io.Writer) error {
	limits := c.Limits.orDefault()
	p := &pipe{
		library: c.Library, check: c.Check, answers: answers{c.Library, c.Methods, c.Admit, c.Self, c.Task}, log: c.Logger, limits: limits,
		out:      newLineWriter(out),
		workers:  make(chan struct{}, limits.Workers),
		requests: make(chan struct{}, stdioRequests),
		idle:     make(chan func()),
		parked:   make(chan struct{}, parkedWorkers),
		inFlight: map[string]*pipeCall{},
		session:  &stdioSession{notifications: make(chan mcp.JSONRPCNotification, 100)},
	}
	base := caller.With(context.WithoutCancel(ctx), &caller.Caller{Transport: caller.Stdio, Principal: caller.None, Client: rand.Text()})
	p.calls, p.endCalls = context.WithCancelCause(withEmitter(c.Library.WithContext(base, p.session), p.out))
	defer p.endCalls(nil)
	p.streams, p.endStreams = context.WithCancel(p.calls)
	defer p.endStreams()
	return p.serve(ctx, in)
}

// pipe is the state of one stdio client.
type pipe struct {
	library *server.MCPServer
	check   Check
	answers answers
	log     *slog.Logger
	limits  Limits
	out     *lineWriter
	session *stdioSession

	calls, streams context.Context // streams end with the input, calls later
	endCalls       context.CancelCauseFunc
	endStreams     context.CancelFunc
	workers        chan struct{}
	requests       chan struct{}
	idle           chan func()   // to goroutines that wait for work
	parked         chan struct{} // one per such goroutine
	running        sync.WaitGroup

	reading sync.Mutex // held while a message begins to be served
	over    bool       // none is any more

	questions questions

	mu       sync.Mutex
	inFlight map[string]*pipeCall // by idKey
}

// pipeCall is a request that is not answered yet.
type pipeCall struct {
	cancel   context.CancelCauseFunc
	canceled atomic.Bool // by the client, who then wants no answer
}

func (p *pipe) serve(ctx context.Context, in io.Reader) error {
	p.running.Go(p.forwardNotes)
	in, restore := pollable(in, p.out.w)
	defer restore()
	reading, endReading := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- p.read(reading, in) }()
	err := p.untilOver(ctx, ended)
	endReading()
	p.reading.Lock()
	p.over = true
	p.reading.Unlock()
	return errors.Join(err, p.finish())
}

// untilOver returns when the input, the output or ctx has ended.
func (p *pipe) untilOver(ctx context.Context, ended <-chan error) error {
	select {
	case <-ctx.Done():
		return nil
	case <-p.out.failed:
		p.log.Info("the mcp client has closed its end", "error", p.out.err())
		p.endCalls(sdk.Errorf(sdk.KindCanceled, sdk.SourceCaller, "the client is gone"))
		return nil
	case err := <-ended:
		return err
	}
}

// read begins to serve each message until the input ends or nothing is served
// any more.
func (p *pipe) read(ctx context.Context, in io.Reader) error {
	r := bufio.NewReaderSize(in, writeChunk)
	for {
		l, ended := readLine(r, int(p.limits.Body))
		switch {
		case !p.take(ctx, l), ended && l.err == nil:
			return nil
		case l.err != nil:
			return sdk.Errorf(sdk.KindUnavailable, sdk.SourceCaller, "read the client's messages: %w", l.err)
		}
	}
}

// take begins to serve a message, unless the server has ended.
func (p *pipe) take(ctx context.Context, l line) bool {
	p.reading.Lock()
	defer p.reading.Unlock()
	switch {
	case p.over || ctx.Err() != nil:
		return false
	case l.tooLong:
		p.refuse(ctx, l.id, tooLarge(p.limits.Body, l.id))
	case len(l.text) > 0:
		p.dispatch(ctx, l.text)
	}
	return true
}

// finish waits for the calls in flight, first to finish, then to be cancelled.
func (p *pipe) finish() error {
	p.endStreams()
	done := make(chan struct{})
	go func() {
		p.running.Wait()
		close(done)
	}()
	if waitFor(done, p.limits.Grace) {
		return nil
	}
	p.endCalls(errStopping)
	if waitFor(done, settle) {
		return nil
	}
	return sdk.Errorf(sdk.KindTimeout, sdk.SourceHost, "calls did not end within %v", p.limits.Grace+settle)
}

func (p *pipe) dispatch(ctx context.Context, text []byte) {
	m, refusal := parse(text)
	switch {
	case refusal != nil:
		p.refuse(ctx, m.id, refusal)
	case m.response:
		p.questions.answer(m.reply) // one that nobody awaits any more is of no use
	case m.takesBack():
		p.cancel(idKey(m.params.taken))
	case m.id == nil:
		p.library.HandleMessage(p.calls, text)
	case m.method == string(mcp.MethodToolsCall):
		run, refusal := p.check(p.calls, m.params)
		if refusal != nil {
			p.refuse(ctx, m.id, refusal)
			return
		}
		p.start(ctx, m, run, p.calls, p.workers)
	case m.streams():
		p.start(ctx, m, nil, p.streams, nil)
	default:
		p.start(ctx, m, nil, p.calls, nil)
	}
}

// start serves a request beside the others: run is who runs a tools/call, nil = the
// library. workers, if any, bounds how many run at once.
func (p *pipe) start(ctx context.Context, m message, run server.ToolHandlerFunc, parent context.Context, workers chan struct{}) {
	callCtx, cancel := context.WithCancelCause(parent)
	call := &pipeCall{cancel: cancel}
	id := idKey(m.id)
	if !p.register(id, call) {
		call.cancel(nil)
		p.refuse(ctx, m.id, invalidRequest("a request with this id is in flight"))
		return
	}
	p.spawn(ctx, func() {
		defer call.cancel(nil)
		place := &slot{all: workers}
		place.enter(callCtx) // a call without one answers that it was cancelled
		defer place.leave()
		response := p.handle(withAsker(callCtx, &asker{&p.questions, p.streams.Done(), place}), m, run)
		p.unregister(id) // before the client can see the answer and use the id again
		if response != nil && !call.canceled.Load() {
			_ = p.out.writeLine(response) // a failed output ends the server
		}
	})
}

// spawn runs work beside the reading of messages, so that a client that sends
// and does not read cannot keep the server from ending.
func (p *pipe) spawn(ctx context.Context, work func()) {
	select {
	case p.requests <- struct{}{}:
	case <-ctx.Done(): // the server ends before there was room
		return
	}
	select {
	case p.idle <- work:
	default:
		p.running.Go(func() { p.work(work) })
	}
}

// work does it, and then waits for more: a goroutine that has served a request
// has the stack for the next one.
func (p *pipe) work(work func()) {
	for {
		work()
		<-p.requests
		select {
		case p.parked <- struct{}{}:
		default:
			return // enough others wait
		}
		select {
		case work = <-p.idle:
			<-p.parked
		case <-p.streams.Done():
			return
		}
	}
}

func (p *pipe) refuse(ctx context.Context, id json.RawMessage, e *Error) {
	p.spawn(ctx, func() { p.answer(id, e) })
}

// handle returns the line that answers a request, nil for none.
func (p *pipe) handle(ctx context.Context, m message, run server.ToolHandlerFunc) (response []byte) {
	defer func() {
		if r := recover(); r != nil {
			p.log.Error("panic while serving an mcp request", "panic", fmt.Sprint(r), "stack", string(debug.Stack()))
			response = append((&Error{Code: codeRefused, Message: "the request could not be served: see the server's log"}).respond(m.id), '\n')
		}
	}()
	if run == nil && !p.answers.given(m) {
		if answer := p.library.HandleMessage(ctx, m.text); answer != nil {
			return p.encode(answer)
		}
		return nil
	}
	response, refusal := p.answers.of(ctx, nil, m, m.modern(""), run)
	if refusal != nil {
		return append(refusal.respond(m.id), '\n')
	}
	return response
}

func (p *pipe) register(id string, call *pipeCall) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, taken := p.inFlight[id]; taken {
		return false
	}
	p.inFlight[id] = call
	return true
}

func (p *pipe) unregister(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.inFlight, id)
}

func (p *pipe) cancel(id string) {
	p.mu.Lock()
	call := p.inFlight[id]
	p.mu.Unlock()
	if call == nil {
		return // answered already
	}
	call.canceled.Store(true)
	call.cancel(errTakenBack)
}

func (p *pipe) answer(id json.RawMessage, e *Error) {
	p.log.Warn("mcp request refused", "rpc_code", e.Code, "reason", e.Message)
	_ = p.out.emit(e.respond(id)) // a failed output ends the server
}

// encode returns the line of a message of the library.
func (p *pipe) encode(message any) []byte {
	var buf bytes.Buffer
	if err := json.NewEncoder(&buf).Encode(message); err != nil {
		panic("transport: a message of the library is no JSON: " + err.Error())
	}
	return buf.Bytes()
}

// forwardNotes writes what the library sends outside of any request.
func (p *pipe) forwardNotes() {
	for {
		select {
		case n := <-p.session.notifications:
			_ = p.out.writeLine(p.encode(n)) // a failed output ends the server
		case <-p.streams.Done():
			return
		}
	}
}

// line is one message read, or why there is none.
type line struct {
	text    []byte
	tooLong bool
	id      json.RawMessage // of a request that is too long; nil = it has none
	err     error
}

// tooLarge says that a message was not kept, and of a nil id why it is null.
func tooLarge(limit int64, id json.RawMessage) *Error {
	text := fmt.Sprintf("the message is larger than %d bytes", limit)
	if id == nil {
		text += ", and no id of a request was found in it"
	}
	return invalidRequest(text)
}

// readLine reads a line without its end. The text of one that is longer than
// limit is not kept.
func readLine(r *bufio.Reader, limit int) (l line, ended bool) {
	var e envelope
	for {
		part, err := r.ReadSlice('\n')
		switch {
		case l.tooLong:
			e.feed(part)
		case len(l.text)+len(part) > limit+len("\r\n"):
			l.tooLong = true
			e.feed(l.text)
			e.feed(part)
			l.text = nil
		default:
			l.text = append(l.text, part...)
		}
		switch {
		case err == nil, errors.Is(err, io.EOF):
			l.text, l.id = bytes.TrimSpace(l.text), e.request()
			return l, err != nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return line{err: err}, true
		}
	}
}
