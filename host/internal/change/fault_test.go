package change

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/loam-data/loam/sdk"
)

var errKilled = errors.New("killed")

// world is a page that an engine and a person change, with what the person is owed.
type world struct {
	*project
	path  string // below the project's folder
	rand  *rand.Rand
	plan  map[int]string    // what happens at which step
	named map[string]string // what happens when a step of that name comes first
	step  int
	trace []string
	dead  bool
	// tokens number what the person wrote.
	tokens int
	// saved are the contents that the person saved, by their token.
	saved map[string]string
	// owed are the tokens of what the person saved last, and late those of writes into a file
	// that was opened before.
	owed, late []string
	// hidden are tokens that the person does not see although they did not remove them.
	hidden  []string
	deleted bool
	acted   bool
	held    *os.File
	ids     []ID
}

func (w *world) full() string { return filepath.Join(w.dir, filepath.FromSlash(w.path)) }

func (w *world) logf(format string, args ...any) {
	w.trace = append(w.trace, fmt.Sprintf(format, args...))
}

func (w *world) content() string {
	content, err := os.ReadFile(w.full())
	if errors.Is(err, os.ErrNotExist) {
		return "-"
	}
	if err != nil {
		w.Fatal(err)
	}
	return string(content)
}

// at is the engine's seam: what the plan says happens before the step.
func (w *world) at(step string) error {
	if w.dead {
		return errKilled
	}
	w.step++
	action := w.plan[w.step]
	if named := w.named[step]; named != "" && action == "" {
		action = named
		delete(w.named, step)
	}
	w.logf("%d %s %s", w.step, step, action)
	switch action {
	case "":
	case "kill":
		w.dead = true
		return errKilled
	case "full":
		return syscall.ENOSPC
	case "read-only":
		return syscall.EROFS
	default:
		w.act(action)
	}
	return nil
}

// act is what a person does.
func (w *world) act(action string) {
	before := w.content()
	w.noteHidden(before)
	if action == "delete" || action == "rename" || action == "from memory" {
		w.letGo()
	}
	switch action {
	case "delete":
		if err := os.Remove(w.full()); err != nil {
			return // there is none
		}
		w.owed, w.deleted, w.acted = nil, !w.movedAway(), true
		return
	case "open":
		if w.held == nil && before != "-" {
			f, err := os.OpenFile(w.full(), os.O_RDWR, 0)
			if err != nil {
				w.Fatal(err)
			}
			w.held = f
		}
		return
	}
	text := before
	if text == "-" {
		text = ""
	}
	w.tokens++
	token := fmt.Sprintf("p%d", w.tokens)
	if action == "late" {
		if w.held == nil {
			return
		}
		w.lateWrite(token)
		return
	}
	text += token + "\n"
	if action == "from memory" { // an editor's buffer, without what Loam wrote
		text = token + "\n"
	}
	w.saved[token] = text
	w.save(action, text)
	w.logf("  saved %q", text)
	w.owed, w.deleted, w.acted = personLines(text), false, true
}

// movedAway reports whether the engine has moved the page away, where files cannot be exchanged. Nobody can see then that
// a file that was saved and removed in its place had been there.
func (w *world) movedAway() bool {
	moved, err := filepath.Glob(filepath.Join(filepath.Dir(w.full()), tempPrefix+"*"+aside))
	if err != nil {
		w.Fatal(err)
	}
	return len(moved) > 0
}

// letGo closes the file that was opened before, if the person replaces it: what is written into it then is nobody's.
func (w *world) letGo() {
	if w.held == nil {
		return
	}
	held, err := w.held.Stat()
	if err != nil {
		w.Fatal(err)
	}
	if now, err := os.Stat(w.full()); err == nil && os.SameFile(held, now) {
		if err := w.held.Close(); err != nil {
			w.Fatal(err)
		}
		w.held = nil
	}
}

func (w *world) save(action, text string) {
	err := os.MkdirAll(filepath.Dir(w.full()), 0o755)
	if action == "in place" {
		err = errors.Join(err, os.WriteFile(w.full(), []byte(text), 0o644))
	} else {
		err = errors.Join(err, os.WriteFile(w.full()+"~", []byte(text), 0o644), os.Rename(w.full()+"~", w.full()))
	}
	if err != nil {
		w.Fatal(err)
	}
}

