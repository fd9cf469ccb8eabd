package catalog

import (
	"cmp"
	"encoding/binary"
	"hash/maphash"
	"maps"
	"math/bits"
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// part is one part of a name as it was written.
type part struct {
	text   string
	quoted bool
}

// path is a whole name; an empty catalog or schema means any.
type path struct{ catalog, schema, name part }

// rules are how an engine compares names.
type rules struct {
	folding dialect.Folding
	quotes  []dialect.Quote
}

// displayQuote is the one that Display uses.
var displayQuote = dialect.Quote{Open: `"`, Close: `"`, Doubled: true}

func rulesOf(d *dialect.Dialect) rules {
	if d == nil {
		return rules{folding: dialect.FoldNone, quotes: []dialect.Quote{displayQuote}}
	}
	return rules{folding: d.FoldingOfTables(), quotes: append(slices.Clip(d.Lexis.Identifiers), d.Identifier, displayQuote)}
}

// matches reports whether a written part names a stored one, and whether it is
// spelled as that.
func (r rules) matches(p part, stored string) (ok, exact bool) {
	if p.text == stored {
		return true, true
	}
	if r.folding == dialect.FoldInsensitive {
		return compareFold(p.text, stored) == 0, false
	}
	if p.quoted {
		return false, false
	}
	switch r.folding {
	case dialect.FoldLower:
		return strings.ToLower(p.text) == stored, false
	case dialect.FoldUpper:
		return strings.ToUpper(p.text) == stored, false
	}
	return false, false
}

// maxAsked is how long a name may be that is looked up: longer than any engine's
// three parts.
const maxAsked = 8 << 10

// pick returns the tables that a name means among those in accepted schemas.
type pick func(p *pack, r rules, name part, in func(sdk.TableRef) bool) []int

// search returns the tables that a display string may mean. A dot may separate
// or belong to a name: every reading is tried.
func (p *pack) search(d *dialect.Dialect, display string, pick pick) []int {
	if len(display) > maxAsked {
		return nil
	}
	rules := rulesOf(d)
	found := p.lookup(rules, path{name: part{text: display}}, pick)
	for i := range len(display) {
		if display[i] == '.' {
			found = append(found, p.below(rules, part{text: display[i+1:]}, display[:i], pick)...)
		}
	}
	if written, ok := rules.parse(display); ok {
		found = append(found, p.lookup(rules, written, pick)...)
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// below returns the tables of a name whose schema, or catalog and schema, is
// what stands above it.
func (p *pack) below(r rules, name part, above string, pick pick) []int {
	return pick(p, r, name, func(ref sdk.TableRef) bool {
		if ok, _ := r.matches(part{text: above}, ref.Schema); ok {
			return true
		}
		whole := sdk.TableRef{Schema: ref.Catalog, Name: ref.Schema}
		if ref.Schema == "" {
			whole = sdk.TableRef{Name: ref.Catalog}
		}
		ok, _ := r.matches(part{text: above}, whole.String())
		return ok
	})
}

func (p *pack) lookup(r rules, want path, pick pick) []int {
	return pick(p, r, want.name, func(ref sdk.TableRef) bool {
		inCatalog, _ := r.matches(want.catalog, ref.Catalog)
		inSchema, _ := r.matches(want.schema, ref.Schema)
		return (inCatalog || want.catalog.text == "") && (inSchema || want.schema.text == "")
	})
}

// exact picks the tables of a name. Within one schema a table of that very spelling goes
// before others.
func (p *pack) exact(r rules, name part, in func(sdk.TableRef) bool) []int {
	type namespace struct{ catalog, schema string }
	best := map[namespace]int{}
	var found []int
	for n := p.firstNamed(name.text); n < p.len(); n++ {
		i := p.named(n)
		ref := p.ref(i)
		if compareFold(ref.Name, name.text) != 0 {
			break
		}
		ok, exact := r.matches(name, ref.Name)
		if !ok || !in(ref) {
			continue
		}
		at := namespace{ref.Catalog, ref.Schema}
		if before, twice := best[at]; !twice {
			best[at] = len(found)
			found = append(found, i)
		} else if exact {
			found[before] = i
		}
	}
	slices.Sort(found)
	return found
}

// firstNamed returns which table by folded name is the first that is not before a name.
func (p *pack) firstNamed(name string) int {
	return sort.Search(p.len(), func(n int) bool { return compareFold(p.name(p.named(n)), name) >= 0 })
}

// named returns the position of the n-th table by folded name.
func (p *pack) named(n int) int { return int(binary.LittleEndian.Uint32(p.byName[4*n:])) }

// parse reads a name with quoted parts; false when none is quoted, or it is no
// name of one to three parts.
func (r rules) parse(s string) (path, bool) {
	var parts []part
	quoted := false
	for {
		p, rest := r.part(s)
		quoted = quoted || p.quoted
		if parts = append(parts, p); p.text == "" || len(parts) > 3 {
			return path{}, false
		}
		if rest == "" {
			break
		}
		if rest[0] != '.' {
			return path{}, false
		}
		s = rest[1:]
	}
	all := append(make([]part, 3-len(parts), 3), parts...)
	return path{catalog: all[0], schema: all[1], name: all[2]}, quoted
}

// part reads the first part of a name.
func (r rules) part(s string) (p part, rest string) {
	for _, q := range r.quotes {
		inner, opened := strings.CutPrefix(s, q.Open)
		if q.Open == "" || q.Prefix != "" || !opened {
			continue
		}
		var name strings.Builder
		for {
			before, after, closed := strings.Cut(inner, q.Close)
			if !closed {
				break
			}
			name.WriteString(before)
			if !q.Doubled || !strings.HasPrefix(after, q.Close) {
				return part{text: name.String(), quoted: true}, after
			}
			name.WriteString(q.Close)
			inner = after[len(q.Close):]
		}
	}
	if dot := strings.IndexByte(s, '.'); dot >= 0 {
		return part{text: s[:dot]}, s[dot:]
	}
	return part{text: s}, ""
}

// compareFold orders names without regard to case.
func compareFold(a, b string) int {
	for a != "" && b != "" {
		x, n := foldRune(a)
		y, m := foldRune(b)
		if x != y {
			return cmp.Compare(x, y)
		}
		a, b = a[n:], b[m:]
	}
	return cmp.Compare(len(a), len(b))
}

func foldRune(s string) (rune, int) {
	if c := s[0]; c < utf8.RuneSelf {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		return rune(c), 1
	}
	r, n := utf8.DecodeRuneInString(s)
	return unicode.ToLower(unicode.ToUpper(r)), n
}

// spelling is what finding near names starts from, per table: the letters of
// its name as a set of 64, their number, and a hash of the name's key.
type spelling struct {
	letters []uint64
	lengths []int32
	keys    []uint64
}

func (p *pack) spelling() *spelling {
	n := p.len()
	s := &spelling{letters: make([]uint64, n), lengths: make([]int32, n), keys: make([]uint64, n)}
	for i := range n {
		name := p.name(i)
		s.letters[i], s.lengths[i] = letters(name), int32(utf8.RuneCountInString(name))
		s.keys[i] = maphash.String(seed, text.Key(name))
	}
	return s
}

var seed = maphash.MakeSeed()

func letters(name string) (set uint64) {
	for name != "" {
		r, n := foldRune(name)
		name = name[n:]
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			set |= 1 << (r % 64)
		}
	}
	return set
}

// maxNear is how many near names are offered.
const maxNear = 5

// near returns the tables whose names are closest to what was asked for: the
// same name elsewhere, another spelling of it, the newest of the copies that it is short
// for, then typos.
func (p *pack) near(asked string) []string {
	name := asked[strings.LastIndexByte(asked, '.')+1:]
	if ref, ok := undisplay(asked); ok {
		name = ref.Name
	}
	if name = strings.Trim(name, "\"`[] "); name == "" || len(asked) > maxAsked {
		return nil
	}
	key, want, length := maphash.String(seed, text.Key(name)), letters(name), utf8.RuneCountInString(name)
	typos := min(max(1, length/3), maxNearTypos)
	var same, close []string
	copies := map[string]int{} // the newest of each family
	seen := map[string][]int{} // the tables of each close name
	s := p.nearest()
	for i, have := range s.letters {
		if s.keys[i] == key {
			same = append(same, Display(p.ref(i)))
			continue
		}
		if int(s.lengths[i]) > length && have&want == want {
			if family, ok := p.familyOf(name, i); ok {
				if newest, is := copies[family]; !is || text.CompareInFamily(p.name(newest), p.name(i)) < 0 {
					copies[family] = i
				}
				continue
			}
		}
		// A typo changes at most two letters of the set, and the length by one.
		if bits.OnesCount64(have^want) > 2*typos || max(length-int(s.lengths[i]), int(s.lengths[i])-length) > typos {
			continue
		}
		n := p.name(i)
		if seen[n] == nil {
			close = append(close, n)
		}
		seen[n] = append(seen[n], i)
	}
	// The closest to the whole of what was asked first: the right schema, too.
	slices.SortStableFunc(same, func(a, b string) int {
		return cmp.Compare(shared(b, asked), shared(a, asked))
	})
	for _, family := range slices.Sorted(maps.Keys(copies)) {
		same = append(same, Display(p.ref(copies[family])))
	}
	for _, n := range sqlkit.Nearest(name, closestOfFamilies(name, close)) {
		for _, i := range seen[n] {
			same = append(same, Display(p.ref(i)))
		}
	}
	if len(same) == 0 {
		same = p.likeFamilies(name)
	}
	if len(same) == 0 {
		same = p.parents(name)
	}
	return same[:min(maxNear, len(same))]
}

// parents returns the tables of which a name looks like a partition: theirs with more
// behind it, such as orders_2024_01 for orders. The longest first.
func (p *pack) parents(name string) (all []string) {
	longest := 0
	for i := range p.len() {
		n := p.name(i)
		if len(n) < leastParent || len(n) >= len(name) || !strings.EqualFold(name[:len(n)], n) || !strings.ContainsAny(name[len(n):len(n)+1], "_$0123456789") {
			continue
		}
		if len(n) > longest {
			longest, all = len(n), nil
		}
		if len(n) == longest {
			all = append(all, Display(p.ref(i)))
		}
	}
	return all
}

// leastParent is how long a name must be to be taken for a partition's parent.
const leastParent = 3

// maxNearTypos is how far a name may be from another to be offered for it.
const maxNearTypos = 3

// shared is how much of their beginnings two names have in common.
func shared(a, b string) (n int) {
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
