package install

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/install/lockfile"
	"github.com/loam-data/loam/host/internal/install/machine"
	"github.com/loam-data/loam/host/internal/publish/index"
)

// keptVersions is how many versions of a connector Collect keeps although nothing locks them.
const keptVersions = 2

// Collected is what Collect removed.
type Collected struct {
	// Releases were installed, and no project that installed here locks them. Leftovers are
	// folders of the store that no record names, and Archives fetched archives of what is not
	// installed any more; both are paths.
	Releases  []machine.Release `json:"releases"`
	Leftovers []string          `json:"leftovers"`
	Archives  []string          `json:"archives"`
	// Bytes is the size of the files of all.
	Bytes int64 `json:"bytes"`
}

// Collect removes from the store what nothing uses. It keeps what is locked, or was locked
// before that, in this project, in others that installed from this store, and for all projects
// of the person, and the two newest versions of each connector. try only finds it.
// Errors: KindDenied, KindConflict as for an installation; KindInvalid and KindUnsupported for a
// lock that cannot be read: what it uses is not known.
func (s *Service) Collect(ctx context.Context, try bool) (c Collected, err error) {
	c.Releases, c.Leftovers, c.Archives = []machine.Release{}, []string{}, []string{}
	unlock, err := s.Store.Lock(ctx)
	if err != nil {
		return c, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	records, err := s.Store.Read()
	if err != nil {
		return c, err
	}
	projects, keep, err := s.locks(records.Projects)
	if err != nil {
		return c, err
	}
	for _, r := range records.Installed {
		if keep[releaseKey{r.ID, r.Version}] || newest(records.Installed, r.Release) {
			continue
		}
		c.Releases = append(c.Releases, r.Release)
		c.Bytes += size(s.Store.Path(r.Release))
	}
	gone := func(r machine.Record) bool { return slices.Contains(c.Releases, r.Release) }
	left := slices.DeleteFunc(slices.Clone(records.Installed), gone)
	leftovers, err := s.Store.Leftovers(&records)
	if err != nil {
		return c, err
	}
	archives, err := s.unusedArchives(left)
	if err != nil {
		return c, err
	}
	c.Leftovers, c.Archives = append(c.Leftovers, leftovers...), append(c.Archives, archives...)
	for _, path := range slices.Concat(c.Leftovers, c.Archives) {
		c.Bytes += size(path)
	}
	if try {
		return c, nil
	}
	for _, r := range c.Releases {
		if err := s.Store.Remove(r); err != nil {
			return c, err
		}
	}
	for _, path := range slices.Concat(c.Leftovers, c.Archives) {
		if err := s.Store.Discard(path); err != nil {
			return c, err
		}
	}
	return c, s.Store.Change(func(r *machine.Records) { r.Projects = projects })
}

type releaseKey struct{ id, version string }

// locks returns the projects that still have a lock, and the releases that these and the
// person's own lock name.
func (s *Service) locks(known []string) (projects []string, keep map[releaseKey]bool, err error) {
	keep = map[releaseKey]bool{}
	for _, dir := range append(union(slices.Clone(known), []string{s.Dir}), s.Store.Data) {
		lock, err := lockfile.Read(dir)
		if err != nil {
			return nil, nil, err
		}
		for id, c := range lock {
			keep[releaseKey{id, c.Version}], keep[releaseKey{id, c.Previous}] = true, true
		}
		if len(lock) > 0 && dir != s.Store.Data {
			projects = append(projects, dir)
		}
	}
	return projects, keep, nil
}

// newest reports whether a release is among the newest of its connector and platform.
func newest(installed []machine.Record, r machine.Release) bool {
	newer := 0
	for _, other := range installed {
		if other.ID == r.ID && other.Platform == r.Platform && index.Compare(other.Version, r.Version) > 0 {
			newer++
		}
	}
	return newer < keptVersions
}

// unusedArchives are the fetched archives of no installed release.
func (s *Service) unusedArchives(installed []machine.Record) ([]string, error) {
	archives, err := os.ReadDir(s.Store.Downloads)
	var unused []string
	for _, entry := range archives {
		sum, ok := strings.CutSuffix(entry.Name(), ".tar.gz")
		if ok && !slices.ContainsFunc(installed, func(r machine.Record) bool { return r.Archive == sum }) {
			unused = append(unused, filepath.Join(s.Store.Downloads, entry.Name()))
		}
	}
	return unused, err
}

// size is that of the files below a path, as far as it can be read.
func size(path string) (n int64) {
	_ = filepath.WalkDir(path, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return nil
		}
		if info, err := entry.Info(); err == nil {
			n += info.Size()
		}
		return nil
	})
	return n
}
