package chart

import (
	"strings"

	"github.com/loam-data/loam/host/internal/text"
)

// Description says in words what the picture shows: for those who do not see it.
func (c *Chart) Description() string {
	if c.Kind == None {
		return c.Reason
	}
	parts := []string{visible(c.Reason, 4*maxNames*labelChars)}
	if c.Kind == Line {
		parts = append(parts, text.Count(len(c.places), "time")+", from "+c.places[0].label+" to "+c.places[len(c.places)-1].label+".")
	} else {
		parts = append(parts, text.Count(len(c.places), "bar")+".")
	}
	for i := range c.series {
		parts = append(parts, c.extremes(i))
	}
	return strings.Join(parts, " ")
}

// extremes names the lowest and the highest value of a series, and its gaps.
func (c *Chart) extremes(which int) string {
	s := &c.series[which]
	low, high, missing := -1, -1, 0
	for i, p := range s.points {
		switch {
		case p.number == nil:
			missing++
			continue
		case low < 0:
			low, high = i, i
		case p.number.Cmp(s.points[low].number) < 0:
			low = i
		case p.number.Cmp(s.points[high].number) > 0:
			high = i
		}
		if c.places[i].gap {
			missing++
		}
	}
	var words string
	if len(c.series) > 1 {
		words = visible(s.name, labelChars) + ": "
	}
	value := func(i int) string {
		out := visible(s.points[i].text, 2*labelChars)
		if c.unit != "" {
			out += " " + visible(c.unit, labelChars)
		}
		return out + " (" + visible(c.places[i].label, labelChars) + ")"
	}
	switch {
	case low < 0:
		return words + "no value."
	case low == high && len(s.points)-missing == 1:
		words += "one value, " + value(low)
	default:
		words += "lowest " + value(low) + ", highest " + value(high)
	}
	if missing > 0 {
		words += "; " + text.Count(missing, "gap")
	}
	return words + "."
}
