package scan

import (
	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/relationship"
)

// maxNamed is how many warnings a Report names; the snapshot has them all.
const maxNamed = 50

// Report sums a scan up for its run.
type Report struct {
	SyncID          string       `json:"syncId"`
	PreviousSyncID  *string      `json:"previousSyncId"` // nil = there was no snapshot before
	Mode            catalog.Mode `json:"mode"`
	Tables          int          `json:"tables"`
	Columns         int          `json:"columns"`
	ForeignKeys     int          `json:"foreignKeys"`
	ProfiledColumns int          `json:"profiledColumns"`
	// Changes count the tables that differ from the snapshot before; nil without one.
	Changes *Changes `json:"changes"`
	// Profiles count tables: profiled now, with a profile of an earlier scan, left out by the budget.
	Profiles     ProfileCounts `json:"profiles"`
	Inferred     int           `json:"relationshipsInferred"`
	ToReview     int           `json:"relationshipsToReview"`
	WarningCount int           `json:"warningCount"`
	// Warnings are the first ones of WarningCount.
	Warnings    []ReportWarning `json:"warnings"`
	Notes       []string        `json:"notes"`
	BytesBilled *int64          `json:"bytesBilled"` // nil = not known
	ElapsedMs   int64           `json:"elapsedMs"`
}

// Changes count tables.
type Changes struct {
	Added   int `json:"added"`
	Removed int `json:"removed"`
	Changed int `json:"changed"`
}

// ProfileCounts count tables.
type ProfileCounts struct {
	Made    int `json:"made"`
	Kept    int `json:"kept"`
	LeftOut int `json:"leftOut"`
}

// ReportWarning is an object that the scan could not read.
type ReportWarning struct {
	Object  string `json:"object"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Report returns the report of a result.
func (r *Result) Report() *Report {
	out := &Report{
		SyncID: r.SyncID, Mode: r.Mode, Tables: r.Counts.Tables, Columns: r.Counts.Columns, ForeignKeys: r.Counts.ForeignKeys, ProfiledColumns: r.Counts.ProfiledColumns,
		Profiles: ProfileCounts{r.Profiled, r.Kept, r.LeftOut}, WarningCount: len(r.Coverage.Warnings), Warnings: []ReportWarning{},
		Notes: append([]string{}, r.Notes...), ElapsedMs: r.Elapsed.Milliseconds(),
	}
	if r.Before != nil {
		out.PreviousSyncID, out.Changes = &r.Before.SyncID, &Changes{r.Added, r.Removed, r.Changed}
	}
	if r.BytesBilled > 0 {
		out.BytesBilled = &r.BytesBilled
	}
	out.Inferred, out.ToReview = r.inferred()
	for _, w := range r.Coverage.Warnings[:min(maxNamed, len(r.Coverage.Warnings))] {
		out.Warnings = append(out.Warnings, ReportWarning(w))
	}
	return out
}

// inferred counts the relationships that the scan inferred: those that count, and those that a person should look at.
func (r *Result) inferred() (accepted, review int) {
	for i := range r.Relationships.Relationships {
		switch one := &r.Relationships.Relationships[i]; {
		case one.Origin == relationship.Declared:
		case one.Status == relationship.Accepted:
			accepted++
		case one.Status == relationship.Review:
			review++
		}
	}
	return accepted, review
}
