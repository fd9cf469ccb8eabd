package install

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/loam-data/loam/host/internal/file"
	"github.com/loam-data/loam/host/internal/install/lockfile"
	"github.com/loam-data/loam/host/internal/install/machine"
	"github.com/loam-data/loam/host/internal/publish/archive"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/wire"
)

// Checked is a locked connector for one platform and what is wrong with it.
type Checked struct {
	ID       string `json:"id"`
	Version  string `json:"version"`
	Platform string `json:"platform"`
	// Archive: it is not installed here, and its archive was verified instead.
	Archive bool `json:"archive,omitempty"`
	// Faults is empty for one that is as it was installed, and allowed.
	Faults []string `json:"faults"`
	// Notice is what differs from the installation and is allowed; "" = nothing.
	Notice string `json:"notice,omitempty"`
}

// Verify checks the locked connectors, or one of them, as before a start, and more closely.
// With all, it checks every platform that is locked, and what is not installed here by its
// archive, which is fetched as for an installation and not installed.
// Errors: KindNotFound for one that is not locked.
func (s *Service) Verify(ctx context.Context, id string, all bool) ([]Checked, error) {
	p, rules, err := s.anyRules(ctx)
	if err != nil {
		return nil, err
	}
	some, err := s.some(id)
	if err != nil {
		return nil, err
	}
	records, err := s.Store.Read()
	if err != nil {
		return nil, err
	}
	checked := []Checked{}
	for _, id := range slices.Sorted(maps.Keys(some)) {
		platforms := []string{s.Platform}
		if all {
			platforms = slices.Sorted(maps.Keys(some[id].Platforms))
		}
		for _, platform := range platforms {
			r := machine.Release{ID: id, Version: some[id].Version, Platform: platform}
			c := Checked{ID: id, Version: r.Version, Platform: platform, Faults: []string{}}
			var faults []error
			if _, installed := records.Find(r); platform == s.Platform || installed {
				if _, err := s.locked(p, r); err != nil {
					faults = []error{err}
				} else {
					faults = append(s.faults(rules, &records, r, some[id].Connector), s.closely(&records, r, some[id].Connector)...)
				}
			} else {
				c.Archive = true
				faults = s.verifyArchive(ctx, id, platform, some[id])
			}
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			for _, fault := range faults {
				c.Faults = append(c.Faults, fault.Error())
			}
			if len(c.Faults) == 0 && !c.Archive {
				c.Notice = s.notice(&records, r)
			}
			checked = append(checked, c)
		}
	}
	return checked, nil
}

// closely returns the faults of an installed release that a start need not look for, because
// the hash of the tree shows that there is one.
func (s *Service) closely(records *machine.Records, r machine.Release, locked lockfile.Connector) (faults []error) {
	record, ok := records.Find(r)
	if !ok {
		return nil
	}
	add := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	if record.Key != locked.Key {
		add("it was installed by key %q, and this project locked key %q", record.Key, locked.Key)
	}
	dir := s.Store.Path(r)
	root, err := os.OpenRoot(dir)
	if err != nil {
		return faults // the hash of the tree failed
	}
	defer root.Close() //nolint:errcheck // only read
	p := part{platform: r.Platform}
	listed, err := p.list(root)
	if err != nil {
		add("%w", err)
		return faults
	}
	has := map[string]bool{}
	err = fs.WalkDir(root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err == nil && !file.Own(info) {
			add("%s belongs to another user", filepath.Join(dir, name))
		}
		if has[name] = !entry.IsDir(); has[name] && !slices.Contains(listed, name) {
			add("%s is not among the files that %s lists", name, wire.ManifestName)
		}
		return err
	})
	if err != nil {
		add("%w", err)
	}
	for _, name := range listed {
		if !has[name] {
			add("%s is missing, which %s lists", name, wire.ManifestName)
		}
	}
	return faults
}

// verifyArchive verifies the archive of a locked release.
func (s *Service) verifyArchive(ctx context.Context, id, platform string, c inUse) []error {
	err := s.staged(ctx, Request{Source: id, Platforms: []string{platform}, Locked: true, User: c.user}, func(j *job, found *release, parts []*part) error {
		return j.rules.Check(id, levelOf(machine.Record{Key: found.key}), found.key)
	})
	if err != nil {
		return []error{err}
	}
	return nil
}

