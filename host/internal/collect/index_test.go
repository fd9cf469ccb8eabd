package collect

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/run"
	"github.com/loam-data/loam/sdk"
)

// indexed indexes a folder of the fixture as an agent does.
func (f *fixture) indexed(r IndexRequest) *Indexed {
	f.t.Helper()
	r.Path, r.By = filepath.Join(f.dir, r.Path), agent
	a, err := f.Index(f.t.Context(), r, nil)
	if err != nil {
		f.t.Fatal(err)
	}
	return a
}

// paths lists the stored files of a repository.
func (f *fixture) paths(repo string) string {
	f.t.Helper()
	files, err := f.chunks.View(f.t.Context())
	if err != nil {
		f.t.Fatal(err)
	}
	var all []string
	for _, file := range files.Files() {
		if file.Repo == repo {
			all = append(all, file.Path)
		}
	}
	return strings.Join(all, " ")
}

func TestIndex(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.roots = []Root{{Dir: f.dir}}
	for _, name := range []string{"docs/a.md", "docs/b.sql", "docs/sub/c.md", "docs/build/d.md", "docs/vendor/x/e.md", "other/docs/z.md"} {
		f.write(name, "text of "+name)
	}
	f.write("docs/big.md", strings.Repeat("x", 2000))
	f.write("docs/huge.md", strings.Repeat("x", maxFile+1))
	f.write("docs/.gitignore", "build/\n")
	a := f.indexed(IndexRequest{Path: "docs"})
	if a.IndexedAt == nil || a.IndexedAt.Nanosecond() != 0 {
		t.Errorf("indexed at %v", a.IndexedAt)
	}
	at := a.IndexedAt
	want := &Indexed{RunID: "RUN1", Status: run.Done, Path: filepath.Join(f.dir, "docs"), Repo: "docs", FilesIndexed: 6, Skipped: map[string]int{tooLarge: 1}, Patterns: Patterns{[]string{}, []string{}}, MaxFileSize: maxFile, IndexedAt: at, Errors: []Fault{}}
	if diff := cmp.Diff(want, a); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if a := f.indexed(IndexRequest{Path: "docs"}); a.FilesIndexed != 0 || a.FilesUnchanged != 6 || a.FilesDeleted != 0 {
		t.Errorf("twice: %+v", a)
	}
	// Other patterns and sizes choose other files; those of before go.
	a = f.indexed(IndexRequest{Path: "docs", Include: []string{"**/*.{md,sql}"}, Exclude: []string{"vendor", "sub/**"}, MaxFileSize: 1000})
	if diff := cmp.Diff(Patterns{[]string{"**/*.{md,sql}"}, []string{"vendor", "sub/**"}}, a.Patterns); diff != "" || a.FilesUnchanged != 2 || a.FilesDeleted != 4 || a.MaxFileSize != 1000 || a.Skipped[tooLarge] != 2 {
		t.Errorf("%s%+v", diff, a)
	}
	if got := f.paths("docs"); got != "a.md b.sql" {
		t.Errorf("stored: %s", got)
	}
	if a := f.indexed(IndexRequest{Path: "docs", Include: []string{"huge.md"}, MaxFileSize: MaxFileSize}); a.FilesIndexed != 1 || f.paths("docs") != "huge.md" {
		t.Errorf("a large file: %+v", a)
	}
	// A second folder of the name has a repository of its own, and each folder keeps its.
	f.sync(Request{}) // a repository that a person named
	if a := f.indexed(IndexRequest{Path: "other/docs"}); a.Repo != "docs-2" || f.paths("docs") != "huge.md" {
		t.Errorf("another folder docs: %+v", a)
	}
	if a := f.indexed(IndexRequest{Path: "docs", Include: []string{"a.md"}}); a.Repo != "docs" || a.FilesDeleted != 1 {
		t.Errorf("docs again: %+v", a)
	}
	// On the command line any folder, by any name.
	f.roots = nil
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	other, err := filepath.Rel(here, filepath.Join(f.dir, "other"))
	if err != nil {
		t.Fatal(err)
	}
	if a, err := f.Index(t.Context(), IndexRequest{Path: other, By: change.Actor{Channel: change.CLI}}, nil); err != nil || a.Repo != "other" || a.Path != filepath.Join(f.dir, "other") {
		t.Errorf("on the command line: %+v %v", a, err)
	}
}

// TestBeginIndex: the answer is of the moment when the wait is over.
func TestBeginIndex(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.config.Runs = f.engineOfRuns()
	f.roots = []Root{{Dir: f.dir}}
	f.write("docs/a.md", "a")
	open := make(chan struct{})
	f.step = func(name string) {
		if name == "write" {
			<-open
		}
	}
	r := IndexRequest{Path: filepath.Join(f.dir, "docs"), By: agent}
	begun, err := f.BeginIndex(t.Context(), r, 0, nil)
	if err != nil || begun.Status != run.Running || begun.RunID == "" || begun.FilesIndexed != 0 || begun.IndexedAt != nil || begun.Repo != "docs" {
		t.Errorf("at once: %+v %v", begun, err)
	}
	if _, err := f.BeginIndex(t.Context(), r, 0, nil); sdk.KindOf(err) != sdk.KindConflict || !strings.Contains(err.Error(), begun.RunID) {
		t.Errorf("a second one: %v", err)
	}
	close(open)
	if _, err := f.config.Runs.Wait(t.Context(), begun.RunID, time.Minute, nil); err != nil {
		t.Fatal(err)
	}
	stages := map[string]bool{}
	a, err := f.BeginIndex(t.Context(), r, time.Minute, func(p sdk.Progress) { stages[p.Phase] = true })
	if err != nil || a.Status != run.Done || a.FilesUnchanged != 1 || a.IndexedAt == nil || a.RunID == begun.RunID {
		t.Errorf("at its end: %+v %v", a, err)
	}
	r.ClientID = "c1"
	first, err := f.BeginIndex(t.Context(), r, time.Minute, nil)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := f.BeginIndex(t.Context(), r, 0, nil); err != nil || first.Repeated || !again.Repeated || again.RunID != first.RunID || again.FilesUnchanged != 1 {
		t.Errorf("the same call again: %+v %v", again, err)
	}
	r.Exclude = []string{"x"}
	if _, err := f.BeginIndex(t.Context(), r, 0, nil); sdk.KindOf(err) != sdk.KindConflict {
		t.Errorf("another call of the name: %v", err)
	}
	r.ClientID = ""
	f.config.Secrets = func(context.Context) []string { panic("broken") }
	if a, err := f.BeginIndex(t.Context(), r, time.Minute, nil); err != nil || a.Status != run.Failed || a.Error == "" || a.IndexedAt != nil {
		t.Errorf("that fails: %+v %v", a, err)
	}
}

