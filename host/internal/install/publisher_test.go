package install

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/host/internal/publish/archive"
	"github.com/loam-data/loam/host/internal/publish/index"
	"github.com/loam-data/loam/host/internal/publish/signature"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/wire"
)

var (
	here = wire.PlatformName(runtime.GOOS, runtime.GOARCH)
	now  = time.Date(2026, 11, 28, 10, 0, 0, 0, time.UTC)
)

// publisher publishes connector acme/foodb in a folder, as loam connector package, sign
// and index do.
type publisher struct {
	t      testing.TB
	dir    string
	signer *signature.Signer
	index  index.Index
	// platforms of what is released.
	platforms []string
	// describe changes the description of what is released; nil = not at all.
	describe func(*sdk.Description)
	// argv runs the program; none = itself. more is added to the program.
	argv []string
	more string
}

func newPublisher(t testing.TB) *publisher {
	t.Helper()
	signer, err := signature.NewSigner()
	if err != nil {
		t.Fatal(err)
	}
	p := &publisher{t: t, dir: t.TempDir(), signer: signer, platforms: []string{here}}
	p.index = index.Index{
		Version: 1, Name: "acme", Serial: 1, Created: now, Expires: now.Add(24 * time.Hour), Keys: map[string][]signature.Key{"acme/*": {signer.Key()}},
		Connectors: map[string]index.Connector{"acme/foodb": {Versions: map[string]index.Release{}}},
	}
	return p
}

func (p *publisher) key() string { return string(p.signer.Key()) }

func (p *publisher) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

// program is the files of a version by name, with its manifest, for this machine.
func (p *publisher) program(version string, environment ...string) map[string]string {
	p.t.Helper()
	return p.programFor(here, version, environment...)
}

func (p *publisher) programFor(platform, version string, environment ...string) map[string]string {
	p.t.Helper()
	program := "#!/bin/sh\necho " + version + "\n" + p.more
	sum := sha256.Sum256([]byte(program))
	description := sdk.Description{ID: "acme/foodb", Version: version, DisplayName: "FooDB", License: "MIT", ContractMinor: sdk.ContractMinor, EnvPassthrough: environment}
	if p.describe != nil {
		p.describe(&description)
	}
	manifest, err := wire.EncodeManifest(wire.Manifest{
		Description: description,
		Targets:     map[string]wire.Target{platform: {Path: "foodb", SHA256: hex.EncodeToString(sum[:]), Size: int64(len(program)), Argv: p.argv}},
	})
	p.must(err)
	return map[string]string{"connector.json": string(manifest), "foodb": program, "LICENSE": "MIT"}
}

// pack writes an archive and returns its name and checksums.
func (p *publisher) pack(version string, files map[string]string) (name, sum, tree string) {
	p.t.Helper()
	return p.packFor(here, version, files)
}

func (p *publisher) packFor(platform, version string, files map[string]string) (name, sum, tree string) {
	p.t.Helper()
	folder := p.t.TempDir()
	var names []string
	for file, content := range files {
		p.must(os.WriteFile(filepath.Join(folder, file), []byte(content), 0o755))
		names = append(names, file)
	}
	var packed bytes.Buffer
	p.must(archive.Pack(&packed, os.DirFS(folder), names, now))
	tree, err := archive.Tree(os.DirFS(folder))
	p.must(err)
	name = "foodb_" + version + "_" + platform + ".tar.gz"
	p.must(os.WriteFile(filepath.Join(p.dir, name), packed.Bytes(), 0o644))
	digest := sha256.Sum256(packed.Bytes())
	return name, hex.EncodeToString(digest[:]), tree
}

// release publishes a version in the index, and as the only one in SHA256SUMS.
func (p *publisher) release(version string, environment ...string) {
	p.t.Helper()
	r := index.Release{
		Protocol: index.Protocol{Major: 1, Minor: sdk.ContractMinor}, Level: "reads", Released: now, Targets: map[string]index.Target{},
	}
	sums := signature.Sums{}
	for _, platform := range p.platforms {
		name, sum, tree := p.packFor(platform, version, p.programFor(platform, version, environment...))
		info, err := os.Stat(filepath.Join(p.dir, name))
		p.must(err)
		sums[name], r.Targets[platform] = sum, index.Target{URL: name, Size: info.Size(), SHA256: sum, Tree: tree}
	}
	p.index.Connectors["acme/foodb"].Versions[version] = r
	p.index.Serial++
	p.publish()
	p.sign(sums)
}

func (p *publisher) publish() {
	p.t.Helper()
	text, err := p.index.Text()
	p.must(err)
	p.must(os.WriteFile(filepath.Join(p.dir, index.Name), text, 0o644))
	p.must(os.WriteFile(filepath.Join(p.dir, index.Name+index.SignatureEnding), p.signer.Sign(text, ""), 0o644))
}

func (p *publisher) sign(sums signature.Sums) {
	p.t.Helper()
	p.must(os.WriteFile(filepath.Join(p.dir, signature.SumsName), sums.Text(), 0o644))
	p.must(os.WriteFile(filepath.Join(p.dir, signature.SignatureName), p.signer.Sign(sums.Text(), ""), 0o644))
}

// file is the path of an archive of this machine's platform.
func (p *publisher) file(version string) string {
	return filepath.Join(p.dir, "foodb_"+version+"_"+here+".tar.gz")
}

// newProject is the file of a project that uses the publisher's index.
func newProject(t testing.TB, p *publisher) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), project.FileName)
	write(t, path, "version: 1\nconnector_indexes: ['"+p.dir+"']\n")
	return path
}

// newService is such a project on a machine of its own.
func newService(t testing.TB, p *publisher) *Service {
	t.Helper()
	return serviceIn(t, filepath.Dir(newProject(t, p)), t.TempDir())
}

func serviceIn(t testing.TB, dir, data string) *Service {
	t.Helper()
	return open(dir, data)
}

func write(t testing.TB, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// listing is every file of a folder with its content, but locks.
func listing(t *testing.T, dirs ...string) []string {
	t.Helper()
	var all []string
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || entry.Name() == ".lock" {
				return err
			}
			content, err := os.ReadFile(path)
			all = append(all, path+" "+string(content))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(all)
	return all
}
