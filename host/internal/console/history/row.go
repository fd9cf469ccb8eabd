package history

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/console/page"
	"github.com/loam-data/loam/host/internal/console/result"
	"github.com/loam-data/loam/host/internal/store"
)

// Units: characters of a cell, and of the text of an event.
const (
	maxShown  = 50
	maxDetail = 160
)

// Row is a tool call or an event of a review.
type Row struct {
	// N is the number of the row in its log.
	N      int64     `json:"n"`
	Review bool      `json:"review,omitempty"`
	At     time.Time `json:"at"`
	// What is the tool, or the verb; Who the client, or the actor.
	What string `json:"what"`
	Who  string `json:"who,omitempty"`
	// Principal of a call; the channel of an event.
	Principal  string `json:"principal,omitempty"`
	Connection string `json:"connection,omitempty"`
	// Outcome of a call, Detail of an event.
	Outcome string `json:"outcome,omitempty"`
	Detail  string `json:"detail,omitempty"`
	// Rows and Took are those of a call; "" = it has none.
	Rows     string `json:"rows,omitempty"`
	Took     string `json:"took,omitempty"`
	Incident string `json:"incident,omitempty"`
	// Change of an event; "" = none.
	Change string `json:"change,omitempty"`
	// URL is that of the call, or of the change.
	URL string `json:"url,omitempty"`
}

// UTC is the time for a machine.
func (r *Row) UTC() string { return r.At.UTC().Format(time.RFC3339Nano) }

// Clock is the time for a person, with the seconds by which calls are told apart.
func (r *Row) Clock() string { return r.At.Local().Format(time.DateTime) }

// newCall returns the row of a call.
func newCall(c *store.Call) Row {
	row := Row{
		N: c.ID, At: c.Started, What: result.Short(c.Tool, maxShown), Who: result.Short(strings.TrimSpace(c.Client+" "+c.ClientVersion), maxShown),
		Principal: result.Short(c.Principal, maxShown), Connection: result.Short(c.Connection, maxShown), Outcome: c.Outcome, Incident: c.Incident,
		Took: took(c.Duration), URL: callURL(c.ID),
	}
	if c.Rows != store.NoRows {
		row.Rows = strconv.Itoa(c.Rows)
	}
	return row
}

// took shows a duration in milliseconds, a shorter one in microseconds.
func took(d time.Duration) string {
	if d < time.Millisecond {
		return d.Round(time.Microsecond).String()
	}
	return d.Round(time.Millisecond).String()
}

// newEvent returns the row of an event.
func newEvent(e *store.MemoryEvent) Row {
	row := Row{N: e.N, Review: true, At: e.At, What: e.Verb, Change: e.Change, Detail: result.Short(e.Detail, maxDetail)}
	if by, err := actor(e); err == nil {
		row.Who, row.Principal = result.Short(by.Name(), maxShown), string(by.Channel)
	}
	if e.Change != "" {
		row.URL = page.Link("change", e.Change)
	}
	return row
}

// actor reads who did what an event is about.
func actor(e *store.MemoryEvent) (by change.Actor, err error) {
	err = json.Unmarshal([]byte(e.Actor), &by)
	return by, err
}

// callURL is the address of one call.
func callURL(n int64) string { return page.Link(path) + "?call=" + strconv.FormatInt(n, 10) }

// log is the rows that were read of one log.
type log struct {
	rows []Row
	used int // of rows
	rest store.Rest
}

// next returns where the next page goes on.
func (l *log) next() int64 {
	switch {
	case l.used < len(l.rows):
		return l.rows[l.used].N + 1
	case l.rest.Next > 0:
		return l.rest.Next
	}
	return over
}

// read reads a page of each log that is asked for.
func (from logs) read(ctx context.Context, a *asked) (calls, events *log, err error) {
	calls, events = &log{}, &log{}
	if a.show != onlyReviews && a.at.calls != over {
		found, rest, err := from.page(ctx, a)
		if err != nil {
			return nil, nil, err
		}
		calls.rest = rest
		for i := range found {
			calls.rows = append(calls.rows, newCall(&found[i]))
		}
	}
	if a.show != onlyCalls && a.at.events != over {
		found, rest, err := from.events.EventPage(ctx, a.events, store.Page{Below: a.at.events, Limit: pageRows})
		if err != nil {
			return nil, nil, err
		}
		events.rest = rest
		for i := range found {
			events.rows = append(events.rows, newEvent(&found[i]))
		}
	}
	return calls, events, nil
}

// page reads a page of calls. One with an incident or an id is looked for in all of them, from the last: there is one.
func (from logs) page(ctx context.Context, a *asked) ([]store.Call, store.Rest, error) {
	if a.calls.Key == "" {
		return from.calls.CallPage(ctx, a.calls, store.Page{Below: a.at.calls, Limit: pageRows})
	}
	one := a.calls
	one.Limit = 1
	found, err := from.calls.Calls(ctx, one)
	return found, store.Rest{}, err
}

// merge returns up to most rows of both logs, the latest first. Each log keeps its own order, by which its pages are cut.
func merge(calls, events *log, most int) []Row {
	rows := []Row{}
	for len(rows) < most {
		from := calls
		switch {
		case calls.used == len(calls.rows) && events.used == len(events.rows):
			return rows
		case calls.used == len(calls.rows), events.used < len(events.rows) && events.rows[events.used].At.After(calls.rows[calls.used].At):
			from = events
		}
		rows = append(rows, from.rows[from.used])
		from.used++
	}
	return rows
}