// staged fetches, verifies and unpacks the locked release for the platforms of a request, calls
// use, and removes what was unpacked.
// Errors: those of Install; KindDenied also for what is not what the project locked.
func (s *Service) staged(ctx context.Context, q Request, use func(*job, *release, []*part) error) (err error) {
	j, err := s.begin(ctx, q)
	if err != nil {
		return err
	}
	unlock, err := s.Store.Lock(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	if err := j.read(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, j.clear(true)) }()
	found, parts, err := j.parts(ctx)
	if err != nil {
		return err
	}
	switch id := found.id; {
	case found.key == "" && j.lock[id].Key != "":
		return denied("connector %q is refused: its archive is not signed, and the project locked one by key %s", id, j.lock[id].Key)
	case found.key != "" && !j.trusts(id, found.key):
		return denied("connector %q is signed by key %s, which is not trusted on this machine", id, found.key).
			WithHint("ask its publisher whether that is its key; then: loam connector trust add %s %s", found.key, id)
	}
	return use(j, found, parts)
}

// Locked is a connector with the platforms that are locked.
type Locked struct {
	ID        string   `json:"id"`
	Version   string   `json:"version"`
	Platforms []string `json:"platforms"`
	// Added are those that were not locked before.
	Added []string `json:"added"`
}

// LockPlatforms locks the checksums of further platforms for the locked connectors, or for one
// of them, so that others install them too. The archives are fetched and verified as for an
// installation; nothing is installed.
// Errors: those of Install; the lock is then as it was.
func (s *Service) LockPlatforms(ctx context.Context, id string, platforms []string, key string) ([]Locked, error) {
	some, err := s.some(id)
	if err != nil {
		return nil, err
	}
	all, sums := []Locked{}, map[string]map[string]lockfile.Sums{}
	for _, id := range slices.Sorted(maps.Keys(some)) {
		c := some[id]
		sums[id] = map[string]lockfile.Sums{}
		l := Locked{ID: id, Version: c.Version, Platforms: union(slices.Sorted(maps.Keys(c.Platforms)), platforms), Added: []string{}}
		q := Request{Source: id, Platforms: platforms, Locked: true, User: c.user, Key: key}
		err := s.staged(ctx, q, func(_ *job, found *release, parts []*part) error {
			if found.key == "" {
				return denied("connector %q is not signed: nobody says that its archives for other platforms are its author's", id).
					WithHint("install them, each confirmed: loam connector install ARCHIVE --platform PLATFORM")
			}
			for _, p := range parts {
				_, environment, sql := gets(p.manifest)
				if more := wider(c.Connector, environment, sql); len(more) > 0 {
					return denied("connector %q %s for %s gets more than was approved: %v", id, c.Version, p.platform, more).
						WithHint("install it for that platform, to approve that: loam connector install %s --platform %s", id, p.platform)
				}
				if c.Platforms[p.platform].Tree == "" {
					l.Added = append(l.Added, p.platform)
				}
				sums[id][p.platform] = lockfile.Sums{Archive: p.archive, Tree: p.tree}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		slices.Sort(l.Platforms)
		all = append(all, l)
	}
	for id, more := range sums {
		if err := s.change(ctx, id, func(lock lockfile.Lock) error {
			if lock[id].Version != some[id].Version {
				return sdk.Errorf(sdk.KindConflict, sdk.SourceHost, "connector %q was locked at another version meanwhile", id).WithHint("try again")
			}
			maps.Copy(lock[id].Platforms, more)
			return nil
		}); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// treeOf hashes the files of an installed release, and refuses a folder into which
// others than its owner may write.
func (s *Service) treeOf(dir string) (string, error) {
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err == nil && info.Mode()&fs.ModeSymlink == 0 && runtime.GOOS != "windows" && info.Mode().Perm()&0o022 != 0 {
			err = denied("others than its owner may write to %s", path)
		}
		return err
	})
	if err != nil {
		return "", err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return "", err
	}
	tree, err := archive.TreeOf(root.FS(), s.sumOf)
	return tree, errors.Join(err, root.Close())
}

// sumOf is the SHA-256 of a file, which is read again only when it changed.
func (s *Service) sumOf(f fs.File) (string, error) {
	file, ok := f.(*os.File)
	if !ok {
		return "", fmt.Errorf("a file of an installed connector is a %T", f)
	}
	return s.Sums.Of(file)
}
