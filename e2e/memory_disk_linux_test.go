package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// disk is a file system of its own with a copy of a project.
type disk struct {
	testing.TB
	dir, base string
}

// newDisk mounts a small file system. base is the project that reset copies there.
func newDisk(t testing.TB, base string) *disk {
	t.Helper()
	d := &disk{t, t.TempDir(), base}
	if err := syscall.Mount("loam-test", d.dir, "tmpfs", 0, "size=6m"); err != nil {
		t.Skipf("no file system can be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(d.dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return d
}

func (d *disk) reset() {
	d.Helper()
	entries, err := os.ReadDir(d.dir)
	for _, e := range entries {
		err = errors.Join(err, os.RemoveAll(filepath.Join(d.dir, e.Name())))
	}
	if err = errors.Join(err, os.CopyFS(d.dir, os.DirFS(d.base))); err != nil {
		d.Fatal(err)
	}
}

const filler = "filler"

// fill leaves so many bytes of the disk.
func (d *disk) fill(left int64) {
	d.Helper()
	var at syscall.Statfs_t
	if err := syscall.Statfs(d.dir, &at); err != nil {
		d.Fatal(err)
	}
	if n := int64(at.Bavail)*at.Bsize - left; n > 0 {
		if err := os.WriteFile(filepath.Join(d.dir, filler), make([]byte, n), 0o600); err != nil && !errors.Is(err, syscall.ENOSPC) {
			d.Fatal(err)
		}
	}
}

func (d *disk) free() {
	d.Helper()
	if err := os.Remove(filepath.Join(d.dir, filler)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		d.Fatal(err)
	}
}

func (d *disk) readOnly(on bool) {
	d.Helper()
	flags := uintptr(syscall.MS_REMOUNT)
	if on {
		flags |= syscall.MS_RDONLY
	}
	if err := syscall.Mount("loam-test", d.dir, "tmpfs", flags, "size=6m"); err != nil {
		d.Fatal(err)
	}
}

var written = regexp.MustCompile(`\d{4}-\d\d-\d\dT[0-9:.]+Z`)

// files are the texts that memory writes, without the times in them.
func (d *disk) files() map[string]string {
	d.Helper()
	all := map[string]string{}
	for _, folder := range []string{"wiki", "semantic-layer", "queries"} {
		err := filepath.WalkDir(filepath.Join(d.dir, folder), func(path string, e fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) || err != nil || e.IsDir() {
				return ignored(err)
			}
			content, err := os.ReadFile(path)
			all[strings.TrimPrefix(path, d.dir+"/")] = string(written.ReplaceAll(content, []byte("then")))
			return err
		})
		if err != nil {
			d.Fatal(err)
		}
	}
	return all
}

func ignored(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// remembered is a project that an agent told a measure, another name of it, and a page.
func remembered(t *testing.T) (dir string, ids map[string]string) {
	t.Helper()
	source, err := sample()
	if err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(t.TempDir(), "project")
	if err := os.CopyFS(dir, os.DirFS(source)); err != nil {
		t.Fatal(err)
	}
	s := stdioServer(t, dir)
	for _, text := range []string{"Refund volume is the sum of amount_cents in refunds.", "Refund volume is also known as paid back money."} {
		if r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "memory_ingest", Arguments: map[string]any{"content": text, "connectionId": "shop"}}); err != nil || r.IsError {
			t.Fatal(r, err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if r := loam(t, dir, "ingest", "text", "--json", "ok"); r.code != 0 {
		t.Fatal(r.stderr)
	}
	var listed struct{ Changes []struct{ ID, Kind string } }
	unmarshal(t, []byte(loam(t, dir, "review", "list", "--json").stdout), &listed)
	ids = map[string]string{}
	for _, c := range listed.Changes {
		ids[c.Kind] = c.ID
	}
	if ids["measure"] == "" || ids["synonyms"] == "" {
		t.Fatalf("nothing was remembered: %+v", listed)
	}
	return dir, ids
}

// TestFullDisk runs each command that writes on a disk with little room. Whatever it wrote is whole, the rest is as it was,
// the error says what to do, and the same command on a disk with room again leads to what it does on one that always had.
func TestFullDisk(t *testing.T) {
	heavy(t, "each writing command on a disk that is full at several points")
	t.Parallel()
	base, ids := remembered(t)
	handbook := filepath.Join(t.TempDir(), "handbook")
	writeFile(t, filepath.Join(handbook, "terms.md"), "# Metrics\n\nMean refund = avg(amount_cents) in refunds\n\nStatus = 'pending' means not yet captured. See orders.\n")
	page := filepath.Join(t.TempDir(), "page.md")
	writeFile(t, page, "# Boxes\n\nA box is a thing with a lid.\n")
	for name, command := range map[string][]string{
		"text":    {"ingest", "text", "-c", "shop", "Mean refund is the average of amount_cents in refunds. A parcel is a box."},
		"files":   {"ingest", "files", handbook, "--repo", "handbook", "-c", "shop", "--learn"},
		"write":   {"wiki", "write", "boxes", "--file", page},
		"approve": {"review", "approve", ids["measure"]},
		"reject":  {"review", "reject", ids["synonyms"]},
		"revert":  {"review", "revert", "--yes", ids["synonyms"]},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDisk(t, base)
			d.reset()
			before := d.files()
			if r := loam(t, d.dir, command...); r.code != 0 {
				t.Fatalf("on a disk with room: exit %d\n%s", r.code, r.stderr)
			}
			after := d.files()
			failed := 0
			for _, left := range []int64{0, 24 << 10, 64 << 10, 80 << 10, 112 << 10, 144 << 10, 168 << 10, 192 << 10, 224 << 10} {
				d.reset()
				d.fill(left)
				r := loam(t, d.dir, command...)
				meanwhile := d.files()
				for path := range union(before, after, meanwhile) {
					if got := meanwhile[path]; got != before[path] && got != after[path] {
						t.Errorf("with %d bytes %s is neither as before nor as after:\n%s", left, path, got)
					}
				}
				if r.code != 0 {
					failed++
					if !strings.Contains(r.stderr, "full") && !strings.Contains(r.stderr, "no space") || !strings.Contains(r.stderr, "space") {
						t.Errorf("with %d bytes it says\n%s", left, r.stderr)
					}
				}
				d.free()
				if r = loam(t, d.dir, command...); r.code == 14 {
					t.Errorf("with room again after %d bytes: exit %d\n%s", left, r.code, r.stderr)
				}
				if diff := cmp.Diff(after, d.files()); diff != "" {
					t.Errorf("with room again after %d bytes (-with room +now):\n%s%s", left, diff, r.stderr)
				}
			}
			if failed == 0 {
				t.Error("no disk was too small")
			}
		})
	}
}

func union(all ...map[string]string) map[string]string {
	one := map[string]string{}
	for _, m := range all {
		maps.Copy(one, m)
	}
	return one
}

// TestReadOnlyFolder: each command and tool that writes says that it cannot, what to do, and leaves all as it was; what was
// remembered can be read.
func TestReadOnlyFolder(t *testing.T) {
	t.Parallel()
	base, ids := remembered(t)
	d := newDisk(t, base)
	d.reset()
	before := d.files()
	page := filepath.Join(t.TempDir(), "page.md")
	writeFile(t, page, "# Boxes\n\nA box is a thing with a lid.\n")
	d.readOnly(true)
	for _, command := range [][]string{
		{"ingest", "text", "-c", "shop", "A parcel is a box with a lid."},
		{"ingest", "files", filepath.Dir(page), "--repo", "handbook"},
		{"wiki", "write", "boxes", "--file", page},
		{"review", "approve", ids["measure"]},
		{"review", "reject", ids["synonyms"]},
		{"review", "revert", "--yes", ids["measure"]},
	} {
		if r := loam(t, d.dir, command...); r.code == 0 || !strings.Contains(r.stderr, "writable") {
			t.Errorf("%v: exit %d\n%s", command, r.code, r.stderr)
		}
	}
	if r := loam(t, d.dir, "review", "list", "--state", "all"); r.code != 0 || !strings.Contains(r.stdout, ids["measure"]) {
		t.Errorf("what was remembered is not listed: exit %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	call := writingClient(t, d.dir)
	for i := range writingCalls {
		if r, text := call(&writingCalls[i]); !r.IsError || !strings.Contains(text, "writable") {
			t.Errorf("%s in a read-only folder: %s", writingCalls[i].Name, text)
		}
	}
	if r, text := call(&mcp.CallToolParams{Name: "change_list", Arguments: map[string]any{"state": "applied"}}); r.IsError || !strings.Contains(text, "orders.delivery_income") {
		t.Errorf("the changes in a read-only folder: %s", text)
	}
	d.readOnly(false)
	if diff := cmp.Diff(before, d.files()); diff != "" {
		t.Error(diff)
	}
}

// writingCalls are calls of the tools that write.
var writingCalls = []mcp.CallToolParams{
	{Name: "memory_ingest", Arguments: map[string]any{"content": "Mean refund is the average of amount_cents in refunds.", "connectionId": "shop"}},
	{Name: "suggest_knowledge", Arguments: map[string]any{"factType": "terminology", "key": "parcel", "value": "a box with a lid", "confidence": "high"}},
	{Name: "enhance_entity", Arguments: map[string]any{"connectionId": "shop", "entityName": "refunds", "enhancementType": "alias", "value": []string{"chargebacks"}}},
	{Name: "enhance_relationship", Arguments: map[string]any{"connectionId": "shop", "fromEntity": "refunds", "toEntity": "order_items", "association": "is paid for"}},
	{Name: "recommend_query", Arguments: map[string]any{
		"name": "late", "description": "Late orders.", "sql": "SELECT id FROM orders WHERE status = {{status}}", "connectionId": "shop",
		"parameters": []any{map[string]any{"name": "status", "type": "string", "required": true}},
	}},
	{Name: "wiki_write", Arguments: map[string]any{"key": "lids", "content": "# Lids\n\nA lid closes a box.\n"}},
	{Name: "sl_write_source", Arguments: map[string]any{"connectionId": "shop", "name": "sold", "content": "name: sold\nsql: SELECT id, status FROM orders\nprimary_key: [id]\n"}},
}

// writingClient serves a project with all tools that write, and returns a function that calls one of them and returns
// its answer, and that as JSON.
func writingClient(t *testing.T, dir string) func(*mcp.CallToolParams) (*mcp.CallToolResult, string) {
	t.Helper()
	_, url := startHTTP(t, dir, "--toolsets", "research,context,queries,admin")
	s := client(t, &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{}})
	return func(p *mcp.CallToolParams) (*mcp.CallToolResult, string) {
		t.Helper()
		r, err := s.CallTool(t.Context(), p)
		if err != nil {
			t.Fatalf("%s: %v", p.Name, err)
		}
		text, err := json.Marshal(r.StructuredContent)
		if err != nil {
			t.Fatal(err)
		}
		return r, string(text)
	}
}

// TestToolsOnAFullDisk: a call of a tool that writes fails with what to do while the disk is full, and the same call does
// its work, once, when there is room again.
func TestToolsOnAFullDisk(t *testing.T) {
	t.Parallel()
	base, _ := remembered(t)
	d := newDisk(t, base)
	d.reset()
	call := writingClient(t, d.dir)
	before := d.files()
	d.fill(0)
	for i := range writingCalls {
		if r, text := call(&writingCalls[i]); !r.IsError || !strings.Contains(text, "full") && !strings.Contains(text, "no space") || !strings.Contains(text, "free some space") {
			t.Errorf("%s on a full disk: %s", writingCalls[i].Name, text)
		}
	}
	if diff := cmp.Diff(before, d.files()); diff != "" {
		t.Error(diff)
	}
	d.free()
	for i := range writingCalls {
		if r, text := call(&writingCalls[i]); r.IsError {
			t.Errorf("%s with room again: %s", writingCalls[i].Name, text)
		}
	}
	var listed struct {
		Changes []struct{ Kind, Target string }
	}
	unmarshal(t, []byte(loam(t, d.dir, "review", "list", "--state", "all", "--json", "--limit", "0").stdout), &listed)
	counted := map[string]int{}
	for _, c := range listed.Changes {
		counted[c.Kind+" "+c.Target]++
	}
	for _, what := range []string{"measure refunds.mean_refund", "page parcel", "query late", "page lids", "source sold"} {
		if counted[what] != 1 {
			t.Errorf("%s is there %d times: %v", what, counted[what], counted)
		}
	}
	if content, err := os.ReadFile(filepath.Join(d.dir, "wiki/global/lids.md")); err != nil || !bytes.Contains(content, []byte("A lid closes a box.")) {
		t.Errorf("%s %v", content, err)
	}
}
