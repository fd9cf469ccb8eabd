package semanticquery

import (
	"fmt"

	"github.com/loam-data/loam/host/internal/semantic/claim"
	"github.com/loam-data/loam/host/internal/semantic/compile"
	"github.com/loam-data/loam/host/internal/semantic/layer"
	"github.com/loam-data/loam/host/internal/semantic/model"
)

// repeated names the joins of an answer that are said to lead to one row, and lead to
// several: the last scan saw their keys repeat. So it does calendars that list days
// several times.
func repeated(state *layer.State, q *compile.Query) (notes []string) {
	m := state.Model
	for _, id := range q.Calendars {
		s := m.Source(id)
		if figures := repeats(state, id, []model.Field{s.Calendar.Date}); figures != "" {
			notes = append(notes, fmt.Sprintf("The calendar %s lists days several times: %s. Where the rows of a day differ in a period, its times count for the greatest one, or once for each; loam sl validate --data counts such days.", s.Name, figures))
		}
	}
	for _, e := range q.Edges {
		if !e.Repeats {
			continue
		}
		if figures := repeats(state, e.To, []model.Field{e.Equal[0].To}); figures != "" {
			notes = append(notes, fmt.Sprintf("%s is joined to %s, which is said to have one row for each, but %s: a row of %s that leads to several of them counts once for each. %s",
				m.Source(e.From).Name, e.Name, figures, m.Source(e.From).Name, mend(m.Source(e.To).Name)))
		}
	}
	return notes
}

// repeated warns of the joins that the last scan saw lead to several rows.
func (v *validation) repeated() {
	m := v.state.Model
	for _, s := range v.sources {
		for _, c := range claim.Of(m, s.ID) {
			if c.Join == 0 || m.Join(c.Join).Rest {
				continue
			}
			figures := repeats(v.state, c.To, c.ToFields)
			if figures == "" {
				continue
			}
			j := m.Join(c.Join)
			p := Problem{Severity: SeverityWarning, Source: s.Name, Path: "joins", Message: fmt.Sprintf("%s is said to lead to one row, but %s: rows that lead to several count once for each; %s", label(m, c), figures, mend(m.Source(c.To).Name))}
			if j.Pos.Line != 0 {
				p.File, p.Line, p.Column = fileOf(v.warehouse.ID, s.File), int(j.Pos.Line), int(j.Pos.Column)
			}
			v.add(p)
		}
	}
}

func mend(source string) string {
	return fmt.Sprintf("Join by a key of %s, make it a query with one row for each, or declare the join from the side that has one; loam sl validate --data counts.", source)
}

// repeats says in figures that a field repeats among the rows that the last scan looked
// at; "" = it does not, or nobody counted. Of several fields together nothing is known.
func repeats(state *layer.State, id model.SourceID, fields []model.Field) string {
	s := state.Model.Source(id)
	if state.Image == nil || !s.Scanned || len(fields) != 1 {
		return ""
	}
	column := columns(state.Model, fields)[0]
	at, found := state.Image.Position(s.Table)
	if !found || column == "" {
		return ""
	}
	profile, err := state.Image.Profile(at)
	if err != nil || profile == nil { // a damaged snapshot is told elsewhere
		return ""
	}
	if !profile.Repeats(column) {
		return ""
	}
	c := profile.Column(column)
	return fmt.Sprintf("%s.%s has %d different values in %d rows (scan of %s)", s.Name, column, c.Distinct, c.Rows-c.Nulls, state.Image.ExtractedAt.UTC().Format("2006-01-02"))
}
