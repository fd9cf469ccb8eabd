package assertion

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/loam-data/loam/host/internal/text"
)

// months by their names in English and German.
var months = map[string]time.Month{
	"january": 1, "february": 2, "march": 3, "april": 4, "may": 5, "june": 6, "july": 7, "august": 8, "september": 9,
	"october": 10, "november": 11, "december": 12,
	"januar": 1, "jänner": 1, "februar": 2, "märz": 3, "mai": 5, "juni": 6, "juli": 7, "oktober": 10, "dezember": 12,
	"jan": 1, "feb": 2, "mar": 3, "mär": 3, "apr": 4, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "sept": 9, "oct": 10, "okt": 10,
	"nov": 11, "dec": 12, "dez": 12,
}

// numberWords are numbers by their words.
var numberWords = map[string]string{
	"two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9", "ten": "10", "eleven": "11", "twelve": "12",
	"twenty": "20", "thirty": "30", "sixty": "60", "ninety": "90", "hundred": "100", "thousand": "1000",
	"zwei": "2", "drei": "3", "vier": "4", "fünf": "5", "sechs": "6", "sieben": "7", "acht": "8", "neun": "9", "zehn": "10", "elf": "11", "zwölf": "12",
	"zwanzig": "20", "dreißig": "30", "sechzig": "60", "neunzig": "90", "hundert": "100", "tausend": "1000",
}

const amountPattern = `(?:(?:€|\$|£|¥|EUR|USD|GBP|CHF) ?)?-?\d[\d.,'  ]*(?: ?(?:%|€|\$|£|‰|[\pL][\pL]*(?: (?:points?|units))?))?`

// units has the measure of each name of a unit.
var units = sync.OnceValue(unitTable)

// measure is a unit as a multiple of a canonical unit.
type measure struct {
	base string
	size float64
}

// unitNames lists, for each unit, its canonical unit, the factor, and its names.
var unitNames = []struct {
	base  string
	size  float64
	names string
}{
	{"percent", 1, "% percent prozent pct"}, {"percentage point", 1, "pp prozentpunkt prozentpunkte"}, {"basis point", 1, "bp bps"},
	{"second", .001, "ms millisecond milliseconds millisekunde millisekunden"}, {"second", 1e-6, "microsecond microseconds"}, {"second", 1, "s sec secs second seconds sekunde sekunden"},
	{"second", 60, "min mins minute minutes minuten"}, {"second", 3600, "h hrs hour hours stunde stunden"}, {"day", 1, "day days tag tage tagen"}, {"day", 7, "week weeks woche wochen"},
	{"month", 1, "month months monat monate monaten"}, {"month", 3, "quarter quarters quartal quartale quartalen"}, {"month", 12, "year years jahr jahre jahren"},
	{"eur", 1, "€ eur euro euros"}, {"usd", 1, "$ usd dollar dollars"}, {"gbp", 1, "£ gbp pound pounds"}, {"jpy", 1, "¥ jpy yen"}, {"chf", 1, "chf franken"},
	{"cent", 1, "cent cents pence"},
	{"byte", 1, "byte bytes b"}, {"byte", 1e3, "kb kilobyte kilobytes"}, {"byte", 1e6, "mb megabyte megabytes"}, {"byte", 1e9, "gb gigabyte gigabytes"},
	{"byte", 1 << 10, "kib"}, {"byte", 1 << 20, "mib"}, {"byte", 1 << 30, "gib"},
	{"gram", 1, "g gram grams gramm"}, {"gram", 1e3, "kg kilo kilos kilogram kilograms kilogramm"}, {"gram", 1e6, "t tonne tonnes tonnen"},
	{"metre", .001, "mm"}, {"metre", .01, "cm"}, {"metre", 1, "m meter meters metre metres metern"}, {"metre", 1e3, "km kilometer kilometers kilometre kilometres kilometern"},
	{"square metre", 1, "m2 sqm qm quadratmeter quadratmetern"}, {"square metre", 1e4, "ha hectare hectares hektar"},
	{"litre", 1, "l litre litres liter liters litern"}, {"kwh", 1, "kwh kilowattstunde kilowattstunden"},
}

func unitTable() map[string]measure {
	table := map[string]measure{}
	for _, u := range unitNames {
		for name := range strings.FieldsSeq(u.names) {
			table[name] = measure{u.base, u.size}
		}
	}
	return table
}

// wholeUnit matches a text that is only a unit.
var wholeUnit = text.Pattern(`(?i)^` + unitPattern + `$`)

