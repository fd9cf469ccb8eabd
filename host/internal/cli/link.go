package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/discover"
	"github.com/loam-data/loam/host/internal/relationship"
	"github.com/loam-data/loam/sdk"
)

// link is a relationship as commands show it.
type link struct {
	relationship.Relationship
	// id names the link in commands; whole is the digest that it begins.
	id, whole string
	// decision of a person; nil when there is none.
	decision *relationship.Decision
	// stale: a table or column of it is not in the snapshot.
	stale bool
}

// linkID is how many digits of a link's digest are its id.
const linkID = 10

// newLink makes an id of what a link connects: it is the same in every
// snapshot.
func newLink(r relationship.Relationship) (link, error) {
	text, err := json.Marshal(r.Link)
	if err != nil {
		return link{}, sdk.Errorf(sdk.KindInternal, sdk.SourceHost, "the id of %s: %w", r.Link, err)
	}
	sum := sha256.Sum256(text)
	whole := hex.EncodeToString(sum[:])
	return link{Relationship: r, id: whole[:linkID], whole: whole}, nil
}

// links returns what the warehouse declares, what was inferred, also what was
// refuted by it, and what a person decided.
// Shape: declared ones first, then decided ones, then by score.
func (s *scanned) links(ctx context.Context, decisions relationship.Decisions) ([]link, error) {
	found, err := s.declared(ctx)
	if err != nil {
		return nil, err
	}
	attached, err := s.image.Attachment()
	if err != nil {
		return nil, err
	}
	inferred, err := relationship.Decode(attached)
	if err != nil {
		return nil, err
	}
	found = slices.Concat(found, inferred.Relationships, inferred.Refuted)
	all := make([]link, 0, len(found)+len(decisions))
	for _, r := range relationship.Decided(found, decisions) {
		l, err := newLink(r)
		if err != nil {
			return nil, err
		}
		if i := slices.IndexFunc(decisions, func(d relationship.Decision) bool { return d.Equal(r.Link) }); i >= 0 && r.Origin == relationship.Person {
			l.decision = &decisions[i]
			if l.stale, err = s.gone(r.Link); err != nil {
				return nil, err
			}
		}
		all = append(all, l)
	}
	slices.SortStableFunc(all, compareLinks)
	return all, nil
}

// compareLinks orders links by who says so, then the best first, then by name.
func compareLinks(a, b link) int {
	order := []relationship.Origin{relationship.Declared, relationship.Person, relationship.Inferred}
	if by := slices.Index(order, a.Origin) - slices.Index(order, b.Origin); by != 0 {
		return by
	}
	switch {
	case a.Score > b.Score:
		return -1
	case a.Score < b.Score:
		return 1
	}
	return strings.Compare(a.String(), b.String())
}

