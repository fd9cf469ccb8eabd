package oracle

// A join is said to lead to one row, and the data has several. Where conditions alone are
// about them, a row of the home counts once when there is one row for each such join with
// which all of the conditions hold. A join that leads to none leads to a row of NULLs.

// picks are one row for each join that leads to several, by the way to it.
type picks struct {
	at    map[string]int
	order []trial
}

type trial struct{ at, of int }

// of is the row that is tried at the end of a way, among several.
func (p *picks) of(way string, several int) int {
	i, known := p.at[way]
	if !known {
		i = len(p.order)
		p.at[way] = i
		p.order = append(p.order, trial{of: several})
	}
	return p.order[i].at
}

// next goes on to the next combination; false = there is none.
func (p *picks) next() bool {
	for i := len(p.order) - 1; i >= 0; i-- {
		if p.order[i].at++; p.order[i].at < p.order[i].of {
			return true
		}
		p.order[i].at = 0
	}
	return false
}

// some reports whether something holds with some of the rows that joins lead to.
func (w *world) some(holds func() bool) bool {
	p, outer := &picks{at: map[string]int{}}, w.picks
	w.picks = p
	defer func() { w.picks = outer }()
	for {
		if holds() {
			return true
		}
		if !p.next() {
			return false
		}
	}
}
