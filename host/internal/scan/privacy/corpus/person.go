package corpus

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/loam-data/loam/sdk"
)

var ascii = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "ß", "ss", "é", "e", "è", "e", "ê", "e", "ë", "e", "í", "i", "î", "i", "ï", "i", "ó", "o", "ô", "o", "á", "a", "à", "a", "â", "a", "ú", "u", "ñ", "n", "ç", "c", "Ä", "Ae", "Ö", "Oe", "Ü", "Ue", "Á", "A", "É", "E", "Í", "I", "Ó", "O", "Ú", "U", "Ñ", "N", "'", "", " ", "", "ı", "i", "Œ", "Oe", "œ", "oe")

func (g *generator) surname() string {
	if g.language == "es" && g.r.IntN(2) == 0 {
		return g.from("surname") + " " + g.from("surname")
	}
	return g.from("surname")
}

// persons returns how a column writes names, and what it is.
func (g *generator) persons() map[string]func() string {
	titles := map[string][]string{"en": {"Mr ", "Ms ", "Dr. ", ""}, "de": {"Herr ", "Frau ", "Dr. ", ""}, "fr": {"M. ", "Mme ", ""}, "es": {"D. ", "Sra. ", "Dña. ", ""}}
	return map[string]func() string{
		"given and surname": func() string { return g.from("given") + " " + g.surname() },
		"surname, given":    func() string { return g.surname() + ", " + g.from("given") },
		"SURNAME GIVEN":     func() string { return strings.ToUpper(g.surname() + " " + g.from("given")) },
		"title":             func() string { return g.one(titles[g.language]...) + g.from("given") + " " + g.surname() },
		"middle initial":    func() string { return g.from("given") + " " + g.chars("ABCDEFGHJKLMPRST", 1) + ". " + g.surname() },
		"given":             func() string { return g.from("given") },
		"surname":           func() string { return g.surname() },
		"some firms among": func() string {
			if g.r.IntN(3) == 0 {
				return g.firm()
			}
			return g.from("given") + " " + g.surname()
		},
	}
}

// addresses returns how a column writes addresses.
func (g *generator) addresses() map[string]func() string {
	number := func() string { return strconv.Itoa(g.between(1, 180)) + g.one("", "", "", "a", "b") }
	line := func() string { return number() + " " + g.from("street") }
	switch g.language {
	case "en":
		line = func() string { return number() + " " + g.from("street") + g.one("", "", "", ", Apt 4", " Unit 12") }
	case "de":
		line = func() string { return g.from("street") + " " + number() }
	case "es":
		line = func() string {
			return g.from("street") + g.one(", ", " ", ", nº ") + number() + g.one("", "", ", 3º B", " 2 izq")
		}
	}
	place := func() string {
		if g.language == "en" {
			return g.from("city") + g.one(", TX 7", ", CO 8", " SW1A ") + g.digits(4)
		}
		return g.digits(5) + " " + g.from("city")
	}
	return map[string]func() string{
		"street and number": line,
		"whole":             func() string { return line() + ", " + place() },
		"upper case":        func() string { return strings.ToUpper(line()) },
		"lines":             func() string { return line() + "\n" + place() },
	}
}

