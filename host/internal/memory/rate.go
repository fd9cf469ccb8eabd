package memory

import (
	"sync"
	"time"
)

const (
	// perMinute is how many texts a session may send in a minute.
	perMinute = 60
	// maxSessions is how many sessions are counted at once.
	maxSessions = 1000
)

// rates counts the texts of sessions in the last minute. The zero value is ready.
type rates struct {
	mu       sync.Mutex
	sessions map[string][]time.Time // the moments of the last minute, in order
}

// allow counts a text of a session; "" is not counted. Errors: KindRateLimited.
func (r *rates) allow(session string, now time.Time) error {
	if session == "" {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	since := now.Add(-time.Minute)
	recent := after(r.sessions[session], since)
	if len(recent) >= perMinute {
		return limited(recent[0].Sub(since)+time.Second, "this session sent %d texts within a minute", len(recent))
	}
	if r.sessions == nil || len(r.sessions) >= maxSessions {
		before := r.sessions
		r.sessions = map[string][]time.Time{}
		for name, moments := range before {
			if moments = after(moments, since); len(moments) > 0 {
				r.sessions[name] = moments
			}
		}
	}
	r.sessions[session] = append(recent, now)
	return nil
}

// after returns the moments behind another one.
func after(moments []time.Time, since time.Time) []time.Time {
	for len(moments) > 0 && !moments[0].After(since) {
		moments = moments[1:]
	}
	return moments
}
