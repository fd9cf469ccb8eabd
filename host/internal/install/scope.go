package install

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/install/lockfile"
	"github.com/loam-data/loam/host/internal/install/machine"
	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/host/internal/publish/index"
	"github.com/loam-data/loam/sdk"
)

// lockDir is the folder of the project's lock, or of the one for all projects of the person.
func (s *Service) lockDir(user bool) string {
	if user {
		return s.Store.Data
	}
	return s.Dir
}

// inUse is a connector that the project uses: what it locked itself, or else what the person
// installed for all their projects.
type inUse struct {
	lockfile.Connector
	user bool
}

func (s *Service) inUse() (map[string]inUse, error) {
	all := map[string]inUse{}
	for _, user := range []bool{true, false} {
		lock, err := lockfile.Read(s.lockDir(user))
		if err != nil {
			return nil, err
		}
		for id, c := range lock {
			all[id] = inUse{c, user}
		}
	}
	return all, nil
}

// some returns the connector with an id that the project uses, or all for "".
// Errors: KindNotFound.
func (s *Service) some(id string) (map[string]inUse, error) {
	all, err := s.inUse()
	if err != nil || id == "" {
		return all, err
	}
	c, ok := all[id]
	if !ok {
		e := sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "connector %q is not locked by this project", id).WithHint("see: loam connector list")
		e.Candidates = slices.Sorted(maps.Keys(all))
		return nil, e
	}
	return map[string]inUse{id: c}, nil
}

// Locked returns the version of a connector that the project uses, "" for none.
func (s *Service) Locked(id string) string {
	if !strings.Contains(id, "/") {
		return "" // one of Loam's own: every statement asks
	}
	all, err := s.inUse()
	if err != nil {
		return "" // Admit reports it
	}
	return all[id].Version
}

// locked returns what the project locked of a release.
func (s *Service) locked(p *project.Project, r machine.Release) (lockfile.Connector, error) {
	all, err := s.inUse()
	if err != nil {
		return lockfile.Connector{}, err
	}
	c, ok := all[r.ID]
	switch {
	case !ok:
		return c.Connector, denied("connector %q is not locked by this project", r.ID).WithHint("run: loam connector install %s", r.ID)
	case c.Version != r.Version || c.Platforms[r.Platform].Tree == "":
		return c.Connector, denied("connector %q %s is not what this project locked for %s: %s", r.ID, r.Version, r.Platform, c.Version).WithHint("run: loam connector install")
	}
	if want := p.Connectors.Versions[r.ID]; c.user && want != "" {
		allowed, err := index.ParseConstraint(want)
		if err != nil {
			return c.Connector, err
		}
		if !allowed.Allows(c.Version) {
			return c.Connector, denied("connector %q %s, which is installed for all projects, is not what this project allows: %s", r.ID, r.Version, want).
				WithHint("run: loam connector install %s", r.ID)
		}
	}
	return c.Connector, nil
}

// locking calls edit with the lock that has a connector, and its folder, while no other process installs.
func (s *Service) locking(ctx context.Context, id string, edit func(dir string, lock lockfile.Lock) error) (err error) {
	unlock, err := s.Store.Lock(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	some, err := s.some(id)
	if err != nil {
		return err
	}
	dir := s.lockDir(some[id].user)
	lock, err := lockfile.Read(dir)
	if err != nil {
		return err
	}
	return edit(dir, lock)
}

// change edits the lock that has a connector while no other process installs.
func (s *Service) change(ctx context.Context, id string, edit func(lockfile.Lock) error) error {
	return s.locking(ctx, id, func(dir string, lock lockfile.Lock) error {
		if err := edit(lock); err != nil {
			return err
		}
		return s.writeLock(dir, lock)
	})
}

func (s *Service) writeLock(dir string, lock lockfile.Lock) error {
	if err := s.Store.Step("lock"); err != nil {
		return err
	}
	return lockfile.Write(dir, lock)
}

// remember records that the project uses the store.
func (s *Service) remember(r *machine.Records, user bool) {
	if !user && !slices.Contains(r.Projects, s.Dir) {
		r.Projects = append(r.Projects, s.Dir)
	}
}

// used is remember for a project that uses what was installed before. A store that cannot be
// written loses nothing, either.
func (s *Service) used(ctx context.Context, user bool, known *machine.Records) (err error) {
	if user || slices.Contains(known.Projects, s.Dir) {
		return nil
	}
	unlock, err := s.Store.Lock(ctx)
	if sdk.KindOf(err) == sdk.KindDenied {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	return s.Store.Change(func(r *machine.Records) { s.remember(r, user) })
}
