package note

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// whole is the distance without a band, by the definition.
func whole(x, y []rune) int {
	d := make([][]int, len(x)+1)
	for i := range d {
		d[i] = make([]int, len(y)+1)
		for j := range d[i] {
			switch {
			case i == 0:
				d[i][j] = j
			case j == 0:
				d[i][j] = i
			default:
				change := d[i-1][j-1]
				if x[i-1] != y[j-1] {
					change++
				}
				d[i][j] = min(change, d[i-1][j]+1, d[i][j-1]+1)
			}
		}
	}
	return d[len(x)][len(y)]
}

func TestDistance(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	draw := func() []rune {
		s := make([]rune, r.IntN(60))
		for i := range s {
			s[i] = rune('a' + r.IntN(3))
		}
		return s
	}
	for range 400 {
		x, y := draw(), draw()
		if got, want := distance(x, y), whole(x, y); got != want {
			t.Fatalf("distance of %q and %q is %d, want %d", string(x), string(y), got, want)
		}
	}
	// Beyond the band it is too large and never too small.
	x := []rune(strings.Repeat("ab", 700))
	y := append([]rune(strings.Repeat("c", 400)), x...)
	if got := distance(x, y); got < 400 || got > len(y) {
		t.Errorf("distance of moved texts is %d", got)
	}
	if similarity("", "") != 1 || similarity("abc", "xyz") != 0 || similarity(strings.Repeat("a", 5000), strings.Repeat("a", 4000)) != 1 {
		t.Error("similarity of equal, different and long texts")
	}
}

func TestScore(t *testing.T) {
	t.Parallel()
	near := func(got, want float64) bool { return math.Abs(got-want) < 1e-9 }
	for _, c := range []struct {
		s    Scored
		want float64
	}{
		{Scored{Semantic: .8, String: .5}, .71},
		{Scored{Semantic: .8, String: .5, TypeMatch: true}, .781},
		{Scored{Semantic: .8, String: .5, TraceMatch: true}, .8165},
		{Scored{Semantic: 1, String: 1, TypeMatch: true, TraceMatch: true}, 1},
	} {
		if got := c.s.score(); !near(got, c.want) {
			t.Errorf("score of %+v is %v, want %v", c.s, got, c.want)
		}
	}
	if !near(Confidence(0, 0), .5) || !near(Confidence(3, 0), .8) || !near(Confidence(0, 2), .25) {
		t.Error("confidence")
	}
	if w := weigh("relation relation is"); w["relation"] <= 1 || w["is"] != commonWeight {
		t.Errorf("weights %v", w)
	}
	if cosine(weigh("no such table"), weigh("no such table")) != 1 || cosine(weigh("deadlock"), weigh("syntax")) != 0 || cosine(nil, weigh("a")) != 0 {
		t.Error("cosine of equal, different and empty texts")
	}
	for s, want := range map[string]bool{"valueerror: x": true, "myvalueerror": false, "valueerrors valueerror": true, "": false} {
		if HasWord(s, "valueerror") != want {
			t.Errorf("HasWord(%q) = %t", s, !want)
		}
	}
	if sharesHalf([]string{"a", "b"}, []string{"a", "c"}) != true || sharesHalf([]string{"a"}, []string{"a", "b", "c"}) || sharesHalf(nil, nil) {
		t.Error("half of the frames")
	}
}
