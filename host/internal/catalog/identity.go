package catalog

import (
	"time"

	"github.com/loam-data/loam/sdk"
)

// Mode is the depth of a scan.
type Mode string

const (
	Structural Mode = "structural" // tables, columns, keys, comments
	Enriched   Mode = "enriched"   // and profiles
)

// Identity identifies a snapshot and describes how complete it is.
type Identity struct {
	SyncID      string    `json:"syncId"`
	ScanRunID   string    `json:"scanRunId,omitempty"`
	ExtractedAt time.Time `json:"extractedAt"`
	Mode        Mode      `json:"mode"`
	// Source identifies the warehouse that was scanned, as Connection.Source does. A
	// new snapshot takes nothing over from one of another source. "" = not known.
	Source string `json:"source,omitempty"`
	// Content is the hash that names the snapshot's file: snapshots of equal content
	// share a file.
	Content string `json:"content"`
	Counts  Counts `json:"counts"`
	// Coverage is the part of the warehouse that was scanned.
	Coverage Coverage `json:"coverage"`
	// Rules is the version of the privacy rules that the scan applied; "" = before they
	// had versions.
	Rules string `json:"rules,omitempty"`
	// Since is the connector's token for the next incremental scan, or "".
	Since string `json:"since,omitempty"`
}

// Counts are the sizes of a snapshot.
type Counts struct {
	Tables      int `json:"tables"`
	Columns     int `json:"columns"`
	ForeignKeys int `json:"foreignKeys"`
	// Profiles counts the tables with a profile, and ProfiledColumns their columns.
	Profiles        int `json:"profiles"`
	ProfiledColumns int `json:"profiledColumns"`
}

// Coverage describes which part of the warehouse a snapshot contains.
type Coverage struct {
	Include []string `json:"include,omitempty"`
	Exclude []string `json:"exclude,omitempty"`
	// SampledRows is the most rows read of a table, and ValuesPerColumn the most values
	// kept of a column; 0 = no profile was asked for.
	SampledRows     int64 `json:"sampledRows,omitempty"`
	ValuesPerColumn int   `json:"valuesPerColumn,omitempty"`
	// ProfiledAt is the time of the oldest profile.
	ProfiledAt time.Time `json:"profiledAt,omitzero"`
	// Warnings name the objects that the scan could not read, and why.
	Warnings []sdk.Warning `json:"warnings,omitempty"`
}

// Table is a table as it was scanned.
type Table struct {
	sdk.Table
	// Hash changes when anything of the table but its estimates does.
	Hash Hash
}

// Profile is the statistics of a table's columns.
type Profile struct {
	At    time.Time
	Stats []sdk.ColumnStats
	// Withheld are the columns whose values are not kept, with reasons.
	Withheld []Withheld
	// Sampled: the scan asked for sample rows.
	Sampled bool
	// Cells are a few random rows, column by column, without the columns that are
	// withheld.
	Cells []Cells
}

// Cells are the sampled values of one column.
// Shape: the n-th values of all columns are the n-th row; nil is NULL.
type Cells struct {
	Column string
	Values []*string
}

// Withheld is a column whose values are not kept.
type Withheld struct {
	Column string
	Reason string
}

// Entry is a table's record in the directory of a snapshot.
type Entry struct {
	sdk.TableRef
	Kind    sdk.TableKind
	Columns int
	// RowEstimate and ByteEstimate are the engine's; -1 = unknown.
	RowEstimate, ByteEstimate int64
	// Hash is the hash of the table and Profile that of its profile, zero without one.
	// They show what to index again.
	Hash, Profile Hash
}

// Hash is the beginning of a SHA-256.
type Hash [16]byte
