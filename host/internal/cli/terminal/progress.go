package terminal

import (
	"fmt"
	"sync"
	"time"
)

// patience is how long a call may take without a line of progress: fast calls
// leave no trace.
const patience = 500 * time.Millisecond

// Progress shows the progress of a long call on a terminal, until Clear.
// Concurrency: any goroutine.
type Progress struct {
	o     *Terminal
	mu    sync.Mutex
	timer *time.Timer // nil: there is nobody to show it to, or it is over
	text  string
	slow  bool // the call takes longer than patience
	shown bool
}

// NewProgress returns a progress line, which is shown only if Err is a
// terminal.
func (o *Terminal) NewProgress() *Progress {
	p := &Progress{o: o}
	if IsTerminal(o.Err) && !o.Quiet && !o.JSON {
		p.start()
	}
	return p
}

func (p *Progress) start() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.timer = time.AfterFunc(patience, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.slow = true
		p.draw()
	})
}

// Update shows the fraction that is done, from 0 to 1, and a message.
func (p *Progress) Update(fraction float64, message string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text = fmt.Sprintf("%3.0f %% %s", fraction*100, Escape(message))
	p.draw()
}

func (p *Progress) draw() {
	if p.timer != nil && p.slow && p.text != "" {
		p.shown = true
		fmt.Fprintf(p.o.Err, "\r\x1b[K%s", p.text)
	}
}

// Clear removes the line and shows no other.
func (p *Progress) Clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.timer != nil {
		p.timer.Stop()
		p.timer = nil
	}
	if p.shown {
		fmt.Fprint(p.o.Err, "\r\x1b[K")
		p.shown = false
	}
}
