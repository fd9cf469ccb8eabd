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
		p := store.Page{Below: a.at.calls, Limit: pageRows}
		if a.calls.Key != "" {
			p.Limit, p.Search = 1, lookUp
		}
		found, rest, err := from.calls.CallPage(ctx, a.calls, p)
		if err != nil {
			return nil, nil, err
		}
		calls.rest = rest
		for i := range found {
			calls.rows = append(calls.rows, newCall(&found[i]))
		}
		if a.calls.Key != "" && len(found) > 0 { // there is one
			calls.rest = store.Rest{}
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

// lookUp is how many calls are searched for an incident: all that the history keeps by default.
const lookUp = 1_000_000

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
