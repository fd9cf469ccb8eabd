package install

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/connector"
	"github.com/loam-data/loam/host/internal/file"
	"github.com/loam-data/loam/host/internal/install/lockfile"
	"github.com/loam-data/loam/host/internal/install/machine"
	"github.com/loam-data/loam/host/internal/install/policy"
	"github.com/loam-data/loam/host/internal/publish/archive"
	"github.com/loam-data/loam/host/internal/publish/signature"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/wire"
)

// beside the program, an archive may have these without listing them.
var pages = []string{"LICENSE", "README.md", "check.json"}

// part is an unpacked and verified archive for one platform.
type part struct {
	platform, dir string
	manifest      wire.Manifest
	archive, tree string
	interpreter   *machine.Interpreter // on this machine; nil = none
}

// stage fetches, verifies and unpacks the archive for one platform.
func (j *job) stage(ctx context.Context, r *release, platform string) (*part, error) {
	from, ok := r.archives[platform]
	if !ok {
		return nil, sdk.Errorf(sdk.KindUnsupported, sdk.SourceCaller, "%s %s has no archive for %s", r.id, r.version, platform).WithHint("ask its publisher")
	}
	packed, sum, err := j.fetchArchive(ctx, from)
	if err != nil {
		return nil, err
	}
	dir, err := j.service.Store.Stage()
	if err != nil {
		return nil, err
	}
	j.staged = append(j.staged, dir)
	from.sum = sum // whatever is there the next time
	r.archives[platform] = from
	p := &part{platform: platform, dir: dir, archive: sum}
	if err := p.unpack(ctx, packed); err != nil {
		return nil, j.service.Store.Unwritable(err)
	}
	if from.tree != "" && from.tree != p.tree {
		return nil, denied("connector %q is refused: the files of its archive for %s are not those that were named (tree %s, found %s)", p.id(), platform, from.tree, p.tree).
			WithHint("nothing was installed; tell its publisher")
	}
	return p, j.check(r, p, path.Base(filepath.ToSlash(string(from.at))))
}

func (p *part) id() string { return p.manifest.Description.ID }

// download is the path of an archive in the cache.
func (s *Service) download(sum string) string { return filepath.Join(s.Store.Downloads, sum+".tar.gz") }

// fetchArchive returns the path of an archive and its checksum. One that was fetched
// before is read again, because the cache is a folder like any other.
func (j *job) fetchArchive(ctx context.Context, from archiveAt) (path, sum string, err error) {
	s := j.service
	if from.sum != "" && string(from.at) != s.download(from.sum) {
		if p, sum, err := j.fetchArchive(ctx, archiveAt{at: location(s.download(from.sum)), sum: from.sum}); err == nil {
			return p, sum, nil
		}
	}
	temp, err := file.Temp(s.Store.Downloads)
	if err != nil {
		return "", "", denied("the archive cannot be kept: %w", err).WithHint("make room, and let this user write in %s", s.Store.Downloads)
	}
	defer func() {
		if remove := os.Remove(temp.Name()); !errors.Is(remove, fs.ErrNotExist) {
			err = errors.Join(err, remove)
		}
	}()
	sum, err = s.fetch.Copy(ctx, from.at, temp, archive.MaxPacked)
	if err = errors.Join(err, temp.Close()); err != nil {
		return "", "", err
	}
	if from.sum != "" && from.sum != sum {
		return "", "", denied("%s is refused: it is not the archive that was named (SHA-256 %s, found %s)", from.at, from.sum, sum).
			WithHint("nothing was installed; fetch it again, or tell its publisher")
	}
	path = s.download(sum)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		j.fetched = append(j.fetched, fetched{path, sum})
	}
	if err := s.Store.Step("keep the archive"); err != nil {
		return "", "", err
	}
	return path, sum, os.Rename(temp.Name(), path)
}

func (p *part) unpack(ctx context.Context, packed string) (err error) {
	root, err := os.OpenRoot(p.dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	f, err := os.Open(packed)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	err = archive.Unpack(ctx, f, root, func() ([]string, error) { return p.list(root) })
	if err != nil {
		return err
	}
	p.tree, err = archive.Tree(root.FS())
	return err
}

// list reads the manifest and returns the files that it lists.
func (p *part) list(root *os.Root) ([]string, error) {
	info, err := root.Stat(wire.ManifestName)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, denied("the archive is refused: it has no %s", wire.ManifestName).WithHint("ask its publisher for an archive made by loam connector package")
	case err == nil && info.Size() > wire.MaxManifestBytes:
		return nil, denied("the archive is refused: its %s is larger than %d MiB", wire.ManifestName, wire.MaxManifestBytes>>20)
	}
	text, err := root.ReadFile(wire.ManifestName)
	if err != nil {
		return nil, err
	}
	p.manifest, err = wire.DecodeManifest(text)
	switch {
	case sdk.KindOf(err) == sdk.KindUnsupported:
		return nil, err
	case err != nil:
		return nil, denied("the archive is refused: %w", err)
	}
	target, ok := p.manifest.Targets[p.platform]
	if !ok {
		return nil, denied("the archive is refused: it has no program for %s", p.platform).WithHint("name the archive for %s", p.platform)
	}
	files := []string{wire.ManifestName, target.Path}
	for name := range p.manifest.Files {
		files = append(files, name)
	}
	for _, name := range pages {
		if _, err := root.Stat(name); err == nil {
			files = append(files, name)
		}
	}
	slices.Sort(files)
	return slices.Compact(files), nil
}

