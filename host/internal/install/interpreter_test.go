//go:build !windows

package install

import (
	"bytes"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// What runs a script is shown and recorded with the installation. Another interpreter is told, in verify
// and in the log, and starts.
func TestInterpreterOfAScript(t *testing.T) {
	t.Parallel()
	p := newPublisher(t)
	folder, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	program, link := filepath.Join(folder, "python3.11"), filepath.Join(folder, "python3")
	write := func(text string) {
		t.Helper()
		p.must(os.WriteFile(program, []byte(text), 0o755))
	}
	write("one")
	p.must(os.Symlink(program, link))
	p.argv = []string{link, "foodb"}
	p.release("0.3.0")
	s := newService(t, p)
	var log bytes.Buffer
	s.Logger = slog.New(slog.NewTextHandler(&log, nil))
	install(t, s, Request{Source: "acme/foodb", Key: p.key(), Yes: true})
	records, err := s.Store.Read()
	p.must(err)
	if at := records.Installed[0].Interpreter; at == nil || at.Path != program || len(at.SHA256) != 64 {
		t.Errorf("recorded is %+v", at)
	}
	for _, tt := range []struct {
		name   string
		change func()
		want   string // "" = nothing is told
	}{
		{"as installed", func() {}, ""},
		{"updated", func() { write("another") }, "python3.11 changed since it was installed"},
		{"approved", func() { install(t, s, Request{Source: "acme/foodb", Constraint: "0.3.0", Yes: true}) }, ""},
		{"moved", func() {
			p.must(os.Rename(program, program+".2"))
			p.must(os.Remove(link))
			p.must(os.Symlink(program+".2", link))
		}, "python3.11.2 runs it now, and it was installed with " + program},
	} {
		tt.change()
		log.Reset()
		if err := s.Admit(t.Context(), s.release("acme/foodb", "0.3.0")); err != nil {
			t.Errorf("%s: it does not start: %v", tt.name, err)
		}
		checked, err := s.Verify(t.Context(), "", false)
		if err != nil || len(checked) != 1 || len(checked[0].Faults) != 0 {
			t.Fatalf("%s: %+v, %v", tt.name, checked, err)
		}
		if told := checked[0].Notice; tt.want == "" && told+log.String() != "" || !strings.Contains(told, tt.want) || !strings.Contains(log.String(), tt.want) {
			t.Errorf("%s: verify tells %q, the log %q, want %q", tt.name, told, log.String(), tt.want)
		}
	}
}

// admitted installs a connector of so many bytes.
func admitted(t testing.TB, size int) func() time.Duration {
	t.Helper()
	p := newPublisher(t)
	noise := make([]byte, size)                    // an archive is no bomb
	_, _ = rand.NewChaCha8([32]byte{}).Read(noise) // never fails
	p.more = string(noise)
	p.release("0.3.0")
	s := newService(t, p)
	if _, err := s.Install(t.Context(), Request{Source: "acme/foodb", Key: p.key(), Yes: true}); err != nil {
		t.Fatal(err)
	}
	s = New(Config{Dir: s.Dir, Store: s.Store, Project: s.Project, PolicyFile: s.PolicyFile, Platform: s.Platform, Now: s.Now}) // another process
	return func() time.Duration {
		begun := time.Now()
		if err := s.Admit(t.Context(), s.release("acme/foodb", "0.3.0")); err != nil {
			t.Fatal(err)
		}
		return time.Since(begun)
	}
}

// The files of a connector are read once in a process, and again when they changed.
func TestStartsDoNotReadFilesAgain(t *testing.T) {
	t.Parallel()
	admit := admitted(t, 4<<20)
	first, next := admit(), time.Hour
	for range 5 {
		next = min(next, admit())
	}
	if next > first/3 {
		t.Errorf("the first check took %v, the next ones %v", first, next)
	}
}

func BenchmarkFirstStart(b *testing.B) {
	for range b.N {
		b.StopTimer()
		admit := admitted(b, 30<<20)
		b.StartTimer()
		admit()
	}
}

func BenchmarkNextStart(b *testing.B) {
	admit := admitted(b, 30<<20)
	admit()
	b.ResetTimer()
	for range b.N {
		admit()
	}
}
