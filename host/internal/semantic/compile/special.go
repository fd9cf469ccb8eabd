package compile

import (
	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
)

// taken returns a measure that takes another one in its own way.
func (c *compiler) taken(m *model.Measure, take taking) (expression.Node, error) {
	return nil, refuse(CodeNotSupported, "%s is of the type %s, which cannot be queried yet", c.measureName(m), m.Kind).about(c.measureName(m)).
		fix("query %s itself", c.measureName(c.m.Measure(m.Base)))
}

// has reports whether a total is over the groups of a dimension.
func (t taking) has(d *dimension) bool {
	for _, ref := range t.within {
		if ref.Dimension == d.id {
			return true
		}
	}
	return false
}

// semi takes the rows at one end of time.
type semi struct{}

func (s *semi) same(o *semi) bool { return s == o }

func (l *leg) semiAdditive(m *model.Measure) error {
	return refuse(CodeNotSupported, "%s is not additive over time, which cannot be queried yet", l.rows.c.measureName(m)).about(l.rows.c.measureName(m)).fix("use another measure")
}
