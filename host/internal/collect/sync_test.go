package collect

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/chunk"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/run"
	"github.com/loam-data/loam/host/internal/store"
	"github.com/loam-data/loam/sdk"
)

// fixture is a project folder with a folder docs beside it.
type fixture struct {
	*Service
	t       testing.TB
	dir     string
	chunks  *chunk.Engine
	index   error
	learn   func(chunk.Lesson) (chunk.Taught, error)
	lessons []chunk.Lesson
	forgot  []string
	always  []string
	roots   []Root
	repo    string
}

func newFixture(t *testing.T) *fixture { return open(t, t.TempDir()) }

// open makes a service on a folder, as another process would.
func open(t testing.TB, dir string) *fixture {
	t.Helper()
	f := &fixture{t: t, dir: dir, repo: "handbook"}
	f.chunks = f.engine(time.Now)
	f.Service = New(Config{
		Dir: filepath.Join(dir, "project"), Tenant: "shop-project", Roots: func(context.Context) ([]Root, error) { return f.roots, nil },
		State: filepath.Join(dir, "project", ".loam"), Own: []string{filepath.Join(dir, "project", "wiki")},
		Connections: func(context.Context) (*connection.Registry, error) {
			return connection.New([]connection.Connection{{ID: "shop", Connector: "foodb"}, {ID: "crm", Connector: "foodb"}})
		},
		Chunks: f.chunks, Runs: &plain{}, Refresh: func(context.Context, func(sdk.Progress)) error { return f.index }, Secrets: func(context.Context) []string { return nil },
		Redact: func(text string) (string, int, error) {
			return strings.ReplaceAll(strings.ReplaceAll(text, "BEGIN\nhunter2\nEND", "[redacted]"), "hunter2", "[redacted]"), strings.Count(text, "hunter2"), nil
		},
		Learn: func(_ context.Context, l chunk.Lesson) (chunk.Taught, error) {
			f.lessons = append(f.lessons, l)
			if f.learn == nil {
				return chunk.Taught{}, nil
			}
			return f.learn(l)
		},
		Forget: func(_ context.Context, name string, _ change.Actor) error {
			f.forgot = append(f.forgot, name)
			return nil
		},
		LearnFrom: func(context.Context) ([]string, error) { return f.always, nil },
		Now:       time.Now, Logger: slog.New(slog.DiscardHandler),
	})
	return f
}

// engine opens the store of the project.
func (f *fixture) engine(now func() time.Time) *chunk.Engine {
	state := store.NewLazy(filepath.Join(f.dir, "project", ".loam", "state.db"))
	f.t.Cleanup(func() {
		if err := state.Close(); err != nil {
			f.t.Error(err)
		}
	})
	return chunk.New(state, now)
}

// write puts a file below the folder of the fixture.
func (f *fixture) write(name, content string) {
	f.t.Helper()
	path := filepath.Join(f.dir, filepath.FromSlash(name))
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o644)); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) remove(name string) {
	f.t.Helper()
	if err := os.RemoveAll(filepath.Join(f.dir, filepath.FromSlash(name))); err != nil {
		f.t.Fatal(err)
	}
}

// sync collects docs as the repository handbook, with what a request says else.
func (f *fixture) sync(r Request) *Answer {
	f.t.Helper()
	if r.Folders == nil {
		r.Folders = []string{"docs"}
	}
	for i := range r.Folders {
		r.Folders[i] = filepath.Join(f.dir, r.Folders[i])
	}
	r.Repo = "handbook"
	a, err := f.Sync(f.t.Context(), r, nil)
	if err != nil {
		f.t.Fatal(err)
	}
	return a
}

func counts(a *Answer) string {
	return fmt.Sprintf("ingested %d, unchanged %d, deleted %d, errors %d, skipped %v", a.Ingested, a.Unchanged, a.Deleted, len(a.Errors), a.Skipped)
}

func (f *fixture) expect(a *Answer, want string) {
	f.t.Helper()
	if got := counts(a); got != want {
		f.t.Errorf("%s; want %s: %v", got, want, a.Errors)
	}
}

// kept lists the paths that are kept.
func (f *fixture) kept() []string {
	f.t.Helper()
	_, kept, err := f.chunks.Repo(f.t.Context(), f.repo)
	if err != nil {
		f.t.Fatal(err)
	}
	var all []string
	for k := range kept {
		all = append(all, k.Path)
	}
	slices.Sort(all)
	return all
}

