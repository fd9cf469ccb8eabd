package change

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/loam-data/loam/host/internal/file"
	"github.com/loam-data/loam/host/internal/store"
)

// helperVariable makes the test binary another process on the project that it names.
const helperVariable = "LOAM_CHANGE_TEST_HELPER"

func TestMain(m *testing.M) {
	if dir := os.Getenv(helperVariable); dir != "" {
		os.Exit(helper(dir, os.Args[1], os.Args[2]))
	}
	os.Exit(m.Run())
}

// helper adds lines to the page and reverts every third of them, each under the project's memory lock. It prints the
// state that was acknowledged of each change, and kills itself at step killAt, 0 = never.
func helper(dir, name, killAt string) int {
	last, err := strconv.Atoi(killAt)
	if err != nil {
		fmt.Println("error:", err)
		return 1
	}
	step := 0
	lazy := store.NewLazy(filepath.Join(dir, ".loam", "state.db"))
	e := New(Config{Dir: dir, Store: lazy, Kinds: map[Kind]Form{Page: lines{}}})
	e.at = func(string) error {
		if step++; step == last {
			self, err := os.FindProcess(os.Getpid())
			if err = errors.Join(err, self.Kill()); err != nil {
				return err
			}
			select {} // the signal ends it
		}
		return nil
	}
	if err := os.MkdirAll(filepath.Join(dir, ".loam"), 0o700); err != nil {
		fmt.Println("error:", err)
		return 1
	}
	for i := range 6 {
		if err := locked(e, func(ctx context.Context) error { return addLine(ctx, e, name, i) }); err != nil {
			fmt.Println("error:", err)
			return 1
		}
	}
	if err := lazy.Close(); err != nil {
		fmt.Println("error:", err)
		return 1
	}
	return 0
}

// locked runs a function as the only process, after what a killed one left is recovered.
func locked(e *Engine, f func(context.Context) error) error {
	ctx := context.Background()
	unlock, err := file.Wait(ctx, filepath.Join(e.Dir, ".loam", "memory.lock"), time.Minute)
	if err != nil {
		return err
	}
	if unlock == nil {
		return errors.New("the lock was not free for a minute")
	}
	return errors.Join(e.Recover(ctx), f(ctx), unlock())
}

func addLine(ctx context.Context, e *Engine, name string, i int) error {
	out, err := e.Propose(ctx, Origin{By: agent}, []Proposal{says(fmt.Sprintf("%s-%d", name, i))})
	if err != nil {
		return err
	}
	c, err := e.Apply(ctx, out[0].Change.ID)
	if err != nil {
		return err
	}
	fmt.Println(c.ID, c.State)
	if i%3 != 2 {
		return nil
	}
	undone, err := e.Revert(ctx, c.ID, Decision{By: agent})
	if err != nil {
		return err
	}
	fmt.Println(c.ID, undone.Change.State)
	return nil
}

// run starts a helper, and returns a function that waits for its end and returns what was acknowledged.
func (p *project) run(name string, killAt int) (wait func() map[ID]State) {
	p.Helper()
	exe, err := os.Executable()
	if err != nil {
		p.Fatal(err)
	}
	cmd := exec.CommandContext(p.Context(), exe, name, strconv.Itoa(killAt))
	cmd.Env, cmd.Stderr = append(os.Environ(), helperVariable+"="+p.dir), os.Stderr
	out, err := cmd.StdoutPipe()
	if err = errors.Join(err, cmd.Start()); err != nil {
		p.Fatal(err)
	}
	return func() map[ID]State {
		acknowledged := map[ID]State{}
		for printed := bufio.NewScanner(out); printed.Scan(); {
			if strings.HasPrefix(printed.Text(), "error:") {
				p.Error(printed.Text())
			}
			if id, state, ok := strings.Cut(printed.Text(), " "); ok {
				acknowledged[ID(id)] = State(state)
			}
		}
		if err := cmd.Wait(); (err != nil) != (killAt > 0) {
			p.Errorf("process %s, to be killed at step %d, ended with %v", name, killAt, err)
		}
		return acknowledged
	}
}

// TestProcesses kills one of two processes that write the same page, and checks that the other one, and a third,
// recover what it began. By hand: go test -run 'TestProcesses$' ./host/internal/change -args -rounds 500 -seed 2
func TestProcesses(t *testing.T) {
	t.Parallel()
	const few, steps = 1, 60
	rounds := *rounds
	if testing.Short() {
		t.Logf("-short: %d of %d rounds are left out", rounds-few, rounds)
		rounds = few
	}
	random := rand.New(rand.NewPCG(*seed, 0))
	for range rounds {
		killAt := 1 + random.IntN(steps)
		t.Run(fmt.Sprintf("killed at step %d", killAt), func(t *testing.T) {
			t.Parallel()
			p := newProject(t)
			killed, lives := p.run("a", killAt), p.run("b", 0)
			acknowledged := []map[ID]State{killed(), lives()}
			if err := p.Recover(t.Context()); err != nil {
				t.Fatal(err)
			}
			p.wantAsStored(acknowledged...)
			p.wantNothingLeft()
		})
	}
}

// wantAsStored checks that the page has the lines of the applied changes, each once, and that what was acknowledged holds.
func (p *project) wantAsStored(acknowledged ...map[ID]State) {
	p.Helper()
	list, err := p.List(p.Context(), Filter{})
	if err != nil {
		p.Fatal(err)
	}
	var want []string
	for _, c := range list.Changes {
		for _, states := range acknowledged {
			if state, ok := states[c.ID]; ok && state != c.State && c.State != Reverted {
				p.Errorf("change %s was %s, and is %s", c.Says, state, c.State)
			}
		}
		switch {
		case c.State == Applying:
			p.Errorf("change %s is being written", c.Says)
		case c.State == Applied && c.Undoes == "":
			want = append(want, c.Says)
		}
	}
	got := splitLines([]byte(strings.TrimPrefix(p.content(), "-")))
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		p.Errorf("the page has %q, want %q", got, want)
	}
}
