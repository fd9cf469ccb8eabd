package er

import (
	"cmp"
	"slices"
)

// The measures of a picture, in pixels.
const (
	boxWidth   = 224
	headHeight = 26
	rowHeight  = 18
	boxGap     = 22
	levelGap   = 96
	margin     = 24
	// sweeps is how often the boxes of all levels are ordered by their neighbours.
	sweeps = 6
	// rest is how many boxes without edges stand side by side at least.
	restWidth = 3
)

// box is a table with its place.
type box struct {
	*Table
	x, y, height int
}

// layout is a picture with places.
type layout struct {
	*Picture
	boxes         []box
	width, height int
}

func (t *Table) height() int {
	lines := len(t.Columns)
	if t.More > 0 {
		lines++
	}
	if lines == 0 {
		return headHeight
	}
	return headHeight + lines*rowHeight + 6
}

// place gives each table its place.
func place(p *Picture) *layout {
	l := &layout{Picture: p, boxes: make([]box, len(p.Tables))}
	least, most := 0, 0
	for i := range p.Tables {
		t := &p.Tables[i]
		l.boxes[i] = box{Table: t, height: t.height()}
		least, most = min(least, t.Level), max(most, t.Level)
	}
	whole := p.Focus < 0 // then level -1 has the boxes without edges
	if whole {
		least = 0
	}
	levels := make([][]int, most-least+1)
	var rest []int
	for i := range p.Tables {
		if at := p.Tables[i].Level - least; at >= 0 {
			levels[at] = append(levels[at], i)
		} else {
			rest = append(rest, i)
		}
	}
	levels = slices.DeleteFunc(levels, func(l []int) bool { return len(l) == 0 })
	l.order(levels)
	l.stack(levels)
	l.lay(rest, len(levels))
	return l
}

// order orders the boxes of each level by the mean place of their neighbours in other levels.
func (l *layout) order(levels [][]int) {
	neighbours := make([][]int, len(l.boxes))
	for _, e := range l.Edges {
		if e.From != e.To {
			neighbours[e.From] = append(neighbours[e.From], e.To)
			neighbours[e.To] = append(neighbours[e.To], e.From)
		}
	}
	at := make([]float64, len(l.boxes)) // from 0 to 1 in its level
	number := func(level []int) {
		for n, i := range level {
			at[i] = (float64(n) + .5) / float64(len(level))
		}
	}
	for _, level := range levels {
		number(level)
	}
	mean := make([]float64, len(l.boxes))
	sort := func(level []int) {
		for _, i := range level {
			mean[i] = at[i]
			if len(neighbours[i]) > 0 {
				mean[i] = 0
				for _, n := range neighbours[i] {
					mean[i] += at[n]
				}
				mean[i] /= float64(len(neighbours[i]))
			}
		}
		slices.SortStableFunc(level, func(a, b int) int { return cmp.Compare(mean[a], mean[b]) })
		number(level)
	}
	for range sweeps {
		for _, level := range levels {
			sort(level)
		}
		for _, level := range slices.Backward(levels) {
			sort(level)
		}
	}
	for _, level := range levels {
		if at := slices.Index(level, l.Focus); at >= 0 { // the focus is in the middle
			copy(level[at:], level[at+1:])
			copy(level[len(level)/2+1:], level[len(level)/2:len(level)-1])
			level[len(level)/2] = l.Focus
		}
	}
}

// stack stands the boxes of each level below each other, the levels side by side with their middles at one height.
func (l *layout) stack(levels [][]int) {
	heights, tallest := make([]int, len(levels)), 0
	for n, level := range levels {
		for _, i := range level {
			heights[n] += l.boxes[i].height + boxGap
		}
		heights[n] = max(0, heights[n]-boxGap)
		tallest = max(tallest, heights[n])
	}
	x := margin
	for n, level := range levels {
		y := margin + (tallest-heights[n])/2
		for _, i := range level {
			l.boxes[i].x, l.boxes[i].y = x, y
			y += l.boxes[i].height + boxGap
		}
		x += boxWidth + levelGap
	}
	l.width, l.height = max(x-levelGap, boxWidth+margin)+margin+loop, tallest+2*margin
}

// lay lays the boxes without edges in rows below the others.
func (l *layout) lay(rest []int, levels int) {
	if len(rest) == 0 {
		return
	}
	if levels == 0 {
		l.height = margin
	}
	wide := max(restWidth, levels)
	for row := range slices.Chunk(rest, wide) {
		tallest := 0
		for n, i := range row {
			l.boxes[i].x, l.boxes[i].y = margin+n*(boxWidth+levelGap), l.height
			tallest = max(tallest, l.boxes[i].height)
			l.width = max(l.width, l.boxes[i].x+boxWidth+margin)
		}
		l.height += tallest + boxGap
	}
	l.height += margin - boxGap
}
