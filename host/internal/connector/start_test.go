//go:build linux

package connector

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/wire"
)

func TestStartThatFails(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		kind sdk.Kind
		says []string
		hint string
	}{
		"garbage":     {sdk.KindUnavailable, []string{`"Segmentation fault (core not dumped)"`, "handshake"}, "check"},
		"longline":    {sdk.KindUnavailable, []string{`"xxxx`, "handshake"}, "check"},
		"exits":       {sdk.KindUnavailable, []string{"exited with code 3", "cannot load libchaos.so.3"}, "check"},
		"panics":      {sdk.KindUnavailable, []string{"exited with code 2", "panic: chaos at start"}, "check"},
		"silent":      {sdk.KindUnavailable, []string{"was not ready in time"}, "check"},
		"deaf":        {sdk.KindUnavailable, []string{"was not ready in time"}, "check"},
		"elsewhere":   {sdk.KindDenied, []string{"/tmp/another.sock", "not its own address"}, ""},
		"stranger":    {sdk.KindDenied, []string{"at the other end of the socket, which is for another process"}, "exec"},
		"certificate": {sdk.KindDenied, []string{"a certificate, which the host did not ask for"}, "PLUGIN_CLIENT_CERT"},
		"future":      {sdk.KindUnsupported, []string{"version 2 of the contract", "version 1"}, "Upgrade loam"},
		"past":        {sdk.KindUnsupported, []string{"version 0 of the contract", "version 1"}, "Upgrade connector chaos"},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			patience := time.Minute
			if slices.Contains(test.says, "was not ready in time") {
				patience = 2 * time.Second
			}
			r := newRig(t, name, func(s *Supervisor) { s.timing.start, s.timing.firstStart = patience, patience })
			_, err := r.Lease(t.Context(), r.target)
			e, ok := errors.AsType[*sdk.Error](err)
			if !ok || e.Kind != test.kind {
				t.Fatalf("Lease = %#v, want %s", err, test.kind)
			}
			for _, want := range test.says {
				if !strings.Contains(e.Msg, want) {
					t.Errorf("error %q does not say %q", e.Msg, want)
				}
			}
			if !strings.Contains(e.Hint, test.hint) {
				t.Errorf("hint %q does not say %q", e.Hint, test.hint)
			}
			if got := r.pids(); len(got) != 0 {
				t.Errorf("processes %v, want none", got)
			}
		})
	}
}

// A connector that was built before hosts checked their peers, and that checks nobody.
func TestEarlierConnectorIsServed(t *testing.T) {
	t.Parallel()
	r := newRig(t, "earlier")
	if got := r.mustRun(t, "x"); len(got) == 0 {
		t.Error("no rows")
	}
}

// The host makes no keys, and each program gets a folder of its own, which is gone after
// a crash.
func TestSocketFolderGoesWithItsProgram(t *testing.T) {
	t.Parallel()
	r := newRig(t, "chaos")
	r.mustRun(t, "x")
	folders := func() []string {
		found, err := filepath.Glob(filepath.Join(r.launcher.sockets.path, "*"))
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	left := folders()
	if len(left) != 1 {
		t.Fatalf("folders %q, want one", left)
	}
	info, err := os.Stat(left[0])
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%s: %v, %v; want mode 0700", left[0], info, err)
	}
	environment, err := os.ReadFile("/proc/" + strconv.Itoa(r.pid(t)) + "/environ")
	if err != nil {
		t.Fatal(err)
	}
	if host := wire.EnvHostPID + "=" + strconv.Itoa(os.Getpid()); !strings.Contains(string(environment), host+"\x00") || strings.Contains(string(environment), wire.EnvClientCert) {
		t.Errorf("environment %q, want %s and no certificate", environment, host)
	}
	kill(t, r.pid(t))
	r.log.await(t, `"connector crashed"`)
	r.mustRun(t, "again")
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for start := time.Now(); len(folders()) != 1 || slices.Equal(folders(), left); <-tick.C {
		if time.Since(start) > time.Minute {
			t.Fatalf("folders %q, want one other than %q", folders(), left)
		}
	}
}

func TestDescribeMustEqualTheManifest(t *testing.T) {
	t.Parallel()
	cases := map[string]func(*wire.Manifest){
		"version":      func(m *wire.Manifest) { m.Description.Version = "1.0.1" },
		"capabilities": func(m *wire.Manifest) { m.Description.Capabilities.ServerCancel = false },
		"configschema": func(m *wire.Manifest) { m.Description.ConfigSchema = []byte(`{"type":"object"}`) },
	}
	r := newRig(t, "chaos")
	for field, change := range cases {
		t.Run(field, func(t *testing.T) {
			t.Parallel()
			target := r.target
			target.Installed = install(t, "chaos", change)
			_, err := r.Lease(t.Context(), target)
			if sdk.KindOf(err) != sdk.KindDenied || !strings.Contains(err.Error(), "("+field+")") {
				t.Errorf("Lease = %v, want denied because of %s", err, field)
			}
		})
	}
}

