package compile

import (
	"fmt"
	"slices"
	"time"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/sdk"
)

// noteMidnights notes where a condition in SQL compares a time of day with a day: SQL compares
// with midnight, and readers often mean the whole day.
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

// unknownTime refuses to compare a time whose storage is unknown: text, numbers and timestamps
// are compared in different ways.
func (f *filterField) unknownTime(where string) error {
	return refusal.Invalid(where, "how %s is stored is not known, and a time could be compared with text", f).About(f.String()).
		Advise("add its column_type to the dimension: {name: %s, type: time, column_type: timestamp}, or date, timestamptz, text_iso, epoch_s, epoch_ms; a table that loam scan reads needs none", f.Name.Parts[len(f.Name.Parts)-1])
}

// checkTimes refuses a condition in SQL that compares a time whose storage is unknown with the
// text of a time.
func (c *compiler) checkTimes(tree expression.Node, where string) (err error) {
	says := func(n expression.Node) bool {
		l, ok := n.(*expression.Literal)
		if !ok || l.Type() != sdk.TypeText || l.Value == "" || l.Value[0] < '0' || l.Value[0] > '9' {
			return false
		}
		_, day := expression.Date(l.Value)
		_, moment := expression.Timestamp(l.Value)
		return day || moment
	}
	expression.Walk(tree, func(n expression.Node) bool {
		var operands []expression.Node
		switch n := n.(type) {
		case *expression.Quantified:
			if err == nil {
				err = c.checkTimes(n.X, where)
			}
		case *expression.Binary, *expression.Between, *expression.In:
			operands = expression.Children(n)
		}
		for _, o := range operands {
			name, ok := o.(*expression.Name)
			if !ok || err != nil || !slices.ContainsFunc(operands, says) {
				continue
			}
			if x, known := c.fieldNamed(name); known && x.Time && x.Type == sdk.TypeUnspecified {
				err = x.unknownTime(where)
			}
		}
		return err == nil
	})
	return err
}
