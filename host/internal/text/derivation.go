package text

import (
	"slices"
	"strings"
)

// Words of one root end in different ways: redeemed and redemption, recognising and
// recognition, application and applicant. What is left of a word without its ending is
// its root; roots that change within are put into one form.

// suffixes are what English derives words with, longest first.
var suffixes = longestFirst(`
	isations izations isation ization ational ations ements ation ition ement ising izing ised ized ises izes iser izer
	ments ment ated ating ates ate ings ances ences ance ence ants ents ant ent ions ion ing ers ors ees ure ures als age ages able ible
	er or ed ee al es se ise ize e s ly y`)

func longestFirst(list string) []string {
	all := strings.Fields(list)
	slices.SortStableFunc(all, func(a, b string) int { return len(b) - len(a) })
	return slices.Compact(all)
}

// changes are ends of roots that are written otherwise in another word of them.
var changes = [][2]string{
	{"empt", "eem"}, {"script", "scrib"}, {"cept", "ceiv"}, {"duct", "duc"}, {"sumpt", "sum"}, {"miss", "mit"},
	{"cis", "cid"}, {"olut", "olv"}, {"pans", "pand"}, {"tens", "tend"}, {"vers", "vert"}, {"clus", "clud"}, {"quisit", "quir"},
}

// leastRoot is how many letters a root has at least.
const leastRoot = 4

// root returns what is left of a word without what derives it, "" when that is
// too little to tell words apart.
func root(term string) string {
	for _, suffix := range suffixes {
		stem, ok := strings.CutSuffix(term, suffix)
		if !ok || len(stem) < leastRoot {
			continue
		}
		return normal(stem)
	}
	if len(term) < leastRoot {
		return ""
	}
	return normal(term)
}

func normal(stem string) string {
	for _, c := range changes {
		if s, ok := strings.CutSuffix(stem, c[0]); ok {
			return s + c[1]
		}
	}
	if n := len(stem); n > leastRoot && stem[n-1] == stem[n-2] {
		return stem[:n-1]
	}
	return stem
}

// derivations offers the words of the index that have a word's root.
func (e *expansion) derivations(g *Group, term string) {
	r := root(term)
	if len(r) < leastRoot || !ascii(term) {
		return
	}
	same := func(t string) bool { return t != term && len(t) < 2*len(r)+4 && root(t) == r }
	// Roots that change within keep their beginning.
	for _, t := range best(e.vocabulary.Words(r[:max(leastRoot, len(r)-2)]), maxCompletions, same) {
		e.offer(g, weightDerived, t)
	}
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] < 'a' || s[i] > 'z' {
			return false
		}
	}
	return true
}
