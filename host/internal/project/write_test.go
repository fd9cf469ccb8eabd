package project

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/sdk"
)

// helperVariable makes the test binary another process on the same project.
const helperVariable = "LOAM_PROJECT_TEST_HELPER"

func TestMain(m *testing.M) {
	if dir := os.Getenv(helperVariable); dir != "" {
		os.Exit(helper(dir, os.Args[1]))
	}
	os.Exit(m.Run())
}

// helper adds connections prefix-0, prefix-1, … and prints the id of each once
// it is written, until it is killed.
func helper(dir, prefix string) int {
	for i := 0; ; i++ {
		id := fmt.Sprintf("%s-%d", prefix, i)
		if _, err := Add(context.Background(), dir, connection.Connection{ID: connection.ID(id), Connector: "x"}); err != nil {
			fmt.Println("error:", err)
			return 1
		}
		fmt.Println(id)
	}
}

func TestKillLeavesAWholeFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "# mine\nversion: 1\n")
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for round := range 5 {
		cmd := exec.CommandContext(t.Context(), exe, fmt.Sprintf("r%d", round))
		cmd.Env = append(os.Environ(), helperVariable+"="+dir)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		var ids []string
		for lines.Scan() {
			if ids = append(ids, lines.Text()); len(ids) == 5 {
				if err := cmd.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := cmd.Wait(); err == nil || lines.Err() != nil {
			t.Fatal("the killed process ended well", lines.Err())
		}
		p, err := Load(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range ids {
			if _, err := p.Connections.Get(connection.ID(id)); err != nil {
				t.Errorf("acknowledged %s: %v", id, err)
			}
		}
	}
	if text := contents(t, filepath.Join(dir, FileName)); !strings.HasPrefix(text, "# mine\n") {
		t.Errorf("the comment is gone: %q", text)
	}
}

func TestWritersTakeTurns(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "version: 1\n")
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			c := connection.Connection{ID: connection.ID(fmt.Sprintf("c%d", i)), Connector: "x"}
			if _, err := Add(t.Context(), dir, c); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if p, err := Load(dir); err != nil || p.Connections.Len() != 8 {
		t.Errorf("8 writers made %q: %v", contents(t, filepath.Join(dir, FileName)), err)
	}
}

func TestWaitForTheLockCanBeCancelled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "version: 1\n")
	unlock, err := Lock(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	if _, err := Add(ctx, dir, small); sdk.AsError(err, sdk.SourceHost).Kind != sdk.KindTimeout {
		t.Errorf("a held lock: %v", err)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	if _, err := Add(t.Context(), dir, small); err != nil {
		t.Errorf("a free lock: %v", err)
	}
}

func TestReplaceKeepsWhatAPersonWrote(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		was  []byte
		now  *string
	}{
		{"changed since it was read", []byte("a"), new("b")},
		{"made since it was missing", nil, new("b")},
		{"made empty since it was missing", nil, new("")},
		{"removed since it was read", []byte("a"), nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), FileName)
			if tt.now != nil {
				write(t, filepath.Dir(path), *tt.now)
			}
			e := sdk.AsError(replace(path, tt.was, []byte("c")), sdk.SourceHost)
			if e == nil || e.Kind != sdk.KindConflict || !e.Retry || e.Hint == "" {
				t.Errorf("error %+v", e)
			}
			if tt.now != nil && contents(t, path) != *tt.now {
				t.Errorf("the file is now %q", contents(t, path))
			}
			if names, err := filepath.Glob(filepath.Join(filepath.Dir(path), ".*")); err != nil || len(names) > 0 {
				t.Errorf("temporary files are left: %v %v", names, err)
			}
		})
	}
}

func TestReplaceKeepsLinkAndPermissions(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("no permission bits")
	}
	dir, shared := t.TempDir(), t.TempDir()
	write(t, shared, "a")
	file, target := filepath.Join(dir, FileName), filepath.Join(shared, FileName)
	if err := os.Chmod(target, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, file); err != nil {
		t.Fatal(err)
	}
	if err := replace(file, []byte("a"), []byte("b")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(target)
	if err != nil || info.Mode().Perm() != 0o640 || contents(t, target) != "b" {
		t.Errorf("the target is %v with %q: %v", info, contents(t, target), err)
	}
	if link, err := os.Readlink(file); err != nil || link != target {
		t.Errorf("the link leads to %q: %v", link, err)
	}
}

// A link that leads nowhere is neither filled nor replaced.
func TestReplaceLeavesALinkToNowhere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, FileName)
	if err := os.Symlink(filepath.Join(dir, "gone"), path); err != nil {
		t.Fatal(err)
	}
	err := replace(path, nil, []byte("b"))
	if e := sdk.AsError(err, sdk.SourceHost); e.Kind != sdk.KindConflict || e.Hint != "mend the link, or remove it" {
		t.Errorf("error %v", err)
	}
	if _, err := Init(t.Context(), dir); sdk.KindOf(err) != sdk.KindConflict {
		t.Errorf("init: %v", err)
	}
	if err := os.RemoveAll(filepath.Join(dir, stateDir)); err != nil { // with the lock
		t.Fatal(err)
	}
	names, err := os.ReadDir(dir)
	if err != nil || len(names) != 1 || names[0].Type()&os.ModeSymlink == 0 {
		t.Errorf("the folder has %v, %v", names, err)
	}
}

// git reads no .gitignore that is a link, so that nothing is written through one: a
// folder from elsewhere could have it lead anywhere.
func TestInitWritesThroughNoLinkOfGitignore(t *testing.T) {
	t.Parallel()
	dir, elsewhere := t.TempDir(), filepath.Join(t.TempDir(), "profile")
	if err := os.WriteFile(elsewhere, []byte("a\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, filepath.Join(dir, ".gitignore")); err != nil {
		t.Fatal(err)
	}
	created, err := Init(t.Context(), dir)
	if err != nil || contents(t, elsewhere) != "a\n" || !slices.Equal(created, []string{FileName}) {
		t.Errorf("created %v, %v; the file behind the link is %q", created, err, contents(t, elsewhere))
	}
}

func TestAddWithoutAProjectMakesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, err := Add(t.Context(), dir, small); sdk.KindOf(err) != sdk.KindNotFound {
		t.Errorf("error %v", err)
	}
	if names, err := os.ReadDir(dir); err != nil || len(names) > 0 {
		t.Errorf("made %v, %v", names, err)
	}
}
