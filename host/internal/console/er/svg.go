package er

import (
	"fmt"
	"slices"
	"strings"
)

// Style is the style of a picture that stands alone, in a file: one that is part of a page has that of the page.
const Style = `svg{font:13px ui-monospace,monospace;background:#fff;color:#222}` +
	`.er-box rect{fill:#fff;stroke:#777}.er-focus rect{stroke-width:3}.er-name{font-weight:bold}.er-mark{fill:#777;font-size:10px}` +
	`.er-edge,.er-end{fill:none;stroke:#555}.er-inferred{stroke-dasharray:6 4}`

// SVG draws the picture. With a style it stands alone; "" = the page around it styles it.
func (p *Picture) SVG(style string) string {
	l := place(p)
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" class="er" role="group" aria-labelledby="er-title er-desc" viewBox="0 0 %d %d" width="%d" height="%d">`, l.width, l.height, l.width, l.height)
	b.WriteString(`<title id="er-title">`)
	write(&b, p.Title, maxTitle)
	b.WriteString(`</title><desc id="er-desc">`)
	write(&b, p.Description, maxTitle)
	b.WriteString("</desc>")
	if style != "" {
		b.WriteString("<style>" + style + "</style>")
	}
	for i := range p.Edges {
		l.edge(&b, i)
	}
	for i := range p.Tables {
		l.box(&b, i)
	}
	b.WriteString("</svg>")
	return b.String()
}

func (l *layout) box(b *strings.Builder, i int) {
	at, t, class := &l.boxes[i], l.boxes[i].table, "er-box"
	if i == l.picture.Focus {
		class += " er-focus"
	}
	element := "g"
	if t.Link != "" {
		element = "a"
		b.WriteString(`<a href="`)
		write(b, t.Link, len(t.Link))
		b.WriteString(`"`)
	} else {
		b.WriteString("<g")
	}
	fmt.Fprintf(b, ` class="%s" transform="translate(%d %d)">`, class, at.x, at.y)
	if clean(t.Name, maxName) != clean(t.Name, maxTitle) {
		title(b, t.Name)
	}
	fmt.Fprintf(b, `<rect width="%d" height="%d" rx="4"/><text class="er-name" x="8" y="18">`, boxWidth, at.height)
	write(b, t.Name, maxName)
	b.WriteString("</text>")
	y := headHeight + 13
	for _, c := range t.Columns {
		fmt.Fprintf(b, `<text x="8" y="%d">`, y)
		if mark := c.mark(); mark != "" {
			b.WriteString(`<tspan class="er-mark">` + mark + `</tspan> `)
		}
		write(b, c.Name, maxName-3)
		b.WriteString("</text>")
		y += rowHeight
	}
	if t.More > 0 {
		fmt.Fprintf(b, `<text class="er-mark" x="8" y="%d">and %d more</text>`, y, t.More)
	}
	b.WriteString("</" + element + ">")
}

// title writes what is shown when an element is pointed at.
func title(b *strings.Builder, text string) {
	b.WriteString("<title>")
	write(b, text, maxTitle)
	b.WriteString("</title>")
}

func (c *Column) mark() string {
	switch {
	case c.Primary && c.Foreign:
		return "PF"
	case c.Primary:
		return "PK"
	case c.Foreign:
		return "FK"
	}
	return ""
}

// port returns the height at which an edge meets a box: that of its column, where it is shown.
func (l *layout) port(i int, columns []string) int {
	t := &l.boxes[i]
	if len(columns) > 0 {
		if at := slices.IndexFunc(t.table.Columns, func(c Column) bool { return c.Name == columns[0] }); at >= 0 {
			return t.y + headHeight + at*rowHeight + rowHeight/2
		}
	}
	return t.y + headHeight/2
}

const (
	// loop is how far an edge between boxes of one level goes out of their side.
	loop = levelGap / 2
	// foot is the length of a crow's foot, toe half of its width, bar the distance of a bar from the box.
	foot, toe, bar = 13, 6, 8
)

// edge draws a foreign key: a curve, and at its ends a crow's foot for many rows or a bar for one.
func (l *layout) edge(b *strings.Builder, n int) {
	e := &l.picture.Edges[n]
	from, to := &l.boxes[e.From], &l.boxes[e.To]
	y1, y2 := l.port(e.From, e.Columns), l.port(e.To, e.ToColumns)
	if e.From == e.To && y1 == y2 {
		y2 = to.y + headHeight/2 - toe
	}
	x1, out1, x2, out2 := from.x, -1, to.x+boxWidth, 1 // the child is to the right
	switch {
	case from.x == to.x:
		x1, out1 = from.x+boxWidth, 1
	case from.x < to.x:
		x1, out1, x2, out2 = from.x+boxWidth, 1, to.x, -1
	}
	class := "er-edge"
	if e.Inferred {
		class += " er-inferred"
	}
	group := e.Label != "" || e.Inferred
	if group {
		b.WriteString("<g>")
	}
	if e.Label != "" {
		title(b, e.Label)
	}
	fmt.Fprintf(b, `<path class="%s" d="M%d %d`, class, x1, y1)
	bends := l.bends[n]
	if out1 < 0 { // from right to left
		bends = slices.Clone(bends)
		slices.Reverse(bends)
	}
	x, y := x1, y1
	for _, i := range bends {
		in, out, middle := l.boxes[i].x, l.boxes[i].x+boxWidth, l.boxes[i].y+bendHeight/2
		if out1 < 0 {
			in, out = out, in
		}
		curve(b, x, y, out1, in, middle, -out1)
		fmt.Fprintf(b, "H%d", out)
		x, y = out, middle
	}
	curve(b, x, y, out1, x2, y2, out2)
	if e.Inferred { // the ends are not dashed
		b.WriteString(`"/><path class="er-end" d="`)
	}
	end(b, x1, y1, out1, e.FromMany)
	end(b, x2, y2, out2, e.ToMany)
	b.WriteString(`"/>`)
	if group {
		b.WriteString("</g>")
	}
}

// curve continues a path at x1, y1, where it goes out in a direction, to x2, y2, where it comes in from another one.
func curve(b *strings.Builder, x1, y1, out1, x2, y2, out2 int) {
	const bend = levelGap / 2 // as far as a loop goes
	fmt.Fprintf(b, "C%d %d %d %d %d %d", x1+out1*bend, y1, x2+out2*bend, y2, x2, y2)
}

// end draws an end of an edge at a box, outwards in the direction out.
func end(b *strings.Builder, x, y, out int, many bool) {
	if many {
		fmt.Fprintf(b, "M%d %dL%d %dL%d %d", x, y-toe, x+out*foot, y, x, y+toe)
		return
	}
	fmt.Fprintf(b, "M%d %dv%d", x+out*bar, y-toe, 2*toe)
}
