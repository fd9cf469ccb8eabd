package planner

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/text"
)

var (
	hundredth  = text.Pattern(`(?i)^(?:(?:euro |us )?cents?|pence|minor units)$`)
	currency   = text.Pattern(`(?i)^(?:€|\$|£|EUR|USD|GBP|CHF|euros?|(?:us )?dollars?|pounds?|franken|francs)$`)
	currencyOf = text.Pattern(`(?i)(?:currency|währung) (?:of|der|des) (?:the )?(\S+)$`)
)

// currencies are columns that say which currency a row is in.
var currencies = []string{"currency", "currency_code", "waehrung", "währung"}

// unit compares the unit that a sentence names with what is computed, which it does not change: the question is whether it
// asks for a conversion.
func (r *formula) unit(d *definition) *Question {
	if said := r.f.Unit; said != "" && !r.has(d, said) {
		return ask(UnitUnclear, r.quote, "Is “in %s” the unit of the columns as they are, or is the result converted? Write the formula without it, with the conversion.", said).on(said)
	}
	return nil
}

// has reports whether a calculation is in a unit: that of its columns as their names end, in hundredths of a currency too
// when it divides by 100 and rows have one currency alone.
func (r *formula) has(d *definition, unit string) bool {
	tree := d.expr
	if tree == nil {
		tree = d.x
	}
	if tree == nil || d.s.ID == model.Metrics {
		return false
	}
	if m := currencyOf().FindStringSubmatch(unit); m != nil {
		return slices.ContainsFunc(slices.Concat(r.work.lexicon.sources(m[1]), []*model.Source{d.s}), func(s *model.Source) bool {
			return text.Key(s.Name) == text.Key(m[1]) && slices.ContainsFunc(currencies, func(name string) bool { return dimension(s, name) != nil })
		})
	}
	ends := func(matches func(string) bool) bool {
		return slices.ContainsFunc(expression.Names(tree), func(n *expression.Name) bool {
			name := strings.ToLower(n.Parts[len(n.Parts)-1])
			return matches(name[strings.LastIndexByte(name, '_')+1:])
		})
	}
	numbers, hundred := 0, false
	expression.Walk(tree, func(n expression.Node) bool {
		switch n := n.(type) {
		case *expression.Literal:
			numbers++
		case *expression.Binary:
			by, ok := n.Right.(*expression.Literal)
			hundred = hundred || ok && n.Op == expression.Divide && (by.Value == "100" || by.Value == "100.0")
		}
		return true
	})
	switch cents := ends(hundredth().MatchString); {
	case numbers == 0 && hundredth().MatchString(unit):
		return cents
	case numbers == 0:
		return !cents && ends(func(word string) bool { return text.Key(word) == text.Key(unit) })
	default:
		oneCurrency := !slices.ContainsFunc(currencies, func(name string) bool { return len(r.work.lexicon.owners(name)) > 0 })
		return numbers == 1 && hundred && cents && currency().MatchString(unit) && oneCurrency
	}
}
