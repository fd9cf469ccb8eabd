package compile

import (
	"fmt"
	"time"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/sdk"
)

// noteMidnights tells where a condition in SQL compares times of day with a day:
// SQL takes its first moment, and readers often mean all of it.
func (c *compiler) noteMidnights(f formula) {
	expression.Walk(f.tree, func(n expression.Node) bool {
		var operands []expression.Node
		switch n := n.(type) {
		case *expression.Binary:
			// The beginning of the day is what at >= day and at < day mean.
			if n.Op.Comparison() && n.Op != expression.GreaterEqual && n.Op != expression.Less {
				operands = expression.Children(n)
			}
		case *expression.Between:
			operands = []expression.Node{n.X, n.High}
		case *expression.In:
			operands = expression.Children(n)
		}
		if len(operands) > 1 {
			c.noteMidnight(f.where, operands)
		}
		return true
	})
}

func (c *compiler) noteMidnight(where string, operands []expression.Node) {
	name, ok := operands[0].(*expression.Name)
	if !ok {
		return
	}
	if t, err := c.fieldType(name); err != nil || t != sdk.TypeTimestamp && t != sdk.TypeTimestampTZ {
		return
	}
	for _, o := range operands[1:] {
		l, ok := o.(*expression.Literal)
		if !ok || l.Type() != sdk.TypeText && l.Type() != sdk.TypeDate {
			continue
		}
		if _, err := time.Parse(time.DateOnly, l.Value); err == nil {
			c.note(fmt.Sprintf("%s: %s is compared with the first moment of %s, as SQL does; for whole days use date_ranges or in_date_range", where, nameText(name), l.Value))
			return
		}
	}
}
