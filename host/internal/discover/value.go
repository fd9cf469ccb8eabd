package discover

import (
	"context"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/indexer"
	"github.com/loam-data/loam/host/internal/scan/privacy"
	"github.com/loam-data/loam/host/internal/search/value"
)

// How many matches are listed of a value, and of all values together.
const (
	maxMatches    = 100
	maxAllMatches = 300
)

// ValuesRequest asks where values are.
type ValuesRequest struct {
	Values     []string
	Connection connection.ID // "" = all
}

// ValuesAnswer says what was searched and, in the order of the request, what
// was found. A miss proves nothing: only sampled values are searched.
type ValuesAnswer struct {
	Searched []Searched    `json:"searched"`
	Results  []ValueResult `json:"results"`
	Notes    []string      `json:"notes,omitempty"`
}

// Searched is a connection whose values were searched, if it has any.
type Searched struct {
	ConnectionID connection.ID `json:"connectionId"`
	Coverage     Coverage      `json:"coverage"`
	Status       string        `json:"status"`
}

// Coverage is how much of a connection's values is known.
type Coverage struct {
	SampledRows     *int64  `json:"sampledRows"`
	ValuesPerColumn *int    `json:"valuesPerColumn"`
	ProfiledColumns int     `json:"profiledColumns"`
	SyncID          *string `json:"syncId"`
	ProfiledAt      *string `json:"profiledAt"` // RFC 3339
}

// ValueResult is what was found of one value, equal ones first.
// Shape: Total counts all matches; Truncated says that Matches are fewer. A
// connection with a match, listed or not, has no miss.
type ValueResult struct {
	Value     string       `json:"value"`
	Matches   []ValueMatch `json:"matches"`
	Misses    []ValueMiss  `json:"misses"`
	Total     int          `json:"total"`
	Truncated bool         `json:"truncated"`
}

// ValueMatch is a column that holds a value.
type ValueMatch struct {
	ConnectionID connection.ID `json:"connectionId"`
	SourceName   string        `json:"sourceName"`
	ColumnName   string        `json:"columnName"`
	MatchedValue string        `json:"matchedValue"`
	Cardinality  *int64        `json:"cardinality"`
}

// ValueMiss says why a connection has no match.
// Shape: Withheld are columns that may hold the value and whose values are not
// kept; WithheldTotal is set where there are more.
type ValueMiss struct {
	ConnectionID  connection.ID    `json:"connectionId"`
	Reason        string           `json:"reason"`
	Withheld      []WithheldColumn `json:"withheld,omitempty"`
	WithheldTotal int              `json:"withheldTotal,omitempty"`
}

// WithheldColumn is a column whose values are not kept, and why.
type WithheldColumn struct {
	SourceName string `json:"sourceName"`
	ColumnName string `json:"columnName"`
	Reason     string `json:"reason"`
}

// What a connection's values are worth, and why one was not found.
const (
	statusReady      = "ready"
	noProfile        = "no_profile_artifact"  // it was never profiled
	noCandidates     = "no_candidate_columns" // it was, and no column's values are kept
	valueNotInSample = "value_not_in_sample"
	valueWithheld    = "withheld" // columns that may hold it keep no values
)

// maxWithheld is how many columns a miss names.
const maxWithheld = 20

// Values answers from the sampled values.
// Errors: KindNotFound for an unknown connection, KindUnavailable for one whose
// catalog is damaged; those of the index.
func (s *Service) Values(ctx context.Context, r ValuesRequest) (*ValuesAnswer, error) {
	connections, err := s.asked(ctx, r.Connection)
	if err != nil {
		return nil, err
	}
	state, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	defer state.Release()
	if err := s.readable(state, r.Connection); err != nil {
		return nil, err
	}
	a := &ValuesAnswer{Searched: []Searched{}, Results: make([]ValueResult, len(r.Values))}
	for _, c := range connections {
		a.Searched = append(a.Searched, searched(state, c.ID))
	}
	limit := min(maxMatches, maxAllMatches/max(1, len(r.Values)))
	for i, v := range r.Values {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		a.Results[i] = a.look(state, v, filter(ctx, r.Connection, connections), limit)
	}
	a.explain(limit)
	a.Notes = append(append(s.neverScanned(state, connections), state.Notes...), a.Notes...)
	return a, nil
}

