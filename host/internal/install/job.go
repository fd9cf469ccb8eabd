package install

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"reflect"
	"time"

	"github.com/loam-data/loam/host/internal/install/lockfile"
	"github.com/loam-data/loam/host/internal/install/machine"
	"github.com/loam-data/loam/host/internal/install/policy"
	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/sdk"
)

// Install installs one connector and locks it in the project. The store is not locked while a
// person is asked: what they approved is made and compared again before it is installed.
// Errors: KindDenied for everything that is refused, KindUnsupported for a release that
// does not fit, KindNotFound, KindUnavailable; KindConflict also where another process changed
// meanwhile what was approved. Nothing is changed then.
func (s *Service) Install(ctx context.Context, q Request) (Result, error) {
	j, err := s.begin(ctx, q)
	if err != nil {
		return Result{}, err
	}
	r, asked, err := j.try(ctx, nil)
	if err != nil || asked == nil {
		return r, err
	}
	yes, err := q.Approve(ctx, asked)
	if err == nil && !yes {
		err = denied("connector %q was not approved; nothing was installed", asked.ID)
	}
	if err != nil {
		return Result{}, errors.Join(err, j.abandon(ctx))
	}
	r, _, err = j.try(ctx, asked)
	return r, err
}

// job is one installation.
type job struct {
	service *Service
	request Request
	rules   policy.Rules
	project *project.Project
	lock    lockfile.Lock
	records machine.Records
	// found is the release, once it was chosen.
	found *release
	// staged are folders, and fetched archives that were not here before.
	staged  []string
	fetched []fetched
}

// fetched is an archive in the cache.
type fetched struct{ path, sum string }

// try installs the release, or returns the offer that a person has to approve first. approved is
// the one that they approved.
func (j *job) try(ctx context.Context, approved *Offer) (r Result, ask *Offer, err error) {
	unlock, err := j.service.Store.Lock(ctx)
	if err != nil {
		return Result{}, nil, err
	}
	defer func() { err = errors.Join(err, j.clear(err != nil), unlock()) }()
	if err := j.read(); err != nil {
		return Result{}, nil, err
	}
	found, parts, err := j.parts(ctx)
	if err != nil {
		return Result{}, nil, err
	}
	offer := j.offer(found, parts)
	switch needed, err := j.mayInstall(offer); {
	case err != nil:
		return Result{}, nil, err
	case needed && approved == nil:
		return Result{}, offer, nil
	case needed && !reflect.DeepEqual(approved, offer):
		e := sdk.Errorf(sdk.KindConflict, sdk.SourceHost, "connector %q was not installed: another process changed what was approved, while you were asked", offer.ID).
			WithHint("try again, and approve what is shown then")
		e.Retry = true
		return Result{}, nil, e
	}
	r, err = j.commit(found, parts, offer)
	return r, nil, err
}

// abandonPatience is how long an installation that was refused waits to remove what it fetched.
const abandonPatience = time.Second

// abandon removes what was fetched for an installation that a person did not approve. Where
// another process holds the store, it stays for loam connector gc.
func (j *job) abandon(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), abandonPatience)
	defer cancel()
	unlock, err := j.service.Store.Lock(ctx)
	if err != nil {
		return nil
	}
	return errors.Join(j.read(), j.clear(true), unlock())
}

// clear removes what was unpacked, and after a failure what was fetched and not installed
// meanwhile. The store is locked.
func (j *job) clear(failed bool) (err error) {
	for _, dir := range j.staged {
		err = errors.Join(err, os.RemoveAll(dir))
	}
	j.staged = nil
	for _, archive := range j.fetched {
		if _, installed := j.records.Archives[archive.sum]; !failed || installed {
			continue
		}
		if remove := os.Remove(archive.path); !errors.Is(remove, fs.ErrNotExist) {
			err = errors.Join(err, remove)
		}
	}
	return err
}

func (j *job) read() (err error) {
	if j.lock, err = lockfile.Read(j.service.lockDir(j.request.User)); err != nil {
		return err
	}
	j.records, err = j.service.Store.Read()
	return err
}

// parts finds the release that is asked for, and unpacks and verifies it for each platform.
func (j *job) parts(ctx context.Context) (*release, []*part, error) {
	if j.found == nil {
		found, err := j.resolve(ctx)
		if err != nil {
			return nil, nil, err
		}
		j.found = found
	}
	found := j.found
	var parts []*part
	for _, platform := range j.request.Platforms {
		p, err := j.stage(ctx, found, platform)
		if err != nil {
			return nil, nil, err
		}
		was := j.lock[found.id]
		if tree := was.Platforms[platform].Tree; was.Version == found.version && tree != "" && tree != p.tree {
			return nil, nil, denied("connector %q is refused: %s %s is not what this project locked (tree %s, found %s)", found.id, found.version, platform, tree, p.tree).
				WithHint("a released version never changes; ask its publisher")
		}
		parts = append(parts, p)
	}
	return found, parts, nil
}

// commit puts the staged files into the store and locks them. A process that ends between
// the two leaves an installed release that no project uses.
func (j *job) commit(found *release, parts []*part, offer *Offer) (Result, error) {
	s := j.service
	was := j.lock[offer.ID]
	next := lockfile.Connector{
		Constraint: offer.constraint, Version: offer.Version, Source: found.source, Key: found.key, Contract: offer.Contract,
		Environment: offer.Environment, SQL: offer.SQL, Previous: was.Previous, Platforms: map[string]lockfile.Sums{},
	}
	switch {
	case was.Version == offer.Version:
		maps.Copy(next.Platforms, was.Platforms)
	case was.Version != "":
		next.Previous = was.Version
	}
	maps.Copy(next.Platforms, found.sums())
	for _, p := range parts {
		next.Platforms[p.platform] = lockfile.Sums{Archive: p.archive, Tree: p.tree}
		record := machine.Record{
			Release: machine.Release{ID: offer.ID, Version: offer.Version, Platform: p.platform},
			Archive: p.archive, Tree: p.tree, Source: found.source, Key: found.key, InstalledAt: s.Now().UTC().Truncate(time.Second),
			Interpreter: p.interpreter,
		}
		err := s.Store.Commit(p.dir, record, func(r *machine.Records) {
			found.remember(r, offer.ID, record.InstalledAt)
			s.remember(r, j.request.User)
		})
		if err != nil {
			return Result{}, err
		}
	}
	j.lock[offer.ID] = next
	if err := s.writeLock(s.lockDir(j.request.User), j.lock); err != nil {
		return Result{}, err
	}
	return Result{ID: offer.ID, Version: offer.Version, Was: was.Version, Platforms: j.request.Platforms, User: j.request.User, Differences: offer.Changes, Changed: true}, nil
}