func TestProgramIsVerifiedBeforeEachStart(t *testing.T) {
	t.Parallel()
	r := newRig(t, "chaos")
	r.mustRun(t, "warm")
	// Another program takes its place, of the same size.
	content, err := os.ReadFile(r.target.Installed.Binary)
	if err != nil {
		t.Fatal(err)
	}
	changed := slices.Clone(content)
	changed[len(changed)-1]++
	replace(t, r.target.Installed.Binary, changed)
	kill(t, r.pid(t))
	r.log.await(t, `"connector crashed"`)
	for range 2 {
		_, err = r.run(t.Context(), "again")
		e, ok := errors.AsType[*sdk.Error](err)
		if !ok || e.Kind != sdk.KindDenied || !strings.Contains(e.Msg, r.target.Installed.Binary) ||
			!strings.Contains(e.Msg, "expected "+r.target.Installed.SHA256) || !strings.Contains(e.Msg, "found ") || e.Hint == "" {
			t.Fatalf("error %#v, want denied with the file and both sums", err)
		}
	}
	replace(t, r.target.Installed.Binary, content)
	r.mustRun(t, "again")
}

// replace puts a file in the place of another as an installer does.
func replace(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path+".new", content, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
}

// What was verified is what runs, even if the path leads elsewhere by then.
func TestVerifiedFileItselfIsExecuted(t *testing.T) {
	t.Parallel()
	r := newRig(t, "chaos")
	exe, err := r.launcher.verify(r.target.Installed)
	if err != nil {
		t.Fatal(err)
	}
	replace(t, r.target.Installed.Binary, []byte("#!/bin/sh\necho another program\n"))
	p, err := r.launcher.start(t.Context(), r.target.Installed, exe, launch{memory: 1 << 30, calls: newCalls("chaos", newBlame(standardTiming()))})
	if err != nil {
		t.Fatal(err)
	}
	p.stop()
}

func TestFileThatChangesUnderTheStartIsNotRun(t *testing.T) {
	t.Parallel()
	r := newRig(t, "chaos")
	exe, err := r.launcher.verify(r.target.Installed)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(r.target.Installed.Binary, 1<<20); err != nil {
		t.Fatal(err)
	}
	if p, err := r.launcher.start(t.Context(), r.target.Installed, exe, launch{memory: 1 << 30, calls: newCalls("chaos", newBlame(standardTiming()))}); err == nil {
		p.stop()
		t.Error("it was started")
	}
}

func TestBusyFileIsTriedAgain(t *testing.T) {
	t.Parallel()
	r := newRig(t, "chaos")
	writer, err := os.OpenFile(r.target.Installed.Binary, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(3*busyPause, func() { _ = writer.Close() })
	r.mustRun(t, "started")
}

func TestFileThatIsNoProgram(t *testing.T) {
	t.Parallel()
	r := newRig(t, "chaos")
	if err := os.WriteFile(r.target.Installed.Binary, []byte("no program"), 0o755); err != nil {
		t.Fatal(err)
	}
	r.target.Installed.SHA256 = "af5c3ebf6c8cfaa8e5f8a1b0a9d24a3a5ae0d4a0c0e0c2b1a35e29fbd2ee0e0e"
	if _, err := r.Lease(t.Context(), r.target); sdk.KindOf(err) != sdk.KindDenied {
		t.Errorf("Lease = %v, want denied", err)
	}
	found := strings.Fields(func() string { _, err := r.Lease(t.Context(), r.target); return err.Error() }())
	r.target.Installed.SHA256 = strings.TrimSuffix(found[len(found)-1], ")")
	_, err := r.Lease(t.Context(), r.target)
	if sdk.KindOf(err) != sdk.KindUnavailable || !errors.Is(err, syscall.ENOEXEC) {
		t.Errorf("Lease = %v, want unavailable because it cannot be executed", err)
	}
}

func TestFileThatMayNotRun(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		make func(path string) error
		says string
	}{
		"not executable": {func(path string) error { return os.WriteFile(path, nil, 0o644) }, "is not executable"},
		"a folder":       {func(path string) error { return os.Mkdir(path, 0o755) }, "is no regular file"},
		"a named pipe":   {func(path string) error { return syscall.Mkfifo(path, 0o755) }, "is no regular file"},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := Installed{Name: "chaos", Binary: filepath.Join(t.TempDir(), "program")}
			if err := test.make(c.Binary); err != nil {
				t.Fatal(err)
			}
			_, err := newVerifier("", NewSums()).open(c)
			if e := sdk.AsError(err, sdk.SourceHost); e == nil || e.Kind != sdk.KindDenied || !strings.Contains(e.Msg, test.says) || e.Hint == "" {
				t.Errorf("open = %+v, want denied because it %s", e, test.says)
			}
		})
	}
}

