package history

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/loam-data/loam/host/internal/caller"
)

func of(client, name string) Call {
	c := call(name)
	c.Caller = caller.Record{Principal: "token", Session: client}
	return c
}

// One client's flood delays nobody: the lines are served round-robin, each in its own order.
func TestQueueTakesTurns(t *testing.T) {
	t.Parallel()
	var q queue
	lost := func(c *Call) { t.Errorf("%s is lost", c.Request) }
	for i := range 5 {
		q.add(of("flood", fmt.Sprint("f", i)), lost)
	}
	for i := range 2 {
		q.add(of("one", fmt.Sprint("o", i)), lost)
	}
	q.add(of("two", "t0"), lost)
	var got []string
	for q.calls > 0 {
		for _, c := range q.take(nil, 3) {
			got = append(got, c.Request)
		}
	}
	if diff := cmp.Diff([]string{"f0", "o0", "t0", "f1", "o1", "f2", "f3", "f4"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if q.bytes != 0 || q.lines != nil || q.order != nil {
		t.Errorf("what is empty holds %+v", q)
	}
}

// One client's flood pushes nobody out: it loses rows of its own, until each line is
// as long as it.
func TestQueueIsFull(t *testing.T) {
	t.Parallel()
	var q queue
	lost := map[string]int{}
	lose := func(c *Call) { lost[c.Caller.Session]++ }
	for range maxQueued + 7 {
		q.add(of("flood", "x"), lose)
	}
	for range maxQueued/2 + 3 {
		q.add(of("one", "x"), lose)
	}
	for range 10 {
		q.add(of("two", "x"), lose)
	}
	want := map[string]int{"flood": 7 + maxQueued/2 + 5, "one": 3 + 5}
	if diff := cmp.Diff(want, lost); diff != "" || q.calls != maxQueued {
		t.Errorf("%d wait, lost (-want +got):\n%s", q.calls, diff)
	}
	if diff := cmp.Diff(map[string]int{"flood": maxQueued/2 - 5, "one": maxQueued/2 - 5, "two": 10}, lengths(&q)); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
}

// Who sends much gives way to who sends little, however many calls each has.
func TestQueueIsFullOfBytes(t *testing.T) {
	t.Parallel()
	var q queue
	lost := map[string]int{}
	lose := func(c *Call) { lost[c.Caller.Session]++ }
	for range 1000 {
		q.add(of("small", "x"), lose)
	}
	large := of("large", "x")
	large.Arguments = make([]byte, maxArguments)
	for range maxQueuedBytes / maxArguments {
		q.add(large, lose)
	}
	some := of("small", "y")
	some.Arguments = []byte("{}")
	q.add(some, lose)
	if diff := cmp.Diff(map[string]int{"large": 1}, lost); diff != "" {
		t.Errorf("lost (-want +got):\n%s", diff)
	}
	if all := len(q.take(nil, maxQueued)); all != 1000+maxQueuedBytes/maxArguments || q.bytes != 0 {
		t.Errorf("%d taken, %d bytes left", all, q.bytes)
	}
}

func lengths(q *queue) map[string]int {
	all := map[string]int{}
	for _, l := range q.order {
		all[l.calls[0].Caller.Session] = len(l.calls)
	}
	return all
}
