// Package release makes what a publisher puts on a web server: archives of a connector for
// each platform, their signed checksums, and the index that names them.
package release

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/conformance"
	"github.com/loam-data/loam/host/internal/file"
	"github.com/loam-data/loam/host/internal/publish/archive"
	"github.com/loam-data/loam/host/internal/publish/signature"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/conform"
	"github.com/loam-data/loam/sdk/wire"
)

// The files that Build adds to those of the manifest.
const (
	licenseName = "LICENSE"
	readmeName  = "README.md"
	reportName  = "check.json"
)

// Build is a release to make.
type Build struct {
	// Manifests are the paths of connector.json files, all of the same connector and
	// version. The files that one names, and LICENSE, lie beside it.
	Manifests []string
	// Platforms leaves out the others; empty = all that the manifests have.
	Platforms []string
	// Report is the file that loam connector check --report wrote; "" with Unchecked alone.
	Report    string
	Unchecked bool
	// Homepage, Source and Publisher replace those of the manifests unless they are empty.
	Homepage, Source, Publisher string
	// Modified is the time of every file.
	Modified time.Time
	// Out is the folder for the archives and SHA256SUMS.
	Out string
}

// Release is what was made.
type Release struct {
	ID       string    `json:"id"`
	Version  string    `json:"version"`
	Level    string    `json:"level"`
	Dir      string    `json:"dir"`
	Archives []Archive `json:"archives"`
}

// Archive is the archive of one platform.
type Archive struct {
	File     string `json:"file"`
	Platform string `json:"platform"`
	Size     int64  `json:"size"` // bytes
	SHA256   string `json:"sha256"`
	// Tree is the hash of the unpacked files.
	Tree string `json:"tree"`
}

// Make writes an archive for each platform, and SHA256SUMS, which keeps what other runs made in the folder. Each archive is unpacked as an installation
// does before it gets its name.
// Errors: KindInvalid for a manifest or report that does not fit, KindConflict for manifests of several
// releases; KindDenied for an archive that no host would unpack.
func (b Build) Make(ctx context.Context) (*Release, error) {
	report, checked, err := b.checked()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(b.Out, 0o755); err != nil {
		return nil, unavailable("make the folder %s: %w", b.Out, err)
	}
	r := &Release{Level: checked.Level, Dir: b.Out, Archives: []Archive{}}
	sums := signature.Sums{}
	for _, path := range b.Manifests {
		m, err := readManifest(path)
		if err != nil {
			return nil, err
		}
		if err := r.accept(path, m.Description, report); err != nil {
			return nil, err
		}
		m.Checked = checked
		m.Homepage, m.Source, m.Publisher = either(b.Homepage, m.Homepage), either(b.Source, m.Source), either(b.Publisher, m.Publisher)
		for _, platform := range slices.Sorted(maps.Keys(m.Targets)) {
			if len(b.Platforms) > 0 && !slices.Contains(b.Platforms, platform) {
				continue
			}
			one, err := b.archive(ctx, filepath.Dir(path), m, platform)
			if err != nil {
				return nil, err
			}
			if sums[one.File] != "" {
				return nil, sdk.Errorf(sdk.KindConflict, sdk.SourceCaller, "two manifests have a program for %s", platform)
			}
			sums[one.File] = one.SHA256
			r.Archives = append(r.Archives, one)
		}
	}
	for _, platform := range b.Platforms {
		if !slices.ContainsFunc(r.Archives, func(a Archive) bool { return a.Platform == platform }) {
			return nil, sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "no manifest has a program for %s", platform).
				WithHint("build the program for it, and name the manifest beside it")
		}
	}
	if err := b.keep(sums); err != nil {
		return nil, err
	}
	if err := file.Replace(filepath.Join(b.Out, signature.SumsName), sums.Text(), 0o644); err != nil {
		return nil, unavailable("write %s: %w", signature.SumsName, err)
	}
	// A signature of what was there before fits nothing any more.
	if err := os.Remove(filepath.Join(b.Out, signature.SignatureName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, unavailable("remove the old %s: %w", signature.SignatureName, err)
	}
	return r, nil
}

