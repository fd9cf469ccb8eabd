//go:build linux

package connector

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/wire"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(envActAsHost); dir != "" {
		actAsHost(dir)
		return
	}
	code := m.Run()
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	if buildDir != "" {
		if err := os.RemoveAll(buildDir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

var buildDir string

// built is the chaos program, built once, and what it says of itself.
var built = sync.OnceValues(func() (Installed, error) {
	dir, err := os.MkdirTemp("", "loam-chaos")
	if err != nil {
		return Installed{}, err
	}
	buildDir = dir
	binary := filepath.Join(dir, programPrefix+"chaos")
	for _, command := range [][]string{
		{"go", "build", "-ldflags=-s -w", "-o", binary, "github.com/loam-data/loam/e2e/chaos"},
		{binary, "manifest", "--output", binary + ".json"},
	} {
		if out, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
			return Installed{}, fmt.Errorf("%v: %w\n%s", command, err, out)
		}
	}
	return NewRegistry([]Place{{Dir: dir}}).Find("chaos", "")
})

// install puts chaos into a folder of its own under a name that says how it is
// to go wrong at its start, and returns the folder.
func install(t *testing.T, name string, change func(*wire.Manifest)) Installed {
	t.Helper()
	chaos, err := built()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	binary := filepath.Join(dir, programPrefix+name)
	content, err := os.ReadFile(chaos.Binary)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(binary, content, 0o755); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(content)
	m := wire.Manifest{Description: chaos.Description, Targets: map[string]wire.Target{
		wire.PlatformName(runtime.GOOS, runtime.GOARCH): {
			Path: filepath.Base(binary), SHA256: hex.EncodeToString(sum[:]), Size: int64(len(content)),
		},
	}}
	if change != nil {
		change(&m)
	}
	text, err := wire.EncodeManifest(m)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(binary+".json", text, 0o644); err != nil {
		t.Fatal(err)
	}
	c, err := NewRegistry(nil).Find("chaos", binary)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// rig is a supervisor that runs chaos, and its log.
type rig struct {
	*Supervisor
	log    *logBuffer
	target Target
}

const password = "hunter2-hunter2"

// newRig is closed with the test and then must have left no process.
func newRig(t *testing.T, name string, change ...func(*Supervisor)) *rig {
	t.Helper()
	log := &logBuffer{}
	s := New(Config{Logger: slog.New(slog.NewJSONHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})), ResetDir: t.TempDir()})
	s.timing.drain = time.Second
	for _, f := range change {
		f(s)
	}
	t.Cleanup(func() {
		pids := s.pids()
		if err := s.Close(context.Background()); err != nil {
			t.Errorf("Close: %v", err)
		}
		for _, pid := range pids {
			if alive(pid) {
				t.Errorf("process %d is left", pid)
			}
		}
		if t.Failed() {
			t.Logf("log:\n%s", log)
		}
	})
	return &rig{Supervisor: s, log: log, target: chaosTarget(install(t, name, nil))}
}

func chaosTarget(c Installed) Target {
	return Target{ID: "warehouse", Installed: c, Fingerprint: "1", Open: openWith(`{}`)}
}

func openWith(config string) func(context.Context) (sdk.OpenRequest, error) {
	return func(context.Context) (sdk.OpenRequest, error) {
		return sdk.OpenRequest{Config: sdk.Config{
			JSON: []byte(config), Secrets: map[string]sdk.Secret{"password": sdk.NewSecret(password)},
		}}, nil
	}
}

func (s *Supervisor) pids() []int {
	var pids []int
	for _, p := range s.State() {
		if p.PID != 0 {
			pids = append(pids, p.PID)
		}
	}
	return pids
}

func (r *rig) pid(t *testing.T) int {
	t.Helper()
	pids := r.pids()
	if len(pids) != 1 {
		t.Fatalf("%d processes, want 1", len(pids))
	}
	return pids[0]
}

// run leases the rig's connection and runs a statement of text lines.
func (r *rig) run(ctx context.Context, sql string) ([]string, error) {
	return runOn(ctx, r.Supervisor, r.target, sql)
}

func runOn(ctx context.Context, s *Supervisor, target Target, sql string) ([]string, error) {
	lease, err := s.Lease(ctx, target)
	if err != nil {
		return nil, err
	}
	defer lease.Release()
	to := &textSink{}
	w := sdk.NewRowWriter(to, sdk.Limits{})
	if err := lease.Session.Execute(ctx, sdk.ExecuteRequest{SQL: sql}, w); err != nil {
		return to.lines, err
	}
	return to.lines, w.Close()
}

func (r *rig) mustRun(t *testing.T, sql string) []string {
	t.Helper()
	lines, err := r.run(t.Context(), sql)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return lines
}

// textSink keeps a result of one text column.
type textSink struct {
	lines   []string
	columns []sdk.Column
	notices []sdk.Warning
	first   func() // called with the first batch
}

func (s *textSink) Started(string) error { return nil }
func (s *textSink) Columns(columns []sdk.Column) error {
	s.columns = columns
	return nil
}

func (s *textSink) Batch(b *sdk.Batch) error {
	for row := range b.Rows {
		s.lines = append(s.lines, string(b.Columns[0].Bytes(row)))
	}
	if s.first != nil {
		s.first()
		s.first = nil
	}
	return nil
}
func (s *textSink) Progress(sdk.Progress) {}
func (s *textSink) Notice(n sdk.Warning)  { s.notices = append(s.notices, n) }

// logBuffer keeps a log and tells when a text appears in it.
type logBuffer struct {
	mu    sync.Mutex
	text  bytes.Buffer
	wants map[string]chan struct{}
}

func (b *logBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.text.Write(p)
	for want, found := range b.wants {
		if strings.Contains(b.text.String(), want) {
			close(found)
			delete(b.wants, want)
		}
	}
	return len(p), nil
}

func (b *logBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// await returns when the log holds a text.
func (b *logBuffer) await(t *testing.T, want string) {
	t.Helper()
	b.mu.Lock()
	if strings.Contains(b.text.String(), want) {
		b.mu.Unlock()
		return
	}
	if b.wants == nil {
		b.wants = map[string]chan struct{}{}
	}
	found := make(chan struct{})
	b.wants[want] = found
	b.mu.Unlock()
	select {
	case <-found:
	case <-time.After(2 * time.Minute):
		t.Fatalf("the log never said %q:\n%s", want, b)
	}
}
