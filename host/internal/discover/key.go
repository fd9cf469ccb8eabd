package discover

import (
	"math"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/relationship"
	"github.com/loam-data/loam/sdk"
)

// ForeignKey is one column pair of a key; a composite one has as many, of one
// constraint name: where it has none, its columns in parentheses.
// Shape: Origin is "declared" by the warehouse, with a null Confidence, or
// "inferred", with one from 0 to 1; a link that a person accepted is inferred
// with 1.
type ForeignKey struct {
	FromColumn     string   `json:"fromColumn"`
	ToCatalog      *string  `json:"toCatalog"`
	ToDB           *string  `json:"toDb"`
	ToTable        string   `json:"toTable"`
	ToColumn       string   `json:"toColumn"`
	ConstraintName *string  `json:"constraintName"`
	Origin         string   `json:"origin"`
	Confidence     *float64 `json:"confidence"`
}

// links are the accepted links that were inferred with a snapshot, by the table
// they start from. They never change.
type links struct {
	content string // of the snapshot
	from    map[sdk.TableRef][]relationship.Relationship
}

// keys tells the foreign keys of a snapshot's tables.
type keys struct {
	image     *catalog.Image
	inferred  *links
	decisions relationship.Decisions
}

// keysOf reads what was inferred with a snapshot, once, and what a person has
// decided by now.
func (s *Service) keysOf(id connection.ID, image *catalog.Image) (keys, error) {
	decisions, err := relationship.LoadDecisions(s.Decisions(id))
	if err != nil {
		return keys{}, err
	}
	if kept, ok := s.inferred.Load(id); ok && kept.(*links).content == image.Content {
		return keys{image, kept.(*links), decisions}, nil
	}
	data, err := image.Attachment()
	if err != nil {
		return keys{}, err
	}
	found, err := relationship.Decode(data)
	if err != nil {
		return keys{}, err
	}
	fresh := &links{content: image.Content, from: map[sdk.TableRef][]relationship.Relationship{}}
	for _, r := range found.Relationships {
		if r.Status == relationship.Accepted {
			fresh.from[r.From] = append(fresh.from[r.From], r)
		}
	}
	s.inferred.Store(id, fresh)
	return keys{image, fresh, decisions}, nil
}

// of lists the foreign keys of a table, declared ones first, with what a person
// decided of them.
// Errors: those of reading the snapshot.
func (k keys) of(t *sdk.Table) ([]ForeignKey, error) {
	var found []relationship.Relationship
	for _, key := range t.Keys {
		if key.Kind == sdk.KeyForeign {
			link := relationship.Link{From: t.TableRef, Columns: key.Columns, To: k.image.Target(t.TableRef, key.Ref), ToColumns: key.RefColumns}
			found = append(found, relationship.Relationship{Link: link, Origin: relationship.Declared, Status: relationship.Accepted, Name: key.Name})
		}
	}
	found = append(found, k.inferred.from[t.TableRef]...)
	decisions := slices.DeleteFunc(slices.Clone(k.decisions), func(d relationship.Decision) bool { return d.From != t.TableRef })
	all := []ForeignKey{}
	for _, r := range relationship.Decided(found, decisions) {
		if r.Status != relationship.Accepted {
			continue
		}
		if r.Origin == relationship.Person {
			if holds, err := k.holds(t, r.Link); err != nil {
				return nil, err
			} else if !holds {
				continue
			}
		}
		all = append(all, pairs(r)...)
	}
	return all, nil
}

// holds reports whether both ends of a link are still there: a person's decision
// outlives the columns that it is about.
func (k keys) holds(t *sdk.Table, l relationship.Link) (bool, error) {
	at, ok := k.image.Position(l.To)
	if !ok || !hasColumns(t.Columns, l.Columns) {
		return false, nil
	}
	to, err := k.image.At(at)
	if err != nil {
		return false, err
	}
	return hasColumns(to.Columns, l.ToColumns), nil
}

func hasColumns(columns []sdk.Column, names []string) bool {
	for _, name := range names {
		if !slices.ContainsFunc(columns, func(c sdk.Column) bool { return c.Name == name }) {
			return false
		}
	}
	return true
}

// pairs spells a link out, column by column.
func pairs(r relationship.Relationship) (all []ForeignKey) {
	name := r.Name
	if name == "" && len(r.Columns) > 1 { // else nobody could tell them from keys of their own
		name = "(" + strings.Join(r.Columns, ", ") + ")"
	}
	for i, column := range r.Columns {
		to := newTableRef(r.To)
		key := ForeignKey{
			FromColumn: column, ToCatalog: to.Catalog, ToDB: to.DB, ToTable: to.Name,
			ConstraintName: known(name), Origin: string(relationship.Declared),
		}
		if i < len(r.ToColumns) { // an engine may declare a key without saying to which columns
			key.ToColumn = r.ToColumns[i]
		}
		if r.Origin != relationship.Declared {
			confidence := math.Round(1000*r.Score) / 1000
			key.Origin, key.Confidence = string(relationship.Inferred), &confidence
		}
		all = append(all, key)
	}
	return all
}
