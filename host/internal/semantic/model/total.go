package model

import "slices"

// total reports whether each row of one source has exactly one of another by a join that equates
// these fields and says nothing else, turned = the pairs begin with the other source: the engine
// enforces a foreign key of just these columns, none of which can be NULL, to a key of the other
// table. Nothing else makes a join total: no profile, and no file, for data changes.
func (m *Model) total(from, to SourceID, equal []Pair, turned bool) bool {
	s, other := m.sources[from], m.sources[to]
	t, known := s.draft.group.table, other.draft.group.table
	if t == nil || known == nil {
		return false
	}
	return slices.ContainsFunc(t.ForeignKeys, func(k ForeignKey) bool {
		if !k.Enforced || k.To != known.Ref || len(k.Columns) != len(equal) || !t.filled(k.Columns) || !known.keyed(k.ToColumns) {
			return false
		}
		for i, column := range k.Columns {
			if !slices.ContainsFunc(equal, func(p Pair) bool {
				if turned {
					p = Pair{p.To, p.From}
				}
				return s.storedColumn(p.From) == column && other.storedColumn(p.To) == k.ToColumns[i]
			}) {
				return false
			}
		}
		return true
	})
}

// storedColumn is the scanned column that a field is, read as it is stored; "" = it is none.
func (s *Source) storedColumn(f Field) string {
	if f.Dimension != 0 && s.full().dims[place(f.Dimension)].Details.Get().ColumnType != "" {
		return ""
	}
	return s.scannedColumn(f)
}

// filled reports whether columns are never NULL.
func (t *Table) filled(columns []string) bool {
	return !slices.ContainsFunc(columns, func(name string) bool {
		return !slices.ContainsFunc(t.Columns, func(c Column) bool { return c.Name == name && c.Path == nil && c.NotNull })
	})
}

// keyed reports whether columns are a key.
func (t *Table) keyed(columns []string) bool {
	return slices.ContainsFunc(append([][]string{t.PrimaryKey}, t.UniqueKeys...), func(key []string) bool {
		return len(key) == len(columns) && subset(key, columns)
	})
}