// quantity is a number of a text, with its unit.
type quantity struct {
	// written is the number as written, for comparing numbers that cannot be read.
	written string
	// readings are the possible values, sorted: "1.234" is 1234 or 1.234.
	readings []float64
	base     string
}

// quantityPattern finds numbers: with a currency before them or a word after them.
var quantityPattern = text.Pattern(`(?i)(€|\$|£|¥|\b(?:eur|usd|gbp|chf) )?\s?(-?\d+(?:[.,'\x{a0}\x{202f}]\d+)*)(?:[\s\x{a0}-]?(%|€|\$|£|\pL+))?`)

// quantities removes the numbers, dates and durations from a text, and returns them and the rest.
func quantities(text string, l Language) (list []quantity, rest string) {
	for word, number := range numberWords {
		if strings.Contains(strings.ToLower(text), word) {
			text = replaceWord(text, word, number)
		}
	}
	var b strings.Builder
	at := 0
	for _, d := range datesIn().FindAllStringIndex(text, -1) {
		if p, ok := date(text[d[0]:d[1]]); ok && d[0] >= at && d[1]-d[0] > 4 {
			b.WriteString(text[at:d[0]] + " ")
			list = append(list, quantity{readings: []float64{float64(p.from.Unix()), float64(p.to.Unix())}, base: "date"})
			at = d[1]
		}
	}
	text = b.String() + text[at:]
	b.Reset()
	at = 0
	for _, m := range quantityPattern().FindAllStringSubmatchIndex(text, -1) {
		if m[4] > 0 && (text[m[4]-1] == '_' || followsLetter(text[:m[4]])) && m[2] < 0 {
			continue // "sha256"
		}
		q := quantity{written: text[m[4]:m[5]], readings: readings(text[m[4]:m[5]], l)}
		end := m[5]
		if m[6] >= 0 {
			if u, ok := units()[strings.ToLower(text[m[6]:m[7]])]; ok {
				q.scale(u)
				end = m[7]
			}
		}
		if m[2] >= 0 {
			q.scale(units()[strings.ToLower(strings.TrimSpace(text[m[2]:m[3]]))])
		}
		b.WriteString(text[at:m[0]] + " ")
		list = append(list, q)
		at = end
	}
	return list, b.String() + text[at:]
}

// datesIn matches dates that are more than a year.
var datesIn = text.Pattern(`(?i)\b(?:` + datePattern + `)\b`)

func (q *quantity) scale(u measure) {
	q.base = u.base
	for i := range q.readings {
		q.readings[i] *= u.size
	}
}

// replaceWord replaces a whole word, ignoring case.
func replaceWord(text, word, by string) string {
	fields := strings.Fields(text)
	for i, w := range fields {
		if strings.EqualFold(w, word) {
			fields[i] = by
		}
	}
	return strings.Join(fields, " ")
}

// readings returns the possible values of a written number. If its form does not decide between
// decimal comma and decimal point, the language does; for None, both are possible.
func readings(s string, l Language) []float64 {
	s = strings.NewReplacer("'", "", "\u00a0", "", "\u202f", "").Replace(s)
	var out []float64
	add := func(decimal byte) {
		group := byte('.' + ',' - decimal)
		whole, fraction, _ := strings.Cut(s, string(decimal))
		if strings.IndexByte(fraction, group) >= 0 || strings.IndexByte(fraction, decimal) >= 0 {
			return
		}
		for i, part := range strings.Split(whole, string(group)) {
			if i > 0 && len(part) != 3 {
				return
			}
		}
		whole = strings.ReplaceAll(whole, string(group), "")
		if fraction != "" {
			whole += "." + fraction
		}
		if x, err := strconv.ParseFloat(whole, 64); err == nil {
			out = append(out, x)
		}
	}
	if l != German {
		add('.')
	}
	if l != English {
		add(',')
	}
	if len(out) == 0 {
		add('.')
		add(',')
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// equals reports whether two quantities can be equal.
func (q quantity) equals(other quantity) bool {
	if q.base != other.base {
		return false
	}
	if q.base == "date" {
		return slices.Equal(q.readings, other.readings)
	}
	if len(q.readings) == 0 || len(other.readings) == 0 {
		return q.written == other.written
	}
	for _, a := range q.readings {
		for _, b := range other.readings {
			if d := a - b; d <= 1e-9*max(a, b, 1) && -d <= 1e-9*max(a, b, 1) {
				return true
			}
		}
	}
	return false
}
