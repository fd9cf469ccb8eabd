package install

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/loam-data/loam/host/internal/connector"
	"github.com/loam-data/loam/host/internal/install/fetch"
	"github.com/loam-data/loam/host/internal/install/lockfile"
	"github.com/loam-data/loam/host/internal/install/machine"
	"github.com/loam-data/loam/host/internal/install/policy"
	"github.com/loam-data/loam/host/internal/publish/index"
	"github.com/loam-data/loam/host/internal/publish/signature"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/wire"
)

func location(path string) fetch.Location { return fetch.Location(path) }

func levelOf(r machine.Record) policy.Level {
	if r.Key == "" {
		return policy.Pinned
	}
	return policy.Signed
}

// Level says how the origin of a connector is known.
func (s *Service) Level(c connector.Installed) policy.Level {
	switch {
	case c.ByPath:
		return policy.Path
	case c.Bundled && connector.KnowsBundled():
		return policy.Bundled
	case c.Stored:
		if records, err := s.Store.Read(); err == nil {
			if record, ok := records.Find(s.release(c.Name, c.Description.Version)); ok {
				return levelOf(record)
			}
		}
	}
	return policy.Local
}

// Start refuses a connector that may not be started; see connector.Config.Admit.
// Errors: KindDenied.
func (s *Service) Start(ctx context.Context, c connector.Installed) error {
	switch {
	case c.Bundled && connector.KnowsBundled():
		return nil
	case c.Stored:
		return s.Admit(ctx, s.release(c.Name, c.Description.Version))
	}
	_, rules, err := s.anyRules(ctx)
	if err != nil {
		return err
	}
	return rules.Check(c.Name, s.Level(c), "")
}

// Newer is a version to which a connector can be updated.
type Newer struct {
	ID string `json:"id"`
	// User: it is installed for all projects of the person.
	User    bool   `json:"user"`
	Version string `json:"version"`
	// Newest that the constraint and the contract allow; equal to Version where there is none.
	Newest string `json:"newest"`
	// Changes are the differences between the two, and Wider what the newer one gets beyond
	// what was approved.
	Changes []Change `json:"changes"`
	Wider   []string `json:"wider"`
}

// Compare fetches and verifies the newest version as for an installation, installs nothing, and
// fills in the differences.
// Errors: those of Install.
func (s *Service) Compare(ctx context.Context, n *Newer) error {
	return s.staged(ctx, Request{Source: n.ID, Constraint: n.Newest, User: n.User}, func(j *job, found *release, parts []*part) error {
		o := j.offer(found, parts)
		n.Changes, n.Wider = append(n.Changes, o.Changes...), append(n.Wider, o.Wider...)
		return nil
	})
}

// Outdated asks the indexes of the locked connectors, or of one of them, for newer
// versions. major ignores the constraint of the project. One that was not installed from
// an index is left out.
// Errors: those of Install.
func (s *Service) Outdated(ctx context.Context, id string, major bool) ([]Newer, error) {
	some, err := s.some(id)
	if err != nil {
		return nil, err
	}
	all := []Newer{}
	for _, id := range slices.Sorted(maps.Keys(some)) {
		locked := some[id]
		if filepath.Base(locked.Source) != index.Name {
			continue
		}
		q := Request{User: locked.user}
		if major {
			q.Constraint = "*"
		}
		j, err := s.begin(ctx, q)
		if err == nil {
			err = j.read()
		}
		if err != nil {
			return nil, err
		}
		found, err := j.fromIndex(ctx, location(locked.Source), id, "")
		if err != nil {
			return nil, err
		}
		n := Newer{ID: id, User: locked.user, Version: locked.Version, Newest: found.version, Changes: []Change{}, Wider: []string{}}
		if index.Compare(n.Newest, n.Version) < 0 {
			n.Newest = n.Version
		}
		all = append(all, n)
	}
	return all, nil
}

// Rollback locks the version of a connector that was locked before, which is still in
// the store, and returns it.
// Errors: KindNotFound where there is none.
func (s *Service) Rollback(ctx context.Context, id string) (version string, err error) {
	err = s.change(ctx, id, func(lock lockfile.Lock) error {
		c := lock[id]
		records, err := s.Store.Read()
		if err != nil {
			return err
		}
		record, ok := records.Find(s.release(id, c.Previous))
		if !ok {
			return sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "no earlier version of connector %q is installed", id).WithHint("install one: loam connector install %s --version VERSION", id)
		}
		c.Version, c.Previous, c.Source, c.Key = c.Previous, c.Version, record.Source, record.Key
		c.Platforms = map[string]lockfile.Sums{record.Platform: {Archive: record.Archive, Tree: record.Tree}}
		m, err := manifestIn(s.Store.Path(record.Release))
		if err != nil {
			return err
		}
		c.Contract, c.Environment, c.SQL = gets(m)
		lock[id], version = c, c.Version
		return nil
	})
	return version, err
}

// Remove takes a connector out of the lock, unless it is kept, and then its versions out of
// the store: a process that is killed leaves nothing locked that is gone.
// Errors: KindNotFound for one that is not locked.
func (s *Service) Remove(ctx context.Context, id string, keepLock bool) error {
	return s.locking(ctx, id, func(dir string, lock lockfile.Lock) error {
		records, err := s.Store.Read()
		if err == nil && !keepLock {
			delete(lock, id)
			err = s.writeLock(dir, lock)
		}
		for _, r := range records.Installed {
			if r.ID == id && err == nil {
				err = s.Store.Remove(r.Release)
			}
		}
		return err
	})
}

// Keys returns the keys that a person trusts on this machine.
func (s *Service) Keys() ([]machine.Key, error) {
	records, err := s.Store.Read()
	return append([]machine.Key{}, records.Keys...), err
}

var patternForm = text.Pattern(`^[a-z0-9][a-z0-9_-]*/(\*|[a-z0-9][a-z0-9_-]*)$`)

// Trust makes a key one that may sign the connectors of a pattern, "acme/*"; Distrust
// forgets a key, and returns how many patterns it was trusted for.
// Errors: KindInvalid for what is no key or no pattern.
func (s *Service) Trust(ctx context.Context, text, pattern string) error {
	key, err := signature.ParseKey(text)
	if err != nil {
		return err
	}
	if !patternForm().MatchString(pattern) {
		return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%q is neither a namespace nor a connector", pattern).WithHint("write acme/* or acme/foodb")
	}
	_, err = s.keys(ctx, func(k machine.Key) bool { return k.Key == string(key) && k.Pattern == pattern },
		machine.Key{Key: string(key), Pattern: pattern, Source: "loam connector trust add", SeenAt: s.Now().UTC()})
	return err
}

// Distrust is described at Trust.
func (s *Service) Distrust(ctx context.Context, key string) (int, error) {
	return s.keys(ctx, func(k machine.Key) bool { return k.Key == key })
}

func (s *Service) keys(ctx context.Context, gone func(machine.Key) bool, more ...machine.Key) (n int, err error) {
	unlock, err := s.Store.Lock(ctx)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	err = s.Store.Change(func(r *machine.Records) {
		before := len(r.Keys)
		r.Keys = slices.DeleteFunc(r.Keys, gone)
		n = before - len(r.Keys)
		r.Keys = append(r.Keys, more...)
	})
	return n, err
}

// manifestIn reads the manifest of an installed release.
func manifestIn(dir string) (wire.Manifest, error) {
	text, err := os.ReadFile(filepath.Join(dir, wire.ManifestName))
	if err != nil {
		return wire.Manifest{}, err
	}
	return wire.DecodeManifest(text)
}
