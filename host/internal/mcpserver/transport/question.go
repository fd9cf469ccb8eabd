package transport

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/loam-data/loam/sdk"
)

var (
	errNotAsked = errors.New("the transport carries no questions to this client")
	errGone     = errors.New("the client has closed its end")
)

// questions are the requests of the server that a client of the era with sessions has not answered yet.
// Concurrency: any goroutine. The zero value is ready.
type questions struct {
	mu   sync.Mutex
	last int
	open map[string]chan clientReply // by idKey
}

// clientReply is the client's answer to a request of the server.
type clientReply struct{ id, result, failure json.RawMessage }

// questionID begins the id of every question.
const questionID = "ask-"

// begin returns the id of a new question, and the channel that receives its reply; end forgets the question.
func (q *questions) begin() (id string, answer <-chan clientReply, end func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.last++
	id = questionID + strconv.Itoa(q.last)
	key := idKey(json.RawMessage(strconv.Quote(id)))
	if q.open == nil {
		q.open = map[string]chan clientReply{}
	}
	replies := make(chan clientReply, 1)
	q.open[key] = replies
	return id, replies, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		delete(q.open, key)
	}
}

// answer delivers a reply, and reports whether it is one to a question; nobody awaits a late one. The ids of the
// library's own requests are numbers.
func (q *questions) answer(r clientReply) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	key := idKey(r.id)
	if replies := q.open[key]; replies != nil {
		delete(q.open, key)
		replies <- r
	}
	return strings.HasPrefix(key, `"`+questionID)
}

// asker puts questions to the client of one request.
type asker struct {
	questions *questions
	// gone is closed when no reply can arrive any more; nil = the context of the request says so.
	gone <-chan struct{}
	// slot is the right to run that the request gives up while it waits; nil = it has none.
	slot *slot
}

type askerKey struct{}

func withAsker(ctx context.Context, a *asker) context.Context {
	return context.WithValue(ctx, askerKey{}, a)
}

// CanAsk reports whether the transport carries questions to the client of ctx's request.
func CanAsk(ctx context.Context) bool {
	_, asks := ctx.Value(askerKey{}).(*asker)
	_, emits := ctx.Value(emitterKey{}).(emitter)
	return asks && emits
}

// Ask sends a request to the client of ctx's request, on the stream of its answer, and waits for the reply. A
// request whose reply is not awaited any more is cancelled.
// Errors: KindUnavailable for a reply that is an error; the client accepts no stream or is gone; ctx.Err().
func Ask(ctx context.Context, method string, params any) (json.RawMessage, error) {
	if !CanAsk(ctx) {
		return nil, errNotAsked
	}
	a := ctx.Value(askerKey{}).(*asker)
	id, replies, end := a.questions.begin()
	defer end()
	text, err := json.Marshal(struct {
		JSONRPC string `json:"jsonrpc"`
		ID      string `json:"id"`
		Method  string `json:"method"`
		Params  any    `json:"params"`
	}{mcp.JSONRPC_VERSION, id, method, params})
	if err != nil {
		return nil, err
	}
	if err := ctx.Value(emitterKey{}).(emitter).emit(text); err != nil {
		return nil, err
	}
	a.slot.leave()
	defer a.slot.enter(ctx)
	select {
	case r := <-replies:
		return r.read()
	case <-a.gone:
		return nil, errGone
	case <-ctx.Done():
	}
	// A client that is gone needs no cancellation.
	_ = Notify(ctx, string(mcp.MethodNotificationCancelled), map[string]string{"requestId": id, "reason": "the answer is not awaited any more"})
	return nil, ctx.Err()
}

// read returns the result of a reply.
// Errors: KindUnavailable for an error of the client.
func (r clientReply) read() (json.RawMessage, error) {
	if r.failure == nil {
		return r.result, nil
	}
	var failure Error
	_ = json.Unmarshal(r.failure, &failure) // without a message it is an error all the same
	return nil, sdk.Errorf(sdk.KindUnavailable, sdk.SourceCaller, "the client replied with error %d: %s", failure.Code, failure.Message)
}

// slot is the right to run one call, of which a client has a number. A nil slot is always free.
// Concurrency: one goroutine.
type slot struct {
	all   chan struct{}
	taken bool
}

// enter waits for the right, until ctx ends.
func (s *slot) enter(ctx context.Context) {
	if s == nil || s.all == nil {
		return
	}
	select {
	case s.all <- struct{}{}:
		s.taken = true
	case <-ctx.Done():
	}
}

// leave gives the right up.
func (s *slot) leave() {
	if s != nil && s.taken {
		<-s.all
		s.taken = false
	}
}
