package e2e

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

var soakFor = flag.Duration("soak", 0, "run TestSoak for this long; 0 = not at all")

// soak is the state of a run.
type soak struct {
	t        *testing.T
	dir, url string
	// stopping: the server was told to end, and calls may be refused for it.
	stopping atomic.Bool

	mu    sync.Mutex
	tally map[string]int
}

const (
	leftRunning   = "left running, which only the end of the server ends"
	refusedAtStop = "refused because the server stops"
)

func (s *soak) counted(what string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tally[what]
}

func (s *soak) count(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tally[what]++
}

// step is a kind of call and the test of its answer.
type step struct {
	name, tool string
	args       func(own int) string
	progress   bool
	cancel     bool
	// code is that of the failure that is meant; "" = none.
	code string
	// accepts reports whether a text is the answer to the call.
	accepts func(text string, own int) bool
}

func containsOneOf(all ...string) func(string, int) bool {
	return func(text string, _ int) bool {
		return slices.ContainsFunc(all, func(want string) bool { return strings.Contains(text, want) })
	}
}

func always(args string) func(int) string { return func(int) string { return args } }

// steps are what every client does, one after the other. Numbers that no other call has show
// an answer that went to another client.
func steps() []step {
	ownSQL := func(sql string) func(int) string {
		return func(own int) string {
			return fmt.Sprintf(`{"connectionId":"bakery","sql":%q}`, strings.ReplaceAll(sql, "OWN", itoa(own)))
		}
	}
	revenue := containsOneOf(`"rows":[[270]]`, `"rows":[[2700]]`)
	return []step{
		{name: "statement", tool: "sql_execution", progress: true, args: ownSQL("SELECT OWN AS own"), accepts: func(text string, own int) bool { return strings.Contains(text, fmt.Sprintf("[[%d]]", own)) }},
		{name: "measure", tool: "sl_query", progress: true, args: always(`{"measures":["orders.revenue"]}`), accepts: revenue},
		{name: "discovery", tool: "discover_data", args: always(`{"query":"revenue"}`), accepts: containsOneOf(`revenue`)},
		{name: "page", tool: "wiki_read", args: always(`{"key":"revenue"}`), accepts: func(text string, _ int) bool { return wholePage(text) }},
		{name: "rows", tool: "sql_execution", args: ownSQL("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500) SELECT i, OWN AS own FROM n"), accepts: func(text string, own int) bool {
			return strings.Count(text, fmt.Sprintf(",%d]", own)) == 500
		}},
		{name: "own measure", tool: "sl_query", args: func(own int) string {
			return fmt.Sprintf(`{"measures":[{"expr":"sum(orders.id) * 0 + %d","name":"own"}]}`, own)
		}, accepts: func(text string, own int) bool { return strings.Contains(text, fmt.Sprintf("[[%d]]", own)) }},
		{name: "table", tool: "entity_details", args: always(`{"connectionId":"bakery","entities":[{"table":"orders"}]}`), accepts: containsOneOf(`amount`)},
		{name: "connections", tool: "connection_list", args: always(`{}`), accepts: containsOneOf(`bakery`)},
		{name: "refused", tool: "sql_execution", args: always(`{"connectionId":"bakery","sql":"DELETE FROM orders"}`), code: "*"},
		{name: "taken back", tool: "sql_execution", progress: true, cancel: true, args: always(fmt.Sprintf(`{"connectionId":"bakery","sql":%q}`, endless)), code: "canceled"},
	}
}

// page is an edition of a page of the wiki, which names it at both ends.
func page(edition int) string {
	return fmt.Sprintf("---\nsummary: What revenue is.\n---\n# Revenue\n\nbegin %d\n\n%s\n\nend %d\n", edition, strings.Repeat("Booked when the parcel leaves. ", 40), edition)
}

// wholePage reports that a page is one edition, not parts of two.
func wholePage(text string) bool {
	var begin, end int
	if _, rest, found := strings.Cut(text, "begin "); found {
		_, _ = fmt.Sscanf(rest, "%d", &begin)
		_, rest, _ = strings.Cut(rest, "end ")
		_, _ = fmt.Sscanf(rest, "%d", &end)
	}
	return begin > 0 && begin == end
}

// run calls until the server ends.
func (s *soak) run(number int) {
	c, err := newSoaker(s.url, number)
	if err != nil {
		s.t.Errorf("client %d: %v", number, err)
		return
	}
	defer c.close()
	all := steps()
	for at := number; ; at++ { // not all the same at the same time
		st := all[at%len(all)]
		own := 1_000_000 + at*1000 + number
		e, err := s.call(c, st, own)
		if err != nil {
			if !e.reused && s.stopping.Load() {
				return // nobody listens any more
			}
			s.t.Errorf("%s, %s: %v", c.name, st.name, err)
			return
		}
		if problem := s.judge(st, e, own); problem != "" {
			s.t.Errorf("%s, %s: %s", c.name, st.name, problem)
			return
		}
	}
}

func (s *soak) call(c *soaker, st step, own int) (exchange, error) {
	var cancelling sync.WaitGroup
	defer cancelling.Wait()
	var reported func()
	if st.progress {
		reported = func() {}
	}
	if st.cancel {
		reported = func() {
			if s.stopping.Load() {
				s.count(leftRunning)
				return
			}
			cancelling.Go(func() {
				if err := c.takeBack(); err != nil && !s.stopping.Load() {
					s.t.Errorf("%s: %v", c.name, err)
				}
			})
		}
	}
	return c.call(st.tool, st.args(own), reported)
}

