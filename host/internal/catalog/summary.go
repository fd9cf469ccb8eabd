package catalog

import (
	"fmt"

	"github.com/loam-data/loam/host/internal/text"
)

// Summary is what a snapshot is and what it is worth, for answers.
type Summary struct {
	SyncID          string           `json:"syncId"`
	ScanRunID       string           `json:"scanRunId,omitempty"`
	ExtractedAt     string           `json:"extractedAt"`
	Mode            Mode             `json:"mode"`
	Content         string           `json:"content"`
	Tables          int              `json:"tables"`
	Columns         int              `json:"columns"`
	ForeignKeys     int              `json:"foreignKeys"`
	ProfiledTables  int              `json:"profiledTables"`
	ProfiledColumns int              `json:"profiledColumns"`
	SampledRows     int64            `json:"sampledRows,omitempty"`
	ValuesPerColumn int              `json:"valuesPerColumn,omitempty"`
	ProfiledAt      string           `json:"profiledAt,omitempty"`
	Include         []string         `json:"include,omitempty"`
	Exclude         []string         `json:"exclude,omitempty"`
	Warnings        []SummaryWarning `json:"warnings"`

	// Identity is what it was made of.
	Identity Identity `json:"-"`
}

// SummaryWarning is what a scan could not read.
type SummaryWarning struct {
	Object  string `json:"object,omitempty"`
	Code    string `json:"code,omitempty"`
	Message string `json:"message"`
}

// Summary describes the snapshot.
func (id Identity) Summary() Summary {
	s := Summary{
		SyncID: id.SyncID, ScanRunID: id.ScanRunID, ExtractedAt: text.Moment(id.ExtractedAt), Mode: id.Mode, Content: id.Content,
		Tables: id.Counts.Tables, Columns: id.Counts.Columns, ForeignKeys: id.Counts.ForeignKeys,
		ProfiledTables: id.Counts.Profiles, ProfiledColumns: id.Counts.ProfiledColumns,
		SampledRows: id.Coverage.SampledRows, ValuesPerColumn: id.Coverage.ValuesPerColumn, ProfiledAt: text.Moment(id.Coverage.ProfiledAt),
		Include: id.Coverage.Include, Exclude: id.Coverage.Exclude, Warnings: []SummaryWarning{}, Identity: id,
	}
	for _, w := range id.Coverage.Warnings {
		s.Warnings = append(s.Warnings, SummaryWarning(w))
	}
	return s
}

// Text is a snapshot in a few words.
func (s *Summary) Text() string {
	if s == nil {
		return "never"
	}
	said := fmt.Sprintf("%s, %s, %s", text.Ago(s.Identity.ExtractedAt), s.Mode, text.Count(s.Tables, "table"))
	if n := len(s.Warnings); n > 0 {
		said += ", " + text.Count(n, "warning")
	}
	return said
}
