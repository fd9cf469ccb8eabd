package catalog

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

// StatsDocument is what was counted of a column; where only its values are
// withheld, the counts are there.
type StatsDocument struct {
	Rows           int64           `json:"rows"`
	Complete       bool            `json:"complete"`
	Nulls          int64           `json:"nulls"`
	Distinct       *int64          `json:"distinct"`
	DistinctApprox bool            `json:"distinctApprox,omitempty"`
	Min            *string         `json:"min"`
	Max            *string         `json:"max"`
	Quantiles      []string        `json:"quantiles,omitempty"`
	MinLength      *int64          `json:"minLength,omitempty"`
	MaxLength      *int64          `json:"maxLength,omitempty"`
	AvgLength      float64         `json:"avgLength,omitempty"`
	Values         []ValueDocument `json:"values,omitempty"`
	ValuesComplete bool            `json:"valuesComplete"`
	Withheld       string          `json:"withheld,omitempty"`
}

type ValueDocument struct {
	Value string `json:"value"`
	Count int64  `json:"count"`
}

// find returns what a profile has of a column; nil and "" where it has nothing.
func find(p *catalog.Profile, column string) (stats *sdk.ColumnStats, withheld string) {
	if p == nil {
		return nil, ""
	}
	if i := slices.IndexFunc(p.Withheld, func(w catalog.Withheld) bool { return w.Column == column }); i >= 0 {
		withheld = p.Withheld[i].Reason
	}
	return p.Column(column), withheld
}

func newStatsDocument(column string, p *catalog.Profile) *StatsDocument {
	s, withheld := find(p, column)
	if s == nil && withheld == "" {
		return nil
	}
	d := &StatsDocument{Withheld: withheld}
	if s == nil {
		return d
	}
	d.Rows, d.Complete, d.Nulls, d.Distinct, d.DistinctApprox = s.Rows, s.Complete, s.Nulls, terminal.KnownOrNull(s.Distinct), s.DistinctApprox
	d.Min, d.Max, d.Quantiles, d.ValuesComplete = s.Min, s.Max, s.Quantiles, s.ValuesComplete
	d.MinLength, d.MaxLength, d.AvgLength = terminal.KnownOrNull(s.MinLength), terminal.KnownOrNull(s.MaxLength), max(0, s.AvgLength)
	for i, v := range s.Values {
		d.Values = append(d.Values, ValueDocument{v, s.Counts[i]})
	}
	return d
}

// maxValues is how many values are printed, and maxRoom how many characters of all
// of them.
const (
	maxValues = 12
	maxRoom   = 160
)

func (a *commands) printProfile(e *entity) error {
	if e.profile == nil {
		a.term.Infof("no profile of this table: loam scan --mode enriched makes one")
		return nil
	}
	fmt.Fprintf(a.term.Out, "\n%s\n", a.term.Style(a.term.Out, "2")("profile of "+text.Clock(e.profile.At)))
	var rows [][]string
	for _, c := range e.table.Columns {
		s, withheld := find(e.profile, c.Name)
		switch {
		case s != nil:
			rows = append(rows, statsCells(s, withheld))
		case withheld != "":
			rows = append(rows, []string{c.Name, "", "", "", "", "", "withheld: " + withheld})
		}
	}
	return a.term.NewTable([]string{"COLUMN", "ROWS", "NULLS", "DISTINCT", "MIN", "MAX", "VALUES"}, 1, 2, 3).Rows(rows)
}

func statsCells(s *sdk.ColumnStats, withheld string) []string {
	rows, distinct := strconv.FormatInt(s.Rows, 10), terminal.OrUnknown(s.Distinct)
	if !s.Complete {
		rows += " sampled"
	}
	if s.DistinctApprox {
		distinct = "~" + distinct
	}
	return []string{s.Column, rows, strconv.FormatInt(s.Nulls, 10), distinct, valueText(s.Min), valueText(s.Max), valuesText(s, withheld)}
}

func valueText(v *string) string {
	if v == nil {
		return ""
	}
	return terminal.Cut(*v, terminal.MaxValue)
}

// valuesText lists values with their counts, and says whether they are all. Of
// values that come once each, a few are examples enough.
func valuesText(s *sdk.ColumnStats, withheld string) string {
	switch {
	case withheld != "":
		return "withheld: " + withheld
	case len(s.Values) > maxValues && s.Counts[0] == 1:
		return "once each: " + strings.Join(quotedValues(s, 3), ", ") + ", …"
	case len(s.Values) > 0:
		shown := quotedValues(s, maxValues)
		text := strings.Join(shown, ", ")
		switch {
		case s.ValuesComplete && len(shown) == len(s.Values):
			return "all: " + text
		case s.ValuesComplete:
			return fmt.Sprintf("%s, … (all %d: --json)", text, len(s.Values))
		}
		return "most frequent: " + text + ", …"
	case len(s.Quantiles) > 0:
		return "quantiles: " + terminal.Cut(strings.Join(s.Quantiles, ", "), terminal.MaxAbout)
	}
	return ""
}

// quotedValues returns so many values at most, with their counts where they
// differ, and no more than fit on a line.
func quotedValues(s *sdk.ColumnStats, most int) (parts []string) {
	room := maxRoom
	for i, v := range s.Values[:min(most, len(s.Values))] {
		part := quotedValue(v)
		if s.Counts[0] > 1 {
			part += " " + strconv.FormatInt(s.Counts[i], 10)
		}
		if room -= utf8.RuneCountInString(part); room < 0 && i > 0 {
			break
		}
		parts = append(parts, part)
	}
	return parts
}

// quotedValue keeps apart from its neighbours a value that would run into them.
func quotedValue(v string) string {
	v = terminal.Cut(v, terminal.MaxValue)
	if v == "" || strings.ContainsAny(v, " ,\"") {
		return strconv.Quote(v)
	}
	return v
}