// lateWrite writes through the file that was opened before.
func (w *world) lateWrite(token string) {
	text := token + "\n"
	before, err := io.ReadAll(w.held)
	if err != nil {
		w.Fatal(err)
	}
	replaced := func(token string) bool { return slices.Contains(personLines(string(before)), token) }
	w.owed, w.hidden = slices.DeleteFunc(w.owed, replaced), slices.DeleteFunc(w.hidden, replaced)
	_, err = w.held.WriteAt([]byte(text), 0)
	if err = errors.Join(w.held.Truncate(int64(len(text))), err, w.held.Close()); err != nil {
		w.Fatal(err)
	}
	w.held = nil
	w.saved[token] = text
	w.acted = true
	w.logf("  wrote %q late", text)
	if w.content() == text { // it is in place
		w.owed, w.deleted = []string{token}, false
		return
	}
	w.late = append(w.late, token)
}

// noteHidden is called before a person acts: what they saved and do not see must be kept. What is there again is theirs to
// remove.
func (w *world) noteHidden(now string) {
	there := personLines(now)
	seen := func(token string) bool { return slices.Contains(there, token) }
	w.hidden, w.late = slices.DeleteFunc(w.hidden, seen), slices.DeleteFunc(w.late, seen)
	for _, token := range w.owed {
		if !seen(token) {
			w.hidden = append(w.hidden, token)
		}
	}
}

func personLines(content string) (all []string) {
	for line := range strings.Lines(content) {
		if strings.HasPrefix(line, "p") {
			all = append(all, strings.TrimSpace(line))
		}
	}
	return all
}

// operate runs an operation until no process is killed in it any more.
func (w *world) operate(name string, f func() error) {
	w.logf("%s: %q", name, w.content())
	err := f()
	for w.dead {
		w.dead = false
		w.restart()
		w.Engine.at = w.at
		w.logf("restart: %q", w.content())
		err = w.Recover(w.Context())
	}
	if kind := sdk.KindOf(err); err != nil && kind != sdk.KindUnavailable && kind != sdk.KindConflict && kind != sdk.KindNotFound {
		w.failf("%s: %v", name, err)
	}
}

func (w *world) failf(format string, args ...any) {
	w.Helper()
	w.Errorf("%s\n%s\nfile: %q", fmt.Sprintf(format, args...), strings.Join(w.trace, "\n"), w.content())
}

// check brings everything to its end, and checks that the person has what they are owed.
func (w *world) check() {
	w.plan, w.named = nil, nil
	if w.held != nil {
		w.act("late")
	}
	for range 2 {
		if err := w.Recover(w.Context()); err != nil {
			w.failf("recover: %v", err)
		}
		w.now = w.now.Add(2 * displacedFor)
	}
	final := w.content()
	lines := splitLines([]byte(strings.TrimPrefix(final, "-")))
	for i, line := range lines {
		if slices.Contains(lines[:i], line) {
			w.failf("%q is there twice", line)
		}
	}
	w.wantOwed(final)
	for _, id := range w.ids {
		c := w.get(id)
		if c.State == Applying {
			w.failf("change %s is being written", c.Says)
		}
		if c.State == Applied && !w.acted && c.Undoes == "" && !slices.Contains(lines, c.Says) {
			w.failf("change %s is applied, but not there", c.Says)
		}
		if (c.State == Pending || c.State == Reverted) && !w.acted && c.Undoes == "" && slices.Contains(lines, c.Says) {
			w.failf("change %s is %s, but there", c.Says, c.State)
		}
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(w.full()), ".*"))
	if err != nil || len(left) > 0 {
		w.failf("beside the page: %v, %v", left, err)
	}
	if left, err := filepath.Glob(filepath.Join(w.dir, displacedDir, "*", "*")); err != nil || len(left) > 0 {
		w.failf("displaced still: %v, %v", left, err)
	}
}

func (w *world) wantOwed(final string) {
	there := personLines(final)
	kept := func(token string) bool {
		all, err := w.Revisions(w.Context(), w.path)
		if err != nil {
			w.Fatal(err)
		}
		return slices.ContainsFunc(all, func(r Revision) bool {
			content, err := w.Content(w.Context(), r.Hash)
			return err == nil && slices.Contains(personLines(string(content)), token)
		})
	}
	for _, token := range w.owed {
		if !slices.Contains(there, token) && len(w.late) == 0 {
			w.failf("%s is not in the file", token)
		}
	}
	for _, token := range slices.Concat(w.owed, w.hidden, w.late) {
		if !slices.Contains(there, token) && !kept(token) {
			w.failf("%s is lost", token)
		}
	}
	if w.deleted && len(there) > 0 && len(w.late) == 0 {
		w.failf("what the person deleted came back: %v", there)
	}
}

var actions = []string{"kill", "full", "read-only", "delete", "open", "late", "in place", "rename", "from memory"}

