// Package install installs the connectors of others: it resolves a source to a release,
// fetches and verifies its archives, asks a person, puts them into the machine store and
// locks them in the project. Before each start, Admit compares what is in the store with
// the lock. No connector is run here.
package install

import (
	"context"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/connector"
	"github.com/loam-data/loam/host/internal/install/fetch"
	"github.com/loam-data/loam/host/internal/install/machine"
	"github.com/loam-data/loam/host/internal/install/policy"
	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/sdk"
)

// Config is what a Service needs.
type Config struct {
	// Dir is the project folder.
	Dir   string
	Store *machine.Store
	// Project returns the project file as it is now.
	Project func(context.Context) (*project.Project, error)
	// PolicyFile is the policy of the machine.
	PolicyFile string
	// Platform is that of this machine, "linux_amd64".
	Platform string
	// Everything: every project is trusted, and so is the key that a project locked.
	Everything bool
	Now        func() time.Time
	// Sums knows the checksums of files, also for the supervisor; nil = its own. Logger gets what is
	// noticed before a start and refuses nothing; nil = slog.Default.
	Sums   *connector.Sums
	Logger *slog.Logger
}

// Service installs connectors for one project.
// Concurrency: any number of goroutines and processes.
type Service struct {
	Config
	fetch *fetch.Client
}

// New returns a service. It reads nothing before it is asked.
func New(c Config) *Service {
	if c.Sums == nil {
		c.Sums = connector.NewSums()
	}
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	return &Service{Config: c, fetch: fetch.New()}
}

// Request is what a person wants to install.
type Request struct {
	// Source is the id of a connector, the path of an archive or of a folder of archives,
	// or the address of an archive.
	Source string
	// Constraint of the version; "" = that of the project.
	Constraint string
	// Platforms to install; none = this machine's.
	Platforms []string
	// Key is trusted for this installation, and remembered.
	Key string
	// Indexes are asked before those of the project.
	Indexes []string
	// Yes: a connector whose key is trusted is installed without a question, and
	// AcceptWider also one that gets more than the locked one.
	Yes, AcceptWider bool
	// Locked installs exactly the release that the project locked.
	Locked bool
	// User installs for all projects of the person: what a project locks itself goes first.
	User bool
	// Approve asks a person; nil = nobody can be asked.
	Approve func(context.Context, *Offer) (bool, error)
}

// Result is an installed connector.
type Result struct {
	ID      string `json:"id"`
	Version string `json:"version"`
	// Was is the version that was locked before, "" for none.
	Was       string   `json:"was,omitempty"`
	Platforms []string `json:"platforms"`
	// User: it is installed for all projects of the person.
	User bool `json:"user"`
	// Differences are those to Was.
	Differences []Change `json:"differences,omitempty"`
	// Changed: something was installed or locked.
	Changed bool `json:"changed"`
}

func (s *Service) begin(ctx context.Context, q Request) (*job, error) {
	p, rules, err := s.rules(ctx)
	if q.User {
		p, rules, err = s.anyRules(ctx)
	}
	if err != nil {
		return nil, err
	}
	if len(q.Platforms) == 0 {
		q.Platforms = []string{s.Platform}
	}
	return &job{service: s, request: q, rules: rules, project: p}, nil
}

// rules returns the project and the policies that apply to it.
func (s *Service) rules(ctx context.Context) (*project.Project, policy.Rules, error) {
	own, err := project.MachinePolicy(s.PolicyFile)
	if err != nil {
		return nil, policy.Rules{}, err
	}
	p, err := s.Project(ctx)
	if err != nil {
		return nil, policy.Rules{Machine: own}, err
	}
	return p, policy.Rules{Machine: own, Project: p.Connectors.Policy}, nil
}

// anyRules is rules where there need not be a project: then the machine's policy applies.
func (s *Service) anyRules(ctx context.Context) (*project.Project, policy.Rules, error) {
	p, rules, err := s.rules(ctx)
	if sdk.KindOf(err) == sdk.KindNotFound {
		p, err = &project.Project{}, nil
	}
	return p, rules, err
}

// remember records the keys of a release, which now are trusted, and the state of its index.
func (r *release) remember(records *machine.Records, id string, now time.Time) {
	for _, key := range r.keys {
		if !trusted(records, id, key) {
			records.Keys = append(records.Keys, machine.Key{Key: key, Pattern: policy.Namespace(id), Source: r.source, SeenAt: now})
		}
	}
	if r.serial > 0 {
		records.Serials[r.source] = max(r.serial, records.Serials[r.source])
	}
}

// trusted reports whether a person trusts a key for a connector.
func trusted(records *machine.Records, id, key string) bool {
	return slices.ContainsFunc(records.Keys, func(k machine.Key) bool { return k.Key == key && policy.Matches(k.Pattern, id) })
}

// InstallLocked installs what the project locked, and what its file names and no lock
// has. What is in the store already is not fetched.
// Errors: those of Install, of the first that fails; those before it stay installed.
func (s *Service) InstallLocked(ctx context.Context, q Request) ([]Result, error) {
	j, err := s.begin(ctx, q)
	if err != nil {
		return nil, err
	}
	if err := j.read(); err != nil {
		return nil, err
	}
	lock, ids := j.lock, []string{}
	if !q.User {
		ids = slices.Collect(maps.Keys(j.project.Connectors.Versions))
	}
	for id := range lock {
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	results := []Result{}
	for _, id := range slices.Sorted(slices.Values(ids)) {
		one := q
		one.Source = id
		if locked, ok := lock[id]; ok {
			one.Locked = true
			if len(q.Platforms) == 0 && len(s.faults(j.rules, &j.records, s.release(id, locked.Version), locked)) == 0 {
				if err := s.used(ctx, q.User, &j.records); err != nil {
					return results, err
				}
				results = append(results, Result{ID: id, Version: locked.Version, Was: locked.Version, Platforms: []string{s.Platform}, User: q.User})
				continue
			}
		}
		r, err := s.Install(ctx, one)
		if err != nil {
			return results, err
		}
		results = append(results, r)
	}
	return results, nil
}

func (s *Service) release(id, version string) machine.Release {
	return machine.Release{ID: id, Version: version, Platform: s.Platform}
}

// local reports whether a source is a path.
func local(source string) bool {
	if strings.HasPrefix(source, ".") || filepath.IsAbs(source) || strings.HasSuffix(source, ".tar.gz") {
		return true
	}
	return strings.Count(source, "/") != 1
}

func denied(format string, args ...any) *sdk.Error {
	return sdk.Errorf(sdk.KindDenied, sdk.SourceHost, format, args...)
}
