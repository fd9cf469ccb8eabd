package snapshot

import (
	"fmt"
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/scan"
)

const (
	// lineEvery is how often a line of progress is renewed on a terminal, and
	// plainEvery how often one is added elsewhere while a phase lasts.
	lineEvery  = 100 * time.Millisecond
	plainEvery = 5 * time.Second
	// settled is how long a phase has to run before its rate tells when it ends.
	settled = 2 * time.Second
	// maxRunning is how many tables are named that are looked at.
	maxRunning = 2
)

// progress shows how far a scan is: on a terminal in one line, elsewhere in
// lines, never with --quiet or --json.
// Concurrency: one goroutine at a time.
type progress struct {
	term   *terminal.Terminal
	id     connection.ID
	live   bool
	silent bool
	now    func() time.Time
	phase  string
	begun  time.Time // of the phase
	told   time.Time
	shown  bool
}

func newProgress(term *terminal.Terminal, id connection.ID) *progress {
	return &progress{term: term, id: id, live: terminal.IsTerminal(term.Err), silent: term.Quiet || term.JSON, now: time.Now}
}

func (r *progress) update(p scan.Progress) {
	if r.silent {
		return
	}
	now := r.now()
	fresh := p.Phase != r.phase
	if fresh {
		r.phase, r.begun = p.Phase, now
	}
	every := plainEvery
	if r.live {
		every = lineEvery
	}
	if !fresh && now.Sub(r.told) < every {
		return
	}
	r.told = now
	text := terminal.Escape(fmt.Sprintf("%s: %s", r.id, r.text(p, now.Sub(r.begun))))
	if !r.live {
		fmt.Fprintln(r.term.Err, text)
		return
	}
	if fresh && p.Message != "" { // what was promised stays to be read
		r.end()
		fmt.Fprintln(r.term.Err, text)
		return
	}
	r.shown = true
	fmt.Fprintf(r.term.Err, "\r\x1b[K%s", text)
}

// text is the phase, how much of it is done, how fast, and how long it will take.
func (r *progress) text(p scan.Progress, elapsed time.Duration) string {
	parts := []string{p.Phase}
	switch {
	case p.Total > 0:
		parts = append(parts, fmt.Sprintf("%d of %d", p.Done, p.Total))
	case p.Done > 0:
		parts = append(parts, fmt.Sprint(p.Done, " ", p.Unit))
	}
	switch {
	case p.Left > 0: // tables differ in size: their number tells nothing
		parts = append(parts, fmt.Sprintf("about %s left", max(time.Second, p.Left.Round(time.Second))))
	case p.Done > 0 && elapsed >= settled && p.Running == nil:
		rate := float64(p.Done) / elapsed.Seconds()
		parts = append(parts, fmt.Sprintf("%.1f/s", rate))
		if left := p.Total - p.Done; left > 0 {
			parts = append(parts, fmt.Sprintf("about %s left", max(time.Second, time.Duration(float64(left)/rate*float64(time.Second)).Round(time.Second))))
		}
	}
	if p.Message != "" {
		parts = append(parts, p.Message)
	}
	if n := len(p.Running); n > 0 {
		parts = append(parts, "at "+strings.Join(p.Running[:min(n, maxRunning)], ", "))
		if n > maxRunning {
			parts = append(parts, fmt.Sprintf("and %d more", n-maxRunning))
		}
	}
	return strings.Join(parts, ", ")
}

// end removes the line.
func (r *progress) end() {
	if r.shown {
		fmt.Fprint(r.term.Err, "\r\x1b[K")
		r.shown = false
	}
}
