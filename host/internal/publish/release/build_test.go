package release

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/loam-data/loam/host/internal/conformance"
	"github.com/loam-data/loam/host/internal/publish/index"
	"github.com/loam-data/loam/host/internal/publish/signature"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/conform"
	"github.com/loam-data/loam/sdk/wire"
)

var now = time.Date(2026, 11, 28, 10, 0, 0, 0, time.UTC)

func put(t *testing.T, path, text string, mode fs.FileMode) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), mode)); err != nil {
		t.Fatal(err)
	}
}

// built writes what a build leaves: a program for two platforms and a manifest for each.
func built(t *testing.T, id, version string) (manifests []string) {
	t.Helper()
	dir := t.TempDir()
	for _, platform := range []string{"linux_amd64", "windows_amd64"} {
		program := "program of " + platform + " " + version
		sum := sha256.Sum256([]byte(program))
		text, err := wire.EncodeManifest(wire.Manifest{
			Description: (&sdk.Connector{ID: id, Version: version, DisplayName: "FooDB", License: "Apache-2.0", Config: sdk.ConfigOf[struct{}]()}).Describe(),
			Targets:     map[string]wire.Target{platform: {Path: "bin/foodb", Size: int64(len(program)), SHA256: hex.EncodeToString(sum[:])}},
			Requires:    []string{"libfoo"}, Source: "https://git.foodb.example",
		})
		if err != nil {
			t.Fatal(err)
		}
		at := filepath.Join(dir, platform)
		put(t, filepath.Join(at, "bin/foodb"), program, 0o600) // built on Windows: no mode
		put(t, filepath.Join(at, "LICENSE"), "a licence", 0o644)
		put(t, filepath.Join(at, "README.md"), "a page", 0o644)
		put(t, filepath.Join(at, "stray.txt"), "of nobody", 0o644)
		put(t, filepath.Join(at, wire.ManifestName), string(text), 0o644)
		manifests = append(manifests, filepath.Join(at, wire.ManifestName))
	}
	return manifests
}

func report(t *testing.T, id, version string, level conform.Level) string {
	t.Helper()
	text, err := (&conformance.Report{Connector: id, Version: version, Level: level, Kit: "loam 0.1.0", Server: "real FooDB 4.2"}).Text()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "report.json")
	put(t, path, string(text), 0o644)
	return path
}

