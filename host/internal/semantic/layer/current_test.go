package layer

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/relationship"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// What is edited is there on the next call, what is broken takes nothing else
// down, and what did not change is the same state.
func TestEdits(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.scan(t, nil, table("orders", "customer_id → customers"), table("customers"))
	for _, step := range []struct {
		name string
		do   func()
		want map[string]string
		// problems are the files that have some.
		problems []string
	}{
		{"no folder", func() {}, map[string]string{"orders": "→ customers", "customers": ""}, nil},
		{"a new file", func() { f.put(t, "orders.yaml", overlay("orders", "one")) }, map[string]string{"orders": "one → customers", "customers": ""}, nil},
		{"an edit of the same size", func() { f.put(t, "orders.yaml", overlay("orders", "two")) }, map[string]string{"orders": "two → customers", "customers": ""}, nil},
		{"further down", func() { f.put(t, "sales/more.yml", whole("more", "m")) }, map[string]string{"orders": "two → customers", "customers": "", "more": "m"}, nil},
		{
			"a broken file", func() { f.put(t, "orders.yaml", "name: orders\nmeasures: [") },
			map[string]string{"orders": "→ customers", "customers": "", "more": "m"},
			[]string{"orders.yaml"},
		},
		{"mended", func() { f.put(t, "orders.yaml", overlay("orders", "three")) }, map[string]string{"orders": "three → customers", "customers": "", "more": "m"}, nil},
		{
			"renamed", func() {
				dir := filepath.Join(f.dir, "semantic-layer/wh")
				if err := os.Rename(filepath.Join(dir, "orders.yaml"), filepath.Join(dir, "sales/o.yaml")); err != nil {
					t.Fatal(err)
				}
			}, map[string]string{"orders": "three → customers", "customers": "", "more": "m"}, nil,
		},
		{"removed", func() { f.remove(t, "sales/o.yaml") }, map[string]string{"orders": "→ customers", "customers": "", "more": "m"}, nil},
		{
			"other files", func() {
				f.put(t, ".hidden.yaml", "name: [")
				f.put(t, ".git/x.yaml", "name: [")
				f.put(t, "README.md", "#")
			},
			map[string]string{"orders": "→ customers", "customers": "", "more": "m"},
			nil,
		},
	} {
		step.do()
		s := f.current(t)
		if diff := cmp.Diff(step.want, said(s.Model)); diff != "" {
			t.Errorf("%s: model (-want +got):\n%s", step.name, diff)
		}
		var problems []string
		for _, p := range s.Model.Problems() {
			problems = append(problems, p.File)
		}
		if diff := cmp.Diff(step.problems, problems); diff != "" {
			t.Errorf("%s: files with problems (-want +got):\n%s", step.name, diff)
		}
		if f.current(t) != s {
			t.Errorf("%s: nothing changed, but the state did", step.name)
		}
		files, err := f.Files(t.Context(), "wh")
		if err != nil || files != s.Files || len(s.Notes) > 0 || s.Snapshot == nil {
			t.Errorf("%s: files %p and %p, notes %q, %v", step.name, files, s.Files, s.Notes, err)
		}
	}
}

// A model that went through changes is what it would be if it had been built of
// them at once.
func TestSameAsBuilt(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.put(t, "orders.yaml", overlay("orders", "one"))
	f.current(t)
	f.scan(t, nil, table("orders", "customer_id → customers"), table("customers"))
	f.current(t)
	f.put(t, "metrics.yaml", "version: 1\nmeasures:\n  - {name: all, expr: sum(orders.id)}\n")
	f.put(t, "orders.yaml", overlay("orders", "two"))
	went := f.current(t).Model
	built := open(t, f.dir).current(t).Model
	if went.Hash() != built.Hash() || cmp.Diff(said(built), said(went)) != "" || cmp.Diff(built.Problems(), went.Problems()) != "" {
		t.Errorf("model (-built +went):\n%s%s", cmp.Diff(said(built), said(went)), cmp.Diff(built.Problems(), went.Problems()))
	}
}

