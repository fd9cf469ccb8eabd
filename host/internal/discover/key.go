package discover

import (
	"math"
	"strings"

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

// foreignKeys lists the foreign keys of a table, declared ones first, with what
// a person decided of them.
// Errors: those of reading the snapshot.
func (l *look) foreignKeys(t *sdk.Table) ([]ForeignKey, error) {
	all := []ForeignKey{}
	for _, r := range l.keys.Of(t.TableRef, t.Keys) {
		if r.Origin == relationship.Person { // a decision outlives the columns that it is about
			if exists, err := l.keys.Exists(r.Link); err != nil {
				return nil, err
			} else if !exists {
				continue
			}
		}
		all = append(all, pairs(r)...)
	}
	return all, nil
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
