package release

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/install/fetch"
	"github.com/loam-data/loam/sdk"
)

// indexed makes a folder with a release and a signed index of it.
func indexed(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	signer := newSigner(t)
	archives := published(t, dir, "acme/foodb", "0.3.1", signer)
	e := Editor{Path: filepath.Join(dir, "index.json"), Signer: signer, Now: now, Expires: now.Add(24 * time.Hour)}
	if _, err := e.Add(t.Context(), archives, nil); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestPush(t *testing.T) {
	t.Parallel()
	dir := indexed(t)
	layout := "oci:" + filepath.Join(t.TempDir(), "layout")
	const linux, windows = "foodb_0.3.1_linux_amd64.tar.gz", "foodb_0.3.1_windows_amd64.tar.gz"
	const below = "acme/foodb/0.3.1/"
	for _, c := range []struct {
		name, dir, remove string
		files, absent     []string
	}{
		{"a release", filepath.Join(dir, below), "", []string{"SHA256SUMS", "SHA256SUMS.minisig", linux, windows}, []string{}},
		{"an index", dir, "", []string{"index.json", "index.json.minisig", below + linux, below + windows}, []string{}},
		{"an index without an archive", dir, below + windows, []string{"index.json", "index.json.minisig", below + linux}, []string{below + windows}},
	} {
		if c.remove != "" {
			remove(t, dir, c.remove)
		}
		reference := layout + ":" + strings.ReplaceAll(c.name, " ", "-")
		pushed, err := Push(t.Context(), c.dir, reference)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if diff := cmp.Diff(&Pushed{reference, pushed.Digest, c.files, c.absent}, pushed); diff != "" || !strings.HasPrefix(pushed.Digest, "sha256:") {
			t.Errorf("%s: digest %s (-want +got):\n%s", c.name, pushed.Digest, diff)
		}
		for _, name := range c.files {
			want, err := os.ReadFile(filepath.Join(c.dir, name))
			if err != nil {
				t.Fatal(err)
			}
			got, err := fetch.New().Bytes(t.Context(), fetch.Location(reference+"/"+name), 1<<20)
			if err != nil || string(got) != string(want) {
				t.Errorf("%s: %s has %d bytes, want %d, %v", c.name, name, len(got), len(want), err)
			}
		}
	}
}

func TestPushRefusals(t *testing.T) {
	t.Parallel()
	const below = "acme/foodb/0.3.1/"
	for name, c := range map[string]struct {
		change    func(t *testing.T, dir string)
		below     string
		reference string
		kind      sdk.Kind
		want      string
	}{
		"an empty folder":      {func(*testing.T, string) {}, "none", "", sdk.KindNotFound, "SHA256SUMS"},
		"no reference":         {func(*testing.T, string) {}, below, "layout:1", sdk.KindInvalid, "is no reference of an artifact"},
		"a release not signed": {func(t *testing.T, dir string) { remove(t, dir, below+"SHA256SUMS.minisig") }, below, "", sdk.KindDenied, "is not signed"},
		"an index not signed":  {func(t *testing.T, dir string) { remove(t, dir, "index.json.minisig") }, "", "", sdk.KindDenied, "is not signed"},
		"a changed index": {func(t *testing.T, dir string) {
			text, err := os.ReadFile(filepath.Join(dir, "index.json"))
			if err != nil {
				t.Fatal(err)
			}
			put(t, filepath.Join(dir, "index.json"), strings.Replace(string(text), `"serial": 1`, `"serial": 2`, 1), 0o644)
		}, "", "", sdk.KindDenied, "signature"},
		"a changed archive": {func(t *testing.T, dir string) {
			put(t, filepath.Join(dir, below, "foodb_0.3.1_linux_amd64.tar.gz"), "x", 0o644)
		}, below, "", sdk.KindDenied, "foodb_0.3.1_linux_amd64.tar.gz is not the file"},
		"a changed archive of an index": {func(t *testing.T, dir string) {
			put(t, filepath.Join(dir, below, "foodb_0.3.1_linux_amd64.tar.gz"), "x", 0o644)
		}, "", "", sdk.KindDenied, "foodb_0.3.1_linux_amd64.tar.gz is not the file"},
		"a missing archive": {func(t *testing.T, dir string) { remove(t, dir, below+"foodb_0.3.1_linux_amd64.tar.gz") }, below, "", sdk.KindNotFound, "cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := indexed(t)
			c.change(t, dir)
			layout := filepath.Join(t.TempDir(), "layout")
			if c.reference == "" {
				c.reference = "oci:" + layout + ":1"
			}
			pushed, err := Push(t.Context(), filepath.Join(dir, c.below), c.reference)
			if sdk.KindOf(err) != c.kind || !strings.Contains(err.Error(), c.want) {
				t.Errorf("pushed %+v, %v; want kind %q, %s", pushed, err, c.kind, c.want)
			}
			if _, err := os.Stat(layout); err == nil {
				t.Error("a layout was made")
			}
		})
	}
}

func remove(t *testing.T, dir, name string) {
	t.Helper()
	if err := os.Remove(filepath.Join(dir, name)); err != nil {
		t.Fatal(err)
	}
}