// Files that cannot be read take nothing else down: their source is what its other
// layers say, and it is told; without any, it cannot be used.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.scan(t, nil, table("orders"), table("customers"))
	f.put(t, "customers.yaml", overlay("customers", "one"))
	secret := filepath.Join(f.dir, "orders.yaml")
	if err := os.WriteFile(secret, []byte(overlay("orders", "secret")), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(secret, filepath.Join(f.dir, "semantic-layer/wh/orders.yaml")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(secret, filepath.Join(f.dir, "semantic-layer/wh/alone.yaml")); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"orders": "", "alone": "broken", "customers": "one"}
	s := f.current(t)
	if diff := cmp.Diff(want, said(s.Model)); diff != "" || len(s.Files.Problems) != 2 || len(s.Notes) != 1 || !strings.Contains(s.Notes[0], "alone.yaml") {
		t.Errorf("problems %v, notes %q, model (-want +got):\n%s", s.Files.Problems, s.Notes, diff)
	}
	if _, err := s.Model.FindSource("alone"); sdk.AsError(err, sdk.SourceHost).Code != model.CodeBroken || strings.Contains(err.Error(), "secret") {
		t.Errorf("find: %v", err)
	}
	if orders, err := s.Model.FindSource("orders"); err != nil || len(orders.Invalid) != 1 || orders.Invalid[0].File != "orders.yaml" || strings.Contains(orders.Invalid[0].Msg, "secret") {
		t.Errorf("orders: %+v, %v", orders, err)
	}
	if f.current(t) != s {
		t.Error("nothing changed, but the state did")
	}
	f.remove(t, "orders.yaml")
	f.remove(t, "alone.yaml")
	f.put(t, "orders.yaml", overlay("orders", "own"))
	if got := said(f.current(t).Model)["orders"]; got != "own" {
		t.Errorf("the file itself: %q", got)
	}
	f.put(t, "big.yaml", strings.Repeat("#", maxBytes+1))
	f.put(t, "1/2/3/4/5/6/7/8/deep.yaml", whole("deep", "m"))
	var files []string
	for _, p := range f.current(t).Files.Problems {
		files = append(files, p.File)
	}
	if diff := cmp.Diff([]string{"1/2/3/4/5/6/7/8", "big.yaml"}, files); diff != "" {
		t.Errorf("files with problems (-want +got):\n%s", diff)
	}
}