// published makes a signed release below dir and returns the paths of its archives.
func published(t *testing.T, dir, id, version string, signer *signature.Signer) (paths []string) {
	t.Helper()
	out := filepath.Join(dir, filepath.FromSlash(id), version)
	r, err := Build{Manifests: built(t, id, version), Report: report(t, id, version, conform.LevelFull), Out: out}.Make(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Sign(out, signer); err != nil {
		t.Fatal(err)
	}
	for _, one := range r.Archives {
		paths = append(paths, filepath.Join(out, one.File))
	}
	return paths
}

func newSigner(t *testing.T) *signature.Signer {
	t.Helper()
	signer, err := signature.NewSigner()
	if err != nil {
		t.Fatal(err)
	}
	return signer
}

func TestMake(t *testing.T) {
	t.Parallel()
	b := Build{
		Manifests: built(t, "acme/foodb", "0.3.1"), Report: report(t, "acme/foodb", "0.3.1", conform.LevelReads),
		Homepage: "https://foodb.example", Publisher: "Acme", Modified: time.Unix(0, 0), Out: filepath.Join(t.TempDir(), "dist"),
	}
	first, err := b.Make(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b.Out = t.TempDir()
	again, err := b.Make(t.Context())
	if err != nil || !slices.Equal(first.Archives, again.Archives) {
		t.Errorf("the same files make other archives: %v\n%+v\n%+v", err, first, again)
	}
	o, err := Open(t.Context(), filepath.Join(b.Out, "foodb_0.3.1_linux_amd64.tar.gz"))
	if err != nil {
		t.Fatal(err)
	}
	m := o.Manifest
	if got := strings.Join(Files(m, o.Platform), " "); got != "LICENSE README.md bin/foodb check.json connector.json" || len(m.Targets) != 1 || o.Archive != first.Archives[0] {
		t.Errorf("%s, %+v", got, o.Archive)
	}
	if m.Homepage != b.Homepage || m.Publisher != "Acme" || m.Source != "https://git.foodb.example" || len(m.Requires) != 1 ||
		m.Checked.Level != "reads" || m.Checked.Kit != "loam 0.1.0" || m.Checked.SHA256 != m.Files["check.json"] {
		t.Errorf("%+v, %+v", m, m.Checked)
	}
	left, err := os.ReadDir(b.Out)
	if err != nil || len(left) != 3 {
		t.Errorf("%v, %v", left, err)
	}

	b.Report, b.Unchecked, b.Platforms, b.Out = "", true, []string{"windows_amd64"}, t.TempDir()
	r, err := b.Make(t.Context())
	if err != nil || len(r.Archives) != 1 || r.Level != wire.Unchecked {
		t.Fatalf("%+v, %v", r, err)
	}
	if o, err = Open(t.Context(), filepath.Join(b.Out, r.Archives[0].File)); err != nil || o.Manifest.Checked.Level != wire.Unchecked {
		t.Errorf("%+v, %v", o, err)
	}
}

// What cannot be released has its sentence, and leaves no archive.
// A release that is packaged a platform at a time is signed whole.
func TestMakeAPlatformAtATime(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	for _, manifest := range built(t, "acme/foodb", "0.3.1") {
		b := Build{Manifests: []string{manifest}, Unchecked: true, Modified: now, Out: out}
		if _, err := b.Make(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	sums, err := Sign(out, newSigner(t))
	if err != nil || len(sums) != 2 {
		t.Errorf("signed is %v, %v", sums, err)
	}
	gone := filepath.Join(out, "foodb_0.3.1_linux_amd64.tar.gz")
	if err := os.Remove(gone); err != nil {
		t.Fatal(err)
	}
	b := Build{Manifests: built(t, "acme/foodb", "0.3.1")[1:], Unchecked: true, Modified: now, Out: out}
	if _, err := b.Make(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, sums, err := readSums(out); err != nil || len(sums) != 1 || sums[filepath.Base(gone)] != "" {
		t.Errorf("after an archive was removed: %v, %v", sums, err)
	}
}

func TestMakeRefuses(t *testing.T) {
	t.Parallel()
	for says, change := range map[string]func(t *testing.T, b *Build){
		"no report":                func(_ *testing.T, b *Build) { b.Report = "" },
		"reached level basic":      func(t *testing.T, b *Build) { b.Report = report(t, "acme/foodb", "0.3.1", conform.LevelBasic) },
		"the report is of":         func(t *testing.T, b *Build) { b.Report = report(t, "acme/foodb", "0.3.0", conform.LevelFull) },
		"is no report":             func(_ *testing.T, b *Build) { b.Report = b.Manifests[0] + "/../LICENSE" },
		"no manifest has":          func(_ *testing.T, b *Build) { b.Platforms = []string{"plan9_mips"} },
		"and the manifests before": func(t *testing.T, b *Build) { b.Manifests = append(b.Manifests, built(t, "acme/foodb", "0.3.2")...) },
		"two manifests":            func(t *testing.T, b *Build) { b.Manifests = append(b.Manifests, built(t, "acme/foodb", "0.3.1")...) },
		"has no namespace":         func(t *testing.T, b *Build) { b.Manifests = built(t, "foodb", "0.3.1") },
		"there is no LICENSE":      func(_ *testing.T, b *Build) { _ = os.Remove(filepath.Join(filepath.Dir(b.Manifests[0]), "LICENSE")) },
		"is not the file of the": func(t *testing.T, b *Build) {
			put(t, filepath.Join(filepath.Dir(b.Manifests[0]), "bin/foodb"), "changed", 0o755)
		},
		"homepage is no address":    func(_ *testing.T, b *Build) { b.Homepage = "javascript:alert(1)" },
		"bin/foodb cannot be read,": func(_ *testing.T, b *Build) { _ = os.RemoveAll(filepath.Join(filepath.Dir(b.Manifests[0]), "bin")) },
	} {
		b := Build{Manifests: built(t, "acme/foodb", "0.3.1"), Report: report(t, "acme/foodb", "0.3.1", conform.LevelReads), Out: t.TempDir()}
		change(t, &b)
		if says == "is no report" {
			b.Report = filepath.Join(filepath.Dir(b.Manifests[0]), "LICENSE")
		}
		if _, err := b.Make(t.Context()); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", says, err)
		}
		if _, err := os.Stat(filepath.Join(b.Out, signature.SumsName)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: there are checksums: %v", says, err)
		}
	}
}

// The mode of a program goes with it wherever it was built.
func TestProgramCanBeExecuted(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("no modes")
	}
	from, err := os.OpenRoot(filepath.Dir(built(t, "acme/foodb", "0.3.1")[0]))
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	into, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer into.Close()
	if _, err := copyFile(from, into, "bin/foodb", "", 0o100); err != nil {
		t.Fatal(err)
	}
	if info, err := into.Stat("bin/foodb"); err != nil || info.Mode().Perm()&0o100 == 0 {
		t.Errorf("%v, %v", info, err)
	}
}

func TestIndexIsEdited(t *testing.T) {
	t.Parallel()
	dir, signer := t.TempDir(), newSigner(t)
	e := Editor{Path: filepath.Join(dir, index.Name), Signer: signer, Now: now, Expires: now.AddDate(0, 3, 0)}
	x, err := e.Add(t.Context(), published(t, dir, "acme/foodb", "0.3.0", signer), nil)
	if err != nil {
		t.Fatal(err)
	}
	if x.Serial != 1 || x.Name != "acme" || !slices.Equal(x.KeysOf("acme/foodb"), []signature.Key{signer.Key()}) {
		t.Errorf("%+v", x)
	}
	second := published(t, dir, "acme/foodb", "0.3.1", signer)
	if _, err = e.Add(t.Context(), second, nil); err != nil {
		t.Fatal(err)
	}
	if x, err = e.Add(t.Context(), second, nil); err != nil || x.Serial != 3 {
		t.Fatalf("added twice: %+v, %v", x, err)
	}
	w := index.Wanted{ID: "acme/foodb", Platform: "linux_amd64", Major: 1, Minor: sdk.ContractMinor}
	version, r, target, err := x.Choose(w)
	if err != nil || version != "0.3.1" || r.Level != "full" || target.URL != "acme/foodb/0.3.1/foodb_0.3.1_linux_amd64.tar.gz" {
		t.Errorf("%s, %+v, %+v, %v", version, r, target, err)
	}
	if x, err = e.Yank("acme/foodb", "0.3.1", "it lost rows"); err != nil {
		t.Fatal(err)
	}
	if version, _, _, err = x.Choose(w); err != nil || version != "0.3.0" {
		t.Errorf("withdrawn: %s, %v", version, err)
	}
	if x, err = e.Remove("acme/foodb", "0.3.0"); err != nil || len(x.Connectors["acme/foodb"].Versions) != 1 {
		t.Errorf("%+v, %v", x, err)
	}
	if x, err = e.Remove("acme/foodb", ""); err != nil || len(x.Connectors) != 0 {
		t.Errorf("%+v, %v", x, err)
	}
}

// The old key signs the index that lists the new one, and only then may the new one sign.
func TestKeysAreChanged(t *testing.T) {
	t.Parallel()
	dir, before, after := t.TempDir(), newSigner(t), newSigner(t)
	e := Editor{Path: filepath.Join(dir, index.Name), Signer: before, Now: now, Expires: now.AddDate(0, 3, 0)}
	if _, err := e.Add(t.Context(), published(t, dir, "acme/foodb", "0.3.0", before), nil); err != nil {
		t.Fatal(err)
	}
	next := e
	next.Signer = after
	news := []PublisherKey{{"acme/*", after.Key()}}
	if _, err := next.Add(t.Context(), nil, news); sdk.KindOf(err) != sdk.KindDenied {
		t.Errorf("a key lists itself: %v", err)
	}
	if _, err := e.Add(t.Context(), nil, news); err != nil {
		t.Fatal(err)
	}
	if x, err := next.Add(t.Context(), published(t, dir, "acme/foodb", "0.3.1", after), nil); err != nil || x.Serial != 3 {
		t.Errorf("%+v, %v", x, err)
	}
	old := []PublisherKey{{"acme/*", before.Key()}}
	if _, err := e.Retire(old); sdk.KindOf(err) != sdk.KindDenied {
		t.Errorf("a key signs the index that lists it no more: %v", err)
	}
	if _, err := next.Retire(old); err != nil {
		t.Fatal(err)
	}
	if _, err := next.Retire(news); sdk.KindOf(err) != sdk.KindConflict {
		t.Errorf("the last key: %v", err)
	}
	if _, err := e.Yank("acme/foodb", "0.3.1", "no"); sdk.KindOf(err) != sdk.KindDenied {
		t.Errorf("the old key: %v", err)
	}
}

func TestIndexRefuses(t *testing.T) {
	t.Parallel()
	dir, signer := t.TempDir(), newSigner(t)
	e := Editor{Path: filepath.Join(dir, index.Name), Signer: signer, Now: now, Expires: now.AddDate(0, 3, 0)}
	archives := published(t, dir, "acme/foodb", "0.3.0", signer)
	if _, err := e.Add(t.Context(), archives, nil); err != nil {
		t.Fatal(err)
	}
	refused := func(says string, paths []string) {
		t.Helper()
		if _, err := e.Add(t.Context(), paths, nil); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", says, err)
		}
	}
	refused("is not below", published(t, t.TempDir(), "acme/foodb", "0.3.1", signer))
	refused("of another key", published(t, dir, "acme/foodb", "0.3.1", newSigner(t)))
	refused("lists no key for it", published(t, dir, "other/foodb", "0.3.1", signer))
	refused("cannot be read", []string{filepath.Join(dir, "none.tar.gz")})

	// The same version with other bytes, signed all the same.
	other := filepath.Join(dir, "again")
	b := Build{Manifests: built(t, "acme/foodb", "0.3.0"), Unchecked: true, Out: other}
	if _, err := b.Make(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := Sign(other, signer); err != nil {
		t.Fatal(err)
	}
	refused("is another one", []string{filepath.Join(other, "foodb_0.3.0_linux_amd64.tar.gz")})

	put(t, archives[0], "changed", 0o644)
	if _, err := Sign(filepath.Dir(archives[0]), signer); sdk.KindOf(err) != sdk.KindDenied {
		t.Errorf("a changed archive is signed: %v", err)
	}
	text, err := os.ReadFile(e.Path)
	if err != nil {
		t.Fatal(err)
	}
	put(t, e.Path, strings.Replace(string(text), `"serial": 1`, `"serial": 9`, 1), 0o644)
	refused("does not fit", nil)
}
