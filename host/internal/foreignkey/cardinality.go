package foreignkey

import (
	"slices"

	"github.com/loam-data/loam/host/internal/relationship"
	"github.com/loam-data/loam/sdk"
)

// Cardinality is how many rows of the two tables of a foreign key belong together: rows of From to rows of To.
type Cardinality string

// The cardinalities.
const (
	ManyToOne  Cardinality = "n:1"
	OneToMany  Cardinality = "1:n"
	OneToOne   Cardinality = "1:1"
	ManyToMany Cardinality = "n:m"
)

// Cardinality returns the cardinality of a foreign key, as far as keys and profiles show it. Where they show nothing it
// is ManyToOne, which a foreign key means.
// Errors: those of reading the snapshot.
func (k *Keys) Cardinality(r relationship.Relationship) (Cardinality, error) {
	from, err := k.unique(r.From, r.Columns)
	if err != nil {
		return ManyToOne, err
	}
	repeats := false
	if r.Origin != relationship.Declared {
		if repeats, err = k.repeats(r.To, r.ToColumns); err != nil {
			return ManyToOne, err
		}
	}
	switch {
	case repeats && !from:
		return ManyToMany, nil
	case repeats:
		return OneToMany, nil
	case from:
		return OneToOne, nil
	}
	return ManyToOne, nil
}

// unique reports whether the columns are known to have different values in each row: by a
// key, or by a profile of all rows.
func (k *Keys) unique(ref sdk.TableRef, columns []string) (bool, error) {
	at, ok := k.snapshot.Position(ref)
	if !ok {
		return false, nil
	}
	t, err := k.snapshot.At(at)
	if err != nil {
		return false, err
	}
	for _, k := range t.Keys {
		if (k.Kind == sdk.KeyPrimary || k.Kind == sdk.KeyUnique) && len(k.Columns) > 0 &&
			!slices.ContainsFunc(k.Columns, func(c string) bool { return !slices.Contains(columns, c) }) {
			return true, nil
		}
	}
	p, err := k.snapshot.Profile(at)
	if err != nil || p == nil || len(columns) != 1 {
		return false, err
	}
	s := p.Column(columns[0])
	return s != nil && s.Complete && !s.DistinctApprox && s.Distinct > 1 && s.Distinct == s.Rows-s.Nulls, nil
}

// repeats reports whether a column is known to have the same value in several rows.
func (k *Keys) repeats(ref sdk.TableRef, columns []string) (bool, error) {
	at, ok := k.snapshot.Position(ref)
	if !ok || len(columns) != 1 {
		return false, nil
	}
	p, err := k.snapshot.Profile(at)
	return err == nil && p != nil && p.Repeats(columns[0]), err
}
