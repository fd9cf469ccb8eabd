package transport

import "time"

// Alive is the answer of a health check.
type Alive struct {
	Status        string `json:"status"`
	Version       string `json:"version"`
	UptimeSeconds int64  `json:"uptimeSeconds"`
}

// Liveness answers health checks of a server that was made at a moment.
type Liveness struct {
	version string
	since   time.Time
}

// NewLiveness returns the Liveness of a server that is made now.
func NewLiveness(version string) *Liveness { return &Liveness{version, time.Now()} }

// Now returns the present answer.
func (l *Liveness) Now() Alive {
	return Alive{"ok", l.version, int64(time.Since(l.since).Seconds())}
}