func (f *fixture) text(path string) string {
	f.t.Helper()
	pieces, err := f.chunks.Pieces(f.t.Context(), f.repo, path)
	if err != nil {
		f.t.Fatal(err)
	}
	var all []string
	for _, p := range pieces {
		all = append(all, fmt.Sprintf("%d-%d %s", p.First, p.Last, p.Text))
	}
	return strings.Join(all, "|")
}

func TestTwiceIsOnce(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write("docs/a.md", "# A\none\n")
	f.write("docs/sub/b.sql", "SELECT 1;\nSELECT 2;\n")
	f.expect(f.sync(Request{DryRun: true}), "ingested 2, unchanged 0, deleted 0, errors 0, skipped map[]")
	if f.chunks.Began() {
		t.Error("a dry run made a state store")
	}
	f.expect(f.sync(Request{}), "ingested 2, unchanged 0, deleted 0, errors 0, skipped map[]")
	f.expect(f.sync(Request{}), "ingested 0, unchanged 2, deleted 0, errors 0, skipped map[]")
	f.write("docs/a.md", "# A\ntwo\n")
	f.write("docs/c.txt", "new")
	f.remove("docs/sub")
	a := f.sync(Request{})
	f.expect(a, "ingested 2, unchanged 0, deleted 0, errors 0, skipped map[]")
	if !slices.ContainsFunc(a.Notes, func(n string) bool { return strings.Contains(n, "--prune") }) {
		t.Errorf("nothing says that a file is gone: %q", a.Notes)
	}
	f.expect(f.sync(Request{Prune: true, DryRun: true}), "ingested 0, unchanged 2, deleted 1, errors 0, skipped map[]")
	f.expect(f.sync(Request{Prune: true}), "ingested 0, unchanged 2, deleted 1, errors 0, skipped map[]")
	f.expect(f.sync(Request{Prune: true}), "ingested 0, unchanged 2, deleted 0, errors 0, skipped map[]")
	if diff := cmp.Diff([]string{"a.md", "c.txt"}, f.kept()); diff != "" {
		t.Error(diff)
	}
	if got := f.text("a.md"); got != "1-2 # A\ntwo" {
		t.Errorf("a.md is %q", got)
	}
}

func TestPruneIsWithinARepository(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write("docs/a.md", "a")
	f.sync(Request{})
	f.write("other/b.md", "b")
	if _, err := f.Sync(t.Context(), Request{Folders: []string{filepath.Join(f.dir, "other")}, Repo: "other", Prune: true}, nil); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a.md"}, f.kept()); diff != "" {
		t.Error(diff)
	}
}

func TestSeveralFolders(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write("docs/a.md", "a")
	f.write("more/a.md", "another")
	f.expect(f.sync(Request{Folders: []string{"docs", "more"}}), "ingested 2, unchanged 0, deleted 0, errors 0, skipped map[]")
	if diff := cmp.Diff([]string{"docs/a.md", "more/a.md"}, f.kept()); diff != "" {
		t.Error(diff)
	}
	f.write("x/docs/a.md", "a")
	_, err := f.Sync(t.Context(), Request{Repo: "r", Folders: []string{filepath.Join(f.dir, "docs"), filepath.Join(f.dir, "x/docs")}}, nil)
	if sdk.KindOf(err) != sdk.KindInvalid {
		t.Errorf("two folders of one name: %v", err)
	}
}

func TestConnection(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write("docs/a.md", "a")
	is := func(want string) {
		t.Helper()
		if r, _, err := f.chunks.Repo(t.Context(), "handbook"); err != nil || r.Connection != want {
			t.Errorf("it is about %q, not %q: %v", r.Connection, want, err)
		}
	}
	f.sync(Request{Connection: "shop"})
	is("shop")
	f.sync(Request{}) // the one before
	is("shop")
	f.sync(Request{Connection: "crm"}) // no file changed
	is("crm")
}

