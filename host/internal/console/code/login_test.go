package code

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/loam-data/loam/sdk"
)

var start = time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)

func TestMain(m *testing.M) {
	if dir := os.Getenv("CODE_TEST_DIR"); dir != "" {
		for range takeTogether(dir, os.Getenv("CODE_TEST_CODE"), 25) {
			os.Stdout.WriteString("won\n") //nolint:errcheck // the parent counts
		}
		return
	}
	os.Exit(m.Run())
}

func made(t *testing.T) (dir, code string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "state")
	code, err := Make(dir, start)
	if err != nil {
		t.Fatal(err)
	}
	return dir, code
}

// refuses reports an error unless Take refuses with a hint.
func refuses(t *testing.T, dir, code string, now time.Time) {
	t.Helper()
	who, err := Take(dir, code, now)
	e, ok := errors.AsType[*sdk.Error](err)
	if !ok || e.Kind != sdk.KindUnauthenticated || !strings.Contains(e.Hint, "loam console") || who != "" {
		t.Fatalf("Take returned %q, %v", who, err)
	}
}

func accepts(t *testing.T, dir, code string, now time.Time) {
	t.Helper()
	who, err := Take(dir, code, now)
	if err != nil {
		t.Fatal(err)
	}
	if me, err := user.Current(); err == nil && who != me.Username {
		t.Fatalf("the code is of %q, made by %q", who, me.Username)
	}
}

// takeTogether takes a code in many goroutines at once and returns one entry for each that succeeded.
func takeTogether(dir, code string, goroutines int) []struct{} {
	var won atomic.Int64
	var all sync.WaitGroup
	begin := make(chan struct{})
	for range goroutines {
		all.Go(func() {
			<-begin
			if _, err := Take(dir, code, start); err == nil {
				won.Add(1)
			}
		})
	}
	close(begin)
	all.Wait()
	return make([]struct{}, won.Load())
}

func TestCodeIsTakenOnce(t *testing.T) {
	t.Parallel()
	dir, code := made(t)
	text, err := os.ReadFile(filepath.Join(dir, FileName))
	if err != nil || bytes.Contains(text, []byte(code)) || len(code) != 43 {
		t.Fatalf("the file has %s, the code is %s, %v", text, code, err)
	}
	if info, err := os.Stat(filepath.Join(dir, FileName)); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Fatalf("the file is %v, %v", info.Mode(), err)
	}
	accepts(t, dir, code, start.Add(Lifetime-1))
	refuses(t, dir, code, start)
	if _, err := os.Stat(filepath.Join(dir, FileName)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a used code leaves %v", err)
	}
}

func TestOneOfManyGoroutines(t *testing.T) {
	t.Parallel()
	dir, code := made(t)
	if won := takeTogether(dir, code, 100); len(won) != 1 {
		t.Errorf("%d of 100 took the code", len(won))
	}
}

func TestOneOfManyProcesses(t *testing.T) {
	t.Parallel()
	dir, code := made(t)
	var out [4]bytes.Buffer
	var children [4]*exec.Cmd
	for i := range children {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env, cmd.Stdout = append(os.Environ(), "CODE_TEST_DIR="+dir, "CODE_TEST_CODE="+code), &out[i]
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		children[i] = cmd
	}
	won := 0
	for i, cmd := range children {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
		won += strings.Count(out[i].String(), "won")
	}
	if won != 1 {
		t.Errorf("%d takers in 4 processes took the code", won)
	}
}

func TestWrongCodes(t *testing.T) {
	t.Parallel()
	dir, code := made(t)
	for _, wrong := range []string{"", code[1:], code + "A", strings.Repeat("x", 1<<16)} {
		refuses(t, dir, wrong, start)
	}
	accepts(t, dir, code, start)

	dir, code = made(t)
	for range mostWrong {
		refuses(t, dir, "wrong", start)
	}
	refuses(t, dir, code, start)
}

func TestExpired(t *testing.T) {
	t.Parallel()
	for name, now := range map[string]time.Time{"later": start.Add(Lifetime), "much later": start.AddDate(1, 0, 0), "clock set back": start.Add(-time.Second)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, code := made(t)
			refuses(t, dir, code, now)
			refuses(t, dir, code, start)
		})
	}
}

func TestNewerCodeReplacesOlder(t *testing.T) {
	t.Parallel()
	dir, older := made(t)
	newer, err := Make(dir, start)
	if err != nil || newer == older {
		t.Fatal(newer, err)
	}
	refuses(t, dir, older, start)
	accepts(t, dir, newer, start)
}

func TestNoCode(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	refuses(t, dir, "x", start)
	refuses(t, filepath.Join(dir, "absent"), "x", start)
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("a wrong code without a file leaves %v, %v", left, err)
	}
}

func TestDamagedFile(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "{}", "null", `{"sha256": "", "user": "ann"}`, strings.Repeat("[", 10_000)} {
		dir, code := made(t)
		if err := os.WriteFile(filepath.Join(dir, FileName), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		refuses(t, dir, code, start)
	}
}

// A file that somebody else may have put there is not believed.
func TestForeignFile(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows has neither the modes nor the links")
	}
	for name, change := range map[string]func(path string) error{
		"others may write it": func(path string) error { return os.Chmod(path, 0o622) },
		"link": func(path string) error {
			return errors.Join(os.Rename(path, path+".real"), os.Symlink(path+".real", path))
		},
		"folder": func(path string) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o700)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, code := made(t)
			if err := change(filepath.Join(dir, FileName)); err != nil {
				t.Fatal(err)
			}
			who, err := Take(dir, code, start)
			if e, ok := errors.AsType[*sdk.Error](err); !ok || e.Kind != sdk.KindDenied || who != "" {
				t.Errorf("Take returned %q, %v", who, err)
			}
		})
	}
}

// Make replaces a link and does not write through it.
func TestMakeReplacesLink(t *testing.T) {
	t.Parallel()
	dir, target := t.TempDir(), filepath.Join(t.TempDir(), "target")
	if err := errors.Join(os.WriteFile(target, []byte("as it was"), 0o600), os.Symlink(target, filepath.Join(dir, FileName))); err != nil {
		t.Skip("no links here: ", err)
	}
	code, err := Make(dir, start)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(target); err != nil || string(text) != "as it was" {
		t.Errorf("the target has %q, %v", text, err)
	}
	accepts(t, dir, code, start)
}
