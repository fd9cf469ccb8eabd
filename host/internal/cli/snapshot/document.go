// Package snapshot runs scans with their progress, and prints the identity, coverage and
// warnings of the snapshots that they make.
package snapshot

import (
	"strconv"
	"strings"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/text"
)

// Document is a snapshot in a document.
type Document = catalog.Summary

// Warning is what a scan could not read.
type Warning = catalog.SummaryWarning

// New describes a snapshot.
func New(id catalog.Identity) Document { return id.Summary() }

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