// phones returns how a column writes phone numbers.
func (g *generator) phones() map[string]func() string {
	n := func(least, most int) string {
		return g.one("2", "3", "4", "5", "6", "7", "8") + g.digits(g.between(least, most)-1)
	}
	all := map[string]map[string]func() string{
		"en": {
			"local":         func() string { return n(3, 3) + "-" + n(3, 3) + "-" + g.digits(4) },
			"parentheses":   func() string { return "(" + n(3, 3) + ") " + n(3, 3) + "-" + g.digits(4) },
			"dots":          func() string { return n(3, 3) + "." + n(3, 3) + "." + g.digits(4) },
			"international": func() string { return "+1 " + n(3, 3) + " " + n(3, 3) + " " + g.digits(4) },
			"british":       func() string { return "0" + g.one("1", "2", "7") + g.digits(g.between(2, 3)) + " " + g.digits(6) },
			"extension": func() string {
				return "+44 20 " + g.digits(4) + " " + g.digits(4) + g.one("", " x"+g.digits(3), " ext. "+g.digits(2))
			},
		},
		"de": {
			"local":         func() string { return "0" + n(2, 4) + " " + n(5, 8) },
			"slash":         func() string { return "0" + n(2, 4) + "/" + n(5, 8) },
			"mobile":        func() string { return "01" + g.one("51", "60", "70", "76", "79") + "-" + n(7, 8) },
			"international": func() string { return "+49" + g.one(" ", "") + n(2, 3) + " " + n(6, 8) },
			"zeros":         func() string { return "0049 " + n(2, 3) + " " + n(6, 8) },
			"digits":        func() string { return "01" + g.one("51", "60", "70", "76", "79", "57", "62", "72") + n(7, 8) },
		},
		"fr": {
			"local":               func() string { return "0" + g.one("1", "2", "4", "6", "7") + strings.Repeat(" ##", 4) },
			"dots":                func() string { return "0" + g.one("1", "2", "4", "6", "7") + strings.Repeat(".##", 4) },
			"digits":              func() string { return "0" + g.one("1", "2", "3", "4", "5", "6", "7", "9") + g.digits(8) },
			"international":       func() string { return "+33 " + g.one("1", "6", "7") + strings.Repeat(" ##", 4) },
			"zero in parentheses": func() string { return "+33 (0)" + g.one("1", "6") + strings.Repeat(" ##", 4) },
		},
		"es": {
			"local":         func() string { return g.one("6", "7", "9") + "## ### ###" },
			"pairs":         func() string { return g.one("6", "9") + "## ## ## ##" },
			"international": func() string { return "+34 " + g.one("6", "7", "9") + "## ### ###" },
			"closed":        func() string { return "+34" + g.one("6", "7", "9") + "########" },
		},
	}[g.language]
	for kind, value := range all {
		all[kind] = func() string { return g.fill(value()) }
	}
	return all
}

// fill puts digits in place of #.
func (g *generator) fill(pattern string) string {
	var b strings.Builder
	for _, r := range pattern {
		if r == '#' {
			r = rune('0' + g.r.IntN(10))
		}
		b.WriteRune(r)
	}
	return b.String()
}

func (g *generator) mail() string {
	given, surname := strings.ToLower(ascii.Replace(g.from("given"))), strings.ToLower(ascii.Replace(g.from("surname")))
	domain := g.one("example.com", "example.org", "mail.example.net", "firma.example.de", "correo.example.es", "exemple.example.fr")
	return g.one(given+"."+surname, given[:1]+surname, surname+g.digits(2), given+"_"+surname) + "@" + domain
}

// birthday of somebody who is of working age, or of any age.
func (g *generator) birthday(any bool) time.Time {
	least, most := 19, 67
	if any {
		least, most = 0, 95
	}
	return At.AddDate(-g.between(least, most), 0, -g.r.IntN(365))
}

// births returns how columns write dates of birth.
func (g *generator) births() map[string]struct {
	typ   sdk.Type
	value func() string
} {
	type way = struct {
		typ   sdk.Type
		value func() string
	}
	local := map[string]string{"en": "01/02/2006", "de": "02.01.2006", "fr": "02/01/2006", "es": "02/01/2006"}[g.language]
	if g.held() {
		local = map[string]string{"en": "2006/01/02", "de": "2.1.2006", "fr": "02-01-2006", "es": "02-01-2006"}[g.language]
	}
	any := g.held()
	return map[string]way{
		"date":      {sdk.TypeDate, func() string { return g.birthday(any).Format(time.DateOnly) }},
		"employees": {sdk.TypeDate, func() string { return g.birthday(false).Format(time.DateOnly) }},
		"timestamp": {sdk.TypeTimestamp, func() string { return g.birthday(any).Format(time.DateOnly) + "T00:00:00" }},
		"ISO text":  {sdk.TypeText, func() string { return g.birthday(any).Format(time.DateOnly) }},
		"text":      {sdk.TypeText, func() string { return g.birthday(any).Format(local) }},
		"number":    {sdk.TypeInt64, func() string { return g.birthday(any).Format("20060102") }},
	}
}

// note is what somebody wrote of a customer or patient.
func (g *generator) note() string {
	text := g.from("note")
	switch g.r.IntN(4) {
	case 0:
		return text + " " + g.from("note")
	case 1:
		return g.from("given") + ": " + text
	case 2:
		return fmt.Sprintf("%s (%02d.%02d.)", text, g.between(1, 28), g.between(1, 12))
	}
	return g.from("surname") + " - " + text
}
