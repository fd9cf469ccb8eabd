package catalog

import (
	"time"

	"github.com/loam-data/loam/sdk"
)

// Mode says how deep a scan looked.
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
	// Source identifies what was scanned. A new snapshot takes nothing over from one of
	// another source. "" = not known.
	Source string `json:"source,omitempty"`
	// Content names the snapshot's file after what is in it: two snapshots of
	// equal content have the same.
	Content string `json:"content"`
	Counts  Counts `json:"counts"`
	// Coverage is what the scan was asked for and what it could not read.
	Coverage Coverage `json:"coverage"`
	// Rules is the version of the privacy rules that the scan applied; "" = before they
	// had versions.
	Rules string `json:"rules,omitempty"`
	// Since is the connector's token for the next incremental scan, or "".
	Since string `json:"since,omitempty"`
}

// Counts are how much a snapshot holds.
type Counts struct {
	Tables      int `json:"tables"`
	Columns     int `json:"columns"`
	ForeignKeys int `json:"foreignKeys"`
	// Profiles is how many tables have one, and ProfiledColumns their columns.
	Profiles        int `json:"profiles"`
	ProfiledColumns int `json:"profiledColumns"`
}

// Coverage is how much of the warehouse a snapshot contains.
type Coverage struct {
	Include []string `json:"include,omitempty"`
	Exclude []string `json:"exclude,omitempty"`
	// SampledRows is how many rows of a table were looked at at most, and
	// ValuesPerColumn how many values were kept; 0 = no profile was asked for.
	SampledRows     int64 `json:"sampledRows,omitempty"`
	ValuesPerColumn int   `json:"valuesPerColumn,omitempty"`
	// ProfiledAt is the time of the oldest profile.
	ProfiledAt time.Time `json:"profiledAt,omitzero"`
	// Warnings are what the scan could not read, with the reasons.
	Warnings []sdk.Warning `json:"warnings,omitempty"`
}

// Table is a table as it was scanned, with its position in the snapshot.
type Table struct {
	sdk.Table
	// Hash changes when anything of the table but its estimates does.
	Hash Hash
}

// Profile is the statistics of a table's columns.
type Profile struct {
	At    time.Time
	Stats []sdk.ColumnStats
	// Withheld are the columns whose values are not kept, and why.
	Withheld []Withheld
	// Sampled: rows were asked for. A profile of before there were any has none.
	Sampled bool
	// Cells are those of a few random rows, column by column, without the columns
	// that are withheld.
	Cells []Cells
}

// Cells are what a few rows have in one column.
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

// Entry is what is known of a table without reading it.
type Entry struct {
	sdk.TableRef
	Kind    sdk.TableKind
	Columns int
	// RowEstimate and ByteEstimate are the engine's; -1 = unknown.
	RowEstimate, ByteEstimate int64
	// Hash is that of the table and Profile that of its profile; the zero value
	// when it has none. They tell what to index again.
	Hash, Profile Hash
}

// Hash is the beginning of a SHA-256.
type Hash [16]byte
