package binding

import (
	"fmt"

	"github.com/loam-data/loam/host/internal/semantic/layer"
	"github.com/loam-data/loam/host/internal/semantic/model"
)

// Repeats describes with figures that the last scan found repeated values of a field; "" =
// it found none, or did not count. Several fields together are never counted.
func Repeats(state *layer.State, id model.SourceID, fields []model.Field) string {
	s := state.Model.Source(id)
	if state.Snapshot == nil || !s.Scanned || len(fields) != 1 {
		return ""
	}
	column := ColumnsOf(state.Model, fields)[0]
	at, found := state.Snapshot.Position(s.Table)
	if !found || column == "" {
		return ""
	}
	profile, err := state.Snapshot.Profile(at)
	if err != nil || profile == nil { // a damaged snapshot is told elsewhere
		return ""
	}
	if !profile.Repeats(column) {
		return ""
	}
	c := profile.Column(column)
	return fmt.Sprintf("%s.%s has %d different values in %d rows (scan of %s)", s.Name, column, c.Distinct, c.Rows-c.Nulls, state.Snapshot.ExtractedAt.UTC().Format("2006-01-02"))
}

// Mend returns the advice on a join by a field with repeated values.
func Mend(source string) string {
	return fmt.Sprintf("Join by a key of %s, make it a query with one row for each, or declare the join from the side that has one; loam sl validate --data counts.", source)
}

// ColumnsOf returns the physical columns of fields; "" for a computed one.
func ColumnsOf(m *model.Model, fields []model.Field) []string {
	all := make([]string, len(fields))
	for i, f := range fields {
		all[i] = f.Column
		if f.Dimension != 0 {
			all[i] = m.Dimension(f.Dimension).Column
		}
	}
	return all
}