// searched says how much of a connection's values is known.
func searched(state *indexer.State, id connection.ID) Searched {
	snapshot := state.Snapshots[id]
	if snapshot == nil {
		return Searched{ConnectionID: id, Status: noProfile}
	}
	had := snapshot.Coverage
	s := Searched{ConnectionID: id, Status: statusReady, Coverage: Coverage{
		SampledRows: count(had.SampledRows, had.SampledRows > 0), ValuesPerColumn: count(had.ValuesPerColumn, had.ValuesPerColumn > 0),
		ProfiledColumns: snapshot.Counts.ProfiledColumns, SyncID: known(snapshot.SyncID),
	}}
	if !had.ProfiledAt.IsZero() {
		s.Coverage.ProfiledAt = known(moment(had.ProfiledAt))
	}
	switch {
	case snapshot.Counts.ProfiledColumns == 0 && snapshot.Mode == catalog.Structural:
		s.Status = noProfile
	case state.Index.Columns(string(id)) == 0:
		s.Status = noCandidates
	}
	return s
}

// look finds one value.
func (a *ValuesAnswer) look(state *indexer.State, v string, connections []string, limit int) ValueResult {
	matches, total := state.Index.Find(v, connections, limit)
	r := ValueResult{Value: v, Matches: make([]ValueMatch, len(matches)), Misses: []ValueMiss{}, Total: total, Truncated: total > len(matches)}
	for i, m := range matches {
		r.Matches[i] = ValueMatch{
			ConnectionID: connection.ID(m.Connection), SourceName: m.Source, ColumnName: m.Name,
			MatchedValue: m.Value, Cardinality: count(m.Cardinality, m.Cardinality >= 0),
		}
	}
	for _, s := range a.Searched {
		if slices.ContainsFunc(matches, func(m value.Match) bool { return m.Connection == string(s.ConnectionID) }) {
			continue
		}
		reason := s.Status
		if reason == statusReady {
			if r.Truncated && holds(state, v, s.ConnectionID) {
				continue
			}
			reason = valueNotInSample
		}
		r.Misses = append(r.Misses, miss(state, v, s.ConnectionID, reason))
	}
	return r
}

// miss says why a value was not found; that it may be in columns whose values are
// not kept goes before that it is not among those that are.
func miss(state *indexer.State, v string, id connection.ID, reason string) ValueMiss {
	m := ValueMiss{ConnectionID: id, Reason: reason}
	if reason != valueNotInSample && reason != noCandidates {
		return m
	}
	characters := int64(utf8.RuneCountInString(v))
	columns, total := state.Index.Withheld(string(id), maxWithheld, func(w *value.Withheld) bool {
		return (w.Longest < 0 || w.Longest >= characters) && privacy.MayHold(w.Reason, v)
	})
	if total == 0 {
		return m
	}
	m.Reason = valueWithheld
	for _, w := range columns {
		m.Withheld = append(m.Withheld, WithheldColumn{w.Source, w.Name, w.Reason})
	}
	if total > len(columns) {
		m.WithheldTotal = total
	}
	return m
}

// holds reports whether a connection has a value, be it too far behind to be
// listed.
func holds(state *indexer.State, v string, id connection.ID) bool {
	_, total := state.Index.Find(v, []string{string(id)}, 1)
	return total > 0
}

// explain says what misses and cut lists mean, and what to do.
func (a *ValuesAnswer) explain(limit int) {
	truncated, missed, withheld := false, false, false
	for i := range a.Results {
		r := &a.Results[i]
		truncated = truncated || r.Truncated
		missed = missed || slices.ContainsFunc(r.Misses, func(m ValueMiss) bool { return m.Reason == valueNotInSample || m.Reason == valueWithheld })
		withheld = withheld || slices.ContainsFunc(r.Misses, func(m ValueMiss) bool { return m.Reason == valueWithheld })
	}
	if withheld {
		a.Notes = append(a.Notes, "Withheld columns may hold a value that was not found: their values are not kept, unless scan.keep_values names them.")
	}
	if missed {
		a.Notes = append(a.Notes, "A miss proves nothing: only sampled values are searched. Ask the warehouse with SQL.")
	}
	if truncated {
		a.Notes = append(a.Notes, fmt.Sprintf("The best %d matches of a value are listed: give more of the value, fewer values at once, or a connectionId.", limit))
	}
	for _, s := range a.Searched {
		if s.Status == noProfile && s.Coverage.SyncID != nil {
			a.Notes = append(a.Notes, fmt.Sprintf("Connection %s was scanned without profiles: run loam scan --mode %s %s.", s.ConnectionID, catalog.Enriched, s.ConnectionID))
		}
	}
}
