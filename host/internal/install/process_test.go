package install

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/loam-data/loam/host/internal/install/lockfile"
	"github.com/loam-data/loam/host/internal/install/machine"
	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/sdk"
)

// helperVariable makes the test binary another process that installs in the project that it names.
const helperVariable = "LOAM_INSTALL_TEST_HELPER"

func TestMain(m *testing.M) {
	if dir := os.Getenv(helperVariable); dir != "" {
		os.Exit(helper(dir, os.Args[1], os.Args[2], os.Args[3]))
	}
	os.Exit(m.Run())
}

// conflictCode is the exit code of a helper that waited in vain for another one.
const conflictCode = 3

// helper runs an operation and kills itself at step killAt, 0 = never.
func helper(dir, data, operation, killAt string) int {
	last, err := strconv.Atoi(killAt)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	s := open(dir, data)
	step := 0
	s.Store.Before = func(string) error {
		if step++; step == last {
			self, err := os.FindProcess(os.Getpid())
			if err = errors.Join(err, self.Kill()); err != nil {
				return err
			}
			select {} // the signal ends it
		}
		return nil
	}
	err = operate(context.Background(), s, operation)
	switch {
	case err == nil:
		return 0
	case sdk.KindOf(err) == sdk.KindConflict:
		return conflictCode
	}
	fmt.Fprintln(os.Stderr, err)
	return 1
}

// open is a service for a project and a store.
func open(dir, data string) *Service {
	return New(Config{
		Dir: dir, Store: machine.New(data), Project: func(context.Context) (*project.Project, error) { return project.Load(dir) },
		PolicyFile: filepath.Join(data, "policy.yaml"), Platform: here, Now: func() time.Time { return now },
	})
}

const foodb = "acme/foodb"

func operate(ctx context.Context, s *Service, operation string) (err error) {
	switch operation {
	case "install":
		_, err = s.Install(ctx, Request{Source: foodb, Constraint: "0.3.0", Yes: true})
	case "update":
		_, err = s.Install(ctx, Request{Source: foodb, Yes: true})
	case "rollback":
		_, err = s.Rollback(ctx, foodb)
	case "remove":
		err = s.Remove(ctx, foodb, false)
	case "repair":
		_, err = s.InstallLocked(ctx, Request{})
	default:
		err = fmt.Errorf("no operation %q", operation)
	}
	return err
}

// before makes the state in which an operation begins, and is the version that it locks.
var operations = []struct {
	name, locks string
	before      []string
}{
	{"install", "0.3.0", nil},
	{"update", "0.3.1", []string{"install"}},
	{"rollback", "0.3.0", []string{"install", "update"}},
	{"remove", "", []string{"install", "update"}},
	{"repair", "0.3.0", []string{"install", "damage"}},
}

// prepared is a project with a publisher of two versions, whose key is trusted.
func prepared(t *testing.T, p *publisher, before []string) *Service {
	t.Helper()
	s := newService(t, p)
	p.must(s.Trust(t.Context(), p.key(), "acme/*"))
	for _, operation := range before {
		if operation == "damage" {
			write(t, filepath.Join(s.Store.Path(s.release(foodb, "0.3.0")), "foodb"), "damaged")
			continue
		}
		p.must(operate(t.Context(), s, operation))
	}
	return s
}

// wantWhole checks that the locked release may start, and is the wanted version where it is not "any".
func wantWhole(t *testing.T, s *Service, version string) {
	t.Helper()
	lock, err := lockfile.Read(s.Dir)
	if err != nil {
		t.Fatal(err)
	}
	c, locked := lock[foodb]
	if version != "any" && c.Version != version {
		t.Errorf("locked is %q, want %q", c.Version, version)
	}
	if !locked {
		return
	}
	if err := s.Admit(t.Context(), s.release(foodb, c.Version)); err != nil {
		t.Errorf("the locked %s may not start: %v", c.Version, err)
	}
}

