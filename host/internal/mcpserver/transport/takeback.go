package transport

import (
	"context"
	"encoding/json"
	"slices"
	"sync"

	"github.com/loam-data/loam/sdk"
)

// errTakenBack is why a call ends that its client does not want any more.
var errTakenBack error = sdk.Errorf(sdk.KindCanceled, sdk.SourceCaller, "the client took the request back")

// requests is what a session knows of its requests, so that the client can take
// one back. Over HTTP the message that does so comes on a connection of its own
// and may overtake the request: it is kept until the request is there. One that
// comes after the answer is of no use to anybody, and is told apart by the ids
// answered last.
// Units: rememberedIDs early and as many answered ids.
// Concurrency: any goroutine. The zero value is ready.
type requests struct {
	mu             sync.Mutex
	running        map[string][]*context.CancelCauseFunc
	early, answers recentIDs
}

// begin makes end the way in which the request with the id is taken back; done
// says that it is answered. A request that was taken back already ends at once.
// An id that is in flight twice names both: their answers go separate ways.
func (q *requests) begin(id json.RawMessage, end context.CancelCauseFunc) (done func()) {
	key := idKey(id)
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.early.remove(key) {
		end(errTakenBack)
	}
	if q.running == nil {
		q.running = map[string][]*context.CancelCauseFunc{}
	}
	q.running[key] = append(q.running[key], &end)
	return func() { q.answered(key, &end) }
}

func (q *requests) answered(key string, end *context.CancelCauseFunc) {
	q.mu.Lock()
	defer q.mu.Unlock()
	left := slices.DeleteFunc(q.running[key], func(e *context.CancelCauseFunc) bool { return e == end })
	if len(left) > 0 {
		q.running[key] = left
		return
	}
	delete(q.running, key)
	q.answers.add(key)
}

// takeBack ends the request with the id, now or when it comes.
func (q *requests) takeBack(id json.RawMessage) {
	key := idKey(id)
	q.mu.Lock()
	defer q.mu.Unlock()
	ends, running := q.running[key]
	for _, end := range ends {
		(*end)(errTakenBack)
	}
	if !running && !q.answers.has(key) && !q.early.has(key) {
		q.early.add(key)
	}
}

const (
	// rememberedIDs is how many ids are told apart: more than a client has
	// requests in flight at once.
	rememberedIDs = 128
	// maxRememberedID bounds each, in bytes; a longer one is not remembered.
	maxRememberedID = 128
)

// recentIDs are the ids that were added last.
type recentIDs struct {
	ids  []string
	next int // the one to be replaced
}

func (r *recentIDs) add(id string) {
	switch {
	case id == "" || len(id) > maxRememberedID:
	case len(r.ids) < rememberedIDs:
		r.ids = append(r.ids, id)
	default:
		r.ids[r.next] = id
		r.next = (r.next + 1) % rememberedIDs
	}
}

func (r *recentIDs) has(id string) bool { return slices.Contains(r.ids, id) }

func (r *recentIDs) remove(id string) bool {
	i := slices.Index(r.ids, id)
	if i >= 0 {
		r.ids[i] = ""
	}
	return i >= 0
}

// idKey is an id in the form in which ids are compared: "a" and "\u0061" are
// one, "1" and 1 are two. It is "" for what is no id.
func idKey(id json.RawMessage) string {
	var text string
	if len(id) == 0 || id[0] != '"' || json.Unmarshal(id, &text) != nil {
		return string(id)
	}
	return `"` + text
}
