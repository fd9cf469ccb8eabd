package cli

import (
	"fmt"
	"time"
)

// progressLine shows what a long call does, on a terminal only, from the second
// half second on: fast calls leave no trace.
type progressLine struct {
	o       *output
	started time.Time
	shown   bool
	live    bool
}

func (a *app) progressLine() *progressLine {
	return &progressLine{o: &a.output, started: time.Now(), live: isTerminal(a.err) && !a.quiet && !a.json}
}

func (p *progressLine) update(fraction float64, message string) {
	if !p.live || time.Since(p.started) < 500*time.Millisecond {
		return
	}
	p.shown = true
	fmt.Fprintf(p.o.err, "\r\x1b[K%3.0f %% %s", fraction*100, shown(message))
}

func (p *progressLine) clear() {
	if p.shown {
		fmt.Fprint(p.o.err, "\r\x1b[K")
	}
}
