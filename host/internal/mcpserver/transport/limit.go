package transport

import (
	"cmp"
	"time"
)

// Limits bound the resources that clients use. A zero field is its default.
type Limits struct {
	// Body is the largest message, in bytes; default 4 MiB.
	Body int64
	// Requests bounds the concurrent HTTP requests, streams included; default
	// 2,048, of which one address may have half. Further requests get 503, or 429
	// where only the address has too many.
	Requests int
	// Workers bounds the concurrent tool calls of a stdio client; default 64.
	// Further ones wait, and can be cancelled meanwhile.
	Workers int
	// Sessions bounds the sessions, and AddressSessions those of one address;
	// defaults 1,024 and 256. A further session replaces the longest unused one, of
	// its own address if possible. Where all are in use it is refused with 503 or
	// 429.
	Sessions, AddressSessions int
	// SessionIdle is the time after which an unused session ends; default 30 min.
	SessionIdle time.Duration
	// Header, Read and Idle bound the time for a request's header, for the whole
	// request and for the wait for the next one; defaults 10 s, 30 s, 2 min.
	Header, Read, Idle time.Duration
	// Write bounds the time in which a client reads 64 KiB; default 30 s.
	Write time.Duration
	// Rate bounds a client's calls of one tool per second, and Burst those at once
	// after a pause; defaults 10 and 20. Tools that write have a part of both; see
	// Pace. A negative Rate is no limit. Further calls are refused as rate_limited,
	// in the tool's result.
	Rate, Burst int
	// Grace is the time for calls to finish when the server ends; default 5 s.
	Grace time.Duration
}

func (l Limits) orDefault() Limits {
	return Limits{
		Body:            cmp.Or(l.Body, 4<<20),
		Requests:        cmp.Or(l.Requests, 2048),
		Workers:         cmp.Or(l.Workers, 64),
		Sessions:        cmp.Or(l.Sessions, 1024),
		AddressSessions: cmp.Or(l.AddressSessions, 256),
		SessionIdle:     cmp.Or(l.SessionIdle, 30*time.Minute),
		Header:          cmp.Or(l.Header, 10*time.Second),
		Read:            cmp.Or(l.Read, 30*time.Second),
		Idle:            cmp.Or(l.Idle, 2*time.Minute),
		Write:           cmp.Or(l.Write, 30*time.Second),
		Rate:            cmp.Or(l.Rate, 10),
		Burst:           cmp.Or(l.Burst, 20),
		Grace:           cmp.Or(l.Grace, 5*time.Second),
	}
}

// settle is the time a cancelled call has to answer that it was cancelled.
const settle = 2 * time.Second