func TestNoPermission(t *testing.T) {
	t.Parallel()
	if os.Getuid() == 0 {
		t.Skip("root may read everything")
	}
	f := newFixture(t)
	f.put(t, "one.yaml", whole("one", "m"))
	f.put(t, "two.yaml", whole("two", "m"))
	dir := filepath.Join(f.dir, "semantic-layer/wh")
	if err := os.Chmod(filepath.Join(dir, "one.yaml"), 0); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"one": "broken", "two": "m"}, said(f.current(t).Model)); diff != "" {
		t.Errorf("model (-want +got):\n%s", diff)
	}
	if err := os.Chmod(dir, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Current(t.Context(), "wh", nil); sdk.KindOf(err) != sdk.KindDenied {
		t.Errorf("a folder that cannot be read: %v", err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(dir, "one.yaml"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := said(f.current(t).Model)["one"]; got != "m" {
		t.Errorf("after it was made readable: %q", got)
	}
}

// A folder that is no folder of files is refused, not taken for an empty one.
func TestFolderLeadsOut(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	if err := os.Mkdir(filepath.Join(f.dir, "semantic-layer"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../..", filepath.Join(f.dir, "semantic-layer/wh")); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Files(t.Context(), "wh"); sdk.KindOf(err) != sdk.KindDenied {
		t.Errorf("a link that leads out: %v", err)
	}
	if _, err := f.Files(t.Context(), "../wh"); sdk.KindOf(err) != sdk.KindInvalid {
		t.Errorf("an id that is a path: %v", err)
	}
}

// Relationships that a person decides on and tables that a scan finds are there
// on the next call; what they do not touch stays as it is.
func TestTables(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	s := f.current(t)
	if len(said(s.Model)) != 0 || s.Snapshot != nil || len(s.Notes) != 1 || !strings.Contains(s.Notes[0], "loam scan wh") {
		t.Errorf("never scanned: notes %q", s.Notes)
	}
	suspected := relationship.Relationship{Link: link("orders", "agent_id", "agents"), Origin: relationship.Inferred, Status: relationship.Review, Score: .5}
	inferred := relationship.Relationship{Link: link("orders", "shop_id", "shops"), Origin: relationship.Inferred, Status: relationship.Accepted, Score: .9}
	found := []relationship.Relationship{suspected, inferred}
	orders := table("orders", "customer_id → customers", "none_id → nowhere", "shop_id", "agent_id")
	f.scan(t, found, orders, table("customers"), table("shops"), table("agents"))
	want := map[string]string{"orders": "→ customers → shops?", "customers": "", "shops": "", "agents": ""}
	scanned := f.current(t)
	if diff := cmp.Diff(want, said(scanned.Model)); diff != "" || len(scanned.Notes) > 0 {
		t.Errorf("scanned: notes %q, model (-want +got):\n%s", scanned.Notes, diff)
	}

	decide := func(all ...relationship.Decision) {
		t.Helper()
		if err := relationship.PutDecisions(f.Keys.File("wh"), all); err != nil {
			t.Fatal(err)
		}
	}
	decide(relationship.Decision{Link: suspected.Link, Status: relationship.Accepted}, relationship.Decision{Link: inferred.Link, Status: relationship.Rejected},
		relationship.Decision{Link: link("orders", "gone_id", "shops"), Status: relationship.Accepted})
	want["orders"] = "→ customers → agents"
	decided := f.current(t)
	if diff := cmp.Diff(want, said(decided.Model)); diff != "" {
		t.Errorf("decided (-want +got):\n%s", diff)
	}
	before, _ := scanned.Model.FindSource("customers")
	after, _ := decided.Model.FindSource("customers")
	if before != after {
		t.Error("a source that nothing was decided of was made again")
	}

	tables := f.site("wh").tables.list
	f.scan(t, found, orders, table("customers"), table("shops"), table("agents"))
	again := f.current(t)
	if again.Model != decided.Model || again == decided || again.Snapshot == decided.Snapshot {
		t.Error("after a scan that found the same: the model should be the same, the snapshot the new one")
	}
	f.scan(t, found, orders, table("customers"), table("agents"), table("new", "shop_id"))
	delete(want, "shops")
	want["new"] = ""
	if diff := cmp.Diff(want, said(f.current(t).Model)); diff != "" {
		t.Errorf("scanned again (-want +got):\n%s", diff)
	}
	same := 0
	for _, one := range f.site("wh").tables.list {
		for _, old := range tables {
			if one == old {
				same++
			}
		}
	}
	if same != 3 {
		t.Errorf("%d of 3 tables are as they were", same)
	}

	if err := os.WriteFile(f.Keys.File("wh"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Current(t.Context(), "wh", nil); sdk.KindOf(err) != sdk.KindInvalid {
		t.Errorf("decisions that cannot be understood: %v", err)
	}
}

func TestDamagedSnapshot(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.put(t, "own.yaml", whole("own", "m"))
	f.scan(t, nil, table("orders"))
	packs, err := filepath.Glob(filepath.Join(f.dir, "catalog/wh/*.pack"))
	if err != nil || len(packs) != 1 {
		t.Fatal(packs, err)
	}
	if err := os.Truncate(packs[0], 50); err != nil {
		t.Fatal(err)
	}
	s := f.current(t)
	if diff := cmp.Diff(map[string]string{"own": "m"}, said(s.Model)); diff != "" || s.Snapshot != nil || len(s.Notes) != 1 || !strings.Contains(s.Notes[0], "damaged") {
		t.Errorf("notes %q, model (-want +got):\n%s", s.Notes, diff)
	}
}

// A dialect is known by its content; each has a model of its own.
func TestDialects(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.put(t, "own.yaml", whole("own", "m"))
	get := func(d *dialect.Dialect) *State {
		t.Helper()
		s, err := f.Current(t.Context(), "wh", d)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	one := get(&dialect.Dialect{Name: "one", Types: map[string]string{"int64": "INT"}})
	if get(&dialect.Dialect{Name: "one", Types: map[string]string{"int64": "INT"}}) != one {
		t.Error("of an equal dialect another state")
	}
	if other := get(&dialect.Dialect{Name: "one", Types: map[string]string{"int64": "BIGINT"}}); other == one || other.Files != one.Files {
		t.Error("another dialect should have another state of the same files")
	}
	if get(nil) == one {
		t.Error("no dialect is taken for one")
	}
	f.put(t, "own.yaml", whole("own", "n"))
	if diff := cmp.Diff(map[string]string{"own": "n"}, said(get(&dialect.Dialect{Name: "one", Types: map[string]string{"int64": "INT"}}).Model)); diff != "" {
		t.Errorf("after an edit (-want +got):\n%s", diff)
	}
}

func TestStrangers(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	known := []connection.ID{"wh", "crm"}
	if strangers, err := f.Strangers(t.Context(), known); len(strangers) > 0 || err != nil {
		t.Errorf("of no folder: %v, %v", strangers, err)
	}
	f.put(t, "one.yaml", whole("one", "m"))
	f.put(t, "../shop/one.yaml", whole("one", "m"))
	f.put(t, "../.git/one.yaml", whole("one", "m"))
	f.put(t, "../README.md", "")
	f.put(t, "../stray.yaml", whole("stray", "m"))
	if strangers, err := f.Strangers(t.Context(), known); cmp.Diff([]string{"shop", "stray.yaml"}, strangers) != "" || err != nil {
		t.Errorf("strangers %v, %v", strangers, err)
	}
}

// A load that was given up is taken up where it was by the next caller.
func TestGivenUp(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, name := range []string{"a/one", "b/two", "c/three"} {
		f.put(t, name+".yaml", whole(filepath.Base(name), "m"))
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		folder := f.site("wh").files.folder
		parse, parsed := folder.Parse, 0
		folder.Parse = func(name string, content []byte, at time.Time) (*model.File, *sdk.Error) {
			parsed++
			cancel()
			synctest.Wait() // until the load knows
			return parse(name, content, at)
		}
		if _, err := f.Current(ctx, "wh", nil); !errors.Is(err, context.Canceled) || parsed != 1 {
			t.Errorf("canceled: %v after %d files", err, parsed)
		}
		if f.current(t); parsed != 3 {
			t.Errorf("%d files were parsed in all, want 3", parsed)
		}
	})
}

// A fault of ours is an error, and the next call may succeed.
func TestPanic(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.put(t, "one.yaml", whole("one", "m"))
	folder := f.site("wh").files.folder
	parse := folder.Parse
	folder.Parse = func(string, []byte, time.Time) (*model.File, *sdk.Error) { panic("oops") }
	if _, err := f.Current(t.Context(), "wh", nil); sdk.KindOf(err) != sdk.KindInternal {
		t.Errorf("a panic: %v", err)
	}
	folder.Parse = parse
	if got := said(f.current(t).Model)["one"]; got != "m" {
		t.Errorf("afterwards: %q", got)
	}
}

// Many who ask while files are edited see what was there when they asked.
func TestConcurrentEdits(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.scan(t, nil, table("orders"))
	const writers, edits = 8, 10
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			name := fmt.Sprint("source_", w)
			for n := range edits {
				measure := fmt.Sprint("m", n)
				f.put(t, name+".yaml", whole(name, measure))
				s, err := f.Current(t.Context(), "wh", nil)
				if err != nil {
					t.Error(err)
					return
				}
				if got := said(s.Model)[name]; got != measure {
					t.Errorf("edit %d of %s: %q", n, name, got)
				}
			}
		})
	}
	all.Wait()
}
