package assemble

import (
	"bytes"
	"encoding/json"

	"github.com/loam-data/loam/host/internal/tokens"
)

// encode returns the JSON of a part of an answer as clients get it.
func encode(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // answers have only texts, numbers and lists of them
	}
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}

// account counts what the lists of an answer cost. The sum of the costs is no less than the estimate of the whole: an
// estimate counts runs of characters, and every element begins and ends with punctuation.
type account struct {
	left   int
	opened map[string]bool
}

func newAccount(left int) *account { return &account{left: left, opened: map[string]bool{}} }

// seam is the most that a list adds to the estimate of what stands before and behind it.
const seam = 1

// cost returns the tokens of elements at the end of a list.
func (a *account) cost(list string, elements ...any) (n int) {
	for i, e := range elements {
		text := encode(e)
		if i == 0 && !a.opened[list] {
			n += seam + tokens.Estimate(`,"`+list+`":[`+text+`]`)
			continue
		}
		n += tokens.Estimate("," + text)
	}
	return n
}

// spend counts elements that enter a list.
func (a *account) spend(list string, cost int) {
	a.opened[list] = true
	a.left -= cost
}

// section is a list of an answer that is filled from the front.
type section struct {
	list  string
	size  int
	at    func(i int) any // the element at a position
	add   func(i int)     // adds it to the answer
	taken int
}

// fill adds elements until the next one costs more than what is left of the allowance.
func (s *section) fill(a *account, allowance int) {
	for allowance = min(allowance, a.left); s.taken < s.size; s.taken++ {
		cost := a.cost(s.list, s.at(s.taken))
		if cost > allowance {
			return
		}
		s.add(s.taken)
		a.spend(s.list, cost)
		allowance -= cost
	}
}

// left returns how many elements are left out.
func (s *section) left() int { return s.size - s.taken }

// sectionOf makes the section of a list whose elements are known.
func sectionOf[T any](list string, all []T, into *[]T) *section {
	return &section{list: list, size: len(all), at: func(i int) any { return all[i] }, add: func(i int) { *into = append(*into, all[i]) }}
}
