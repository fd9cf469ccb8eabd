package relationship

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/loam-data/loam/sdk"
)

// attachment is how a snapshot keeps what was inferred.
type attachment struct {
	Relationships []Relationship `json:"relationships"`
	// Refuted saves the next scan the queries.
	Refuted     []Relationship `json:"refuted,omitempty"`
	Validations int            `json:"validations"`
	Unchecked   int            `json:"unchecked"`
	Basis       string         `json:"basis,omitempty"`
}

// Encode returns the inferred part of a result, to be attached to a snapshot. Declared
// keys are in the tables, and decisions in their own file.
func (r *Result) Encode() ([]byte, error) {
	kept := attachment{Validations: r.Validations, Unchecked: r.Unchecked, Refuted: r.Refuted, Basis: r.Basis}
	for _, one := range r.Relationships {
		if one.Origin == Inferred {
			kept.Relationships = append(kept.Relationships, one)
		}
	}
	return json.Marshal(kept)
}

// version is the number of the rules of this package. Raise it with every change of what
// they find: a result of others is found again.
const version = "2"

// Basis returns a hash of the input of Infer beside the tables: the decisions, the
// rules, and further texts of the caller.
func Basis(decisions Decisions, more ...string) string {
	text, err := json.Marshal([]any{version, decisions, more})
	if err != nil {
		panic(fmt.Sprintf("relationship: decisions are no JSON: %v", err))
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// Settled reports whether all candidates were checked.
func (r *Result) Settled() bool { return r.Unchecked == 0 && r.Failed == 0 && len(r.Stale) == 0 }

// Decode reads the data of Encode; empty data is an empty result.
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
	return &Result{Relationships: kept.Relationships, Refuted: kept.Refuted, Validations: kept.Validations, Unchecked: kept.Unchecked, Basis: kept.Basis}, nil
}

// Decided merges later decisions into relationships. A decision replaces the
// relationship of its link; decisions about other links are added, whether or not their
// tables still exist. Inferred links of columns with an accepted decision are dropped.
// Shape: declared ones first, then decided ones, then by score.
func Decided(found []Relationship, decisions Decisions) []Relationship {
	out := make([]Relationship, 0, len(found)+len(decisions))
	open := make(map[string]Decision, len(decisions))
	taken := map[string]bool{}
	for _, d := range decisions {
		open[d.key()] = d
		if d.Status == Accepted {
			taken[child(d.From, d.Columns...)] = true
		}
	}
	for _, r := range found {
		var d Decision
		decided := false
		if len(decisions) > 0 { // a key takes memory, and there are thousands of links
			key := r.key()
			d, decided = open[key]
			delete(open, key)
		}
		switch {
		case r.Origin == Declared:
		case decided:
			r.Origin, r.Status, r.Score = Person, d.Status, 1
		case r.Origin == Inferred && len(taken) > 0 && taken[child(r.From, r.Columns...)]:
			continue
		case r.Status == Review && len(r.Evidence.Rivals) > 0:
			r = r.withoutRivals(decisions.rejected)
		}
		out = append(out, r)
	}
	for _, d := range decisions {
		if _, left := open[d.key()]; left {
			out = append(out, Relationship{Link: d.Link, Origin: Person, Status: d.Status, Score: 1})
		}
	}
	slices.SortStableFunc(out, inOrder)
	return out
}

// withoutRivals leaves out the rivals that are none, as those that a person rejected. What
// is left without rivals is accepted: it is valid.
func (r Relationship) withoutRivals(none func(Link) bool) Relationship {
	left := slices.DeleteFunc(slices.Clone(r.Evidence.Rivals), none)
	if len(left) == len(r.Evidence.Rivals) {
		return r
	}
	r.Evidence.Rivals = left
	switch {
	case r.Evidence.ValidatedAt.IsZero(): // nobody could ask whether it holds
	case len(left) == 0:
		r.Status, r.Evidence.Reason = Accepted, ""
	default:
		r.Evidence.Reason = rivalled(left)
	}
	return r
}

// rivalled says why a link that holds is left to a person.
func rivalled(rivals []Link) string { return "it may as well refer to " + rivals[0].end() }

// inOrder is the order of relationships: declared ones first, then what a person
// decided, then by score.
func inOrder(a, b Relationship) int {
	origins := []Origin{Declared, Person, Inferred}
	return cmp.Or(
		cmp.Compare(slices.Index(origins, a.Origin), slices.Index(origins, b.Origin)),
		cmp.Compare(b.Score, a.Score), strings.Compare(a.String(), b.String()))
}
