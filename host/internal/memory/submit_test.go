package memory

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/project"
)

// TestRepetitionFinishesACall ends the process of a call before and after its file is written. The same call by the next
// process writes what is missing, once, whether the call has a name or not.
func TestRepetitionFinishesACall(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a term", "a description", "a page"} {
		for _, at := range []string{"proposed", "applied"} {
			for _, clientID := range []string{"one", ""} {
				t.Run(name+" "+at+" "+clientID, func(t *testing.T) {
					t.Parallel()
					f, c, said := newJoined(t), shop, suggestion(t, name)
					c.ClientID = clientID
					f.die(t, at, func(s *Service) error { _, err := said.call(t, s, c); return err })
					if written := strings.Contains(f.read(t, said.file), said.has); written != (at == "applied") {
						t.Fatalf("%s: written %t", at, written)
					}
					next := f.open(t, nil, nil)
					want := StatusApplied
					if clientID == "" && at == "applied" {
						want = StatusNoChange
					}
					for range 2 {
						out, err := said.call(t, next, c)
						if err != nil || out.Status != want || out.Repeated != (clientID != "") {
							t.Errorf("%+v, %v, want %s", out, err, want)
						}
						if clientID == "" {
							want = StatusNoChange
						}
					}
					if text := f.read(t, said.file); strings.Count(text, said.has) != 1 {
						t.Errorf("the file is\n%s", text)
					}
					if all, err := next.Engine.List(t.Context(), change.Filter{}); err != nil || all.Total != 1 {
						t.Errorf("%+v, %v", all, err)
					}
				})
			}
		}
	}
}

// A repetition writes only what the policy allows now, and a skill of a person as any other change.
func TestRepetitionFollowsThePolicy(t *testing.T) {
	t.Parallel()
	f, c, said := newJoined(t), shop, suggestion(t, "a page")
	c.ClientID = "one"
	f.die(t, "proposed", func(s *Service) error { _, err := said.call(t, s, c); return err })
	f.settings = project.Memory{Review: "strict"}
	if out, err := said.call(t, f.open(t, nil, nil), c); err != nil || out.Status != StatusQueued || f.read(t, said.file) != "" {
		t.Errorf("%+v, %v", out, err)
	}
	mine := Call{Actor: person, ClientID: "two"}
	f.die(t, "proposed", func(s *Service) error { _, err := s.CreateSkill(t.Context(), mine, closing); return err })
	if text := f.read(t, closingFile); text != "" {
		t.Fatalf("the skill is %q", text)
	}
	out, err := f.open(t, nil, nil).CreateSkill(t.Context(), mine, closing)
	if err != nil || out.Status != StatusApplied || !out.Repeated || out.UpdatedAt == nil || !strings.Contains(f.read(t, closingFile), "Lock the period") {
		t.Errorf("%+v, %v", out, err)
	}
}

// A call whose file cannot be written is refused; once it can be, the repetition writes it.
func TestRepetitionAfterARefusedWrite(t *testing.T) {
	t.Parallel()
	f, c, said := newJoined(t), shop, suggestion(t, "a page")
	c.ClientID = "one"
	var once sync.Once
	s := f.open(t, nil, func(string) {
		once.Do(func() { f.write(t, "wiki/global/metrics", "a file in place of the folder") })
	})
	if out, err := said.call(t, s, c); err == nil && out.Status == StatusApplied {
		t.Fatalf("%+v", out)
	}
	if err := os.Remove(filepath.Join(f.dir, "wiki/global/metrics")); err != nil {
		t.Fatal(err)
	}
	if out, err := said.call(t, s, c); err != nil || out.Status != StatusApplied || !out.Repeated || !strings.Contains(f.read(t, said.file), said.has) {
		t.Errorf("%+v, %v", out, err)
	}
}

// die makes a call in a process that ends at a step.
func (f *fixture) die(t *testing.T, at string, call func(*Service) error) {
	t.Helper()
	s := f.open(t, nil, func(step string) {
		if step == at {
			runtime.Goexit() // nothing is put right but the lock, as when a process dies
		}
	})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		t.Errorf("the call did not end at %s: %v", at, call(s))
	}()
	<-ended
}

// suggestion returns one of suggestions.
func suggestion(t *testing.T, name string) (found struct {
	call      func(t *testing.T, s *Service, c Call) (*Suggested, error)
	file, has string
}) {
	t.Helper()
	for _, s := range suggestions {
		if s.name == name {
			found.call, found.file, found.has = s.call, s.file, s.has
		}
	}
	if found.call == nil {
		t.Fatalf("there is no suggestion %q", name)
	}
	return found
}