// declared returns the foreign keys of all tables.
func (s *scanned) declared(ctx context.Context) ([]relationship.Relationship, error) {
	if s.image.Counts.ForeignKeys == 0 {
		return nil, nil
	}
	var all []relationship.Relationship
	for t, err := range s.image.All() {
		if err != nil {
			return nil, err
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for _, k := range t.Keys {
			if k.Kind == sdk.KeyForeign {
				all = append(all, relationship.Relationship{
					Link:   relationship.Link{From: t.TableRef, Columns: k.Columns, To: s.image.Target(t.TableRef, k.Ref), ToColumns: k.RefColumns},
					Origin: relationship.Declared, Status: relationship.Accepted, Name: k.Name, Score: 1,
				})
			}
		}
	}
	return all, nil
}

// gone reports whether a table or column of a link is not in the snapshot.
func (s *scanned) gone(l relationship.Link) (bool, error) {
	for _, end := range []struct {
		ref     sdk.TableRef
		columns []string
	}{{l.From, l.Columns}, {l.To, l.ToColumns}} {
		at, there := s.image.Position(end.ref)
		if !there {
			return true, nil
		}
		t, err := s.image.At(at)
		if err != nil {
			return false, err
		}
		for _, name := range end.columns {
			if !slices.ContainsFunc(t.Columns, func(c sdk.Column) bool { return c.Name == name }) {
				return true, nil
			}
		}
	}
	return false, nil
}

// text is a link as commands print it and read it back.
func (l link) text() string { return endText(l.From, l.Columns) + " → " + endText(l.To, l.ToColumns) }

// endText is a table with columns; parseEnd reads it back.
func endText(ref sdk.TableRef, columns []string) string {
	quoted := make([]string, len(columns))
	for i, c := range columns {
		if quoted[i] = c; c == "" || c != strings.TrimSpace(c) || strings.ContainsAny(c, `",()`) {
			quoted[i] = `"` + strings.ReplaceAll(c, `"`, `""`) + `"`
		}
	}
	return catalog.Display(ref) + "(" + strings.Join(quoted, ", ") + ")"
}

// about says what speaks for a link, or who decided it.
func (l link) about() string {
	var parts []string
	e := l.Evidence
	for _, p := range []struct {
		name  string
		value float64
	}{{"name", e.Name}, {"key", e.Key}, {"contained", e.Containment}} {
		if e != (relationship.Evidence{}) && p.value >= 0 {
			parts = append(parts, fmt.Sprintf("%s %.2f", p.name, p.value))
		}
	}
	if e.Checked > 0 {
		parts = append(parts, fmt.Sprintf("%d of %s missing", e.Missing, plural(e.Checked, "value")))
	}
	if d := l.decision; d != nil {
		said := "decided " + clock(d.At)
		if d.Note != "" {
			said += ": " + d.Note
		}
		parts = append(parts, said)
	} else if e.Reason != "" {
		parts = append(parts, e.Reason)
	}
	if l.Name != "" {
		parts = append(parts, l.Name)
	}
	if l.stale {
		parts = append(parts, "its table or column is gone")
	}
	return strings.Join(parts, "; ")
}

// linkDocument is a relationship with what speaks for it.
type linkDocument struct {
	ID        string              `json:"id"`
	From      endDocument         `json:"from"`
	To        endDocument         `json:"to"`
	Origin    relationship.Origin `json:"origin"`
	Status    relationship.Status `json:"status,omitempty"`
	Name      string              `json:"name,omitempty"`
	Score     float64             `json:"score"`
	Evidence  *evidenceDocument   `json:"evidence,omitempty"`
	DecidedAt string              `json:"decidedAt,omitempty"`
	Note      string              `json:"note,omitempty"`
	Stale     bool                `json:"stale,omitempty"`
}

type endDocument struct {
	TableRef discover.TableRef `json:"tableRef"`
	Display  string            `json:"display"`
	Columns  []string          `json:"columns"`
}

// evidenceDocument has null where something is not known.
type evidenceDocument struct {
	Name        *float64 `json:"name"`
	Key         *float64 `json:"key"`
	Containment *float64 `json:"containment"`
	Surprise    *float64 `json:"surprise"`
	Coverage    *float64 `json:"coverage"`
	Checked     int64    `json:"checked"`
	Missing     int64    `json:"missing"`
	ValidatedAt string   `json:"validatedAt,omitempty"`
	Reason      string   `json:"reason,omitempty"`
}

func newLinkDocument(l link) linkDocument {
	d := linkDocument{
		ID: l.id, From: newEnd(l.From, l.Columns), To: newEnd(l.To, l.ToColumns),
		Origin: l.Origin, Status: l.Status, Name: l.Name, Score: l.Score, Stale: l.stale,
	}
	if e := l.Evidence; e != (relationship.Evidence{}) {
		d.Evidence = &evidenceDocument{
			Name: shareOrNull(e.Name), Key: shareOrNull(e.Key), Containment: shareOrNull(e.Containment),
			Surprise: shareOrNull(e.Surprise), Coverage: shareOrNull(e.Coverage),
			Checked: e.Checked, Missing: e.Missing, ValidatedAt: moment(e.ValidatedAt), Reason: e.Reason,
		}
	}
	if l.decision != nil {
		d.DecidedAt, d.Note = moment(l.decision.At), l.decision.Note
	}
	return d
}

func newEnd(ref sdk.TableRef, columns []string) endDocument {
	return endDocument{TableRef: wireRef(ref), Display: catalog.Display(ref), Columns: columns}
}

// shareOrNull is a share of 1, null where it is not known.
func shareOrNull(share float64) *float64 {
	if share < 0 {
		return nil
	}
	return &share
}
