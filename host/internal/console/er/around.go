package er

// Chosen is the tables of a picture around a focus.
type Chosen[ID comparable] struct {
	// Tables are the focus and its neighbours, the nearest first; Levels are theirs, that of the focus is 0.
	Tables []ID
	Levels []int
	// Missing are the first tables that found no place, at most Most; Left counts all of them.
	Missing []ID
	Left    int
}

// The bounds of a picture.
const (
	// Most is how many boxes a picture around a focus has.
	Most = 40
	// MostHops is how many foreign keys lead from the focus to a table at most.
	MostHops = 2
	// MostWhole is how many boxes a picture of a whole schema has.
	MostWhole = 60
)

// Around chooses the tables that at most hops foreign keys lead to from the focus. neighbours returns the tables that a
// table refers to and those that refer to it. Of two hops those in one direction come first: the parents of parents, the
// children of children.
func Around[ID comparable](focus ID, hops int, neighbours func(ID) (parents, children []ID)) Chosen[ID] {
	c := Chosen[ID]{Tables: []ID{focus}, Levels: []int{0}}
	seen := map[ID]bool{focus: true}
	add := func(ids []ID, level int) {
		for _, id := range ids {
			switch {
			case seen[id]:
				continue
			case len(c.Tables) < Most:
				c.Tables, c.Levels = append(c.Tables, id), append(c.Levels, level)
			default:
				c.Left++
				if len(c.Missing) < Most {
					c.Missing = append(c.Missing, id)
				}
			}
			seen[id] = true
		}
	}
	begin := 0
	for range min(hops, MostHops) {
		end := len(c.Tables)
		type turn struct {
			parents, children []ID
			level             int
		}
		var turns []turn
		for i := begin; i < end; i++ {
			parents, children := neighbours(c.Tables[i])
			turns = append(turns, turn{parents, children, c.Levels[i]})
		}
		for _, t := range turns { // onwards
			if t.level <= 0 {
				add(t.parents, t.level-1)
			}
			if t.level >= 0 {
				add(t.children, t.level+1)
			}
		}
		for _, t := range turns { // and back
			if t.level > 0 {
				add(t.parents, t.level-1)
			}
			if t.level < 0 {
				add(t.children, t.level+1)
			}
		}
		begin = end
	}
	return c
}

// Levels returns levels for tables 0 to n-1: each table is to the right of those that it refers to, but where they refer
// to each other in a circle. Tables without an edge have level -1.
func Levels(n int, edges []Edge) []int {
	parents, linked := make([][]int, n), make([]bool, n)
	for _, e := range edges {
		linked[e.From], linked[e.To] = true, true
		if e.From != e.To {
			parents[e.From] = append(parents[e.From], e.To)
		}
	}
	const (
		open = iota - 3 // not visited
		busy            // on the way: an edge to it closes a circle
	)
	levels := make([]int, n)
	for i := range levels {
		levels[i] = open
	}
	var visit func(i int) int
	visit = func(i int) int {
		if levels[i] != open {
			return levels[i]
		}
		levels[i] = busy
		level := 0
		for _, p := range parents[i] {
			if at := visit(p); at != busy {
				level = max(level, at+1)
			}
		}
		levels[i] = level
		return level
	}
	for i := range n {
		if visit(i); !linked[i] {
			levels[i] = -1
		}
	}
	return levels
}
