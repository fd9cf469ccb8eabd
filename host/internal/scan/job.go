package scan

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/relationship"
	"github.com/loam-data/loam/host/internal/scan/privacy"
	"github.com/loam-data/loam/host/internal/warehouse"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// job is one scan under way.
type job struct {
	service     *Service
	warehouse   warehouse.Warehouse
	description sdk.Description
	settings    connection.Scan // of the connection, with what the request says instead
	full        bool
	rules       *privacy.Rules
	decisions   relationship.Decisions
	progress    *progress

	catalog  *catalog.Catalog
	writer   *catalog.Writer
	before   *catalog.Snapshot // the snapshot before; nil = none
	dialect  *dialect.Dialect
	identity catalog.Identity
	warnings warnings
	seen     seen
	purse    *purse
	result   Result
	// forget: earlier snapshots hold what is not kept any more.
	forget bool
}

// prepare finds out all that can be wrong before anything is started.
func (s *Service) prepare(ctx context.Context, req Request) (*job, error) {
	c, err := s.Warehouses.Get(ctx, req.Connection)
	if err != nil {
		return nil, err
	}
	j := &job{service: s, warehouse: c, settings: c.Scan, full: req.Full, progress: newProgress(req.Progress)}
	if j.description, err = c.Description(); err != nil {
		return nil, err
	}
	if req.Mode != "" {
		j.settings.Mode = string(req.Mode)
	}
	if len(req.Include) > 0 {
		j.settings.Include = req.Include
	}
	if len(req.Exclude) > 0 {
		j.settings.Exclude = req.Exclude
	}
	if req.Budget > 0 {
		j.settings.ProfileBudget = req.Budget
	}
	j.settings = j.settings.OrDefault()
	j.purse = newPurse(j.settings, j.description.Capabilities.Billing)
	if j.rules, err = privacy.New(j.settings.KeepValues, j.settings.WithholdValues); err != nil {
		return nil, err
	}
	if j.settings.WithholdRows {
		j.rules.WithholdRows()
	}
	if j.decisions, err = relationship.LoadDecisions(s.Decisions(c.ID)); err != nil {
		return nil, err
	}
	j.catalog = s.Catalogs.Of(string(c.ID))
	return j, nil
}

// run makes and commits a snapshot; fresh takes nothing over.
func (j *job) run(ctx context.Context, fresh bool) (err error) {
	if err := j.begin(ctx, fresh); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, j.writer.Close()) }()
	if err := j.structure(ctx); err != nil {
		return err
	}
	if err := j.profiles(ctx); err != nil {
		return err
	}
	if err := j.relationships(ctx); err != nil {
		return err
	}
	return j.commit(ctx)
}

// begin starts a snapshot, one that takes over from the last one only if that
// is of the same warehouse.
func (j *job) begin(ctx context.Context, fresh bool) (err error) {
	now := j.service.Now().UTC()
	j.identity = catalog.Identity{
		SyncID: newID("sync", now), ScanRunID: newID("scan", now), ExtractedAt: now,
		Mode: catalog.Mode(j.settings.Mode), Source: j.warehouse.Source(),
		Coverage: catalog.Coverage{Include: j.settings.Include, Exclude: j.settings.Exclude}, Rules: j.rules.Identity(),
	}
	j.warnings, j.seen, j.before, j.forget = warnings{}, seen{}, nil, false
	j.result = Result{Notes: j.result.Notes}
	if j.writer, err = j.catalog.Begin(ctx, fresh); err != nil {
		return err
	}
	if fresh {
		return j.compareWith(j.catalog.Latest())
	}
	if j.before = j.writer.Base(); j.before == nil || j.before.Source == j.identity.Source {
		return nil
	}
	j.note("The connection was changed since the last snapshot; nothing was taken over from it.")
	if err := j.writer.Close(); err != nil {
		return err
	}
	j.writer, err = j.catalog.Begin(ctx, true)
	return err
}

// compareWith takes the snapshot that the new one is compared with, which may
// be none or damaged.
func (j *job) compareWith(before *catalog.Snapshot, err error) error {
	if err != nil && sdk.KindOf(err) != sdk.KindNotFound && !errors.Is(err, catalog.ErrDamaged) {
		return errors.Join(err, j.writer.Close())
	}
	j.before = before
	return nil
}

// newID returns an id that sorts by its time and that no other scan has.
func newID(kind string, now time.Time) string {
	const length = 8
	return kind + "-" + now.Format("20060102T150405.000Z") + "-" + strings.ToLower(rand.Text()[:length])
}

func (j *job) note(format string, args ...any) {
	j.result.Notes = append(j.result.Notes, fmt.Sprintf(format, args...))
}

// commit puts the snapshot in place and says how it differs from the one before.
func (j *job) commit(ctx context.Context) error {
	j.progress.report(sdk.Progress{Phase: phaseCommit})
	j.identity.Coverage.Warnings = j.warnings.list()
	j.identity.Coverage.SampledRows, j.identity.Coverage.ProfiledAt = j.seen.rows, j.seen.oldest
	if err := j.clear(ctx); err != nil {
		return err
	}
	var err error
	if j.result.Identity, err = j.writer.Commit(ctx, j.identity); err != nil {
		return err
	}
	j.result.Kept = j.result.Counts.Profiles - j.result.Profiled
	if j.before == nil {
		return nil
	}
	j.result.Before = &j.before.Identity
	if j.before.Content == j.result.Content {
		return nil
	}
	// The snapshot is made: what fails now is no reason to say that it is not.
	now, err := j.catalog.Latest()
	if err == nil {
		var diff *catalog.Diff
		if diff, err = catalog.Compare(context.WithoutCancel(ctx), j.before, now); err == nil {
			j.result.Added, j.result.Removed, j.result.Changed = len(diff.Added), len(diff.Removed), len(diff.Changed)
			return nil
		}
	}
	j.note("What changed cannot be told: %v.", err)
	return nil
}

// explain says of a failure what became of the snapshots.
func (j *job) explain(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		return err
	}
	e := sdk.Errorf(sdk.KindCanceled, sdk.SourceCaller, "the scan of %s was cancelled and nothing of it is kept", j.warehouse.ID)
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		e = sdk.Errorf(sdk.KindTimeout, sdk.SourceCaller, "the scan of %s did not finish in the time allowed and nothing of it is kept", j.warehouse.ID)
	}
	e.Err = err
	if j.before == nil {
		return e.WithHint("run loam scan %s again: the connection has no snapshot yet", j.warehouse.ID)
	}
	return e.WithHint("run loam scan %s again; until then the snapshot of %s stays", j.warehouse.ID, j.before.ExtractedAt.Format("2006-01-02 15:04 MST"))
}

// with runs something on a session of its own.
func (j *job) with(ctx context.Context, f func(sdk.Session) error) error {
	session, release, err := j.warehouse.Lease(ctx)
	if err != nil {
		return err
	}
	defer release()
	return f(session)
}

// seen is what the profiles of a snapshot rest on.
type seen struct {
	rows   int64
	oldest time.Time
}

func (s *seen) add(p *catalog.Profile) {
	if p == nil {
		return
	}
	for i := range p.Stats {
		s.rows = max(s.rows, p.Stats[i].Rows)
	}
	if s.oldest.IsZero() || p.At.Before(s.oldest) {
		s.oldest = p.At
	}
}

// sameGlobs reports whether two lists select the same.
func sameGlobs(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}