// check compares what was unpacked with what was asked for.
func (j *job) check(r *release, p *part, archiveName string) error {
	d := p.manifest.Description
	namespace, short, named := strings.Cut(d.ID, "/")
	if !named || namespace == "loam" {
		return denied("the archive is refused: its connector %q has no namespace, as those of Loam have none", d.ID)
	}
	if r.id != "" && (r.id != d.ID || r.version != d.Version) {
		return denied("the archive is refused: it has connector %s %s, and not %s %s", d.ID, d.Version, r.id, r.version)
	}
	if want := fmt.Sprintf("%s_%s_%s.tar.gz", short, d.Version, p.platform); r.id == "" && archiveName != want {
		return denied("the archive is refused: %s has connector %s %s for %s, whose archive is named %s", archiveName, d.ID, d.Version, p.platform, want)
	}
	if r.id == "" && r.key != "" && !slices.Contains(j.known(d.ID), signature.Key(r.key)) {
		return denied("connector %q is refused: key %s signed it, which is trusted for other connectors only", d.ID, r.key).
			WithHint("if it is the key of this publisher, too: loam connector trust add %s %s/*", r.key, namespace)
	}
	r.id, r.version = d.ID, d.Version
	if p.platform != j.service.Platform {
		return nil // its tree is known; the program cannot run here
	}
	installed, err := connector.NewRegistry(nil).At(p.dir)
	if err == nil {
		err = connector.Verify(installed)
	}
	if err != nil {
		return denied("the archive is refused: %w", err)
	}
	if path, sum, err := connector.InterpreterOf(installed, j.service.Sums); err == nil && path != "" { // a start says that none is there
		p.interpreter = &machine.Interpreter{Path: path, SHA256: sum}
	}
	return nil
}

// Admit refuses a release that may not start: one that is not locked, is not what was
// locked, or is not allowed.
// Errors: KindDenied.
func (s *Service) Admit(ctx context.Context, r machine.Release) error {
	p, rules, err := s.rules(ctx)
	if err != nil {
		return err
	}
	locked, err := s.locked(p, r)
	if err != nil {
		return err
	}
	records, err := s.Store.Read()
	if err != nil {
		return err
	}
	if faults := s.faults(rules, &records, r, locked); len(faults) > 0 {
		return faults[0]
	}
	if notice := s.notice(&records, r); notice != "" {
		s.Logger.Warn("an installed connector is run by another interpreter", "connector", r.ID, "notice", notice)
	}
	return nil
}

// notice tells that another interpreter would run a release than when it was installed, "" otherwise. Systems
// update their interpreters, so this refuses nothing.
func (s *Service) notice(records *machine.Records, r machine.Release) string {
	record, _ := records.Find(r)
	if record.Interpreter == nil || r.Platform != s.Platform {
		return ""
	}
	installed, err := connector.NewRegistry(nil).At(s.Store.Path(r))
	if err != nil {
		return "" // a start says so
	}
	path, sum, err := connector.InterpreterOf(installed, s.Sums)
	switch was := record.Interpreter; {
	case err != nil || path == was.Path && sum == was.SHA256:
		return ""
	case path != was.Path:
		return fmt.Sprintf("%s runs it now, and it was installed with %s; to approve that: loam connector install %s --version %s", path, was.Path, r.ID, r.Version)
	}
	return fmt.Sprintf("%s changed since it was installed; to approve that: loam connector install %s --version %s", path, r.ID, r.Version)
}

// faults returns why a release may not start, although it is locked.
func (s *Service) faults(rules policy.Rules, records *machine.Records, r machine.Release, locked lockfile.Connector) []error {
	const again = "run: loam connector install"
	sums := locked.Platforms[r.Platform]
	record, ok := records.Find(r)
	if !ok || sums.Tree == "" || record.Tree != sums.Tree {
		return []error{denied("connector %q %s is not installed on this machine as the project locked it", r.ID, locked.Version).WithHint("%s", again)}
	}
	var faults []error
	tree, err := s.treeOf(s.Store.Path(r))
	switch {
	case err != nil:
		faults = append(faults, denied("connector %q is not started: %w", r.ID, err).WithHint("%s", again))
	case tree != sums.Tree:
		faults = append(faults, denied("connector %q is not started: its files are not those that were installed (tree %s, found %s)", r.ID, sums.Tree, tree).WithHint("%s", again))
	}
	if err := rules.Check(r.ID, levelOf(record), record.Key); err != nil {
		faults = append(faults, err)
	}
	return faults
}
