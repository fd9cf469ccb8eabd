package chart

import (
	"html"
	"html/template"
	"math/big"
	"strconv"
	"strings"
)

// The measures of a picture, in its own units, which are pixels where it has its full width.
const (
	width      = 720
	lineHeight = 280 // of the area of lines
	margin     = 8
	letter     = 7  // the width of a character, about
	row        = 18 // the height of a line of text
	valueChars = 18 // of a value beside its bar
	// singled is up to how many values each has a mark with its text.
	singled = 60
)

// picture is an SVG that is being written.
type picture struct {
	b strings.Builder
	// left, right, top and bottom bound the area of the values.
	left, right, top, bottom float64
}

// SVG returns the picture, which can be read without a style sheet too. id begins the ids of its title and its description, and is unique on the page.
// Shape: "" when there is nothing to draw. Texts of the result are escaped, cut and made visible.
func (c *Chart) SVG(id, title string) template.HTML {
	if c.Kind == None {
		return ""
	}
	p := &picture{right: width - margin, top: margin}
	height := 0
	switch c.Kind {
	case Line:
		height = c.drawLines(p)
	case Bar:
		height = c.drawBars(p)
	}
	var head strings.Builder
	id = html.EscapeString(id)
	head.WriteString(`<svg class="chart chart-` + string(c.Kind) + `" role="img" fill="currentColor" font-size="12" viewBox="0 0 ` + strconv.Itoa(width) + ` ` + strconv.Itoa(height) +
		`" aria-labelledby="` + id + `-title ` + id + `-desc"><title id="` + id + `-title">` + shown(title, 2*labelChars) + `</title><desc id="` + id + `-desc">` +
		html.EscapeString(c.Description()) + `</desc>`)
	return template.HTML(head.String() + p.b.String() + `</svg>`) //nolint:gosec // each text in it is escaped
}

// shown is a text of a result in SVG.
func shown(s string, most int) string { return html.EscapeString(visible(s, most)) }

// coordinate writes a number with one decimal at most.
func coordinate(f float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(f, 'f', 1, 64), ".0")
}

// line writes a line of the axes; that of zero stands out.
func (p *picture) line(class string, x1, y1, x2, y2 float64) {
	opacity := "0.6"
	if class == "chart-grid" {
		opacity = "0.15"
	}
	p.b.WriteString(`<line class="` + class + `" stroke="currentColor" opacity="` + opacity + `" x1="` + coordinate(x1) + `" y1="` + coordinate(y1) + `" x2="` + coordinate(x2) + `" y2="` + coordinate(y2) + `"/>`)
}

// text writes a text; anchor is start, middle or end.
func (p *picture) text(class, anchor string, x, y float64, s string, most int) {
	p.b.WriteString(`<text class="` + class + `" text-anchor="` + anchor + `" x="` + coordinate(x) + `" y="` + coordinate(y) + `">` + shown(s, most) + `</text>`)
}

// span returns the smallest and the largest number.
func (c *Chart) span() (low, high *big.Rat) {
	for _, s := range c.series {
		for _, p := range s.points {
			switch {
			case p.number == nil:
			case low == nil:
				low, high = p.number, p.number
			case p.number.Cmp(low) < 0:
				low = p.number
			case p.number.Cmp(high) > 0:
				high = p.number
			}
		}
	}
	return low, high
}

func longest(ticks []tick) (most int) {
	for _, t := range ticks {
		most = max(most, min(len(t.label), labelChars))
	}
	return most
}

