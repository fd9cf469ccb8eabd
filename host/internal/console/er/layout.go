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

// box is a table with its place, or a bend: the place where an edge passes a level.
type box struct {
	table        *Table // nil = a bend
	x, y, height int
}

// bendHeight is the room of a bend.
const bendHeight = 8

// layout is a picture with places.
type layout struct {
	picture *Picture
	// boxes are those of the tables, then the bends.
	boxes []box
	// bends are the boxes that each edge passes, the left one first.
	bends         [][]int
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
	l := &layout{picture: p, boxes: make([]box, len(p.Tables)), bends: make([][]int, len(p.Edges))}
	for i := range p.Tables {
		l.boxes[i] = box{table: &p.Tables[i], height: p.Tables[i].height()}
	}
	levels, rest := l.levels()
	links := l.bend(levels)
	l.order(levels, links)
	l.stack(levels)
	l.lay(rest, len(levels))
	return l
}

// levels returns the tables of each level, and those without edges where there is no focus.
func (l *layout) levels() (levels [][]int, rest []int) {
	least, most := 0, 0
	for i := range l.picture.Tables {
		least, most = min(least, l.picture.Tables[i].Level), max(most, l.picture.Tables[i].Level)
	}
	if l.picture.Focus < 0 {
		least = 0
	}
	levels = make([][]int, most-least+1)
	for i := range l.picture.Tables {
		if at := l.picture.Tables[i].Level - least; at >= 0 {
			levels[at] = append(levels[at], i)
		} else {
			rest = append(rest, i)
		}
	}
	return slices.DeleteFunc(levels, func(l []int) bool { return len(l) == 0 }), rest
}

// bend adds a bend to each level that an edge passes, and returns the pairs of boxes that are linked across one gap.
func (l *layout) bend(levels [][]int) (links [][2]int) {
	at := make([]int, len(l.picture.Tables))
	for n, level := range levels {
		for _, i := range level {
			at[i] = n
		}
	}
	for n, e := range l.picture.Edges {
		left, right := e.To, e.From
		if at[left] > at[right] {
			left, right = right, left
		}
		before := left
		for level := at[left] + 1; level < at[right]; level++ {
			bend := len(l.boxes)
			l.boxes = append(l.boxes, box{height: bendHeight})
			l.bends[n], levels[level] = append(l.bends[n], bend), append(levels[level], bend)
			links = append(links, [2]int{before, bend})
			before = bend
		}
		if left != right {
			links = append(links, [2]int{before, right})
		}
	}
	return links
}

// order orders the boxes of each level by the mean place of their neighbours in other levels.
func (l *layout) order(levels [][]int, links [][2]int) {
	neighbours := make([][]int, len(l.boxes))
	for _, pair := range links {
		neighbours[pair[0]] = append(neighbours[pair[0]], pair[1])
		neighbours[pair[1]] = append(neighbours[pair[1]], pair[0])
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
		if at := slices.Index(level, l.picture.Focus); at >= 0 { // the focus is in the middle
			copy(level[at:], level[at+1:])
			copy(level[len(level)/2+1:], level[len(level)/2:len(level)-1])
			level[len(level)/2] = l.picture.Focus
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
