package assertion

import (
	"slices"
	"strings"
)

// Contradicts reports whether two statements cannot both be true. kind says in what they differ:
// "number", "unit", "formula", "inclusion" or the attribute. It compares only statements with equal
// subjects, equal or absent qualifiers and overlapping validity. A mere difference in wording is not
// a contradiction.
func Contradicts(a, b Statement) (kind string, ok bool) {
	if a.Attribute != b.Attribute || !comparable(a, b) || !overlap(a, b) {
		return "", false
	}
	switch a.Attribute {
	case Definition:
		return definitions(a, b)
	case FormulaOf:
		return "formula", a.Formula != nil && b.Formula != nil && !a.Formula.same(b.Formula)
	case Filter:
		return "inclusion", inclusion(a, b)
	case Unit:
		return "unit", (a.Column == "" || b.Column == "" || fold(a.Column) == fold(b.Column)) && canonical(a.Unit) != canonical(b.Unit)
	case ValueLabel:
		return string(a.Attribute), fold(a.Column) == fold(b.Column) && differ(a, b)
	case Expansion, Owner, Calendar, Grain, TimeZone:
		return string(a.Attribute), differ(a, b)
	}
	return "", false
}

// Succeeds reports whether b replaces a: they have the same subject, and the validity of a ends
// before that of b begins.
func Succeeds(a, b Statement) bool {
	return comparable(a, b) && a.Attribute == b.Attribute && !a.ValidTo.IsZero() && !b.ValidFrom.IsZero() && !b.ValidFrom.Before(a.ValidTo)
}

// overlap reports whether there is a day on which both are valid.
func overlap(a, b Statement) bool {
	return (a.ValidTo.IsZero() || b.ValidFrom.IsZero() || b.ValidFrom.Before(a.ValidTo)) &&
		(b.ValidTo.IsZero() || a.ValidFrom.IsZero() || a.ValidFrom.Before(b.ValidTo))
}

// comparable reports whether two statements are about the same subject with the same qualifiers.
func comparable(a, b Statement) bool {
	if a.Key() != b.Key() && a.fold() != b.fold() {
		return false
	}
	if len(a.Qualifiers) == 0 || len(b.Qualifiers) == 0 {
		return len(a.Qualifiers) == len(b.Qualifiers) || a.Attribute == Unit
	}
	return slices.Equal(folded(a.Qualifiers), folded(b.Qualifiers))
}

func folded(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = fold(s)
	}
	slices.Sort(out)
	return out
}

func fold(s string) string { return strings.Join(lowered(s), " ") }

// differ reports whether the values have different stems.
func differ(a, b Statement) bool {
	return Key(a.Value, a.Language) != Key(b.Value, b.Language) && fold(a.Value) != fold(b.Value)
}

// alike is the share of equal words from which on the numbers of two definitions are compared.
const alike = 0.5

// opposites are words that exclude each other.
var opposites = map[string]string{
	"gross": "net", "brutto": "netto", "net": "gross", "netto": "brutto", "inclusive": "exclusive", "exclusive": "inclusive",
	"including": "excluding", "excluding": "including", "inklusive": "exklusive", "exklusive": "inklusive",
}

// definitions compares two definitions by their numbers and by what they include.
func definitions(a, b Statement) (string, bool) {
	first, restA := quantities(a.Value, a.Language)
	second, restB := quantities(b.Value, b.Language)
	wordsA, wordsB := content(restA, a.Language), content(restB, b.Language)
	for _, w := range wordsA {
		if o := opposites[w]; o != "" && slices.Contains(wordsB, o) {
			same := slices.Clone(wordsB)
			same[slices.Index(same, o)] = w
			if jaccard(wordsA, same) == 1 {
				return "inclusion", true
			}
		}
	}
	if len(first) == 0 || len(first) != len(second) || len(wordsA)+len(wordsB) > 0 && jaccard(wordsA, wordsB) < alike {
		return "", false
	}
	for i := range first {
		if !first[i].equals(second[i]) {
			return "number", true
		}
	}
	return "", false
}

// content returns the stems of a text without its stop words, sorted.
func content(text string, l Language) []string {
	var out []string
	for _, w := range lowered(text) {
		if !stopWords[English](w) && !stopWords[German](w) && !articles(w) && w != "in" && w != "innerhalb" && w != "within" && w != "past" {
			if opposites[w] == "" {
				w = Stem(w, l)
			}
			out = append(out, w)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func jaccard(a, b []string) float64 {
	if len(a)+len(b) == 0 {
		return 1
	}
	common := 0
	for _, w := range a {
		if slices.Contains(b, w) {
			common++
		}
	}
	return float64(common) / float64(len(a)+len(b)-common)
}

// inclusion reports whether one statement excludes what the other includes.
func inclusion(a, b Statement) bool {
	if a.Formula == nil || b.Formula == nil {
		return false
	}
	for _, x := range a.Formula.Where {
		for _, y := range b.Formula.Where {
			if object(x.Text, a.Language) == object(y.Text, b.Language) && (x.Excluded != (a.Polarity == Negative)) != (y.Excluded != (b.Polarity == Negative)) {
				return true
			}
		}
	}
	return false
}

// object returns the literal of a comparison, and the stems of any other condition.
func object(text string, l Language) string {
	if m := comparison().FindStringSubmatch(text); m != nil {
		text = m[1] + m[2]
	}
	return Key(text, l)
}

// canonical returns the canonical name of a unit.
func canonical(unit string) string {
	unit = strings.ToLower(strings.TrimSpace(unit))
	if u, ok := units()[unit]; ok {
		return u.base + "*" + formatFloat(u.size)
	}
	return Key(unit, English)
}
