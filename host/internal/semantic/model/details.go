package model

import (
	"cmp"
	"slices"
	"strings"
)

// Over returns the details with what others say in the place of what these say.
func (d *Details) Over(others *Details) *Details {
	all, other := d.Get(), others.Get()
	all.Label, all.Format, all.Unit = cmp.Or(other.Label, all.Label), cmp.Or(other.Format, all.Format), cmp.Or(other.Unit, all.Unit)
	all.ColumnType, all.Dialect = cmp.Or(other.ColumnType, all.ColumnType), cmp.Or(other.Dialect, all.Dialect)
	if other.Values != nil {
		all.Values = other.Values
	}
	if other.Synonyms != nil {
		all.Synonyms = other.Synonyms
	}
	return &all
}

// Under returns the details with what others say and these do not: what a member means,
// not what it is. All synonyms are kept.
func (d *Details) Under(others *Details) *Details {
	all, other := *d.AddNames(others), others.Get()
	all.Label, all.Format, all.Unit = cmp.Or(all.Label, other.Label), cmp.Or(all.Format, other.Format), cmp.Or(all.Unit, other.Unit)
	if all.Values == nil {
		all.Values = other.Values
	}
	return &all
}

// AddNames returns the details with the synonyms that others have.
func (d *Details) AddNames(others *Details) *Details {
	all := d.Get()
	all.Synonyms = AppendMissing(all.Synonyms, others.Get().Synonyms)
	return &all
}

// AppendMissing returns the texts with those of more that are not among them, whatever the
// case of their letters. It changes neither.
func AppendMissing(all, more []string) []string {
	all = slices.Clip(all)
	for _, text := range more {
		if !slices.ContainsFunc(all, func(o string) bool { return strings.EqualFold(o, text) }) {
			all = append(all, text)
		}
	}
	return all
}
