package trust

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/loam-data/loam/sdk"
)

// writer makes the test binary a process that accepts again and again.
const writer = "LOAM_TRUST_TEST_WRITER"

func TestMain(m *testing.M) {
	if file := os.Getenv(writer); file != "" {
		for i := 0; ; i++ {
			t := New(Config{Dir: filepath.Dir(file), File: file, Now: time.Now})
			t.store.folder = fmt.Sprintf("/projects/%d", i)
			if err := t.Accept(context.Background(), []Ask{telemetryAsk("http://" + strings.Repeat("x", 1000))}, true); err != nil {
				fmt.Println(err)
				os.Exit(1)
			}
			fmt.Println(t.store.folder)
		}
	}
	os.Exit(m.Run())
}

func TestUnusableFile(t *testing.T) {
	t.Parallel()
	with := installed[server]("x", true)
	tests := []struct {
		name   string
		damage func(t *testing.T, f *fixture)
		kind   sdk.Kind
		says   []string
	}{
		{"no home folder", func(_ *testing.T, f *fixture) { f.store.path = "" }, sdk.KindDenied, []string{"home folder is unknown", "XDG_STATE_HOME", "LOAM_TRUST=1"}},
		{"within the project", func(t *testing.T, f *fixture) {
			f.store.path = filepath.Join(f.dir, ".local", "trust.json")
			f.write(t, ".local/trust.json", `{"version":1,"folders":{}}`)
		}, sdk.KindDenied, []string{"lies in the project folder", "LOAM_TRUST=1"}},
		{"no JSON", func(t *testing.T, f *fixture) { f.put(t, "{") }, sdk.KindInvalid, []string{"cannot be understood", "mv "}},
		{"empty", func(t *testing.T, f *fixture) { f.put(t, "") }, sdk.KindInvalid, []string{"cannot be understood"}},
		{"another JSON", func(t *testing.T, f *fixture) { f.put(t, "{}") }, sdk.KindInvalid, []string{"cannot be understood"}},
		{"a list", func(t *testing.T, f *fixture) { f.put(t, `{"version":1,"folders":[]}`) }, sdk.KindInvalid, []string{"cannot be understood"}},
		{"a newer Loam's", func(t *testing.T, f *fixture) { f.put(t, `{"version":2}`) }, sdk.KindUnsupported, []string{"newer Loam"}},
		{"a folder", func(t *testing.T, f *fixture) {
			if err := os.MkdirAll(f.File, 0o700); err != nil {
				t.Fatal(err)
			}
		}, sdk.KindInvalid, []string{"no file of this kind"}},
		{"written to by others", func(t *testing.T, f *fixture) {
			f.put(t, `{"version":1}`)
			if err := os.Chmod(f.File, 0o620); err != nil {
				t.Fatal(err)
			}
		}, sdk.KindDenied, []string{"chmod go-w"}},
		{"in a folder of others", func(t *testing.T, f *fixture) {
			f.put(t, `{"version":1}`)
			if err := os.Chmod(filepath.Dir(f.File), 0o777); err != nil {
				t.Fatal(err)
			}
		}, sdk.KindDenied, []string{"chmod go-w"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if runtime.GOOS == "windows" && strings.Contains(tt.name, "others") {
				t.Skip("no permission bits")
			}
			f := newFixture(t)
			tt.damage(t, f)
			before, _ := os.ReadFile(f.File)
			c := f.connection(map[string]any{"host": "h"})
			_, checked := f.Check(c, with)
			for what, err := range map[string]error{"check": checked, "accept": f.AcceptOwn(t.Context(), c, with)} {
				e := sdk.AsError(err, sdk.SourceHost)
				if e == nil || e.Kind != tt.kind || e.Hint == "" {
					t.Fatalf("%s: %+v, want %s", what, e, tt.kind)
				}
				for _, says := range tt.says {
					if !strings.Contains(e.Msg+" "+e.Hint, says) {
						t.Errorf("%s: %q %q does not say %q", what, e.Msg, e.Hint, says)
					}
				}
			}
			if after, _ := os.ReadFile(f.File); string(after) != string(before) {
				t.Errorf("the file was overwritten with %q", after)
			}
			// What needs no trust works all the same.
			if _, err := f.Check(f.connection(map[string]any{"path": "data/a.db"}), installed[local]("x", true)); err != nil {
				t.Error(err)
			}
		})
	}
}

