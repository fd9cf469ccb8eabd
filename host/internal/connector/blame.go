package connector

import (
	"crypto/sha256"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/loam-data/loam/sdk"
)

// When a connector's process ends by itself while calls run in it, the calls are
// charged, not the connector: one caller's statement that crashes an engine must
// not disable the connector for all. Only an end without running calls counts
// towards disabling the connector; see process.exited.
const (
	// chargedUntilRefused is the number of process ends after which a call is refused
	// for a while.
	chargedUntilRefused = 3
	// maxCharges bounds the charged calls that are kept; the oldest is dropped.
	maxCharges = 256
	// abandonedFor is the time for which an abandoned call counts as running.
	abandonedFor = 5 * time.Second
)

// blame keeps the calls that ran when processes of a connector ended.
// Concurrency: its methods may be called concurrently.
type blame struct {
	timing timing

	mu      sync.Mutex
	charges map[callKey]*charge
}

// callKey identifies a request: the same statement on the same connection has the
// same key.
type callKey [sha256.Size]byte

// charge counts the process ends that a call is charged with.
type charge struct {
	ends   int  // of processes that ran it
	memory bool // the last end was for memory
	last   time.Time
	until  time.Time // the call is refused until then
}

func newBlame(t timing) *blame { return &blame{timing: t, charges: map[callKey]*charge{}} }

// refusal returns the error for a call that must not run; nil = it may run.
func (b *blame) refusal(name, method string, request any) *sdk.Error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.charges) == 0 { // the usual case: skip computing the key
		return nil
	}
	c := b.charges[keyOf(method, request)]
	if wait := time.Until(until(c)); wait > 0 {
		return refusedCall(name, c, wait)
	}
	return nil
}

func until(c *charge) time.Time {
	if c == nil {
		return time.Time{}
	}
	return c.until
}

// settled records that a call ended without ending its process.
func (b *blame) settled(method string, request any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.charges) > 0 {
		delete(b.charges, keyOf(method, request))
	}
}

// charge charges the calls that ran when a process ended, and sets the error of each.
// Of several calls, those with the most earlier charges are the cause; if none was
// charged before, the cause is not known.
func (b *blame) charge(calls []*call, end ending) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	charges := make([]*charge, len(calls))
	most := 0
	for i, c := range calls {
		key := keyOf(c.method, c.request)
		old := b.charges[key]
		if old == nil || now.Sub(old.last) >= b.timing.remember {
			old = &charge{}
			b.put(key, old)
		}
		charges[i] = old
		most = max(most, old.ends)
	}
	for i, c := range calls {
		caused := len(calls) == 1 || most > 0 && charges[i].ends == most
		charges[i].add(end, now, b.timing)
		c.verdict = end.verdict(caused, charges[i].ends, len(calls)-1)
	}
}

func (c *charge) add(end ending, now time.Time, t timing) {
	c.ends++
	c.memory, c.last = end.memory, now
	if n := c.ends - chargedUntilRefused; n >= 0 {
		c.until = now.Add(t.pauseAfter(n + 1))
	}
}

// put adds a charge. The caller has b.mu.
func (b *blame) put(key callKey, c *charge) {
	if len(b.charges) >= maxCharges {
		var oldest callKey
		var last time.Time
		for k, c := range b.charges {
			if last.IsZero() || c.last.Before(last) {
				oldest, last = k, c.last
			}
		}
		delete(b.charges, oldest)
	}
	b.charges[key] = c
}

// forget removes all charges.
func (b *blame) forget() {
	b.mu.Lock()
	defer b.mu.Unlock()
	clear(b.charges)
}

// keyOf returns the key of a call: its method, and the request without the parts that
// differ each time.
func keyOf(method string, request any) callKey {
	m, ok := request.(proto.Message)
	if !ok {
		return sha256.Sum256([]byte(method))
	}
	m = proto.Clone(m)
	fields := m.ProtoReflect()
	for _, name := range []protoreflect.Name{"request_id", "tags", "limits"} {
		if field := fields.Descriptor().Fields().ByName(name); field != nil {
			fields.Clear(field)
		}
	}
	text, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		text = nil // the call itself will fail
	}
	return sha256.Sum256(append([]byte(method+"\x00"), text...))
}

// calls are the calls of one process.
// Concurrency: its methods may be called concurrently.
type calls struct {
	name  string
	blame *blame

	mu      sync.Mutex
	running map[*call]struct{}
	over    bool    // the process has ended
	ran     []*call // the calls that ran then
	// explained says that calls ran then.
	explained bool
}

// call is one call of the contract.
type call struct {
	method    string
	request   any
	abandoned time.Time // when its caller gave up
	verdict   *sdk.Error
	// Of a statement that has started: its connection and its id within the warehouse.
	connection, query string
}

func newCalls(name string, b *blame) *calls {
	return &calls{name: name, blame: b, running: map[*call]struct{}{}}
}

// begin records a call as running, or returns the error if it must be refused.
func (cs *calls) begin(method string, request any) (*call, error) {
	if err := cs.blame.refusal(cs.name, method, request); err != nil {
		return nil, err
	}
	c := &call{method: method, request: request}
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if !cs.over { // what begins later ran in no process
		cs.running[c] = struct{}{}
	}
	return c, nil
}

// answered records that the connector answered a call, with or without an error.
func (cs *calls) answered(c *call) {
	cs.mu.Lock()
	_, ran := cs.running[c]
	delete(cs.running, c)
	survived := ran && !cs.over
	cs.mu.Unlock()
	if survived {
		cs.blame.settled(c.method, c.request)
	}
}

// abandon records that the caller of a call gave up. The connector may still work on it.
func (cs *calls) abandon(c *call) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	now := time.Now()
	for other := range cs.running { // long-abandoned calls count as ended
		if !other.abandoned.IsZero() && now.Sub(other.abandoned) >= abandonedFor {
			delete(cs.running, other)
		}
	}
	c.abandoned = now
}

// end charges the calls that ran when the process ended, once, and reports
// whether there were any.
func (cs *calls) end(e ending) (explained bool) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if cs.over {
		return cs.explained
	}
	cs.over, cs.ran = true, cs.stillRunning()
	if e.hung { // a hanging process is the connector's fault, whichever calls ran
		return false
	}
	cs.blame.charge(cs.ran, e)
	cs.explained = len(cs.ran) > 0
	return cs.explained
}

// stillRunning returns the running calls, including recently abandoned ones. The caller has
// cs.mu.
func (cs *calls) stillRunning() []*call {
	var ran []*call
	now := time.Now()
	for c := range cs.running {
		if c.abandoned.IsZero() || now.Sub(c.abandoned) < abandonedFor {
			ran = append(ran, c)
		}
	}
	return ran
}

// started records the warehouse's id of a statement.
func (cs *calls) started(c *call, connection, query string) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	c.connection, c.query = connection, query
}

// verdict returns the error of a call whose process ended.
func (cs *calls) verdict(c *call, e ending) *sdk.Error {
	cs.end(e)
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if c == nil || c.verdict == nil {
		return crashed(e.connector, e.what)
	}
	return c.verdict
}
