package discover

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/relationship"
	"github.com/loam-data/loam/host/internal/text"
)

// FoundValues is a ValuesAnswer in the short form for agents: matches are lines, misses of
// the same reason are merged, of copies of a table one is listed.
type FoundValues struct {
	Results []FoundValue `json:"results"`
	// Misses list values without a match, one entry per connection and reason.
	Misses []MissedValues `json:"misses,omitempty"`
	// Searched has one line per connection: its profiled columns and the time, or its status.
	Searched []string `json:"searched,omitempty"`
	Notes    []string `json:"notes,omitempty"`
}

// FoundValue is the result for one value.
// Shape: Total counts all matches; 0 = Matches has all of them.
type FoundValue struct {
	Value   string  `json:"value"`
	Matches []Found `json:"matches,omitempty"`
	Total   int     `json:"total,omitempty"`
}

// Found is a column that contains a value. Copies counts the copies of its table that
// contain it too.
type Found struct {
	ValueMatch
	Copies int
}

// MarshalText implements encoding.TextMarshaler. It returns the line of String.
func (f Found) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// String returns "shop: main.orders.status = shipped; 4 distinct; and 39 tables like it".
func (f Found) String() string {
	line := fmt.Sprintf("%s: %s.%s = %s", f.ConnectionID, f.SourceName, f.ColumnName, word(f.MatchedValue))
	if f.Cardinality != nil {
		line += fmt.Sprintf("; %d distinct", *f.Cardinality)
	}
	if f.Copies > 0 {
		line += fmt.Sprintf("; and %s like it", text.Count(f.Copies, "table"))
	}
	return line
}

// MissedValues are values without a match on a connection, for one reason.
type MissedValues struct {
	ConnectionID connection.ID `json:"connectionId"`
	Values       []string      `json:"values"`
	Reason       string        `json:"reason"`
	// Withheld are columns that may contain the values but whose values are not stored, one
	// line per reason; More counts the columns that are not listed.
	Withheld []string `json:"withheld,omitempty"`
	More     int      `json:"more,omitempty"`
}

// Found returns the short form of the answer.
func (a *ValuesAnswer) Found() *FoundValues {
	f := &FoundValues{Results: make([]FoundValue, len(a.Results)), Notes: a.Notes}
	for i := range a.Results {
		r := &a.Results[i]
		f.Results[i] = FoundValue{Value: r.Value, Matches: folded(r.Matches)}
		if r.Truncated {
			f.Results[i].Total = r.Total
		}
		for _, m := range r.Misses {
			f.miss(r.Value, m)
		}
	}
	for _, s := range a.Searched {
		if s.Status == statusReady && s.Coverage.ProfiledAt != nil {
			f.Searched = append(f.Searched, fmt.Sprintf("%s: %s as of %s", s.ConnectionID, text.Count(s.Coverage.ProfiledColumns, "column"), *s.Coverage.ProfiledAt))
		} else {
			f.Searched = append(f.Searched, fmt.Sprintf("%s: %s", s.ConnectionID, s.Status))
		}
	}
	return f
}

// folded removes matches in copies of a table: tables of which the same column contains the
// same value and whose names differ only in their digits. It keeps the newest.
func folded(matches []ValueMatch) (all []Found) {
	families := map[string][]int{}
	names := make([]string, len(matches))
	for i, m := range matches {
		if strings.ContainsFunc(m.SourceName, unicode.IsDigit) {
			pattern, _ := text.Family(m.SourceName)
			names[i] = strings.Join([]string{string(m.ConnectionID), pattern, m.ColumnName, m.MatchedValue}, "\x00")
			families[names[i]] = append(families[names[i]], i)
		}
	}
	for i, m := range matches {
		family := families[names[i]]
		if len(family) < relationship.LeastCopies {
			all = append(all, Found{ValueMatch: m})
			continue
		}
		last := slices.MaxFunc(family, func(x, y int) int { return text.CompareInFamily(matches[x].SourceName, matches[y].SourceName) })
		if i == family[0] { // where the first of them stands
			all = append(all, Found{matches[last], len(family) - 1})
		}
	}
	return all
}

// miss adds a value to the misses of its connection with the same reason.
func (f *FoundValues) miss(value string, m ValueMiss) {
	missed := MissedValues{ConnectionID: m.ConnectionID, Values: []string{value}, Reason: m.Reason, Withheld: withheldLines(m.Withheld)}
	if more := m.WithheldTotal - len(m.Withheld); more > 0 {
		missed.More = more
	}
	at := slices.IndexFunc(f.Misses, func(o MissedValues) bool {
		return o.ConnectionID == missed.ConnectionID && o.Reason == missed.Reason && o.More == missed.More && slices.Equal(o.Withheld, missed.Withheld)
	})
	if at >= 0 {
		f.Misses[at].Values = append(f.Misses[at].Values, value)
		return
	}
	f.Misses = append(f.Misses, missed)
}

// withheldLines returns one line per reason, with its columns; of copies of a table it lists one.
func withheldLines(columns []WithheldColumn) (lines []string) {
	byReason, reasons, copies := map[string][]WithheldColumn{}, []string{}, map[string]int{}
	family := func(w WithheldColumn) string {
		pattern, _ := text.Family(w.SourceName)
		return pattern + "\x00" + w.ColumnName + "\x00" + w.Reason
	}
	for _, w := range columns {
		if byReason[w.Reason] == nil {
			reasons = append(reasons, w.Reason)
		}
		byReason[w.Reason] = append(byReason[w.Reason], w)
		copies[family(w)]++
	}
	for _, reason := range reasons {
		var names []string
		shown := map[string]bool{}
		for _, w := range byReason[reason] {
			name := w.SourceName + "." + w.ColumnName
			if n := copies[family(w)]; n >= relationship.LeastCopies {
				if shown[family(w)] {
					continue
				}
				shown[family(w)] = true
				name += fmt.Sprintf(" and %s like it", text.Count(n-1, "table"))
			}
			names = append(names, name)
		}
		lines = append(lines, strings.Join(names, ", ")+": "+reason)
	}
	return lines
}

// Text returns the answer for clients that show only text.
func (f *FoundValues) Text() string {
	var b strings.Builder
	for _, r := range f.Results {
		lines := texts(r.Matches)
		switch {
		case len(lines) == 0:
			lines = []string{"no match"}
		case r.Total > 0:
			lines = append(lines, fmt.Sprintf("… of %d matches", r.Total))
		}
		section(&b, r.Value, lines)
	}
	var missed []string
	for _, m := range f.Misses {
		line := string(m.ConnectionID) + ": " + strings.Join(m.Values, ", ") + ": " + m.Reason
		if len(m.Withheld) > 0 {
			line += ": " + strings.Join(m.Withheld, "; ")
		}
		if m.More > 0 {
			line += fmt.Sprintf("; and %d more", m.More)
		}
		missed = append(missed, line)
	}
	section(&b, "misses", missed)
	section(&b, "searched", f.Searched)
	for _, n := range f.Notes {
		b.WriteString("note: " + n + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}
