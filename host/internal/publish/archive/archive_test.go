package archive

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
)

func sample() fstest.MapFS {
	return fstest.MapFS{
		"connector.json": {Data: []byte("{}"), Mode: 0o600},
		"bin/connector":  {Data: []byte("#!"), Mode: 0o700, ModTime: time.Now()},
		"README.md":      {Data: []byte("read me"), Mode: 0o644},
	}
}

var sampleNames = []string{"connector.json", "bin/connector", "README.md"}

// The same files are the same bytes, whatever their times, owners and order, and come out
// as they went in.
func TestPackAndUnpack(t *testing.T) {
	t.Parallel()
	epoch := time.Unix(1_700_000_000, 0)
	var one, other bytes.Buffer
	if err := Pack(&one, sample(), sampleNames, epoch); err != nil {
		t.Fatal(err)
	}
	if err := Pack(&other, sample(), []string{"README.md", "connector.json", "bin/connector"}, epoch); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(one.Bytes(), other.Bytes()) {
		t.Error("the same files made other bytes")
	}
	dir := t.TempDir()
	root := openRoot(t, dir)
	if err := Unpack(t.Context(), &one, root, func() ([]string, error) { return sampleNames, nil }); err != nil {
		t.Fatal(err)
	}
	for name, mode := range map[string]os.FileMode{"connector.json": 0o644, "bin/connector": 0o755, "README.md": 0o644} {
		content, err := os.ReadFile(dir + "/" + name)
		info, _ := os.Stat(dir + "/" + name)
		if err != nil || !bytes.Equal(content, sample()[name].Data) || info.Mode() != mode {
			t.Errorf("%s: %q %v %v", name, content, info.Mode(), err)
		}
	}
	before, err := Tree(sample())
	if err != nil {
		t.Fatal(err)
	}
	after, err := Tree(root.FS())
	if err != nil || before != after || !strings.HasPrefix(before, "h1:") {
		t.Errorf("the tree was %s and is %s, %v", before, after, err)
	}
	for name, change := range map[string]func(fstest.MapFS){
		"content": func(m fstest.MapFS) { m["README.md"].Data = []byte("read it") },
		"mode":    func(m fstest.MapFS) { m["README.md"].Mode = 0o755 },
		"name":    func(m fstest.MapFS) { m["README"] = m["README.md"]; delete(m, "README.md") },
		"more":    func(m fstest.MapFS) { m["x"] = m["README.md"] },
	} {
		files := sample()
		change(files)
		if now, err := Tree(files); err != nil || now == before {
			t.Errorf("another %s has the same hash, %v", name, err)
		}
	}
}

func openRoot(t *testing.T, dir string) *os.Root {
	t.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	return root
}

// file is a regular file of an archive.
func file(name string) tar.Header {
	return tar.Header{Typeflag: tar.TypeReg, Name: name, Size: 1, Mode: 0o644}
}

func packed(t *testing.T, headers ...tar.Header) []byte {
	t.Helper()
	var b bytes.Buffer
	gz := gzip.NewWriter(&b)
	out := tar.NewWriter(gz)
	for _, h := range headers {
		if err := out.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if _, err := io.CopyN(out, zeros{}, h.Size); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(out.Close(), gz.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// What no connector needs is refused, and nothing is left.
func TestHostileArchives(t *testing.T) {
	t.Parallel()
	link := func(kind byte, name, target string) tar.Header {
		return tar.Header{Typeflag: kind, Name: name, Linkname: target, Mode: 0o777}
	}
	setuid, bomb := file("su"), file("zeros")
	setuid.Mode = 0o4755
	bomb.Size = 8 << 20
	var many []tar.Header
	for i := range MaxFiles + 1 {
		many = append(many, file(fmt.Sprint(i)))
	}
	good := packed(t, file("a"))
	broken := bytes.Clone(good)
	broken[len(broken)-6] ^= 1
	for name, c := range map[string]struct {
		archive []byte
		says    string
	}{
		"symbolic link":     {packed(t, link(tar.TypeSymlink, "a", "/etc/passwd")), "no regular file"},
		"hard link":         {packed(t, file("b"), link(tar.TypeLink, "a", "b")), "no regular file"},
		"device":            {packed(t, tar.Header{Typeflag: tar.TypeChar, Name: "a"}), "no regular file"},
		"pipe":              {packed(t, tar.Header{Typeflag: tar.TypeFifo, Name: "a"}), "no regular file"},
		"absolute":          {packed(t, file("/etc/a")), "is absolute"},
		"parent":            {packed(t, file("b/../../a")), "leaves the folder"},
		"parent folder":     {packed(t, tar.Header{Typeflag: tar.TypeDir, Name: "../x/"}), "leaves the folder"},
		"backslash":         {packed(t, file(`..\a`)), "on Windows"},
		"drive":             {packed(t, file("c:a")), "on Windows"},
		"device of Windows": {packed(t, file("x/NUL.txt")), "a device on Windows"},
		"end of a name":     {packed(t, file("a.")), "Windows removes"},
		"control":           {packed(t, file("a\x1b[2J")), "no text"},
		"not shortest":      {packed(t, file("./a")), "shortest form"},
		"twice":             {packed(t, file("a"), file("a")), "the same file"},
		"case":              {packed(t, file("b/Readme"), file("b/README")), "the same file"},
		"composition":       {packed(t, file("\u00e9"), file("e\u0301")), "the same file"},
		"file and folder":   {packed(t, file("a"), file("A/b")), "is a folder"},
		"folder and file":   {packed(t, file("A/b"), file("a")), "is a folder"},
		"set user":          {packed(t, setuid), "rights of another user"},
		"unlisted":          {packed(t, file("a"), file("b")), "b is not among the files"},
		"missing":           {packed(t), "a is missing"},
		"many files":        {packed(t, many...), "more than 2000 files"},
		"bomb":              {packed(t, bomb), "larger than"},
		"truncated":         {good[:len(good)-20], "ends too early"},
		"changed":           {broken, "cannot be read"},
		"no gzip":           {[]byte("hello, this is no archive"), "no gzip file"},
		"no tar":            {gzipped(t, strings.Repeat("hello", 500)), "cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			err := Unpack(t.Context(), bytes.NewReader(c.archive), openRoot(t, dir), func() ([]string, error) { return []string{"a"}, nil })
			if sdk.KindOf(err) != sdk.KindDenied || !strings.Contains(fmt.Sprint(err), c.says) {
				t.Errorf("want %q: %v", c.says, err)
			}
			left, err := os.ReadDir(dir)
			if diff := cmp.Diff(0, len(left)); err != nil || diff != "" {
				t.Errorf("%v is left, %v", left, err)
			}
		})
	}
}

func gzipped(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	gz := gzip.NewWriter(&b)
	if _, err := io.WriteString(gz, text); err != nil {
		t.Fatal(err)
	}
	if err := gz.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// An unpacking that is cancelled, and one whose list fails, leave nothing.
func TestUnpackEnds(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := Pack(&b, sample(), sampleNames, time.Time{}); err != nil {
		t.Fatal(err)
	}
	dir, why := t.TempDir(), errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	if err := Unpack(ctx, bytes.NewReader(b.Bytes()), openRoot(t, dir), nil); !errors.Is(err, why) {
		t.Error(err)
	}
	if err := Unpack(t.Context(), &b, openRoot(t, dir), func() ([]string, error) { return nil, why }); !errors.Is(err, why) {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
}
