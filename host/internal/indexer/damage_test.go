package indexer

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/loam-data/loam/host/internal/catalog"
)

// segments lists the files of segments in the folder.
func (p *project) segments() (paths []string) {
	p.t.Helper()
	paths, err := filepath.Glob(filepath.Join(p.index(), "*"+extension))
	if err != nil {
		p.t.Fatal(err)
	}
	return paths
}

func read(t testing.TB, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func put(t testing.TB, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// Whatever happens to a file of the index, it is made again.
func TestDamagedSegments(t *testing.T) {
	t.Parallel()
	p := newProject(t, "shop", "crm")
	p.scan("shop", map[string][]string{"orders": {"Berlin"}}, table("s.orders", "city"))
	p.scan("crm", nil, table("c.leads", "id"), table("c.orders", "id"))
	p.page("global/churn", "# Churn\nWho left us")
	p.source("crm", "deals", deals)
	p.host().current()
	all := p.segments()
	if len(all) != 4 {
		t.Fatalf("the segments are %v", all)
	}
	contents := make([][]byte, len(all))
	for i, path := range all {
		contents[i] = read(t, path)
	}
	damages := map[string]func(i int) []byte{
		"empty":         func(int) []byte { return nil },
		"another's":     func(i int) []byte { return contents[(i+1)%len(contents)] },
		"with more":     func(i int) []byte { return append(slices.Clip(contents[i]), 0) },
		"cut short":     func(i int) []byte { return contents[i][:len(contents[i])-1] },
		"half of it":    func(i int) []byte { return contents[i][:len(contents[i])/2] },
		"no segment":    func(int) []byte { return []byte(strings.Repeat("text ", 1000)) },
		"as it was":     func(i int) []byte { return contents[i] },
		"flipped early": func(i int) []byte { return flipped(contents[i], 9) },
	}
	const flips = 16
	for at := range flips {
		damages["flipped at "+string(rune('a'+at))] = func(i int) []byte { return flipped(contents[i], len(contents[i])*(2*at+1)/(2*flips)) }
	}
	unnoticed := 0
	for name, damage := range damages {
		for i, path := range all {
			put(t, path, damage(i))
			h := p.host()
			h.finds("churn", "churn")
			h.finds("leads", "c.leads")
			h.finds("berlin", "=s.orders")
			h.finds("win rate", "deals.win_rate", "deals")
			n, same := h.wrote(), string(read(t, path)) == string(contents[i])
			switch {
			case strings.HasPrefix(name, "flipped at") && n == 0:
				unnoticed++ // it was in what fills a section up
			case name == "as it was" && n != 0, name != "as it was" && n != 1, !same:
				t.Errorf("%s: %d segments were made, and the file is as it was: %t", name, n, same)
			}
		}
	}
	if unnoticed > flips*len(all)/4 {
		t.Errorf("%d flipped bits of %d were not noticed", unnoticed, flips*len(all))
	}
}

func flipped(content []byte, at int) []byte {
	content = slices.Clone(content)
	content[at] ^= 0x10
	return content
}

// The folder may be removed at any time, also from under a running host.
func TestRemovedFolder(t *testing.T) {
	t.Parallel()
	p := newProject(t, "shop")
	p.scan("shop", nil, table("s.orders", "id"))
	h := p.host()
	h.finds("orders", "s.orders")
	p.removeIndex()
	h.finds("orders", "s.orders")
	p.page("global/churn", "# Churn")
	h.finds("churn", "churn")
	p.host().finds("orders", "s.orders")

	t.Log("in the middle of a build")
	var removed atomic.Bool
	h.on(func(at string) {
		if at == "document" && !removed.Swap(true) {
			p.removeIndex()
		}
	})
	p.scan("shop", nil, table("s.invoices", "id"))
	h.finds("invoices", "s.invoices")
	if !removed.Load() {
		t.Error("nothing was made")
	}
}

// removeIndex removes the folder, in which a host may make a file meanwhile.
func (p *project) removeIndex() {
	p.t.Helper()
	var err error
	for range 100 {
		if err = os.RemoveAll(p.index()); err == nil {
			return
		}
	}
	p.t.Error(err)
}

// A damaged catalog takes away its connection's tables and says how to mend it.
func TestDamagedCatalog(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(content []byte) []byte{
		"a block":       func(content []byte) []byte { return flipped(content, 200) },
		"the directory": func(content []byte) []byte { return flipped(content, len(content)-5) },
		"cut short":     func(content []byte) []byte { return content[:len(content)/2] },
		"empty":         func([]byte) []byte { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t, "shop", "crm")
			p.scan("crm", nil, table("c.leads", "id"))
			p.scan("shop", nil, table("s.orders", "id"), table("s.users", strings.Split(strings.Repeat("column ", 50), " ")...))
			packs, err := filepath.Glob(filepath.Join(p.dir, "catalog/shop/*.pack"))
			if err != nil || len(packs) != 1 {
				t.Fatalf("packs %v, %v", packs, err)
			}
			put(t, packs[0], damage(read(t, packs[0])))
			h := p.host()
			h.asks("leads", []string{"c.leads"}, "Run loam scan --full shop.")
			h.asks("orders", nil, "The tables of connection shop are not in this answer: the catalog")
			if s := h.current(); s.Snapshots["shop"] != nil {
				t.Error("the damaged snapshot is in the state")
			}
			w, err := catalog.Open(filepath.Join(p.dir, "catalog/shop"), "shop").Begin(t.Context(), true)
			if err != nil {
				t.Fatal(err)
			}
			if err := w.Table(table("s.orders", "id")); err != nil {
				t.Fatal(err)
			}
			if _, err := w.Commit(t.Context(), catalog.Identity{SyncID: "mended"}); err != nil {
				t.Fatal(err)
			}
			h.finds("orders", "s.orders")
		})
	}
}