// keep adds the checksums of archives that an earlier run made in the same folder and that are
// still there: a release may be built a platform at a time.
func (b Build) keep(sums signature.Sums) error {
	if _, err := os.Stat(filepath.Join(b.Out, signature.SumsName)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	_, before, err := readSums(b.Out)
	if err != nil {
		return err
	}
	for name, sum := range before {
		if _, err := os.Stat(filepath.Join(b.Out, name)); err == nil && sums[name] == "" {
			sums[name] = sum
		}
	}
	return nil
}

func either(first, second string) string {
	if first != "" {
		return first
	}
	return second
}

// accept refuses a manifest of another release, and a report of another one.
func (r *Release) accept(path string, d sdk.Description, report *conformance.Report) error {
	if !strings.Contains(d.ID, "/") {
		return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%s: the id %q has no namespace", path, d.ID).
			WithHint("a connector for others has an id such as acme/%s", d.ID)
	}
	if r.ID == "" {
		r.ID, r.Version = d.ID, d.Version
	}
	if d.ID != r.ID || d.Version != r.Version {
		return sdk.Errorf(sdk.KindConflict, sdk.SourceCaller, "%s is of %s %s, and the manifests before of %s %s", path, d.ID, d.Version, r.ID, r.Version).
			WithHint("package one version of one connector at a time")
	}
	if report != nil && (report.Connector != d.ID || report.Version != d.Version) {
		return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "the report is of %s %s, and %s of %s %s", report.Connector, report.Version, path, d.ID, d.Version).
			WithHint("run loam connector check with --report for this version")
	}
	return nil
}

// checked reads the report.
func (b Build) checked() (*conformance.Report, *wire.Checked, error) {
	if b.Report == "" {
		if !b.Unchecked {
			return nil, nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "no report of a check is named").
				WithHint("run loam connector check --fixture check.yaml --report check.json, or say --unchecked")
		}
		return nil, &wire.Checked{Level: wire.Unchecked}, nil
	}
	text, err := os.ReadFile(b.Report)
	if err != nil {
		return nil, nil, sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "the report of the check cannot be read: %w", err).
			WithHint("run loam connector check --fixture check.yaml --report %s", b.Report)
	}
	var report conformance.Report
	if err := json.Unmarshal(text, &report); err != nil {
		return nil, nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%s is no report of a check: %w", b.Report, err)
	}
	all := conform.Levels()
	if slices.Index(all, report.Level) < slices.Index(all, conform.LevelReads) && !b.Unchecked {
		return nil, nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "the check reached level %s, and a package needs reads", report.Level).
			WithHint("mend what %s shows, or say --unchecked, which the package will show to all", b.Report)
	}
	return &report, &wire.Checked{Level: string(report.Level), Kit: report.Kit, Server: report.Server, SHA256: sumOf(text)}, nil
}