// newWorld returns a world of its own page in a project.
func newWorld(p *project, n int, seed uint64) *world {
	w := &world{
		project: p, path: fmt.Sprintf("wiki/run%d/page.md", n), rand: rand.New(rand.NewPCG(seed, uint64(n))),
		plan: map[int]string{}, named: map[string]string{}, saved: map[string]string{},
	}
	w.logf("run %d", n)
	w.restart()
	w.Engine.at, w.Engine.apart = w.at, n%4 == 3
	return w
}

// swapping are the steps in which a file is exchanged: what happens in one meets what happens in the next.
var swapping = []string{"begin", "place", "compare", "back", "compare back", "place again", "displace", "folder", "finish", "keep", "fail", "seen"}

// live lets changes and a person's edits meet.
func (w *world) live() {
	if w.rand.IntN(3) == 0 {
		w.act("in place")
	}
	action := func() string { return actions[w.rand.IntN(len(actions))] }
	for range w.rand.IntN(4) {
		w.plan[1+w.rand.IntN(40)] = action()
	}
	if w.rand.IntN(2) == 0 {
		for _, step := range swapping {
			if w.rand.IntN(3) == 0 {
				w.named[step] = action()
			}
		}
	}
	for i := range 1 + w.rand.IntN(3) {
		p := says(fmt.Sprintf("m%d", i))
		p.Path, p.Target, p.Value = w.path, w.path, fmt.Sprint(w.path, i)
		var id ID
		w.operate("propose", func() error {
			out, err := w.Propose(w.Context(), Origin{By: agent}, []Proposal{p})
			if err == nil {
				id = out[0].Change.ID
			}
			return err
		})
		if id == "" {
			continue
		}
		w.ids = append(w.ids, id)
		w.operate("apply", func() (err error) {
			if w.rand.IntN(2) == 0 {
				_, err = w.Apply(w.Context(), id)
			} else {
				_, err = w.Approve(w.Context(), id, Decision{By: person})
			}
			return err
		})
		if w.rand.IntN(3) == 0 {
			w.operate("revert", func() error {
				_, err := w.Revert(w.Context(), w.ids[w.rand.IntN(len(w.ids))], Decision{By: person})
				return err
			})
		}
	}
}

var (
	runs   = flag.Int("runs", 250, "how many runs TestRuns has")
	first  = flag.Int("first", 0, "the first of them")
	rounds = flag.Int("rounds", 6, "how many pairs of processes TestProcesses has")
	seed   = flag.Uint64("seed", 1, "what they are made of")
)

// TestRuns ends a process, fills the disk and saves as a person at random steps, and checks that nothing is lost, doubled or
// overwritten. By hand: go test -run 'TestRuns$' ./host/internal/change -args -runs 10000 -seed 2
func TestRuns(t *testing.T) {
	t.Parallel()
	end := *first + *runs
	if testing.Short() {
		end = *first + *runs/10
		t.Logf("-short: %d of %d runs are left out", *runs-*runs/10, *runs)
	}
	p := newProject(t)
	for n := *first; n < end; n++ {
		w := newWorld(p, n, *seed)
		w.live()
		w.check()
		if t.Failed() {
			t.Fatalf("again: -args -seed %d -first %d -runs 1", *seed, n)
		}
	}
}

// TestDecisionsOnAFullDisk: a decision that cannot be written fails at whichever step, and the same one succeeds when there
// is room again.
func TestDecisionsOnAFullDisk(t *testing.T) {
	t.Parallel()
	for name, decide := range map[string]func(p *project, id ID) error{
		"reject a draft": func(p *project, id ID) error {
			_, _, err := p.Reject(t.Context(), id, Decision{By: person})
			return err
		},
		"revert a draft": func(p *project, id ID) error {
			_, err := p.Revert(t.Context(), id, Decision{By: person})
			return err
		},
		"approve a draft": func(p *project, id ID) error {
			_, err := p.Approve(t.Context(), id, Decision{By: person})
			return err
		},
	} {
		for full := 1; ; full++ {
			p := newProject(t)
			c := p.applied(agent, "said")
			step := 0
			p.Engine.at = func(string) error {
				if step++; step == full {
					return syscall.ENOSPC
				}
				return nil
			}
			err := decide(p, c.ID)
			if step < full {
				if err != nil {
					t.Errorf("%s: %v", name, err)
				}
				break
			}
			p.Engine.at = func(string) error { return nil }
			if err == nil {
				continue // what failed is done later
			}
			if hint := sdk.AsError(err, sdk.SourceHost).Hint; hint == "" {
				t.Errorf("%s, full at step %d: %v without a hint", name, full, err)
			}
			if err := decide(p, c.ID); err != nil && sdk.KindOf(err) != sdk.KindConflict { // it is decided already
				t.Errorf("%s again, full at step %d: %v", name, full, err)
			}
			p.wantNothingLeft()
		}
	}
}