// A wiki that cannot be read takes away its pages alone.
func TestUnreadableWiki(t *testing.T) {
	t.Parallel()
	p := newProject(t, "shop")
	p.scan("shop", nil, table("s.orders", "id"))
	put(t, filepath.Join(p.dir, "wiki"), nil)
	h := p.host()
	h.asks("orders", []string{"s.orders"}, "The wiki's pages are not in this answer: the wiki is not read, because the folder wiki cannot be opened")
	if err := os.Remove(filepath.Join(p.dir, "wiki")); err != nil {
		t.Fatal(err)
	}
	p.page("global/churn", "# Churn")
	h.finds("churn", "churn")
}

// What is left of killed hosts and of former states goes, and not what another
// host may have made for itself.
func TestClean(t *testing.T) {
	t.Parallel()
	p := newProject(t, "shop")
	p.scan("shop", nil, table("s.orders", "id"))
	h := p.host()
	h.current()
	former := p.segments()
	long := time.Now().Add(-2 * unusedFor)
	for name, old := range map[string]bool{"tables-old" + extension: true, "tables-young" + extension: false, ".tables-left": false, ".other": false, "notes.txt": true} {
		path := filepath.Join(p.index(), name)
		put(t, path, nil)
		if old {
			if err := os.Chtimes(path, long, long); err != nil {
				t.Fatal(err)
			}
		}
	}
	p.scan("shop", nil, table("s.invoices", "id"))
	h.finds("invoices", "s.invoices")
	entries, err := os.ReadDir(p.index())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		if path := filepath.Join(p.index(), e.Name()); !slices.Contains(former, path) && len(e.Name()) < 40 {
			got = append(got, e.Name())
		}
	}
	if diff := cmp.Diff([]string{".other", "notes.txt", "semantic.lock", "tables-young" + extension, "tables.lock", "wiki.lock"}, got); diff != "" {
		t.Errorf("beside the segments there is (-want +got):\n%s", diff)
	}
	if now := p.segments(); len(now) != 3 {
		t.Errorf("the segments are %v, want the former, the new and the young one", now)
	}
}
