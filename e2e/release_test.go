package e2e

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

var releasePlatforms = flag.String("release.platforms", "", "further platforms whose archives TestReleaseArchives makes, with commas; compiles the host for each")

const releaseVersion = "0.1.2"

var nativePlatform = runtime.GOOS + "_" + runtime.GOARCH

// released is a release of the programs under test with SQLite's connector, made once.
var released = sync.OnceValues(func() (string, error) {
	dir := filepath.Join(work, "release")
	return dir, release(dir)
})

// release runs scripts/release.
func release(dir string) error {
	list := nativePlatform
	if *releasePlatforms != "" {
		list += "," + *releasePlatforms
	}
	programs, err := filepath.Abs(bin)
	if err != nil {
		return err
	}
	cmd := exec.Command("go", "run", "./scripts/release", "--version", releaseVersion, "--native", programs, "--connectors", "sqlite", "--platforms", list, "--output", dir)
	cmd.Dir = ".."
	cmd.Env = append(os.Environ(), "SOURCE_DATE_EPOCH=1790000000")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("scripts/release: %w\n%s", err, out)
	}
	return nil
}

func newRelease(t *testing.T) string {
	t.Helper()
	heavy(t, "the files of a release")
	dir, err := released()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// unpack writes the files of a tar.gz, tgz or zip below dir and returns their names.
func unpack(t *testing.T, archive, dir string) (names []string) {
	t.Helper()
	write := func(name string, mode os.FileMode, from io.Reader) {
		if !filepath.IsLocal(name) {
			t.Fatalf("%s has %q", archive, name)
		}
		file := filepath.Join(dir, name)
		content, err := io.ReadAll(from)
		if err == nil {
			err = errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, content, mode))
		}
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	content, err := os.ReadFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	if zipped, err := zip.NewReader(bytes.NewReader(content), int64(len(content))); err == nil {
		for _, f := range zipped.File {
			from, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			write(f.Name, f.Mode(), from)
		}
		return names
	}
	plain, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	for files := tar.NewReader(plain); ; {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			return names
		} else if err != nil {
			t.Fatal(err)
		}
		write(header.Name, header.FileInfo().Mode(), files)
	}
}

func sumOf(t *testing.T, file string) string {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", sha256.Sum256(content))
}

// alone runs a program as somebody who has nothing but an operating system.
func alone(t *testing.T, dir, program string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Dir, cmd.Env = dir, []string{"HOME=" + dir, "PATH=/usr/bin:/bin"}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", program, args, err, out)
	}
	return string(out)
}

// TestReleaseArchives verifies the archive of each platform, and runs the demo from that of
// this machine, in a new folder and without Go.
func TestReleaseArchives(t *testing.T) {
	t.Parallel()
	dir := newRelease(t)
	list := []string{nativePlatform}
	if *releasePlatforms != "" {
		list = append(list, strings.Split(*releasePlatforms, ",")...)
	}
	for _, platform := range list {
		t.Run(platform, func(t *testing.T) {
			name := "loam_" + releaseVersion + "_" + platform
			archive, exe := filepath.Join(dir, name+".tar.gz"), ""
			if strings.HasPrefix(platform, "windows") {
				archive, exe = filepath.Join(dir, name+".zip"), ".exe"
			}
			to := t.TempDir()
			for _, file := range unpack(t, archive, to) {
				if !strings.HasPrefix(file, name+"/") {
					t.Errorf("%s is outside the archive's folder", file)
				}
			}
			to = filepath.Join(to, name)
			for _, file := range []string{
				"LICENSE", "README.md", "CONNECTORS.txt", "share/man/man1/loam-mcp-start.1", "share/bash-completion/completions/loam", "licenses/std/LICENSE", "licenses/github.com/spf13/cobra/LICENSE.txt",
			} {
				if info, err := os.Stat(filepath.Join(to, file)); err != nil || info.Size() == 0 {
					t.Errorf("%s: %v", file, err)
				}
			}
			verifyConnector(t, to, platform, exe)
			verifyBill(t, filepath.Join(dir, name+".cdx.json"), to, exe)
			if platform == nativePlatform {
				demo := alone(t, t.TempDir(), filepath.Join(to, "bin", "loam"), "demo", "shop")
				if !strings.Contains(demo, "sl_query") {
					t.Errorf("the demo prints %s", demo)
				}
			}
		})
	}
}