func (f *fixture) put(t *testing.T, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(f.File), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(f.File, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// The folder of the file cannot be made: its parent is a file.
func TestUnwritablePlace(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write(t, "../state", "a file")
	c := f.connection(map[string]any{"host": "h"})
	e := sdk.AsError(f.AcceptOwn(t.Context(), c, installed[server]("x", true)), sdk.SourceHost)
	if e == nil || e.Kind != sdk.KindDenied || !strings.Contains(e.Msg, f.File) || !strings.Contains(e.Hint, "LOAM_TRUST=1") {
		t.Errorf("%+v", e)
	}
}

// A file of somebody else is not believed, whatever it says.
func TestFileOfAnotherUser(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" || os.Geteuid() != 0 {
		t.Skip("only the administrator can give files away")
	}
	f := newFixture(t)
	with := installed[server]("x", true)
	c := f.connection(map[string]any{"host": "h"})
	f.accept(t, c, with)
	if err := os.Chown(f.File, 12345, -1); err != nil {
		t.Fatal(err)
	}
	_, err := f.again(f.dir).Check(c, with)
	if e := sdk.AsError(err, sdk.SourceHost); e == nil || e.Kind != sdk.KindDenied || !strings.Contains(e.Msg, "belongs to user 12345") {
		t.Errorf("%+v", e)
	}
}

// Two that change the file at once lose nothing of each other.
func TestChangesAtOnce(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	const many = 8
	var all sync.WaitGroup
	for i := range many {
		dir := filepath.Join(filepath.Dir(f.dir), fmt.Sprintf("p%d", i))
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		for j := range 3 {
			all.Go(func() {
				if err := f.again(dir).Accept(t.Context(), []Ask{telemetryAsk(fmt.Sprintf("http://%d", j))}, true); err != nil {
					t.Error(err)
				}
			})
		}
	}
	all.Wait()
	list, err := f.List()
	if err != nil || len(list) != many {
		t.Fatalf("%d folders, %v", len(list), err)
	}
	for _, folder := range list {
		if len(folder.Allowed) != 3 {
			t.Errorf("%s has %d", folder.Project, len(folder.Allowed))
		}
	}
}

// A process that is killed while it writes leaves a whole file with everything it
// had reported, and the next one goes on.
func TestKilledWhileWriting(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for round := range 5 {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), writer+"="+f.File)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		last := ""
		for i := 0; i < 3+round && lines.Scan(); i++ {
			last = lines.Text()
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for lines.Scan() { // what it reported before it died
			last = lines.Text()
		}
		if err := lines.Err(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // it was killed
		text, err := os.ReadFile(f.File)
		var c content
		if err != nil || json.Unmarshal(text, &c) != nil || len(c.Folders[last]) != 1 {
			t.Fatalf("%s is not in what is left: %v", last, err)
		}
		if err := f.Accept(t.Context(), []Ask{telemetryAsk("http://x")}, true); err != nil {
			t.Fatal(err)
		}
		left, err := filepath.Glob(filepath.Join(filepath.Dir(f.File), ".new-*"))
		if err != nil || len(left) > 0 {
			t.Errorf("%v is left, %v", left, err)
		}
	}
}

// So many folders are remembered; those that nobody worked in for long go first,
// and never the present one.
func TestOldFoldersAreForgotten(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	c := content{Version: fileVersion, Folders: map[string][]record{}}
	day := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range maxFolders {
		c.Folders[fmt.Sprintf("/p/%04d", i)] = []record{{Digest: "d", At: day.Add(time.Duration(i) * time.Hour)}}
	}
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	f.put(t, string(text))
	f.Now = func() time.Time { return day.Add(-time.Hour) } // a clock that was put back
	if err := f.Accept(t.Context(), []Ask{telemetryAsk("http://x")}, true); err != nil {
		t.Fatal(err)
	}
	all, err := f.store.folders()
	if err != nil || len(all) != maxFolders || len(all[f.folder]) != 1 || all["/p/0000"] != nil || all["/p/0001"] == nil {
		t.Errorf("%d folders, %v", len(all), err)
	}
}

func TestPath(t *testing.T) {
	t.Parallel()
	none := func(string) string { return "" }
	if got := Path("linux", "", none); got != "" {
		t.Errorf("without a home folder: %q", got)
	}
	if got := Path("linux", "/home/ann", none); filepath.ToSlash(got) != "/home/ann/.local/state/loam/trust/trust.json" {
		t.Errorf("%q", got)
	}
}
