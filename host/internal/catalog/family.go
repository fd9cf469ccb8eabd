package catalog

import (
	"maps"
	"slices"

	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// Families returns, for each family of tables that a display string is short for, the
// position of its newest by the digits: orders for orders_20240101, orders_20240102 and so
// on. Families of the same name in several schemas are several. What the columns of the
// tables are it does not look at.
func (s *Snapshot) Families(d *dialect.Dialect, display string) []int {
	return s.pack.search(d, display, (*pack).newest)
}

// newest picks the newest table of each family that a name is short for.
func (p *pack) newest(r rules, name part, in func(sdk.TableRef) bool) []int {
	newest := map[string]int{}
	for n := p.firstNamed(name.text); n < p.len(); n++ {
		i := p.named(n)
		ref := p.ref(i)
		if len(ref.Name) < len(name.text) || compareFold(ref.Name[:len(name.text)], name.text) != 0 {
			break
		}
		family, ok := p.familyOf(name.text, i)
		if spelled, _ := r.matches(name, ref.Name[:len(name.text)]); !ok || !spelled || !in(ref) {
			continue
		}
		if last, is := newest[family]; !is || text.CompareInFamily(p.name(last), ref.Name) < 0 {
			newest[family] = i
		}
	}
	return slices.Sorted(maps.Values(newest))
}

// familyOf returns the family of the table at a position, its schema and its name without
// digits, if a name is short for that: orders for orders_20240101.
func (p *pack) familyOf(short string, at int) (string, bool) {
	ref := p.ref(at)
	if !text.ShortFor(short, ref.Name) {
		return "", false
	}
	ref.Name, _ = text.Family(ref.Name)
	return Display(ref), true
}

// likeFamilies returns the newest tables of the families whose short name is close to a
// name: ordrs for orders_20240101.
func (p *pack) likeFamilies(name string) (all []string) {
	shorts := map[string]map[string]int{} // short name → the newest of each family
	for i := range p.len() {
		n := p.name(i)
		short := text.Short(n)
		if differ := len(short) - len(name); short == "" || differ > maxNearTypos || -differ > maxNearTypos {
			continue
		}
		family, ok := p.familyOf(short, i)
		if !ok {
			continue
		}
		if shorts[short] == nil {
			shorts[short] = map[string]int{}
		}
		if last, is := shorts[short][family]; !is || text.CompareInFamily(p.name(last), n) < 0 {
			shorts[short][family] = i
		}
	}
	for _, short := range sqlkit.Nearest(name, slices.Sorted(maps.Keys(shorts))) {
		for _, i := range slices.Sorted(maps.Values(shorts[short])) {
			all = append(all, Display(p.ref(i)))
		}
	}
	return all
}

// closestOfFamilies returns of the names that differ in their digits alone the one closest
// to a name, the newest of equal ones.
func closestOfFamilies(name string, names []string) (all []string) {
	families := map[string][]string{}
	var order []string
	for _, n := range names {
		family, _ := text.Family(n)
		if families[family] == nil {
			order = append(order, family)
		}
		families[family] = append(families[family], n)
	}
	for _, family := range order {
		of := families[family]
		slices.SortStableFunc(of, func(a, b string) int { return text.CompareInFamily(b, a) })
		if near := sqlkit.Nearest(name, of); len(near) > 0 {
			all = append(all, near[0])
		}
	}
	return all
}
