// Package claim checks the declarations of a semantic layer against the data: that keys
// are unique, that joins lead to at most one row, that a calendar assigns each day to
// one period of a name. A false declaration makes numbers wrong without any other sign.
//
// A Claim is checked by one statement, which returns one row of numbers for each
// direction:
//
//	Of         the claims of a source
//	Statement  Claim → SQL of one dialect, by the dialect's data alone
//	Read       the statement's rows → Finding
//	Message    Finding → a sentence with the consequence
//
// The package does no I/O and knows no engine by name.
package claim

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/model"
)

// Kind is the kind of a declaration.
type Kind string

const (
	PrimaryKey Kind = "primary_key" // the grain is unique and never NULL
	UniqueKey  Kind = "unique_key"  // no two rows have the same values
	ToOne      Kind = "to_one"      // each row of Home joins at most one row of To
	OneToOne   Kind = "one_to_one"  // ToOne in both directions
	OnePeriod  Kind = "calendar"    // all rows of a day name the same periods
)

// Claim is a declaration of a model about the data.
type Claim struct {
	Kind Kind
	// Home is the source whose rows are checked. To is the source that a join leads to.
	Home, To model.SourceID
	// Join is the declared join; 0 = a key or a calendar. Reversed says that To declares it.
	Join     model.JoinID
	Reversed bool
	// Fields are the fields of the key, the date of a calendar, or the fields of Home in the
	// join's condition. ToFields are the fields of To in the join's condition.
	Fields, ToFields []model.Field
}

// Of returns the claims of a source: its keys, its calendar, then its joins, each in the order of
// the model. A broken source, calendar or join has none.
func Of(m *model.Model, id model.SourceID) (all []Claim) {
	s := m.Source(id)
	if id == model.Metrics || s.Broken != "" {
		return nil
	}
	if len(s.Grain) > 0 {
		all = append(all, Claim{Kind: PrimaryKey, Home: id, Fields: s.Grain})
	}
	for _, key := range s.UniqueKeys {
		if len(key) > 0 && !slices.ContainsFunc(all, func(c Claim) bool { return sameFields(c.Fields, key) }) {
			all = append(all, Claim{Kind: UniqueKey, Home: id, Fields: key})
		}
	}
	if k := s.Calendar; k != nil && k.Broken == "" && len(k.Periods) > 0 {
		all = append(all, Claim{Kind: OnePeriod, Home: id, Fields: []model.Field{k.Date}})
	}
	for i := range s.Joins {
		if j := &s.Joins[i]; j.Broken == "" && j.On != nil && m.Source(j.To).Broken == "" {
			all = append(all, ofJoin(id, j))
		}
	}
	return all
}

// ofJoin returns the claim of a join, in the direction in which it leads to one row.
func ofJoin(id model.SourceID, j *model.Join) Claim {
	c := Claim{Kind: ToOne, Home: id, To: j.To, Join: j.ID, Reversed: j.Relationship == model.OneToMany}
	if j.Relationship == model.OneToOne {
		c.Kind = OneToOne
	}
	var sides [2][]model.Field
	for _, ref := range j.On.Refs {
		if at := side(ref.Ref); !slices.Contains(sides[at], ref.Field) {
			sides[at] = append(sides[at], ref.Field)
		}
	}
	if c.Reversed {
		c.Home, c.To = c.To, c.Home
		slices.Reverse(sides[:])
	}
	c.Fields, c.ToFields = sides[0], sides[1]
	return c
}

// side returns 0 for a field of the source that declares a join, 1 for one of the other source.
func side(ref model.Ref) int {
	if len(ref.Via) > 0 {
		return 1
	}
	return 0
}

func sameFields(a, b []model.Field) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(f model.Field) bool { return !slices.Contains(b, f) })
}

// Identity returns a key that is equal for claims with the same check, such as a join that both of
// its sources declare.
func (c Claim) Identity(m *model.Model) string {
	id := fmt.Sprint(c.Kind, c.Home, c.To)
	if c.Join == 0 {
		return id + fmt.Sprint(c.Fields)
	}
	j := m.Join(c.Join)
	if j.Rest || len(j.Equal) == 0 {
		return id + fmt.Sprint(c.Reversed, j.On.Value)
	}
	pairs := slices.Clone(j.Equal)
	for i, p := range pairs {
		if c.Reversed {
			pairs[i] = model.Pair{From: p.To, To: p.From}
		}
	}
	slices.SortFunc(pairs, func(a, b model.Pair) int { return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	return id + fmt.Sprint(pairs)
}

// Columns returns the names of Fields.
func (c Claim) Columns(m *model.Model) []string { return names(m, c.Fields) }

func names(m *model.Model, fields []model.Field) []string {
	all := make([]string, len(fields))
	for i, f := range fields {
		all[i] = f.Column
		if f.Dimension != 0 {
			all[i] = m.Dimension(f.Dimension).Name
		}
	}
	return all
}

// key formats a key for a message: orders.id, or (orders.day, orders.sku).
func (c Claim) key(m *model.Model) string {
	all := c.Columns(m)
	for i := range all {
		all[i] = m.Source(c.Home).Name + "." + all[i]
	}
	if len(all) == 1 {
		return all[0]
	}
	return "(" + strings.Join(all, ", ") + ")"
}
