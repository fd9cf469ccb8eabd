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

// The largest number of matches listed for one value, and for all values of a request.
const (
	maxMatches    = 100
	maxAllMatches = 300
)

// ValuesRequest asks which columns contain some values.
type ValuesRequest struct {
	Values     []string
	Connection connection.ID // "" = all
}

// ValuesAnswer has the connections that were searched and, in the order of the request, a
// result for each value. A miss proves nothing: only sampled values are searched.
type ValuesAnswer struct {
	Searched []Searched    `json:"searched"`
	Results  []ValueResult `json:"results"`
	Notes    []string      `json:"notes,omitempty"`
}

// Searched is a connection that was searched. Status says whether it has values to search.
type Searched struct {
	ConnectionID connection.ID `json:"connectionId"`
	Coverage     Coverage      `json:"coverage"`
	Status       string        `json:"status"`
}

// Coverage says how much of a connection was profiled. Fields are null where that is not known.
type Coverage struct {
	SampledRows     *int64  `json:"sampledRows"`
	ValuesPerColumn *int    `json:"valuesPerColumn"`
	ProfiledColumns int     `json:"profiledColumns"`
	SyncID          *string `json:"syncId"`
	ProfiledAt      *string `json:"profiledAt"` // RFC 3339
}

// ValueResult is the result for one value.
// Shape: Matches are ordered, equal values first. Total counts all matches; Truncated says
// that Matches has fewer. A connection with a match, listed or not, has no miss.
type ValueResult struct {
	Value     string       `json:"value"`
	Matches   []ValueMatch `json:"matches"`
	Misses    []ValueMiss  `json:"misses"`
	Total     int          `json:"total"`
	Truncated bool         `json:"truncated"`
}

// ValueMatch is a column that contains a value. MatchedValue is the value as it is stored,
// Cardinality the column's number of distinct values; nil = not known.
type ValueMatch struct {
	ConnectionID connection.ID `json:"connectionId"`
	SourceName   string        `json:"sourceName"`
	ColumnName   string        `json:"columnName"`
	MatchedValue string        `json:"matchedValue"`
	Cardinality  *int64        `json:"cardinality"`
}

// ValueMiss says why a connection has no match.
// Shape: Withheld are columns that may contain the value but whose values are not stored;
// WithheldTotal is their number, set only when Withheld has fewer.
type ValueMiss struct {
	ConnectionID  connection.ID    `json:"connectionId"`
	Reason        string           `json:"reason"`
	Withheld      []WithheldColumn `json:"withheld,omitempty"`
	WithheldTotal int              `json:"withheldTotal,omitempty"`
}

// WithheldColumn is a column whose values are not stored, and the reason.
type WithheldColumn struct {
	SourceName string `json:"sourceName"`
	ColumnName string `json:"columnName"`
	Reason     string `json:"reason"`
}

// Searched.Status is one of the first three; ValueMiss.Reason is any but the first.
const (
	statusReady      = "ready"
	noProfile        = "no_profile_artifact"  // the connection was never profiled
	noCandidates     = "no_candidate_columns" // it was profiled, but no column's values are stored
	valueNotInSample = "value_not_in_sample"
	valueWithheld    = "withheld" // it may be in columns whose values are not stored
)

// maxWithheld bounds the columns that a miss lists.
const maxWithheld = 20

// Values searches the sampled values of the profiles.
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

// searched returns the coverage and status of a connection's values.
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

// look searches one value.
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

// miss returns the reason why a value was not found. "withheld" takes precedence over
// "value_not_in_sample".
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

// holds reports whether a connection has a match for a value, even beyond the limit.
func holds(state *indexer.State, v string, id connection.ID) bool {
	_, total := state.Index.Find(v, []string{string(id)}, 1)
	return total > 0
}

// explain adds notes about misses and truncated lists, and what to do.
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
