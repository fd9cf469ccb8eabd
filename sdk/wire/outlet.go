package wire

import (
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	pb "github.com/loam-data/loam/proto/connector/v1"
	"github.com/loam-data/loam/sdk"
)

// outlet is the sending side of one event stream. It sends a heartbeat when
// nothing else was sent for a while, and of the progress reports the newest, at
// most ten a second.
// Concurrency: all methods may be called from several goroutines; after close
// returns nothing is sent any more.
type outlet struct {
	stream grpc.ServerStream
	beat   proto.Message
	wrap   func(*pb.Progress) proto.Message

	mu       sync.Mutex // held while sending
	closed   bool
	lastSent time.Time
	heart    *time.Timer

	next      sync.Mutex // guards what follows; never held while sending
	pending   *sdk.Progress
	newest    sdk.Progress // the last one accepted
	armed     bool
	reporting *time.Timer
}

// openOutlet makes the outlet of a stream and starts its heartbeat; beat and wrap make
// the stream's own events.
func openOutlet(stream grpc.ServerStream, beat proto.Message, wrap func(*pb.Progress) proto.Message) *outlet {
	o := &outlet{stream: stream, beat: beat, wrap: wrap, lastSent: time.Now()}
	o.mu.Lock() // the first beat waits until heart is set
	defer o.mu.Unlock()
	o.heart = time.AfterFunc(heartbeatEvery, o.heartbeat)
	return o
}

// emit sends one event. Larger ones than a message may be are KindLimit.
func (o *outlet) emit(event proto.Message) error {
	if n := proto.Size(event); n > MaxMessageBytes {
		return sdk.Errorf(sdk.KindLimit, sdk.SourceConnector, "an event has %d bytes; the limit of a message is %d", n, MaxMessageBytes)
	}
	return o.emitBounded(event)
}

// emitBounded is emit for an event whose size is bounded already.
func (o *outlet) emitBounded(event proto.Message) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.write(event)
}

// finish sends the newest progress that is still waiting and the last event.
func (o *outlet) finish(event proto.Message) error {
	o.report()
	return o.emit(event)
}

// close stops the timers and waits for a send under way.
func (o *outlet) close() {
	o.mu.Lock()
	o.closed = true
	o.heart.Stop()
	o.mu.Unlock()
	o.next.Lock()
	defer o.next.Unlock()
	if o.reporting != nil {
		o.reporting.Stop()
	}
}

// write needs o.mu.
func (o *outlet) write(event proto.Message) error {
	if o.closed {
		return sdk.Errorf(sdk.KindInternal, sdk.SourceConnector, "the connector wrote to a stream after its call had returned")
	}
	err := o.stream.SendMsg(event)
	o.lastSent = time.Now()
	o.heart.Reset(heartbeatEvery)
	return err
}

func (o *outlet) heartbeat() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return
	}
	if rest := heartbeatEvery - time.Since(o.lastSent); rest > 0 {
		o.heart.Reset(rest) // this call waited for a send
		return
	}
	_ = o.write(o.beat) // a broken stream shows at the next event, and in the context
}

// progress keeps p as the newest report and sees to it that it is sent. It
// never waits for the network. A report that goes back within its phase is
// dropped: done never falls.
func (o *outlet) progress(p sdk.Progress) {
	o.next.Lock()
	defer o.next.Unlock()
	if p.Phase == o.newest.Phase && p.Unit == o.newest.Unit && p.Done < o.newest.Done {
		return
	}
	o.newest, o.pending = p, &p
	if o.armed {
		return
	}
	o.armed = true
	if o.reporting == nil {
		o.reporting = time.AfterFunc(0, o.report)
		return
	}
	o.reporting.Reset(progressEvery)
}

// report sends the pending progress, if there is one.
func (o *outlet) report() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.next.Lock()
	p := o.pending
	o.pending, o.armed = nil, false
	o.next.Unlock()
	if p == nil || o.closed {
		return
	}
	_ = o.write(o.wrap(encodeProgress(*p))) // as in heartbeat
}
