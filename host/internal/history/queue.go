package history

// queue holds the calls that wait to be written, those of each client in a line of its
// own. The lines are served round-robin, and when there is no room the longest gives way: a client
// that calls more than can be written loses rows of its own.
// Units: maxQueued calls and maxQueuedBytes of arguments.
// Concurrency: one goroutine at a time.
type queue struct {
	lines map[string]*line
	order []*line // the next first
	calls int
	bytes int
}

// line is what waits of one client.
type line struct {
	client string
	calls  []Call
	bytes  int
}

// clientOf tells clients apart: by their token and their session.
func clientOf(c *Call) string {
	if c.Caller.Session == "" {
		return c.Caller.Principal
	}
	return c.Caller.Principal + " " + c.Caller.Session
}

// add queues a call; lose receives each call that is dropped for it.
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

// longest returns the line with most bytes of arguments or most calls.
func (q *queue) longest(byBytes bool) (most *line) {
	for _, l := range q.order {
		if len(l.calls) > 0 && (most == nil || byBytes && l.bytes > most.bytes || !byBytes && len(l.calls) > len(most.calls)) {
			most = l
		}
	}
	return most
}

// forget counts a call of a line out.
func (q *queue) forget(l *line, c *Call) {
	q.calls--
	q.bytes -= len(c.Arguments)
	l.bytes -= len(c.Arguments)
	*c = Call{}
}

// take moves up to n calls behind batch, one of each line in turn.
func (q *queue) take(batch []Call, n int) []Call {
	for n > 0 && q.calls > 0 {
		l := q.order[0]
		q.order = q.order[1:]
		if len(l.calls) > 0 { // else it gave way
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
		*q = queue{} // a burst's memory is given back
	}
	return batch
}
