package chart

import (
	"math"
	"math/big"
	"strings"
	"unicode/utf8"
)

const (
	barRow = 22 // the height of a bar with the space to the next one
	// barHeight bounds the height of many bars together, unless each would be lower than barLeast.
	barHeight = 900
	barLeast  = 3
)

// drawBars draws one bar below another and returns the height.
func (c *Chart) drawBars(p *picture) int {
	low, high := c.span()
	s := scaleOf(low, high, true)
	points := c.series[0].points
	step := math.Max(barLeast, math.Min(barRow, float64(barHeight)/float64(len(points))))
	every := int(math.Ceil(row / step / 1.2)) // each so many bars have a label
	labels, values := 0, 0
	for i := range points {
		labels = max(labels, min(utf8.RuneCountInString(c.places[i].label), labelChars+1))
		values = max(values, min(utf8.RuneCountInString(points[i].text), valueChars+1))
	}
	p.left = float64(margin + letter*labels + margin)
	if every == 1 {
		p.right -= float64(letter*values + margin)
	}
	p.bottom = p.top + step*float64(len(points))
	for _, t := range s.ticks {
		x := p.left + t.at*(p.right-p.left)
		class := "chart-grid"
		if t.label == "0" {
			class = "chart-axis"
		}
		p.line(class, x, p.top, x, p.bottom)
	}
	for _, t := range thinned(s.ticks, p.right-p.left) {
		p.text("chart-label", "middle", p.left+t.at*(p.right-p.left), p.bottom+row, t.label, labelChars)
	}
	across := func(n *big.Rat) float64 { return p.left + s.position(n)*(p.right-p.left) }
	c.drawRows(p, across, step, every)
	return int(p.bottom) + row + margin
}

// drawRows draws the bars with their labels; many bars are one path.
func (c *Chart) drawRows(p *picture, across func(*big.Rat) float64, step float64, every int) {
	zero := across(new(big.Rat))
	var path strings.Builder
	for i, point := range c.series[0].points {
		y := p.top + step*float64(i)
		if i%every == 0 {
			p.text("chart-label", "end", p.left-margin, y+step/2+4, c.places[i].label, labelChars)
		}
		if point.number == nil {
			continue
		}
		x := across(point.number)
		from, length := math.Min(zero, x), math.Max(math.Abs(x-zero), 1)
		class := "chart-bar"
		if point.number.Sign() < 0 {
			class += " chart-below"
		}
		if len(c.places) > singled {
			path.WriteString("M" + coordinate(from) + " " + coordinate(y) + "h" + coordinate(length) + "v" + coordinate(step-1) + "h-" + coordinate(length) + "z")
		} else {
			p.b.WriteString(`<rect class="` + class + `" x="` + coordinate(from) + `" y="` + coordinate(y+2) + `" width="` + coordinate(length) + `" height="` + coordinate(step-4) +
				`"><title>` + c.told(0, i) + `</title></rect>`)
		}
		if every == 1 {
			p.text("chart-value", "end", width-margin, y+step/2+4, point.text, valueChars)
		}
	}
	if path.Len() > 0 {
		p.b.WriteString(`<path class="chart-bar" d="` + path.String() + `"/>`)
	}
}

// thinned leaves out ticks whose labels would touch.
func thinned(ticks []tick, room float64) (all []tick) {
	need := float64(letter * (longest(ticks) + 2))
	every := max(1, int(math.Ceil(need*float64(len(ticks)-1)/room)))
	for i, t := range ticks {
		if i%every == 0 {
			all = append(all, t)
		}
	}
	return all
}