// drawLines draws the lines and returns the height.
func (c *Chart) drawLines(p *picture) int {
	low, high := c.span()
	s := scaleOf(low, high, false)
	p.left = float64(margin + letter*longest(s.ticks) + margin)
	if len(c.series) > 1 {
		p.top += row * float64(c.legend(p))
	}
	p.bottom = p.top + lineHeight
	for _, t := range s.ticks {
		y := p.bottom - t.at*lineHeight
		class := "chart-grid"
		if t.label == "0" {
			class = "chart-axis"
		}
		p.line(class, p.left, y, p.right, y)
		p.text("chart-label", "end", p.left-margin, y+4, t.label, labelChars)
	}
	ticks := timeTicks(c.places)
	for i, t := range ticks {
		x := p.left + t.at*(p.right-p.left)
		anchor := "middle"
		if i == 0 && t.at < 0.05 {
			anchor = "start"
		} else if t.at > 0.95 {
			anchor = "end"
		}
		p.line("chart-tick", x, p.bottom, x, p.bottom+4)
		p.text("chart-label", anchor, x, p.bottom+row, t.label, labelChars)
	}
	xs := c.across(p)
	marks := len(c.series)*len(c.places) <= singled
	for i := range c.series {
		c.drawLine(p, i, xs, func(n *big.Rat) float64 { return p.bottom - s.position(n)*lineHeight }, marks)
	}
	return int(p.bottom) + row + margin
}

// across returns where the places are along the axis of time.
func (c *Chart) across(p *picture) []float64 {
	xs := make([]float64, len(c.places))
	first := c.places[0].at.Unix()
	whole := float64(c.places[len(c.places)-1].at.Unix() - first)
	for i := range c.places {
		xs[i] = (p.left + p.right) / 2
		if whole > 0 {
			xs[i] = p.left + float64(c.places[i].at.Unix()-first)/whole*(p.right-p.left)
		}
	}
	return xs
}

// dashes tell lines apart without colours.
func dashes(series int) string {
	if d := []string{"", "7 3", "2 3", "9 3 2 3", "1 5", "14 4"}[series%maxSeries]; d != "" {
		return ` stroke-dasharray="` + d + `"`
	}
	return ""
}

// drawLine draws one line with its gaps, and marks for its values; a value between two gaps always has one.
func (c *Chart) drawLine(p *picture, which int, xs []float64, height func(*big.Rat) float64, marks bool) {
	points := c.series[which].points
	class := "chart-series chart-series-" + strconv.Itoa(which+1)
	var path, dots strings.Builder
	joined := func(i int) bool {
		return i > 0 && i < len(points) && points[i].number != nil && points[i-1].number != nil && !c.places[i].gap
	}
	for i, point := range points {
		if point.number == nil {
			continue
		}
		x, y := coordinate(xs[i]), coordinate(height(point.number))
		if joined(i) {
			path.WriteString("L" + x + " " + y)
		} else {
			path.WriteString("M" + x + " " + y)
		}
		if marks || !joined(i) && !joined(i+1) {
			dots.WriteString(`<circle class="` + class + `" cx="` + x + `" cy="` + y + `" r="3"><title>` + c.told(which, i) + `</title></circle>`)
		}
	}
	p.b.WriteString(`<path class="` + class + `" fill="none" stroke="currentColor" stroke-width="2"` + dashes(which) + ` d="` + path.String() + `"/>` + dots.String())
}

// told is a value in words, escaped.
func (c *Chart) told(which, at int) string {
	words := visible(c.places[at].label, 2*labelChars) + ": " + visible(c.series[which].points[at].text, 2*labelChars)
	if c.unit != "" {
		words += " " + visible(c.unit, labelChars)
	}
	if len(c.series) > 1 {
		words = visible(c.series[which].name, labelChars) + ", " + words
	}
	return html.EscapeString(words)
}

// legend writes the names of the lines beside a sample of each, and returns how many rows it takes.
func (c *Chart) legend(p *picture) (rows int) {
	const sample = 32
	x, rows := p.left, 1
	for i, s := range c.series {
		need := float64(sample + letter*(min(len([]rune(s.name)), labelChars)+2))
		if x+need > p.right && x > p.left {
			x, rows = p.left, rows+1
		}
		y := float64(margin + row*rows - row/2)
		class := "chart-series chart-series-" + strconv.Itoa(i+1)
		p.b.WriteString(`<path class="` + class + `" fill="none" stroke="currentColor" stroke-width="2"` + dashes(i) + ` d="M` + coordinate(x) + ` ` + coordinate(y) + `h` + strconv.Itoa(sample-8) + `"/>`)
		p.text("chart-label", "start", x+sample-2, y+4, s.name, labelChars)
		x += need
	}
	return rows
}