// judge says what is wrong with an answer; "" = nothing.
func (s *soak) judge(st step, e exchange, own int) string {
	switch {
	case e.refusedAtStop() && s.stopping.Load():
		s.count(refusedAtStop)
		return ""
	case e.failed != (st.code != ""):
		return fmt.Sprintf("failed %v: %+v %.300s", e.failed, e.failure, e.text)
	case e.failed && st.code != "*" && e.Code != st.code:
		return fmt.Sprintf("code %q, want %q: %s", e.Code, st.code, e.Message)
	case !e.failed && !st.accepts(e.text, own):
		return fmt.Sprintf("another answer: %.500s", e.text)
	case st.progress && (len(e.progress) == 0 || e.progress[0] != 0):
		return fmt.Sprintf("the first progress is missing: %v", e.progress)
	case st.progress && !e.failed && e.progress[len(e.progress)-1] != 1:
		return fmt.Sprintf("the last progress is missing: %v", e.progress)
	case !st.progress && len(e.progress) > 0:
		return fmt.Sprintf("progress that nobody asked for: %v", e.progress)
	}
	s.count(st.name)
	return ""
}

// change edits files and scans until the end, as people do.
func (s *soak) change(done <-chan struct{}) {
	edit, scan := time.NewTicker(50*time.Millisecond), time.NewTicker(3*time.Second)
	defer edit.Stop()
	defer scan.Stop()
	for edition := 2; ; {
		select {
		case <-done:
			return
		case <-edit.C:
			edition++
			if err := errors.Join(
				replaceFile(filepath.Join(s.dir, "wiki/global/revenue.md"), page(edition)),
				replaceFile(bakeryFile(s.dir, "orders.yaml"), ordersFile([]string{"amount * 10", "amount"}[edition%2])),
			); err != nil {
				s.t.Error(err)
				return
			}
			s.count("edits")
		case <-scan.C:
			if r := loam(s.t, s.dir, "scan", "--full", "bakery"); r.code != 0 {
				s.t.Errorf("loam scan: exit %d: %s", r.code, r.stderr)
				return
			}
			s.count("scans")
		}
	}
}

// TestSoak: many clients on a mixed load for a while, with files and catalog that
// change meanwhile, and then SIGTERM in the middle. No error that is not meant, no
// report or answer of another call, flat memory; each call is answered or told
// why not, and nothing is left.
func TestSoak(t *testing.T) {
	if *soakFor == 0 {
		t.Skip("runs with -soak 30s, or make soak")
	}
	const clients = 64
	dir := bakeryProject(t)
	writeFile(t, filepath.Join(dir, "wiki/global/revenue.md"), page(1))
	scan(t, dir)
	cmd, url := startLogging(t, func(line string) {
		if strings.Contains(line, "level=WARN") || strings.Contains(line, "level=ERROR") {
			t.Errorf("its log: %s", line)
		}
	}, dir)
	s := &soak{t: t, dir: dir, url: url, tally: map[string]int{}}
	var calling, changing sync.WaitGroup
	for i := range clients {
		calling.Go(func() { s.run(i) })
	}
	done := make(chan struct{})
	changing.Go(func() { s.change(done) })

	memory := s.watch(cmd.Process.Pid)
	close(done)
	changing.Wait()
	programs := connectors(t, cmd.Process.Pid)
	if len(programs) == 0 {
		t.Error("no connector runs")
	}
	s.stopping.Store(true)
	eventually(t, settle, "a call runs that has no other end", func() bool { return t.Failed() || s.counted(leftRunning) > 0 })
	signal(t, cmd.Process.Pid, syscall.SIGTERM)
	calling.Wait()
	if err := cmd.Wait(); err != nil {
		t.Errorf("the server ended with %v", err)
	}
	for _, pid := range programs {
		if alive(pid) {
			t.Errorf("connector %d is still there", pid)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, ".loam/mcp.json")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the state file is left: %v", err)
	}
	s.report(memory)
}

// watch waits for the end of the run and returns what the server held meanwhile,
// in KiB. It leaves early when a client found a fault.
func (s *soak) watch(pid int) (memory []int) {
	const samples = 40
	tick := time.NewTicker(*soakFor / samples)
	defer tick.Stop()
	for range samples {
		<-tick.C
		if s.t.Failed() {
			break
		}
		memory = append(memory, resident(s.t, pid, "VmRSS"))
	}
	return memory
}

// report tests that every kind of call was made and that memory is flat: the last
// quarter of the run against the second.
func (s *soak) report(memory []int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, st := range steps() {
		if s.tally[st.name] == 0 {
			s.t.Errorf("no call of the kind %q was answered", st.name)
		}
	}
	if s.tally[refusedAtStop] < s.tally[leftRunning] {
		s.t.Errorf("%d calls were told that the server stops; %d had no other end", s.tally[refusedAtStop], s.tally[leftRunning])
	}
	s.t.Logf("%v: %v", *soakFor, s.tally)
	if len(memory) < 40 {
		return
	}
	typical := func(part []int) int { return slices.Sorted(slices.Values(part))[len(part)/2] }
	early, late := typical(memory[10:20]), typical(memory[30:])
	s.t.Logf("resident: %d KiB in the second quarter, %d KiB in the last, at most %d KiB", early, late, slices.Max(memory))
	if late-early > 16<<10 {
		s.t.Errorf("the server grew by %d KiB", late-early)
	}
}
