package catalog

import (
	"fmt"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/loam-data/loam/host/internal/cli/snapshot"
	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/relationship"
	"github.com/loam-data/loam/host/internal/scan"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

// scanDocument is what became of the scan of one connection: a snapshot, or an
// error.
type scanDocument struct {
	ConnectionID  connection.ID             `json:"connectionId"`
	Snapshot      *snapshot.Document        `json:"snapshot,omitempty"`
	Previous      *string                   `json:"previousSyncId,omitempty"`
	Changes       *changesDocument          `json:"changes,omitempty"`
	Profiles      *profilesDocument         `json:"profiles,omitempty"`
	Relationships *scanRelationshipDocument `json:"relationships,omitempty"`
	BytesBilled   int64                     `json:"bytesBilled,omitempty"`
	Notes         []string                  `json:"notes,omitempty"`
	ElapsedMs     int64                     `json:"elapsedMs,omitempty"`
	Error         *terminal.Failure         `json:"error,omitempty"`
}

// changesDocument counts the tables that differ from the snapshot before.
type changesDocument struct {
	Added   int `json:"added"`
	Removed int `json:"removed"`
	Changed int `json:"changed"`
}

// profilesDocument counts tables: profiled now, with a profile that was taken
// over, left out by the budget.
type profilesDocument struct {
	Made    int `json:"made"`
	Kept    int `json:"kept"`
	LeftOut int `json:"leftOut"`
}

// scanRelationshipDocument counts relationships, and the queries they took.
type scanRelationshipDocument struct {
	Declared  int `json:"declared"`
	Accepted  int `json:"accepted"`
	Review    int `json:"review"`
	Unchecked int `json:"unchecked"`
	Queries   int `json:"queries"`
}

func newScanDocument(id connection.ID, r *scan.Result, err error) scanDocument {
	if err != nil {
		return scanDocument{ConnectionID: id, Error: terminal.NewFailure(err)}
	}
	snapshot := snapshot.New(r.Identity)
	d := scanDocument{
		ConnectionID: id, Snapshot: &snapshot,
		Profiles:      &profilesDocument{r.Profiled, r.Kept, r.LeftOut},
		Relationships: countRelationships(r),
		BytesBilled:   r.BytesBilled,
		Notes:         r.Notes, ElapsedMs: r.Elapsed.Milliseconds(),
	}
	if r.Before != nil {
		d.Previous, d.Changes = &r.Before.SyncID, &changesDocument{r.Added, r.Removed, r.Changed}
	}
	return d
}

func countRelationships(r *scan.Result) *scanRelationshipDocument {
	d := &scanRelationshipDocument{Declared: r.Counts.ForeignKeys, Unchecked: r.Relationships.Unchecked, Queries: r.Queries}
	for _, one := range r.Relationships.Relationships {
		switch {
		case one.Origin == relationship.Declared:
		case one.Status == relationship.Accepted:
			d.Accepted++
		case one.Status == relationship.Review:
			d.Review++
		}
	}
	return d
}

// reportScan sums a scan up.
func (a *commands) reportScan(id connection.ID, r *scan.Result) {
	a.term.Infof("%s: %s, %s in %s (%s, snapshot %s)", id, text.Count(r.Counts.Tables, "table"), text.Count(r.Counts.Columns, "column"),
		r.Elapsed.Round(10*time.Millisecond), r.Mode, r.SyncID)
	if r.Before != nil {
		a.term.Infof("  since %s: %d added, %d removed, %d changed", text.Clock(r.Before.ExtractedAt), r.Added, r.Removed, r.Changed)
		if strings.Join(r.Before.Coverage.Include, "\n") != strings.Join(r.Coverage.Include, "\n") ||
			strings.Join(r.Before.Coverage.Exclude, "\n") != strings.Join(r.Coverage.Exclude, "\n") {
			a.term.Infof("  that scan had other globs than this one")
		}
	}
	if r.Profiled+r.Kept+r.LeftOut > 0 {
		line := fmt.Sprintf("%d made, %d kept", r.Profiled, r.Kept)
		if r.LeftOut > 0 {
			line += fmt.Sprintf(", %d left out", r.LeftOut)
		}
		a.term.Infof("  profiles: %s", line)
	}
	found := countRelationships(r)
	if n := found.Declared + found.Accepted + found.Review; n > 0 {
		a.term.Infof("  relationships: %d declared, %d inferred, %d to review (%s)", found.Declared, found.Accepted, found.Review, queries(found.Queries))
	}
	if r.BytesBilled > 0 {
		a.term.Infof("  billed: %s", humanize.IBytes(uint64(r.BytesBilled)))
	}
	snapshot.PrintWarnings(a.term, r.Identity)
	for _, note := range r.Notes {
		a.term.Infof("note: %s", terminal.Escape(note))
	}
	if r.Counts.Tables > 0 {
		a.term.Infof(`next: loam search "what you look for" -c %s`, id)
	}
	if found.Review > 0 {
		a.term.Infof("next: loam catalog relationships -c %s --status review", id)
	}
}

func queries(n int) string {
	if n == 1 {
		return "1 query"
	}
	return fmt.Sprintf("%d queries", n)
}

// reportUnchanged says of a connection whose scan failed what it has.
func (a *commands) reportUnchanged(services *Services, id connection.ID) {
	snapshot, err := services.Catalogs.Of(string(id)).Latest()
	switch {
	case err == nil:
		a.term.Infof("%s: the snapshot of %s (%s) stays as it was", id, text.Clock(snapshot.ExtractedAt), snapshot.SyncID)
	case sdk.KindOf(err) == sdk.KindNotFound:
		a.term.Infof("%s: there is no snapshot of it", id)
	default:
		a.term.Warn(err)
	}
}

// scansFailed is the error of a command whose scans failed; of a single one its
// own.
func scansFailed(all int, failed []string, first error) error {
	if first == nil || all == 1 {
		return first
	}
	e := sdk.AsError(first, sdk.SourceHost)
	return sdk.Errorf(e.Kind, e.Source, "%d of %d connections could not be scanned: %s", len(failed), all, strings.Join(failed, ", ")).
		WithHint("scan each of them alone to see why: loam scan %s", failed[0])
}
