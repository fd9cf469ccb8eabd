package conform

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/loam-data/loam/sdk"
)

func leakChecks() []check {
	return []check{
		{"goroutines", leakGoroutines},
		{"files", leakFiles},
	}
}

const leakRounds = 3

// lifetime opens a session, makes each kind of call, and closes it.
func (p *probe) lifetime() {
	session := p.open(p.subject())
	p.queryOn(session, p.rowsSQL(3000), sdk.Limits{})
	p.queryOn(session, p.rowsSQL(3000), sdk.Limits{MaxRows: 1})
	p.within(patience, "the scan", func() {
		_, err := session.Scan(p.ctx, sdk.ScanRequest{}, newScanCollector(p))
		p.must("scan", err)
		_, err = p.execute(p.ctx, session, sdk.ExecuteRequest{SQL: "this is no statement"})
		if err == nil {
			p.errorf("%q is a statement here", "this is no statement")
		}
	})
	if p.run.target.SlowSQL != "" {
		ctx, cancel := context.WithCancel(p.ctx)
		statement := p.startSlow(ctx, session, sdk.Limits{})
		cancel()
		_ = p.kind(statement.wait(p.run.pace.Settle)) // the group "cancel" says what it must be
	}
	p.closeSession(session)
}

// leakGoroutines: no goroutines remain after sessions are closed.
func leakGoroutines(p *probe) {
	if p.run.mode == Binary {
		p.skipf("the goroutines of another process cannot be seen")
	}
	p.lifetime() // what starts once in a process is no leak
	before := goroutines()
	for range leakRounds {
		p.lifetime()
	}
	var left []string
	if !p.eventually(p.run.pace.Settle, func(context.Context) (bool, error) {
		left = left[:0]
		for id, stack := range goroutines() {
			if _, old := before[id]; !old {
				left = append(left, stack)
			}
		}
		return len(left) < leakRounds, nil // a pool of the wire may keep one
	}) {
		slices.Sort(left)
		p.errorf("%d goroutines are left after %d sessions, the first:\n%s", len(left), leakRounds, left[0])
	}
}

// goroutines returns the stacks of all other goroutines, by their id.
func goroutines() map[string]string {
	buffer := make([]byte, 1<<20)
	for {
		n := runtime.Stack(buffer, true)
		if n < len(buffer) {
			buffer = buffer[:n]
			break
		}
		buffer = make([]byte, 2*len(buffer))
	}
	all := map[string]string{}
	for i, stack := range strings.Split(string(buffer), "\n\n") {
		if i > 0 { // the first one is the caller's
			id, _, _ := strings.Cut(stack, " [")
			all[id] = stack
		}
	}
	return all
}

// leakFiles: no open files and sockets remain after sessions are closed.
func leakFiles(p *probe) {
	pid := os.Getpid()
	if child, ok := p.subject().(*process); ok {
		pid = child.pid
	}
	folder := fmt.Sprintf("/proc/%d/fd", pid)
	if _, err := os.ReadDir(folder); err != nil {
		p.skipf("the open files of a process cannot be seen here: %v", err)
	}
	count := func() int {
		files, err := os.ReadDir(folder)
		if err != nil {
			p.fatalf("%v", err)
		}
		return len(files)
	}
	p.lifetime()
	before := count()
	for range leakRounds {
		p.lifetime()
	}
	after := 0
	if !p.eventually(p.run.pace.Settle, func(context.Context) (bool, error) {
		after = count()
		return after-before < leakRounds, nil
	}) {
		p.errorf("%d files were open before %d sessions, %d are after them", before, leakRounds, after)
	}
}