func TestBundledConnectorMustBeTheOneOfThisBuild(t *testing.T) {
	t.Parallel()
	chaos := install(t, "chaos", nil)
	chaos.Bundled = true
	cases := map[string]struct {
		sums string
		want sdk.Kind
		says string
	}{
		"the build named none":     {"", "", ""},
		"the same":                 {"other=1,chaos=" + chaos.SHA256 + ",", "", ""},
		"another":                  {"chaos=" + strings.Repeat("0", 64), sdk.KindDenied, "expected " + strings.Repeat("0", 64) + ", found " + chaos.SHA256},
		"not built with this host": {"other=" + chaos.SHA256, sdk.KindDenied, "was not built with it"},
		"manifest changed with it": {"chaos=" + strings.Repeat("0", 64), sdk.KindDenied, chaos.Binary},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			exe, err := newVerifier(test.sums, NewSums()).open(chaos)
			if sdk.KindOf(err) != test.want {
				t.Fatalf("open = %v, want %q", err, test.want)
			}
			if err == nil {
				closeAll(exe.file)
				return
			}
			if !strings.Contains(err.Error(), test.says) {
				t.Errorf("error %v does not say %q", err, test.says)
			}
		})
	}
}

func TestSumsAreKeptUntilTheFileChanges(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "program")
	v := newVerifier("", NewSums())
	sum := func(content string) string {
		t.Helper()
		if content != "" {
			replace(t, path, []byte(content))
		}
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer closeAll(file)
		found, err := v.sums.Of(file)
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	one := sum("one")
	if sum("") != one || len(v.sums.known) != 1 {
		t.Errorf("an unchanged file was hashed again: %v", v.sums.known)
	}
	if sum("two") == one || sum("one") != one {
		t.Error("a changed file kept its sum")
	}
}

func TestOtherFilesOfACommandLineAreVerified(t *testing.T) {
	t.Parallel()
	chaos := install(t, "chaos", nil)
	extra := filepath.Join(filepath.Dir(chaos.Binary), "plugin.py")
	if err := os.WriteFile(extra, []byte("print()"), 0o644); err != nil {
		t.Fatal(err)
	}
	chaos.Files = map[string]string{extra: strings.Repeat("0", 64)}
	if _, err := newVerifier("", NewSums()).open(chaos); sdk.KindOf(err) != sdk.KindDenied || !strings.Contains(err.Error(), extra) {
		t.Errorf("open = %v, want denied because of %s", err, extra)
	}
}

func TestConnectorThatAnotherProgramRuns(t *testing.T) {
	t.Parallel()
	chaos, err := built()
	if err != nil {
		t.Fatal(err)
	}
	script := "#!/nowhere\nexec " + chaos.Binary + "\n"
	sum := sha256.Sum256([]byte(script))
	cases := map[string]struct {
		with string
		want sdk.Kind
	}{
		"there":     {"sh", ""},
		"not there": {"no-such-interpreter", sdk.KindNotFound},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := install(t, "chaos", func(m *wire.Manifest) {
				for platform := range m.Targets {
					m.Targets[platform] = wire.Target{
						Path: "run.sh", SHA256: hex.EncodeToString(sum[:]), Size: int64(len(script)), Argv: []string{test.with, "run.sh"},
					}
				}
			})
			if err := os.WriteFile(c.Binary, []byte(script), 0o644); err != nil {
				t.Fatal(err)
			}
			r := newRig(t, "chaos")
			r.target.Installed = c
			if _, err := r.run(t.Context(), "x"); sdk.KindOf(err) != test.want {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}

// Before each start the host is asked whether the connector may run.
func TestWhatIsNotAdmittedIsNotStarted(t *testing.T) {
	t.Parallel()
	r := newRig(t, "chaos")
	refusal := sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "not locked")
	r.launcher.admit = func(c Installed) error {
		if c.Name != "chaos" {
			t.Errorf("asked about %q", c.Name)
		}
		return refusal
	}
	if _, err := r.launcher.verify(r.target.Installed); err != error(refusal) {
		t.Errorf("got %v, want the refusal", err)
	}
}