func TestRefused(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write("docs/a.md", "a")
	docs := filepath.Join(f.dir, "docs")
	for name, tt := range map[string]struct {
		r    Request
		kind sdk.Kind
	}{
		"no folder":          {Request{Repo: "a"}, sdk.KindInvalid},
		"no repository":      {Request{Folders: []string{docs}}, sdk.KindInvalid},
		"a path as a name":   {Request{Folders: []string{docs}, Repo: "../a"}, sdk.KindInvalid},
		"unknown connection": {Request{Folders: []string{docs}, Repo: "a", Connection: "shpo"}, sdk.KindNotFound},
		"a folder not there": {Request{Folders: []string{docs + "x"}, Repo: "a"}, sdk.KindNotFound},
		"a file":             {Request{Folders: []string{docs + "/a.md"}, Repo: "a"}, sdk.KindInvalid},
	} {
		_, err := f.Sync(t.Context(), tt.r, nil)
		if e := sdk.AsError(err, sdk.SourceHost); err == nil || e.Kind != tt.kind || e.Hint == "" {
			t.Errorf("%s: %+v", name, e)
		}
	}
}

func TestSecretsAreNotKept(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write("docs/a.md", "# A\nold\nBEGIN\nhunter2\nEND\n# B\nnew hunter2\n")
	a := f.sync(Request{})
	if a.Redacted != 2 {
		t.Errorf("%d secrets were taken out", a.Redacted)
	}
	// The lines are those of the file; where lines were taken out, they are not told.
	if got := f.text("a.md"); got != "0-0 # A\nold\n[redacted]|0-0 # B\nnew [redacted]" {
		t.Errorf("it keeps %q", got)
	}
	f.write("docs/a.md", "# A\nold\nBEGIN\nhunter2\nEND\n# B\nnew\n# C\n")
	f.sync(Request{})
	if got := f.text("a.md"); got != "0-0 # A\nold\n[redacted]|6-7 # B\nnew|8-8 # C" {
		t.Errorf("it keeps %q", got)
	}
}

