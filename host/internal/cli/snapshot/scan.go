package snapshot

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/scan"
	"github.com/loam-data/loam/host/internal/text"
)

// A Scanner scans connections, and records who did.
type Scanner interface {
	Scan(ctx context.Context, by change.Actor, req scan.Request) (*scan.Result, error)
}

// Scan scans a connection, shows how far it is, and prints what it found.
// Errors: those of scan.Service.
func Scan(ctx context.Context, i *command.Invocation, scanner Scanner, req scan.Request) (*scan.Result, error) {
	term := i.Terminal
	report := newProgress(term, req.Connection)
	req.Progress = report.update
	result, err := scanner.Scan(ctx, i.Actor(), req)
	report.end()
	if err == nil {
		printScan(term, req.Connection, result)
	}
	return result, err
}

// ScanDocument is what became of the scan of one connection: a snapshot, or an
// error.
type ScanDocument struct {
	ConnectionID  connection.ID             `json:"connectionId"`
	Snapshot      *Document                 `json:"snapshot,omitempty"`
	Previous      *string                   `json:"previousSyncId,omitempty"`
	Changes       *scan.Changes             `json:"changes,omitempty"`
	Profiles      *scan.ProfileCounts       `json:"profiles,omitempty"`
	Relationships *scanRelationshipDocument `json:"relationships,omitempty"`
	BytesBilled   int64                     `json:"bytesBilled,omitempty"`
	Notes         []string                  `json:"notes,omitempty"`
	ElapsedMs     int64                     `json:"elapsedMs,omitempty"`
	Error         *terminal.Failure         `json:"error,omitempty"`
}

// scanRelationshipDocument counts relationships, and the queries they took.
type scanRelationshipDocument struct {
	Declared  int `json:"declared"`
	Accepted  int `json:"accepted"`
	Review    int `json:"review"`
	Unchecked int `json:"unchecked"`
	Queries   int `json:"queries"`
}

func NewScanDocument(id connection.ID, r *scan.Result, err error) ScanDocument {
	if err != nil {
		return ScanDocument{ConnectionID: id, Error: terminal.NewFailure(err)}
	}
	made, report := New(r.Identity), r.Report()
	return ScanDocument{
		ConnectionID: id, Snapshot: &made, Previous: report.PreviousSyncID, Changes: report.Changes,
		Profiles: &report.Profiles, Relationships: countRelationships(r), BytesBilled: r.BytesBilled, Notes: r.Notes, ElapsedMs: report.ElapsedMs,
	}
}

func countRelationships(r *scan.Result) *scanRelationshipDocument {
	report := r.Report()
	return &scanRelationshipDocument{
		Declared: report.ForeignKeys, Accepted: report.Inferred, Review: report.ToReview, Unchecked: r.Relationships.Unchecked, Queries: r.Queries,
	}
}

// printScan sums a scan up.
func printScan(term *terminal.Terminal, id connection.ID, r *scan.Result) {
	term.Infof("%s: %s, %s in %s (%s, snapshot %s)", id, text.Count(r.Counts.Tables, "table"), text.Count(r.Counts.Columns, "column"),
		r.Elapsed.Round(10*time.Millisecond), r.Mode, r.SyncID)
	if r.Before != nil {
		term.Infof("  since %s: %d added, %d removed, %d changed", text.Clock(r.Before.ExtractedAt), r.Added, r.Removed, r.Changed)
		if strings.Join(r.Before.Coverage.Include, "\n") != strings.Join(r.Coverage.Include, "\n") ||
			strings.Join(r.Before.Coverage.Exclude, "\n") != strings.Join(r.Coverage.Exclude, "\n") {
			term.Infof("  that scan had other globs than this one")
		}
	}
	if r.Profiled+r.Kept+r.LeftOut > 0 {
		line := fmt.Sprintf("%d made, %d kept", r.Profiled, r.Kept)
		if r.LeftOut > 0 {
			line += fmt.Sprintf(", %d left out", r.LeftOut)
		}
		term.Infof("  profiles: %s", line)
	}
	found := countRelationships(r)
	if n := found.Declared + found.Accepted + found.Review; n > 0 {
		term.Infof("  relationships: %d declared, %d inferred, %d to review (%s)", found.Declared, found.Accepted, found.Review, queries(found.Queries))
	}
	if r.BytesBilled > 0 {
		term.Infof("  billed: %s", humanize.IBytes(uint64(r.BytesBilled)))
	}
	PrintWarnings(term, r.Identity)
	for _, note := range r.Notes {
		term.Infof("note: %s", terminal.Escape(note))
	}
}

// Next returns the commands to go on with after a scan.
func Next(id connection.ID, r *scan.Result) (commands []string) {
	if r.Counts.Tables > 0 {
		commands = append(commands, fmt.Sprintf(`loam search "what you look for" -c %s`, id))
	}
	if countRelationships(r).Review > 0 {
		commands = append(commands, fmt.Sprintf("loam catalog relationships -c %s --status review", id))
	}
	return commands
}

func queries(n int) string {
	if n == 1 {
		return "1 query"
	}
	return fmt.Sprintf("%d queries", n)
}
