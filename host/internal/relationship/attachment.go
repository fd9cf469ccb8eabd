package relationship

import (
	"encoding/json"

	"github.com/loam-data/loam/sdk"
)

// attachment is how a snapshot keeps what was inferred.
type attachment struct {
	Relationships []Relationship `json:"relationships"`
	Validations   int            `json:"validations"`
	Unchecked     int            `json:"unchecked"`
}

// Encode returns a result as a snapshot keeps it beside its tables. Declared
// keys are left out: the tables have them.
func (r *Result) Encode() ([]byte, error) {
	kept := attachment{Validations: r.Validations, Unchecked: r.Unchecked}
	for _, one := range r.Relationships {
		if one.Origin == Inferred {
			kept.Relationships = append(kept.Relationships, one)
		}
	}
	return json.Marshal(kept)
}

// Decode reads what Encode returned; nothing was inferred if it is empty.
// Errors: KindInternal for anything else.
func Decode(data []byte) (*Result, error) {
	if len(data) == 0 {
		return &Result{}, nil
	}
	var kept attachment
	if err := json.Unmarshal(data, &kept); err != nil {
		return nil, sdk.Errorf(sdk.KindInternal, sdk.SourceHost, "what a snapshot says of relationships cannot be understood: %w", err).
			WithHint("scan the connection again")
	}
	return &Result{Relationships: kept.Relationships, Validations: kept.Validations, Unchecked: kept.Unchecked}, nil
}

// Decided returns relationships with what a person decided since they were
// found: a decision replaces what was found of its link, and one that nothing
// was found of is added.
func Decided(found []Relationship, decisions Decisions) []Relationship {
	out := make([]Relationship, 0, len(found)+len(decisions))
	open := make(map[string]Decision, len(decisions))
	for _, d := range decisions {
		open[d.String()] = d
	}
	for _, r := range found {
		if d, ok := open[r.String()]; ok && r.Origin != Declared {
			r.Origin, r.Status, r.Score = Person, d.Status, 1
		}
		delete(open, r.String())
		out = append(out, r)
	}
	for _, d := range decisions {
		if _, left := open[d.String()]; left {
			out = append(out, Relationship{Link: d.Link, Origin: Person, Status: d.Status, Score: 1})
		}
	}
	return out
}
