package note

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/loam-data/loam/host/internal/store"

	"github.com/loam-data/loam/host/internal/text"
)

// The weights of a remediation's score. Source: spec of toolsets, section 5.
const (
	semanticShare, stringShare = 0.7, 0.3
	typeBonus, traceBonus      = 0.10, 0.15
	// Below these a remediation is of another error.
	leastSemantic, leastString = 0.5, 0.3
)

// SemanticBackend says how the semantic score is computed.
const SemanticBackend = "tokens"

// Trouble is an error that is looked for among the remediations.
type Trouble struct {
	Message, StackTrace string
	Connection          string // "" = any; remediations without a connection fit each
	Tags                []string
	Limit               int
	Least               float64 // score
}

// Scored is a remediation with its scores, 0 to 1.
type Scored struct {
	store.Remediation
	Score, Semantic, String float64
	TypeMatch, TraceMatch   bool
}

// candidates is how many remediations are compared with an error.
const candidates = 50

// Rank returns the remediations of errors like one, the most similar first, and how many there are.
func (e *Engine) Rank(ctx context.Context, t *Trouble) (best []Scored, total int, err error) {
	if !e.Began() {
		return nil, 0, nil
	}
	state, err := e.state.Get(ctx)
	if err != nil {
		return nil, 0, err
	}
	pattern := Normalize(t.Message)
	all, err := state.RemediationsLike(ctx, Viewer(ctx), HashOf(pattern), candidates)
	if err != nil {
		return nil, 0, err
	}
	found, err := e.FindRemediations(ctx, Query{Text: question(pattern), Tags: t.Tags, Limit: candidates})
	if err != nil {
		return nil, 0, err
	}
	for i := range found {
		all = append(all, found[i].Note)
	}
	frames, weights, seen := Frames(t.StackTrace), weigh(pattern), map[string]bool{}
	mentioned := visibleText(t.Message + "\n" + t.StackTrace)
	for i := range all {
		r := &all[i]
		if seen[r.ID] || r.Review == store.Rejected || !HasTags(&r.Note, t.Tags) || t.Connection != "" && r.Connection != "" && r.Connection != t.Connection {
			continue
		}
		seen[r.ID] = true
		s := Scored{Remediation: *r, Semantic: cosine(weights, weigh(r.Pattern))}
		if s.Semantic < leastSemantic {
			continue
		}
		if s.String = similarity(pattern, r.Pattern); s.String < leastString {
			continue
		}
		s.TypeMatch = HasWord(mentioned, strings.ToLower(r.ErrorType))
		s.TraceMatch = len(frames) > 0 && sharesHalf(frames, strings.Split(r.Frames, "\n"))
		if s.Score = s.score(); s.Score >= t.Least {
			best = append(best, s)
		}
	}
	slices.SortFunc(best, func(a, b Scored) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.Worked-b.Failed, a.Worked-a.Failed), cmp.Compare(b.Confirmations, a.Confirmations), cmp.Compare(b.Seq, a.Seq))
	})
	return best[:min(t.Limit, len(best))], len(best), nil
}

func (s *Scored) score() float64 {
	bonus := 1.0
	if s.TypeMatch {
		bonus += typeBonus
	}
	if s.TraceMatch {
		bonus += traceBonus
	}
	return min(1, (semanticShare*s.Semantic+stringShare*s.String)*bonus)
}

// Confidence is the share of its outcomes in which a remediation worked, as if it had worked and failed once more.
func Confidence(worked, failed int) float64 { return float64(worked+1) / float64(worked+failed+2) }

// questionWords is how many words of a message are searched for.
const questionWords = 12

// question returns the first words of a normalised message, without placeholders.
func question(pattern string) string {
	var words []string
	for _, w := range tokens(pattern) {
		if !common(w) && !slices.Contains(words, w) && len(words) < questionWords {
			words = append(words, w)
		}
	}
	return strings.Join(words, " ")
}

// tokens splits a normalised text into words.
func tokens(pattern string) []string {
	return strings.FieldsFunc(pattern, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) })
}

// common words say little about an error: function words and placeholders.
var common = text.Words(`a an and are as at be but by can cannot for from had has have in into is it its
	no not of on or that the this to was were which will with you your id n time address value error failed`)

const commonWeight = 0.3

// weigh returns the weights of the words of a normalised text.
func weigh(pattern string) map[string]float64 {
	counts := map[string]int{}
	for _, w := range tokens(pattern) {
		counts[w]++
	}
	weights := make(map[string]float64, len(counts))
	for w, n := range counts {
		weights[w] = 1 + math.Log(float64(n))
		if common(w) {
			weights[w] *= commonWeight
		}
	}
	return weights
}

// cosine returns the cosine of two vectors of weights.
func cosine(a, b map[string]float64) float64 {
	// In the order of the words: sums of floating point numbers depend on it.
	var product, lengthA, lengthB float64
	for _, w := range sortedKeys(a) {
		product += a[w] * b[w]
		lengthA += a[w] * a[w]
	}
	for _, w := range sortedKeys(b) {
		lengthB += b[w] * b[w]
	}
	if lengthA == 0 || lengthB == 0 {
		return 0
	}
	return min(1, product/math.Sqrt(lengthA*lengthB))
}

func sortedKeys(m map[string]float64) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

const (
	maxCompared = 2_000 // characters of a text
	// band is how far the compared places of two texts may be apart.
	band = 256
)

// similarity returns 1 minus the edit distance of two texts, divided by the length of the longer one.
// Units: it compares 2,000 characters at most, each with the 513 around its place. Where more was inserted or removed
// at one place, the distance is too large.
func similarity(a, b string) float64 {
	if a == b {
		return 1
	}
	x, y := []rune(a), []rune(b)
	x, y = x[:min(maxCompared, len(x))], y[:min(maxCompared, len(y))]
	longest := max(len(x), len(y))
	if longest == 0 {
		return 1
	}
	return 1 - float64(distance(x, y))/float64(longest)
}

// distance is the Levenshtein distance in two rows, within the band.
func distance(x, y []rune) int {
	far := len(x) + len(y)
	last, row := make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range last {
		last[j] = j
	}
	width := band + max(len(x)-len(y), len(y)-len(x))
	for i := 1; i <= len(x); i++ {
		from, to := max(1, i-width), min(len(y), i+width)
		if row[from-1] = far; from == 1 {
			row[0] = i
		}
		for j := from; j <= to; j++ {
			cost := last[j-1]
			if x[i-1] != y[j-1] {
				cost++
			}
			row[j] = min(cost, row[j-1]+1, last[j]+1)
		}
		if to < len(y) {
			row[to+1] = far
		}
		last, row = row, last
	}
	return min(last[len(y)], max(len(x), len(y)))
}

// HasWord reports whether a text has a word that is not part of a longer one.
func HasWord(s, word string) bool {
	if word == "" {
		return false
	}
	part := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }
	for from := 0; ; {
		at := strings.Index(s[from:], word)
		if at < 0 {
			return false
		}
		at += from
		last, _ := utf8.DecodeLastRuneInString(s[:at])
		first, size := utf8.DecodeRuneInString(s[at+len(word):])
		if !part(last) && !part(first) {
			return true
		}
		from = at + len(word) + size
	}
}
