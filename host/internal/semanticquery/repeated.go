package semanticquery

import (
	"fmt"

	"github.com/loam-data/loam/host/internal/semantic/binding"
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
		if figures := binding.Repeats(state, id, []model.Field{s.Calendar.Date}); figures != "" {
			notes = append(notes, fmt.Sprintf("The calendar %s lists days several times: %s. Where the rows of a day differ in a period, its times are of none; loam sl validate --data counts such days.", s.Name, figures))
		}
	}
	for _, e := range q.Edges {
		if !e.Repeats {
			continue
		}
		if figures := binding.Repeats(state, e.To, []model.Field{e.Equal[0].To}); figures != "" {
			notes = append(notes, fmt.Sprintf("%s is joined to %s, which is said to have one row for each, but %s: a row of %s that leads to several of them counts once for each. %s",
				m.Source(e.From).Name, e.Name, figures, m.Source(e.From).Name, binding.Mend(m.Source(e.To).Name)))
		}
	}
	return notes
}