// wantNothingLeft checks that only what is recorded is there.
func wantNothingLeft(t *testing.T, s *Service) {
	t.Helper()
	records, err := s.Store.Read()
	if err != nil {
		t.Fatal(err)
	}
	left, err := s.Store.Leftovers(&records)
	if err != nil || len(left) > 0 {
		t.Errorf("left in the store: %v, %v", left, err)
	}
	err = filepath.WalkDir(s.Store.Data, func(path string, entry fs.DirEntry, err error) error {
		if name := entry.Name(); strings.Contains(name, "new-") || strings.Contains(name, "old-") {
			t.Errorf("left: %s", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func process(t *testing.T, s *Service, operation string, killAt int) (code int, stderr string) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe, s.Store.Data, operation, strconv.Itoa(killAt))
	var out bytes.Buffer
	cmd.Env, cmd.Stderr = append(os.Environ(), helperVariable+"="+s.Dir), &out
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String()
}

const killedCode = -1

// A process is killed before each of its steps. What is locked may start at any moment, and the same
// operation succeeds afterwards and leaves nothing.
func TestKilledAtEachStep(t *testing.T) {
	t.Parallel()
	p := newPublisher(t)
	p.release("0.3.0")
	p.release("0.3.1")
	for _, operation := range operations {
		t.Run(operation.name, func(t *testing.T) {
			t.Parallel()
			steps := stepsOf(t, p, operation.before, operation.name)
			first := 1
			if testing.Short() {
				t.Logf("-short: %d of the %d steps of %s", len(steps)-1, len(steps), operation.name)
				first = len(steps) // the last step sees the most that has been done
			}
			for at := first; at <= len(steps); at++ {
				s := prepared(t, p, operation.before)
				if code, stderr := process(t, s, operation.name, at); code != killedCode {
					t.Fatalf("to be killed before step %d, %s: exit %d: %s", at, steps[at-1], code, stderr)
				}
				if operation.name != "repair" { // what was damaged may not start
					wantWhole(t, s, "any")
				} else if _, err := os.Stat(s.Store.Path(s.release(foodb, "0.3.0"))); err != nil {
					t.Errorf("killed before %s: %v", steps[at-1], err)
				}
				if err := operate(t.Context(), s, operation.name); err != nil && sdk.KindOf(err) != sdk.KindNotFound {
					t.Errorf("killed before %s, then again: %v", steps[at-1], err)
				}
				if _, err := s.Collect(t.Context(), false); err != nil {
					t.Error(err)
				}
				wantWhole(t, s, operation.locks)
				wantNothingLeft(t, s)
				if t.Failed() {
					t.Fatalf("killed before step %d, %s", at, steps[at-1])
				}
			}
		})
	}
}

// stepsOf are the steps of an operation.
func stepsOf(t *testing.T, p *publisher, before []string, operation string) (steps []string) {
	t.Helper()
	s := prepared(t, p, before)
	s.Store.Before = func(step string) error {
		steps = append(steps, step)
		return nil
	}
	p.must(operate(t.Context(), s, operation))
	return steps
}

// A write fails at each step, and all after it: what is locked may start, nothing is half there,
// and the same operation succeeds when there is room.
func TestFullDiskAtEachStep(t *testing.T) {
	t.Parallel()
	p := newPublisher(t)
	p.release("0.3.0")
	p.release("0.3.1")
	for _, operation := range operations {
		t.Run(operation.name, func(t *testing.T) {
			t.Parallel()
			steps := stepsOf(t, p, operation.before, operation.name)
			for at := 1; at <= len(steps); at++ {
				if steps[at-1] == "remove files" {
					continue // that needs no room
				}
				s := prepared(t, p, operation.before)
				before := listing(t, s.Store.Dir, s.Store.Downloads, s.Dir)
				step := 0
				s.Store.Before = func(name string) error {
					if step++; step >= at && name != "remove files" {
						return syscall.ENOSPC
					}
					return nil
				}
				err := operate(t.Context(), s, operation.name)
				if err == nil {
					t.Fatalf("no room from step %d, %s: it succeeds", at, steps[at-1])
				}
				if operation.name != "repair" {
					wantWhole(t, s, "any")
				}
				if name := steps[at-1]; name != "lock" && operation.name != "remove" {
					after := listing(t, s.Store.Dir, s.Store.Downloads, s.Dir)
					if strings.Join(before, "\n") != strings.Join(after, "\n") && operation.name != "repair" {
						t.Errorf("no room from %s: something changed: %v", name, after)
					}
				}
				s.Store.Before = nil
				if err := operate(t.Context(), s, operation.name); err != nil && sdk.KindOf(err) != sdk.KindNotFound {
					t.Errorf("no room from %s, then again: %v", steps[at-1], err)
				}
				if _, err := s.Collect(t.Context(), false); err != nil {
					t.Error(err)
				}
				wantWhole(t, s, operation.locks)
				wantNothingLeft(t, s)
			}
		})
	}
}

// Two processes install at once. Each succeeds, or reports that the other one is installing.
func TestTwoInstallAtOnce(t *testing.T) {
	t.Parallel()
	p := newPublisher(t)
	p.release("0.3.0")
	p.release("0.3.1")
	s := prepared(t, p, nil)
	codes := make(chan int)
	for _, operation := range []string{"install", "update"} {
		go func() {
			code, stderr := process(t, s, operation, 0)
			if code != 0 && code != conflictCode && !strings.Contains(stderr, "is older than the locked") {
				t.Errorf("%s: exit %d: %s", operation, code, stderr)
			}
			codes <- code
		}()
	}
	if first, second := <-codes, <-codes; first != 0 && second != 0 {
		t.Error("none of the two succeeded")
	}
	wantWhole(t, s, "any")
	wantNothingLeft(t, s)
}

// The release of another project is replaced by files of the same version: until that is recorded,
// the next process restores what is.
func TestReplacementThatWasNotRecorded(t *testing.T) {
	t.Parallel()
	for _, canExchange := range []bool{true, false} {
		p := newPublisher(t)
		p.release("0.3.0")
		s := prepared(t, p, []string{"install"})
		other := newPublisher(t)
		files := other.program("0.3.0")
		files["LICENSE"] = "another"
		other.packFor(here, "0.3.0", files)
		second := serviceIn(t, t.TempDir(), s.Store.Data)
		write(t, filepath.Join(second.Dir, project.FileName), "version: 1\n")
		killed := errors.New("killed")
		for _, at := range []string{"rename to .new-" + here, "rename to .old-" + here, "rename to " + here, "record"} {
			dead := false
			second.Store.Before = func(step string) error {
				if step == "exchange" && !canExchange {
					return errors.ErrUnsupported
				}
				if dead = dead || step == at; dead {
					return killed // nor does it clean up
				}
				return nil
			}
			_, err := second.Install(t.Context(), Request{Source: other.file("0.3.0"), Approve: yes})
			if dead && err == nil {
				t.Errorf("killed at %s: it succeeds", at)
			}
			if !dead && (at == "record" || !canExchange) {
				t.Errorf("there is no step %s", at)
			}
			if !dead { // it was installed: back to the first
				s.Store.Before = nil
				p.must(operate(t.Context(), s, "repair"))
				continue
			}
			unlock, err := s.Store.Lock(t.Context()) // the next process
			p.must(err)
			p.must(unlock())
			wantWhole(t, s, "0.3.0")
			wantNothingLeft(t, s)
		}
	}
}

// Others install while a person is asked, and what they approved is what is installed.
func TestWhileAPersonIsAsked(t *testing.T) {
	t.Parallel()
	p := newPublisher(t)
	p.release("0.3.0")
	s := newService(t, p)
	elsewhere := serviceIn(t, t.TempDir(), s.Store.Data)
	write(t, filepath.Join(elsewhere.Dir, project.FileName), "version: 1\nconnector_indexes: ['"+p.dir+"']\n")

	install(t, s, Request{Source: foodb, Constraint: "0.3.0", Approve: func(ctx context.Context, o *Offer) (bool, error) {
		p.release("0.4.0")                                                    // it is not what was approved
		return true, elsewhere.Trust(ctx, newPublisher(t).key(), "someone/*") // needs the store
	}})
	wantWhole(t, s, "0.3.0")

	// The same project locks another version meanwhile.
	p.release("0.5.0", "AWS_SECRET_ACCESS_KEY")
	before := []string{}
	_, err := s.Install(t.Context(), Request{Source: foodb, Approve: func(ctx context.Context, o *Offer) (bool, error) {
		_, err := open(s.Dir, s.Store.Data).Install(ctx, Request{Source: foodb, Constraint: "0.4.0", Yes: true})
		before = listing(t, s.Store.Dir, s.Dir)
		return true, err
	}})
	if sdk.KindOf(err) != sdk.KindConflict || !strings.Contains(err.Error(), "changed what was approved") {
		t.Errorf("got %v, want a conflict", err)
	}
	wantWhole(t, s, "0.4.0")
	if after := listing(t, s.Store.Dir, s.Dir); strings.Join(before, "\n") != strings.Join(after, "\n") {
		t.Errorf("something changed: %v", after)
	}

	// An archive that nobody signed is replaced meanwhile: the approved one is installed.
	unsigned := newPublisher(t)
	unsigned.packFor(here, "0.3.0", unsigned.program("0.3.0"))
	fresh := newService(t, unsigned)
	approved := ""
	install(t, fresh, Request{Source: unsigned.file("0.3.0"), Approve: func(_ context.Context, o *Offer) (bool, error) {
		approved = o.Archive
		files := unsigned.program("0.3.0")
		files["LICENSE"] = "another"
		unsigned.packFor(here, "0.3.0", files)
		return true, nil
	}})
	records, err := fresh.Store.Read()
	if record, _ := records.Find(fresh.release(foodb, "0.3.0")); err != nil || record.Archive != approved {
		t.Errorf("installed is %s, and approved was %s", record.Archive, approved)
	}
	wantWhole(t, fresh, "0.3.0")
}