func TestIndexIsRefused(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, name := range []string{"in/docs/a.md", "in/file", "out/a.md", "outside/a.md", "untrusted/a.md", "project/wiki/a.md", "project/.loam/x"} {
		f.write(name, "x")
	}
	for link, target := range map[string]string{"in/link": "../out", "in/docs/link": "../../out"} {
		if err := os.Symlink(target, filepath.Join(f.dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	f.roots = []Root{
		{Dir: filepath.Join(f.dir, "in")}, {Dir: filepath.Join(f.dir, "project")},
		{Dir: filepath.Join(f.dir, "untrusted"), Denied: sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "not trusted").WithHint("loam trust")},
	}
	for _, tt := range []struct {
		name string
		r    IndexRequest
		kind sdk.Kind
		says string
	}{
		{"no path", IndexRequest{}, sdk.KindInvalid, "absolute"},
		{"a relative path", IndexRequest{Path: "in/docs"}, sdk.KindInvalid, "absolute"},
		{"outside", IndexRequest{Path: f.dir + "/out"}, sdk.KindDenied, "sources.roots"},
		{"a name that begins as a root's", IndexRequest{Path: f.dir + "/inn"}, sdk.KindDenied, "sources.roots"},
		{"a name for a shell", IndexRequest{Path: f.dir + "/x; true"}, sdk.KindDenied, "loam index '" + f.dir + "/x; true'"},
		{"the folder above", IndexRequest{Path: f.dir}, sdk.KindDenied, "sources.roots"},
		{"dots", IndexRequest{Path: f.dir + "/in/../out"}, sdk.KindDenied, "sources.roots"},
		{"a link that leads out", IndexRequest{Path: f.dir + "/in/link"}, sdk.KindDenied, "sources.roots"},
		{"below a link", IndexRequest{Path: f.dir + "/in/docs/link/x"}, sdk.KindDenied, "sources.roots"},
		{"a root that is not trusted", IndexRequest{Path: f.dir + "/untrusted"}, sdk.KindDenied, "loam trust"},
		{"the wiki", IndexRequest{Path: f.dir + "/project/wiki"}, sdk.KindDenied, "Loam itself"},
		{"the state", IndexRequest{Path: f.dir + "/project/.loam"}, sdk.KindDenied, "Loam itself"},
		{"not there", IndexRequest{Path: f.dir + "/in/nothing"}, sdk.KindNotFound, "no folder"},
		{"a file", IndexRequest{Path: f.dir + "/in/file"}, sdk.KindInvalid, "no folder"},
		{"a broken pattern", IndexRequest{Path: f.dir + "/in", Include: []string{"{a"}}, sdk.KindInvalid, "include"},
		{"a long pattern", IndexRequest{Path: f.dir + "/in", Exclude: []string{strings.Repeat("x", maxPattern+1)}}, sdk.KindInvalid, "exclude"},
		{"too many patterns", IndexRequest{Path: f.dir + "/in", Exclude: make([]string, maxPatterns+1)}, sdk.KindInvalid, "exclude"},
		{"too large a size", IndexRequest{Path: f.dir + "/in", MaxFileSize: MaxFileSize + 1}, sdk.KindInvalid, "maxFileSize"},
	} {
		tt.r.By = agent
		_, err := f.Index(t.Context(), tt.r, nil)
		e := sdk.AsError(err, sdk.SourceHost)
		if err == nil || e.Kind != tt.kind || !strings.Contains(e.Msg+e.Hint, tt.says) || e.Hint == "" {
			t.Errorf("%s: %+v", tt.name, e)
		}
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	wiki, err := filepath.Rel(here, f.dir+"/project/wiki")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Index(t.Context(), IndexRequest{Path: wiki, By: change.Actor{Channel: change.CLI}}, nil); sdk.KindOf(err) != sdk.KindDenied {
		t.Errorf("the wiki on the command line: %v", err)
	}
	if f.chunks.Began() {
		t.Error("a refused call made a state store")
	}
	// Links inside are not followed; a link to the folder itself is fine.
	a := f.indexed(IndexRequest{Path: "in"})
	if got := f.paths("in"); got != "docs/a.md file" || a.Skipped[notRegular] != 2 {
		t.Errorf("stored: %s, skipped %v", got, a.Skipped)
	}
}

func TestSlugOf(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"Docs": "docs", "my docs": "my-docs", ".git": "git", "äöü": "folder", "/": "folder", strings.Repeat("x", 99): strings.Repeat("x", 56)} {
		if got := slugOf(name); got != want || !slug().MatchString(got) {
			t.Errorf("%q becomes %q", name, got)
		}
	}
}
