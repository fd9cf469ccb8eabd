package history

// queue is the calls that wait to be written, with one FIFO line per client. take serves the
// lines round-robin. When the queue is full, add drops the last call of the longest line: a
// client that makes more calls than can be written loses its own calls.
// Units: at most maxQueued calls and maxQueuedBytes of arguments.
// Concurrency: none; the Recorder's lock guards it.
type queue struct {
	lines map[string]*line
	order []*line // the next first
	calls int
	bytes int
}

// line is the waiting calls of one client.
type line struct {
	client string
	calls  []Call
	bytes  int
}

// clientOf returns the identity of a call's client: its principal and its session.
func clientOf(c *Call) string {
	if c.Caller.Session == "" {
		return c.Caller.Principal
	}
	return c.Caller.Principal + " " + c.Caller.Session
}

// add queues a call. It calls lose for each call that it drops, which can be c.
func (q *queue) add(c Call, lose func(*Call)) {
	client := clientOf(&c)
	l := q.lines[client]
	for q.calls >= maxQueued || q.bytes+len(c.Arguments) > maxQueuedBytes {
		longest := q.longest(q.calls < maxQueued)
		if longest == nil || longest == l {
			lose(&c)
			return
		}
		last := &longest.calls[len(longest.calls)-1]
		lose(last)
		q.forget(longest, last)
		longest.calls = longest.calls[:len(longest.calls)-1]
	}
	if l == nil {
		l = &line{client: client}
		if q.lines == nil {
			q.lines = map[string]*line{}
		}
		q.lines[client] = l
		q.order = append(q.order, l)
	}
	l.calls = append(l.calls, c)
	l.bytes += len(c.Arguments)
	q.calls++
	q.bytes += len(c.Arguments)
}

// longest returns the line with the most bytes of arguments, or the most calls.
func (q *queue) longest(byBytes bool) (most *line) {
	for _, l := range q.order {
		if len(l.calls) > 0 && (most == nil || byBytes && l.bytes > most.bytes || !byBytes && len(l.calls) > len(most.calls)) {
			most = l
		}
	}
	return most
}

// forget subtracts a call of a line from the counters, and clears it.
func (q *queue) forget(l *line, c *Call) {
	q.calls--
	q.bytes -= len(c.Arguments)
	l.bytes -= len(c.Arguments)
	*c = Call{}
}

// take moves up to n calls to the end of batch, one of each line in turn.
func (q *queue) take(batch []Call, n int) []Call {
	for n > 0 && q.calls > 0 {
		l := q.order[0]
		q.order = q.order[1:]
		if len(l.calls) > 0 { // else add dropped all its calls
			batch = append(batch, l.calls[0])
			q.forget(l, &l.calls[0])
			l.calls = l.calls[1:]
			n--
		}
		if len(l.calls) > 0 {
			q.order = append(q.order, l)
		} else {
			delete(q.lines, l.client)
		}
	}
	if q.calls == 0 {
		*q = queue{} // release the memory of a burst
	}
	return batch
}
