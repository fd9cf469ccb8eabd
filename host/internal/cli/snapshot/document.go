// Package snapshot runs scans with their progress, and prints the identity, coverage and
// warnings of the snapshots that they make.
package snapshot

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/text"
)

// Document is what a snapshot is and what it is worth.
type Document struct {
	SyncID          string       `json:"syncId"`
	ScanRunID       string       `json:"scanRunId,omitempty"`
	ExtractedAt     string       `json:"extractedAt"`
	Mode            catalog.Mode `json:"mode"`
	Content         string       `json:"content"`
	Tables          int          `json:"tables"`
	Columns         int          `json:"columns"`
	ForeignKeys     int          `json:"foreignKeys"`
	ProfiledTables  int          `json:"profiledTables"`
	ProfiledColumns int          `json:"profiledColumns"`
	SampledRows     int64        `json:"sampledRows,omitempty"`
	ValuesPerColumn int          `json:"valuesPerColumn,omitempty"`
	ProfiledAt      string       `json:"profiledAt,omitempty"`
	Include         []string     `json:"include,omitempty"`
	Exclude         []string     `json:"exclude,omitempty"`
	Warnings        []Warning    `json:"warnings"`

	// Identity is what it was made of.
	Identity catalog.Identity `json:"-"`
}

// Warning is what a scan could not read.
type Warning struct {
	Object  string `json:"object,omitempty"`
	Code    string `json:"code,omitempty"`
	Message string `json:"message"`
}

// New describes a snapshot.
func New(id catalog.Identity) Document {
	d := Document{
		SyncID: id.SyncID, ScanRunID: id.ScanRunID, ExtractedAt: terminal.Moment(id.ExtractedAt), Mode: id.Mode, Content: id.Content,
		Tables: id.Counts.Tables, Columns: id.Counts.Columns, ForeignKeys: id.Counts.ForeignKeys,
		ProfiledTables: id.Counts.Profiles, ProfiledColumns: id.Counts.ProfiledColumns,
		SampledRows: id.Coverage.SampledRows, ValuesPerColumn: id.Coverage.ValuesPerColumn, ProfiledAt: terminal.Moment(id.Coverage.ProfiledAt),
		Include: id.Coverage.Include, Exclude: id.Coverage.Exclude, Warnings: []Warning{}, Identity: id,
	}
	for _, w := range id.Coverage.Warnings {
		d.Warnings = append(d.Warnings, Warning(w))
	}
	return d
}

// Headers are those of Cells.
var Headers = []string{"SNAPSHOT", "MODE", "SCANNED", "TABLES", "COLUMNS", "PROFILED", "WARNINGS"}

// Cells are a snapshot as a row of a table.
func Cells(id catalog.Identity) []string {
	return []string{
		id.SyncID, string(id.Mode), text.Ago(id.ExtractedAt), strconv.Itoa(id.Counts.Tables), strconv.Itoa(id.Counts.Columns),
		strconv.Itoa(id.Counts.ProfiledColumns), strconv.Itoa(len(id.Coverage.Warnings)),
	}
}

// maxWarnings is how many warnings of a scan are printed in full.
const maxWarnings = 20

// PrintWarnings prints what a scan could not read.
func PrintWarnings(term *terminal.Terminal, id catalog.Identity) {
	for i, w := range id.Coverage.Warnings {
		if i == maxWarnings {
			term.Infof("… and %s; all of them: loam catalog list --json", text.Count(len(id.Coverage.Warnings)-i, "more warning"))
			return
		}
		term.Infof("warning: %s", terminal.Escape(strings.TrimPrefix(w.Object+": "+w.Message, ": ")))
	}
}

// Text is a snapshot in a few words.
func (s *Document) Text() string {
	if s == nil {
		return "never"
	}
	said := fmt.Sprintf("%s, %s, %s", text.Ago(s.Identity.ExtractedAt), s.Mode, text.Count(s.Tables, "table"))
	if n := len(s.Warnings); n > 0 {
		said += ", " + text.Count(n, "warning")
	}
	return said
}
