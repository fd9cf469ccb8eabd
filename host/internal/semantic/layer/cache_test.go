package layer

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/sdk"
)

// count returns how many files are parsed from now on.
func (f *fixture) count() *atomic.Int64 {
	folder := f.site("wh").files.folder
	parse := folder.Parse
	var n atomic.Int64
	folder.Parse = func(name string, content []byte, at time.Time) (*model.File, *sdk.Error) {
		n.Add(1)
		return parse(name, content, at)
	}
	return &n
}

// fill makes so many files that they are worth a pack.
func (f *fixture) fill(t testing.TB, n int) {
	t.Helper()
	for i := range n {
		name := fmt.Sprintf("source_%03d", i)
		f.put(t, name+".yaml", whole(name, "m")+"    default: 0\n  - {name: broken, agg: nonsense}\n")
	}
}

// Everything that a definition may say comes back as it was.
func TestCodec(t *testing.T) {
	t.Parallel()
	var files []*model.File
	for _, dir := range []string{"../model/testdata", "../compile/testdata", "../oracle/testdata"} {
		if err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
			if err != nil || e.IsDir() || !isYAML(path) {
				return err
			}
			content, err := os.ReadFile(path)
			files = append(files, model.Parse(filepath.Base(path), content))
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	files = append(files,
		model.Parse("zero.yaml", []byte("name: zero\ntable: s.zero\nprimary_key: []\nmeasures:\n  - {name: a, agg: sum, expr: x, default: 0}\n  - {name: b, agg: sum, expr: x, default: -1.5}\n")),
		model.Parse("broken.yaml", []byte("name: [")), model.Parse("", nil), &model.File{Sources: []model.SourceDef{{Grain: []model.Text{}, UniqueKeys: [][]model.Text{nil, {}}}}})
	raw := encode(nil, reflect.ValueOf(files))
	var back []*model.File
	d := decoder{text: string(raw)}
	d.decode(reflect.ValueOf(&back).Elem())
	if diff := cmp.Diff(files, back); diff != "" || d.at != len(raw) {
		t.Errorf("%d of %d bytes read, files (-want +got):\n%s", d.at, len(raw), diff)
	}
	t.Logf("%d files in %d bytes", len(files), len(raw))
	for i := range raw { // the hash keeps such from being read; still no reading may hang
		func() {
			defer func() { _ = recover() }()
			(&decoder{text: string(raw[:i])}).decode(reflect.ValueOf(&[]*model.File{}).Elem())
			t.Errorf("cut at %d it can be read", i)
		}()
		if i > 2000 {
			break
		}
	}
}

// Another host parses what changed since, and no more; the cache of one that is
// damaged in any way is as none.
func TestCache(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	const n = few + blockFiles
	f.fill(t, n)
	want := f.current(t)
	pack := filepath.Join(f.dir, "cache/wh.pack")
	intact, err := os.ReadFile(pack)
	if err != nil {
		t.Fatal(err)
	}
	second := open(t, f.dir)
	parsed := second.count()
	if s := second.current(t); s.Files.Version != want.Files.Version || s.Model.Hash() != want.Model.Hash() || parsed.Load() != 0 ||
		cmp.Diff(want.Files.List, s.Files.List) != "" || len(s.Model.Problems()) != n {
		t.Errorf("%d files were parsed, %d problems; files (-want +got):\n%s", parsed.Load(), len(s.Model.Problems()), cmp.Diff(want.Files.List, s.Files.List))
	}

	f.put(t, "source_000.yaml", whole("source_000", "another"))
	third := open(t, f.dir)
	parsed = third.count()
	if s := third.current(t); parsed.Load() != 1 || !strings.Contains(said(s.Model)["source_000"], "another") {
		t.Errorf("%d files were parsed after an edit: %q", parsed.Load(), said(s.Model)["source_000"])
	}

	flip := func(at int) []byte {
		b := slices.Clone(intact)
		b[at]++
		return b
	}
	for name, content := range map[string][]byte{
		"empty": {}, "another format": flip(0), "another program": flip(len(packMagic)), "a length": flip(len(packMagic) + 32),
		"a high byte of a length": flip(len(packMagic) + 35), "a hash": flip(len(packMagic) + 40), "a block": flip(len(intact) / 2), "the last block": flip(len(intact) - 1),
		"cut in the head": intact[:20], "cut in a block": intact[:len(intact)/3], "cut by a byte": intact[:len(intact)-1], "something else": []byte(strings.Repeat("x", 1000)),
	} {
		if err := os.WriteFile(pack, content, 0o644); err != nil {
			t.Fatal(err)
		}
		f := open(t, f.dir)
		parsed := f.count()
		if s := f.current(t); parsed.Load() != n || s.Files.Version == want.Files.Version || len(s.Files.List) != n {
			t.Errorf("%s: %d of %d files were parsed", name, parsed.Load(), n)
		}
		if now, err := os.ReadFile(pack); err != nil || bytes.Equal(now, content) {
			t.Errorf("%s: it was not mended: %v", name, err)
		}
	}
}

// An edit is seen by a host that starts after it, also one within the same tick
// of the clock and of the same size as what the cache has.
func TestCacheOfThisMoment(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.site("wh").files.folder.Now = time.Now
	f.fill(t, few)
	f.put(t, "one.yaml", whole("one", "m"))
	f.current(t)
	path := filepath.Join(f.dir, "semantic-layer/wh/one.yaml")
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	f.put(t, "one.yaml", whole("one", "n"))
	if err := os.Chtimes(path, time.Time{}, info.ModTime()); err != nil {
		t.Fatal(err)
	}
	second := open(t, f.dir)
	parsed := second.count()
	if got := said(second.current(t).Model)["one"]; got != "n" || parsed.Load() != 1 {
		t.Errorf("%q after %d files were parsed", got, parsed.Load())
	}
}

// Hosts that start at once on one folder are in each other's way nowhere.
func TestTwoHosts(t *testing.T) {
	t.Parallel()
	first := newFixture(t)
	first.fill(t, 2*few)
	hosts := []*fixture{first, open(t, first.dir), open(t, first.dir), open(t, first.dir)}
	var all sync.WaitGroup
	for i, h := range hosts {
		all.Go(func() {
			name := fmt.Sprint("own_", i)
			for n := range 5 {
				measure := fmt.Sprint("m", n)
				h.put(t, name+".yaml", whole(name, measure))
				s, err := h.Current(t.Context(), "wh", nil)
				if err != nil {
					t.Error(err)
				} else if got := said(s.Model)[name]; got != measure {
					t.Errorf("edit %d of %s: %q", n, name, got)
				}
			}
		})
	}
	all.Wait()
	last := open(t, first.dir).current(t)
	if len(last.Files.List) != 2*few+len(hosts) {
		t.Errorf("%d files", len(last.Files.List))
	}
}

// Without a place for the cache everything works; it is said once.
func TestNoCache(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "cache"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	f := open(t, dir)
	var log bytes.Buffer
	f.cache.log = slog.New(slog.NewTextHandler(&log, nil))
	f.fill(t, few)
	f.current(t)
	for i := range 2 * few {
		f.put(t, fmt.Sprintf("another_%d.yaml", i), whole(fmt.Sprint("another_", i), "m"))
	}
	if got := len(f.current(t).Files.List); got != 3*few || strings.Count(log.String(), "level=WARN") != 1 {
		t.Errorf("%d files; log:\n%s", got, &log)
	}
}
