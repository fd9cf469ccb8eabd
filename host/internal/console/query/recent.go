package query

import (
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/loam-data/loam/host/internal/console/shown"
)

// The bounds of the recent queries.
const (
	maxRecent      = 20
	maxRecentBytes = 128 << 10 // of the texts of one session
	maxSessions    = 200
	shownRecent    = 100 // characters
)

// recents are the latest queries of each session, in memory alone.
// Concurrency: any number of goroutines; the zero value is ready.
type recents struct {
	mu       sync.Mutex
	last     int
	sessions []*remembered // the one used last is the last
}

type remembered struct {
	session string
	all     []Recent // the newest first
}

// Recent is a query that a person ran.
type Recent struct {
	ID   int    `json:"id"`
	Text string `json:"text"` // its beginning
	form Form
}

// add puts a query before the others of a session. The same one is not there twice.
func (r *recents) add(session string, f Form) {
	f.Name, f.Title, f.About = "", "", ""
	r.mu.Lock()
	defer r.mu.Unlock()
	one := r.of(session)
	if one == nil {
		if len(r.sessions) >= maxSessions {
			r.sessions = slices.Delete(r.sessions, 0, 1)
		}
		one = &remembered{session: session}
		r.sessions = append(r.sessions, one)
	}
	r.last++
	text := f.text()
	one.all = slices.DeleteFunc(one.all, func(old Recent) bool { return old.form.Connection == f.Connection && old.form.text() == text })
	one.all = slices.Insert(one.all, 0, Recent{r.last, shown.Cut(text, shownRecent), f})
	size := 0
	for i := range one.all {
		if size += len(one.all[i].form.text()); i == maxRecent || size > maxRecentBytes && i > 0 {
			one.all = slices.Delete(one.all, i, len(one.all))
			break
		}
	}
}

// of returns the queries of a session and makes it the one used last; nil = it has none.
func (r *recents) of(session string) *remembered {
	at := slices.IndexFunc(r.sessions, func(one *remembered) bool { return one.session == session })
	if at < 0 {
		return nil
	}
	one := r.sessions[at]
	r.sessions = append(slices.Delete(r.sessions, at, at+1), one)
	return one
}

// list returns the queries of a session, the newest first.
func (r *recents) list(session string) []Recent {
	r.mu.Lock()
	defer r.mu.Unlock()
	if one := r.of(session); one != nil {
		return slices.Clone(one.all)
	}
	return nil
}

// find returns a query of a session.
func (r *recents) find(session string, id int) (Form, bool) {
	for _, one := range r.list(session) {
		if one.ID == id {
			return one.form, true
		}
	}
	return Form{}, false
}

// text is a query in one text.
func (f *Form) text() string {
	if f.Tab == tabSQL {
		return f.SQL
	}
	body, err := f.body()
	if err != nil {
		return ""
	}
	if !utf8.Valid(body) {
		return ""
	}
	return string(body)
}
