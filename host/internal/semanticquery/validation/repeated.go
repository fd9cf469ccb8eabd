package validation

import (
	"fmt"

	"github.com/loam-data/loam/host/internal/semantic/binding"
	"github.com/loam-data/loam/host/internal/semantic/claim"
)

// repeated warns of the joins that the last scan saw lead to several rows.
func (v *validation) repeated() {
	m := v.state.Model
	for _, s := range v.sources {
		for _, c := range claim.Of(m, s.ID) {
			if c.Join == 0 || m.Join(c.Join).Rest {
				continue
			}
			figures := binding.Repeats(v.state, c.To, c.ToFields)
			if figures == "" {
				continue
			}
			j := m.Join(c.Join)
			p := binding.Problem{Severity: binding.SeverityWarning, Source: s.Name, Path: "joins", Message: fmt.Sprintf("%s is said to lead to one row, but %s: rows that lead to several count once for each; %s", label(m, c), figures, binding.Mend(m.Source(c.To).Name))}
			if j.Pos.Line != 0 {
				p.File, p.Line, p.Column = binding.File(v.warehouse.ID, s.File), int(j.Pos.Line), int(j.Pos.Column)
			}
			v.add(p)
		}
	}
}
