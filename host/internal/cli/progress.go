package cli

import (
	"fmt"
	"sync"
	"time"

	"github.com/loam-data/loam/host/internal/semanticquery"
	"github.com/loam-data/loam/sdk"
)

// patience is how long a call may take without a line of progress: fast calls
// leave no trace.
const patience = 500 * time.Millisecond

// progressLine shows on a terminal what a long call does, until clear.
// Concurrency: any goroutine.
type progressLine struct {
	o     *output
	mu    sync.Mutex
	timer *time.Timer // nil: there is nobody to show it to, or it is over
	text  string
	due   bool // the time of a fast call is over
	shown bool
}

func (a *app) progressLine() *progressLine {
	p := &progressLine{o: &a.output}
	if isTerminal(a.err) && !a.quiet && !a.json {
		p.start()
	}
	return p
}

func (p *progressLine) start() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.timer = time.AfterFunc(patience, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.due = true
		p.draw()
	})
}

func (p *progressLine) update(fraction float64, message string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text = fmt.Sprintf("%3.0f %% %s", fraction*100, shown(message))
	p.draw()
}

func (p *progressLine) draw() {
	if p.timer != nil && p.due && p.text != "" {
		p.shown = true
		fmt.Fprintf(p.o.err, "\r\x1b[K%s", p.text)
	}
}

// clear removes the line and shows no other.
func (p *progressLine) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.timer != nil {
		p.timer.Stop()
		p.timer = nil
	}
	if p.shown {
		fmt.Fprint(p.o.err, "\r\x1b[K")
		p.shown = false
	}
}

// progressResult and progressAnswer remove the line before a result begins, whose
// rows it would stand among.
type (
	progressResult struct {
		resultWriter
		line *progressLine
	}
	progressAnswer struct {
		semanticResult
		line *progressLine
	}
)

func (r progressResult) Columns(columns []sdk.Column) error {
	r.line.clear()
	return r.resultWriter.Columns(columns)
}

func (r progressAnswer) Columns(c *semanticquery.Compiled, columns []sdk.Column) error {
	r.line.clear()
	return r.semanticResult.Columns(c, columns)
}
