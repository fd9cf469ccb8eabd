package transport

import (
	"cmp"
	"time"
)

// Limits bound what clients can take up. A zero field is its default.
type Limits struct {
	// Body is the largest message, in bytes; default 4 MiB.
	Body int64
	// Requests is how many HTTP requests are served at once, streams included;
	// default 2,048, of which one address may have half. The next one is answered
	// with 503, and with 429 where only the address has too many.
	Requests int
	// Workers is how many tool calls a stdio client runs at once; default 64.
	// Further ones wait, and can be cancelled while they do.
	Workers int
	// Sessions is how many sessions are kept, and AddressSessions how many of one
	// address; defaults 1,024 and 256. A further one takes the place of the longest
	// unused: of its address, if that has any. Where all are in use it is refused,
	// with 503 or 429.
	Sessions, AddressSessions int
	// SessionIdle ends a session that was not used for so long; default 30 min.
	SessionIdle time.Duration
	// Header, Read and Idle bound the time for a request's header, for the whole
	// request and for the wait for the next one; defaults 10 s, 30 s, 2 min.
	Header, Read, Idle time.Duration
	// Write bounds the time in which a client takes 64 KiB; default 30 s.
	Write time.Duration
	// Rate is how many calls of one tool a client makes per second, Burst how many
	// it may make at once after a pause; defaults 10 and 20. A negative Rate is
	// none. The next call is refused in-band as rate_limited.
	Rate, Burst int
	// Grace is the time calls have to finish when the server ends; default 5 s.
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