// archive writes the archive of one platform.
func (b Build) archive(ctx context.Context, beside string, m wire.Manifest, platform string) (a Archive, err error) {
	stage, err := os.MkdirTemp("", "loam-package-")
	if err != nil {
		return a, unavailable("make a folder for the files: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(stage)) }()
	if err := b.stage(stage, beside, &m, platform); err != nil {
		return a, err
	}
	out, err := file.Temp(b.Out)
	if err != nil {
		return a, unavailable("write into %s: %w", b.Out, err)
	}
	defer func() {
		if gone := os.Remove(out.Name()); !errors.Is(gone, fs.ErrNotExist) {
			err = errors.Join(err, gone)
		}
	}()
	err = archive.Pack(out, os.DirFS(stage), Files(m, platform), b.Modified)
	if err = errors.Join(err, out.Chmod(0o644), out.Close()); err != nil {
		return a, err
	}
	seen, err := Open(ctx, out.Name())
	if err != nil {
		return a, err
	}
	_, name, _ := strings.Cut(m.Description.ID, "/")
	seen.File = name + "_" + m.Description.Version + "_" + platform + ".tar.gz"
	return seen.Archive, os.Rename(out.Name(), filepath.Join(b.Out, seen.File))
}

// stage copies the files of one platform, with a manifest that lists them and no other platform.
func (b Build) stage(stage, beside string, m *wire.Manifest, platform string) error {
	target := m.Targets[platform]
	from, err := os.OpenRoot(beside)
	if err != nil {
		return unavailable("open the folder of the manifest: %w", err)
	}
	defer from.Close() //nolint:errcheck // only read
	into, err := os.OpenRoot(stage)
	if err != nil {
		return unavailable("open the folder for the files: %w", err)
	}
	defer into.Close() //nolint:errcheck // every file was closed
	listed := map[string]string{}
	maps.Copy(listed, m.Files)
	for _, name := range []string{licenseName, readmeName} {
		if _, known := listed[name]; known {
			continue
		}
		switch _, err := from.Stat(name); {
		case err == nil:
			listed[name] = ""
		case name == licenseName:
			return sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "there is no %s beside the manifest in %s", name, beside).
				WithHint("copy the licence of the connector there")
		}
	}
	for name, sum := range listed {
		if listed[name], err = copyFile(from, into, name, sum, 0); err != nil {
			return err
		}
	}
	var program fs.FileMode
	if len(target.Argv) == 0 {
		program = 0o100 // built on Windows, it has no mode
	}
	if _, err := copyFile(from, into, target.Path, target.SHA256, program); err != nil {
		return err
	}
	if b.Report != "" {
		text, err := os.ReadFile(b.Report)
		if err == nil && sumOf(text) != m.Checked.SHA256 {
			err = errors.New("it changed meanwhile")
		}
		if err == nil {
			err = into.WriteFile(reportName, text, 0o644)
		}
		if err != nil {
			return unavailable("copy the report: %w", err)
		}
		listed[reportName] = m.Checked.SHA256
	}
	m.Files, m.Targets = listed, map[string]wire.Target{platform: target}
	text, err := wire.EncodeManifest(*m)
	if err != nil {
		return err
	}
	return into.WriteFile(wire.ManifestName, text, 0o644)
}

// copyFile copies a file that has the expected checksum, "" = any, and returns its checksum.
func copyFile(from, into *os.Root, name, expected string, mode fs.FileMode) (string, error) {
	text, err := from.ReadFile(filepath.FromSlash(name))
	if err != nil {
		return "", sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "%s cannot be read, which the manifest names: %w", name, err)
	}
	sum := sumOf(text)
	if expected != "" && sum != expected {
		return "", sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%s is not the file of the manifest (SHA-256 expected %s, found %s)", name, expected, sum).
			WithHint("write the manifest again after the build")
	}
	info, err := from.Stat(filepath.FromSlash(name))
	if err != nil {
		return "", unavailable("copy %s: %w", name, err)
	}
	if err := into.MkdirAll(filepath.Dir(filepath.FromSlash(name)), 0o755); err != nil {
		return "", unavailable("copy %s: %w", name, err)
	}
	return sum, into.WriteFile(filepath.FromSlash(name), text, info.Mode().Perm()|mode|0o600)
}

func readManifest(path string) (wire.Manifest, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return wire.Manifest{}, sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "the manifest cannot be read: %w", err)
	}
	m, err := wire.DecodeManifest(text)
	if err != nil {
		e := *sdk.AsError(err, sdk.SourceConnector)
		e.Msg = path + ": " + e.Msg
		return m, &e
	}
	return m, nil
}

// Files lists the files of an archive in order: the manifest, the program of the platform, and the manifest's files.
func Files(m wire.Manifest, platform string) []string {
	names := append(slices.Collect(maps.Keys(m.Files)), wire.ManifestName, m.Targets[platform].Path)
	slices.Sort(names)
	return slices.Compact(names)
}

func sumOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

func sameFile(path, sum string) (bool, error) {
	text, err := os.ReadFile(path)
	return err == nil && sumOf(text) == sum, err
}

func unavailable(format string, args ...any) error {
	return sdk.Errorf(sdk.KindUnavailable, sdk.SourceHost, format, args...)
}