// verifyConnector compares a connector with its manifest and with what the host knows.
func verifyConnector(t *testing.T, to, platform, exe string) {
	t.Helper()
	folder := filepath.Join(to, "lib/loam/connectors")
	var manifest struct {
		Targets map[string]struct{ Path, SHA256 string }
	}
	content, err := os.ReadFile(filepath.Join(folder, "loam-connector-sqlite.json"))
	if err == nil {
		err = json.Unmarshal(content, &manifest)
	}
	if err != nil {
		t.Fatal(err)
	}
	target := manifest.Targets[platform]
	if len(manifest.Targets) != 1 || target.Path != "loam-connector-sqlite"+exe {
		t.Fatalf("the manifest has the targets %v", manifest.Targets)
	}
	if sum := sumOf(t, filepath.Join(folder, target.Path)); sum != target.SHA256 {
		t.Errorf("the connector has the checksum %s, its manifest %s", sum, target.SHA256)
	}
	host, err := os.ReadFile(filepath.Join(to, "bin", "loam"+exe))
	if err != nil || !bytes.Contains(host, []byte("sqlite="+target.SHA256)) {
		t.Errorf("the host does not know the connector (%v)", err)
	}
}

// verifyBill reads a bill of materials by the rules of CycloneDX 1.6: what depends and what
// is depended on are components, the programs have the checksums of the archive's.
func verifyBill(t *testing.T, file, to, exe string) {
	t.Helper()
	type component struct {
		Ref                       string `json:"bom-ref"`
		Type, Name, Version, Purl string
		Hashes                    []struct{ Alg, Content string }
	}
	var bill struct {
		BomFormat, SpecVersion string
		Metadata               struct {
			Timestamp string
			Component component
		}
		Components   []component
		Dependencies []struct {
			Ref       string
			DependsOn []string
		}
	}
	content, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(content, &bill)
	}
	if err != nil {
		t.Fatal(err)
	}
	if bill.BomFormat != "CycloneDX" || bill.SpecVersion != "1.6" || bill.Metadata.Timestamp != "2026-09-21T14:13:20Z" || bill.Metadata.Component.Version != releaseVersion {
		t.Errorf("its head is %s %s %v", bill.BomFormat, bill.SpecVersion, bill.Metadata)
	}
	known := map[string]component{bill.Metadata.Component.Ref: bill.Metadata.Component}
	for _, c := range bill.Components {
		if _, twice := known[c.Ref]; twice || c.Name == "" || c.Version == "" {
			t.Errorf("component %+v", c)
		}
		known[c.Ref] = c
	}
	used := map[string]bool{}
	for _, d := range bill.Dependencies {
		for _, ref := range append(d.DependsOn, d.Ref) {
			if _, ok := known[ref]; !ok {
				t.Errorf("%s is no component", ref)
			}
			used[ref] = true
		}
	}
	for ref := range known {
		if !used[ref] {
			t.Errorf("nothing depends on %s", ref)
		}
	}
	for _, program := range []string{"bin/loam" + exe, "lib/loam/connectors/loam-connector-sqlite" + exe} {
		c := known[program]
		if len(c.Hashes) != 1 || c.Hashes[0].Content != sumOf(t, filepath.Join(to, program)) {
			t.Errorf("%s has the hashes %v", program, c.Hashes)
		}
	}
	if !strings.HasPrefix(slices.Sorted(maps.Keys(known))[len(known)-1], "pkg:golang/std@1.") {
		t.Error("the standard library is missing")
	}
}

// TestReleaseTwice makes a release a second time: the bytes are the same, and the checksums
// are those of the files.
func TestReleaseTwice(t *testing.T) {
	t.Parallel()
	first, second := newRelease(t), t.TempDir()
	if err := release(second); err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(first, "SHA256SUMS"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(sums)), "\n")
	if len(lines) < 2 || !slices.IsSortedFunc(lines, func(a, b string) int { return strings.Compare(a[64:], b[64:]) }) {
		t.Errorf("the checksums are %q", lines)
	}
	listed := []string{"SHA256SUMS"}
	for _, line := range lines {
		sum, name, _ := strings.Cut(line, "  ")
		listed = append(listed, name)
		for _, dir := range []string{first, second} {
			if found := sumOf(t, filepath.Join(dir, name)); found != sum {
				t.Errorf("%s in %s has the checksum %s, listed is %s", name, path.Base(dir), found, sum)
			}
		}
	}
	entries, err := os.ReadDir(first)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !e.IsDir() && !slices.Contains(listed, e.Name()) {
			t.Errorf("%s is not among the checksums", e.Name())
		}
	}
}