func TestHostileFolder(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write("outside/secret.md", "outside")
	f.write("docs/a.md", "a\u202eb\u200b\r\nc")
	f.write("docs/huge.md", strings.Repeat("x", maxFile+1))
	f.write("docs/most.md", strings.Repeat("x", maxFile))
	f.write("docs/binary.png", "a\x00b")
	f.write("docs/latin.txt", "caf\xe9")
	f.write("docs/\u202egnp.md", "bidi")
	f.write("docs/empty.md", "")
	for name, target := range map[string]string{"out": "../outside", "out.md": "../outside/secret.md", "in.md": "a.md", "loop": ".", "root": "/"} {
		if err := os.Symlink(target, filepath.Join(f.dir, "docs", name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(f.dir, "docs", "pipe.md"), 0o644); err != nil {
		t.Fatal(err)
	}
	f.expect(f.sync(Request{}), "ingested 3, unchanged 0, deleted 0, errors 0, skipped map[name:1 not_regular:6 not_text:2 too_large:1]")
	if diff := cmp.Diff([]string{"a.md", "empty.md", "most.md"}, f.kept()); diff != "" {
		t.Error(diff)
	}
	if got := f.text("a.md"); got != "1-2 ab\nc" {
		t.Errorf("a.md is %q", got)
	}
	// A folder that becomes a link between two looks leads nowhere.
	if err := os.Symlink(filepath.Join(f.dir, "outside"), filepath.Join(f.dir, "docs", "sub")); err != nil {
		t.Fatal(err)
	}
	folders, err := openFolders([]string{filepath.Join(f.dir, "docs")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer closeFolders(folders)
	if content, reason, err := folders[0].read("sub/secret.md"); err == nil {
		t.Errorf("it read %q (%s)", content, reason)
	}
}

func TestIgnoredFiles(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write(".git/HEAD", "ref: refs/heads/main\n")
	f.write(".git/info/exclude", "excluded.md\n")
	f.write(".gitignore", "*.tmp\n/docs/above.md\nb.md\n")
	f.write("docs/.gitignore", "drafts/\n!b.md\n")
	f.write("docs/.ignore", "c.md\n!e.md\n")
	f.write("docs/sub/.gitignore", "*\n!keep.md\n")
	f.write("docs/sub/e/.gitignore", "e.md\n")
	for _, name := range []string{"a.md", "b.md", "c.md", "x.tmp", "above.md", "excluded.md", "drafts/a.md", "sub/a.md", "sub/keep.md", "sub/.git/config"} {
		f.write("docs/"+name, name)
	}
	f.sync(Request{})
	if diff := cmp.Diff([]string{".gitignore", ".ignore", "a.md", "b.md", "sub/keep.md"}, f.kept()); diff != "" {
		t.Errorf("kept (-want +got):\n%s", diff)
	}
}

func TestOwnFoldersAreLeftOut(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write("project/wiki/page.md", "a page")
	f.write("project/docs/a.md", "a")
	f.write("project/.loam/tokens.json", "{}")
	f.sync(Request{Folders: []string{"project"}})
	if diff := cmp.Diff([]string{"docs/a.md"}, f.kept()); diff != "" {
		t.Error(diff)
	}
}

// TestUnreadableFileStays: what cannot be read is a fault, the rest goes on, nothing below it is pruned, and the
// revision stays.
func TestUnreadableFileStays(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Log("root reads every file: a folder that is too deep stands for one that cannot be read")
	}
	f := newFixture(t)
	deep := "docs/deep" + strings.Repeat("/d", maxDepth-1)
	f.write("docs/a.md", "a")
	f.write(deep+"/x.md", "x")
	f.sync(Request{})
	before, _, err := f.chunks.Repo(t.Context(), "handbook")
	if err != nil {
		t.Fatal(err)
	}
	f.write(deep+"/d/y.md", "too deep")
	f.write("docs/a.md", "b")
	a := f.sync(Request{Prune: true})
	if a.Ingested != 1 || a.Deleted != 0 || len(a.Errors) != 1 || a.Errors[0].Code != codeFile {
		t.Errorf("%s: %v", counts(a), a.Errors)
	}
	if after, _, err := f.chunks.Repo(t.Context(), "handbook"); err != nil || after.Revision != before.Revision {
		t.Errorf("the revision moved to %s: %v", after.Revision, err)
	}
	f.remove(deep + "/d")
	f.sync(Request{})
	if after, _, err := f.chunks.Repo(t.Context(), "handbook"); err != nil || after.Revision == before.Revision {
		t.Errorf("the revision stays: %v", err)
	}
}

// TestInterruptedAnywhere ends a sync at each of its steps; the next one mends what it left.
func TestInterruptedAnywhere(t *testing.T) {
	t.Parallel()
	type stopped struct{}
	for at := 1; ; at++ {
		dir := t.TempDir()
		f := open(t, dir)
		const batch, files = 10, 25
		f.batch = batch
		for i := range files {
			f.write(fmt.Sprintf("docs/%04d.txt", i), "old")
		}
		f.write("docs/teaches.md", "old")
		f.sync(Request{Learn: true})
		for i := range batch + 2 {
			f.write(fmt.Sprintf("docs/%04d.txt", i), "new")
			f.remove(fmt.Sprintf("docs/%04d.txt", batch+2+i))
		}
		f.write("docs/teaches.md", "new")
		steps, ended := 0, false
		f.step = func(name string) {
			if name == "read" {
				return
			}
			if steps++; steps == at {
				panic(stopped{})
			}
		}
		func() {
			defer func() {
				if fault := recover(); fault != nil {
					if _, ok := fault.(stopped); !ok {
						panic(fault)
					}
				}
			}()
			f.sync(Request{Prune: true, Learn: true})
			ended = true
		}()
		again := open(t, dir)
		again.sync(Request{Prune: true, Learn: true})
		want := again.sync(Request{Prune: true, Learn: true})
		again.expect(want, fmt.Sprintf("ingested 0, unchanged %d, deleted 0, errors 0, skipped map[]", files-batch-2+1))
		if got := again.text("0000.txt") + again.text("teaches.md"); got != "1-1 new1-1 new" {
			t.Errorf("stopped at step %d: %q", at, got)
		}
		if ended {
			if at < 4 {
				t.Errorf("there were %d steps", at)
			}
			return
		}
	}
}

// TestCostGrowsWithTheFiles counts the reads and writes of n and 10n files: each file is read once, what is new is written
// in batches, and a second sync writes nothing.
func TestCostGrowsWithTheFiles(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1_000, 10_000} {
		f := newFixture(t)
		for i := range n {
			f.write(fmt.Sprintf("docs/%d/%d.md", i%100, i), fmt.Sprintf("# Page %d\ntext", i))
		}
		writes := map[string]int{}
		f.step = func(name string) { writes[name]++ }
		f.expect(f.sync(Request{}), fmt.Sprintf("ingested %d, unchanged 0, deleted 0, errors 0, skipped map[]", n))
		f.expect(f.sync(Request{}), fmt.Sprintf("ingested 0, unchanged %d, deleted 0, errors 0, skipped map[]", n))
		if diff := cmp.Diff(map[string]int{"write": n / batchFiles, "written": n / batchFiles, "end": 2, "indexing": 1, "read": 2 * n}, writes); diff != "" {
			t.Errorf("%d files: %s", n, diff)
		}
	}
}

func TestLessons(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write("docs/a.md", "a")
	f.write("docs/b.sql", "SELECT 1")
	f.write("docs/c.yaml", "c: 1")
	f.write("docs/d.txt", "nothing to learn")
	f.write("docs/large.md", strings.Repeat("x", maxLesson+1))
	taught := func() []string {
		names := map[string]bool{}
		for _, l := range f.lessons {
			names[l.Name] = true
		}
		f.lessons = nil
		return slices.Sorted(maps.Keys(names))
	}
	all := []string{"handbook/a.md", "handbook/b.sql", "handbook/c.yaml"}
	f.sync(Request{})
	if got := taught(); got != nil {
		t.Errorf("without being asked it read %q", got)
	}
	f.learn = func(l chunk.Lesson) (chunk.Taught, error) {
		return chunk.Taught{Pending: 2, Conflicts: 1, Probes: 3}, nil
	}
	f.sync(Request{Learn: true, DryRun: true})
	taught()
	a := f.sync(Request{Learn: true})
	if diff := cmp.Diff(&Learned{Pending: 6, Conflicts: 3}, a.Learned); diff != "" || !slices.ContainsFunc(a.Notes, func(n string) bool { return strings.Contains(n, "256 KiB") }) {
		t.Errorf("%s, notes %q", diff, a.Notes)
	}
	if diff := cmp.Diff(all, taught()); diff != "" {
		t.Error(diff)
	}
	f.sync(Request{Learn: true}) // nothing is new
	if got := taught(); got != nil {
		t.Errorf("it read %q again", got)
	}
	f.write("docs/a.md", "b")
	f.sync(Request{Learn: true})
	if diff := cmp.Diff(all[:1], taught()); diff != "" {
		t.Error(diff)
	}
	f.write("docs/a.md", "c") // what waits from it says what it does not any more
	f.sync(Request{})
	f.remove("docs/b.sql")
	f.sync(Request{Prune: true})
	if diff := cmp.Diff([]string{"handbook/a.md", "handbook/b.sql"}, f.forgot); diff != "" {
		t.Error(diff)
	}
	f.write("docs/a.md", "b") // as it was when it was read last: read again
	f.sync(Request{Learn: true})
	if diff := cmp.Diff(all[:1], taught()); diff != "" {
		t.Error(diff)
	}
}

func TestBudget(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for i := range 10 {
		f.write(fmt.Sprintf("docs/%d.md", i), "text")
	}
	f.learn = func(l chunk.Lesson) (chunk.Taught, error) {
		n := min(50, l.Changes)
		return chunk.Taught{Pending: n, Probes: min(8, l.Probes), Left: 50 - n}, nil
	}
	a := f.sync(Request{Learn: true})
	if diff := cmp.Diff(&Learned{Pending: 200, Later: 6}, a.Learned); diff != "" {
		t.Error(diff)
	}
	var probes []int
	for _, l := range f.lessons {
		probes = append(probes, l.Probes)
	}
	if diff := cmp.Diff([]int{20, 12, 4, 0}, probes); diff != "" {
		t.Error(diff)
	}
	if a := f.sync(Request{Learn: true}); a.Learned.Later != 2 {
		t.Errorf("then %+v", a.Learned)
	}
	// Planning has its time.
	now := time.Unix(0, 0)
	f.config.Now = func() time.Time { now = now.Add(40 * time.Second); return now }
	f.learn = nil
	if a := f.sync(Request{Learn: true}); a.Learned.Later != 1 {
		t.Errorf("with the time of one file: %+v", a.Learned)
	}
}

func TestLessonThatFails(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write("docs/a.md", "a")
	f.write("docs/b.md", "b")
	f.learn = func(l chunk.Lesson) (chunk.Taught, error) {
		if l.Name == "handbook/a.md" {
			return chunk.Taught{}, sdk.Errorf(sdk.KindTimeout, sdk.SourceHost, "late").WithHint("split it")
		}
		return chunk.Taught{Pending: 1}, nil
	}
	a := f.sync(Request{Learn: true})
	if len(a.Errors) != 1 || *a.Errors[0].Path != "a.md" || a.Learned.Pending != 1 {
		t.Errorf("%+v %+v", a.Errors, a.Learned)
	}
	f.learn = func(chunk.Lesson) (chunk.Taught, error) {
		return chunk.Taught{}, sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "nobody may").WithHint("ask")
	}
	f.write("docs/b.md", "c")
	if a := f.sync(Request{Learn: true}); len(a.Errors) != 1 || a.Learned.Later != 1 {
		t.Errorf("what fails for all: %+v %+v", a.Errors, a.Learned)
	}
}

func TestOneSyncAtATime(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write("docs/a.md", "a")
	other := open(t, f.dir)
	f.config.Runs, other.config.Runs = f.engineOfRuns(), other.engineOfRuns()
	f.step = func(name string) {
		if name != "write" {
			return
		}
		_, err := other.Sync(t.Context(), Request{Folders: []string{filepath.Join(f.dir, "docs")}, Repo: "handbook"}, nil)
		if e := sdk.AsError(err, sdk.SourceHost); err == nil || e.Kind != sdk.KindConflict || !e.Retry {
			t.Errorf("a second sync: %+v", e)
		}
		// Another repository has a lock of its own.
		if _, err := other.Sync(t.Context(), Request{Folders: []string{filepath.Join(f.dir, "docs")}, Repo: "other"}, nil); err != nil {
			t.Errorf("of another repository: %v", err)
		}
	}
	if a := f.sync(Request{}); a.RunID == nil || len(*a.RunID) != 13 {
		t.Errorf("%+v", a)
	}
}

// plain does the work of runs and records nothing, so that a panic ends it as a kill would.
type plain struct{ runs int }

func (p *plain) Do(ctx context.Context, w run.Work, do do) (run.Run, error) {
	p.runs++
	r := run.Run{ID: fmt.Sprintf("RUN%d", p.runs), State: run.Done}
	report, err := do(ctx, func(sdk.Progress) {})
	if err == nil {
		r.Report, err = json.Marshal(report)
	}
	return r, err
}

func (p *plain) Begin(ctx context.Context, w run.Work, do do) (run.Run, error) {
	return p.Do(ctx, w, do)
}

func (p *plain) Wait(context.Context, string, time.Duration, func(sdk.Progress)) (run.Run, error) {
	return run.Run{}, errors.New("nothing is waited for")
}

// engineOfRuns returns the engine of the project, as the program has it.
func (f *fixture) engineOfRuns() *run.Engine {
	state := store.NewLazy(filepath.Join(f.dir, "project", ".loam", "state.db"))
	e := run.New(run.Config{
		State: filepath.Join(f.dir, "project", ".loam"), Store: state, Redact: func(s string) string { return s }, Now: time.Now, Logger: slog.New(slog.DiscardHandler),
	})
	f.t.Cleanup(func() {
		if err := errors.Join(e.Close(), state.Close()); err != nil {
			f.t.Error(err)
		}
	})
	return e
}

func TestCancelled(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write("docs/a.md", "a")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.Sync(ctx, Request{Folders: []string{filepath.Join(f.dir, "docs")}, Repo: "handbook"}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// The files of a repository that the settings name are read without being asked to, those of others are not.
func TestLearnFrom(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		always []string
		asked  bool
		want   int
	}{{nil, false, 0}, {[]string{"other"}, false, 0}, {[]string{"other", "handbook"}, false, 1}, {nil, true, 1}} {
		f := newFixture(t)
		f.always = tt.always
		f.write("docs/terms.md", "ARR means revenue.")
		a := f.sync(Request{Learn: tt.asked})
		if len(f.lessons) != tt.want || (a.Learned != nil) != (tt.want > 0) {
			t.Errorf("from %q, asked %t: %d files were read, %+v", tt.always, tt.asked, len(f.lessons), a.Learned)
		}
	}
}
