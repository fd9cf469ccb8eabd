package privacy

import "strings"

// remainder returns the remainder of a number written in decimal digits; other
// characters are left out.
func remainder(digits string, by int) int {
	rest := 0
	for i := range len(digits) {
		if c := digits[i]; c >= '0' && c <= '9' {
			rest = (rest*10 + int(c-'0')) % by
		}
	}
	return rest
}

// onlyDigits returns the digits of a value, and whether it has nothing else but
// spaces, dots, hyphens and slashes.
func onlyDigits(v string) (digits string, plain bool) {
	var out [24]byte
	n := 0
	for i := range len(v) {
		switch c := v[i]; {
		case c >= '0' && c <= '9':
			if n == len(out) {
				return "", false
			}
			out[n] = c
			n++
		case strings.IndexByte(" .-/", c) < 0:
			return "", false
		}
	}
	return string(out[:n]), true
}

func digit(s string, i int) int { return int(s[i] - '0') }

// weighted adds up digits times weights.
func weighted(digits string, weights ...int) (sum int) {
	for i, w := range weights {
		sum += w * digit(digits, i)
	}
	return sum
}

// luhn holds the check digit of a card. Source: ISO/IEC 7812-1, annex B.
func luhn(digits string) bool {
	sum := 0
	for i := range len(digits) {
		d := digit(digits, len(digits)-1-i)
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0
}

// issued reports whether a number begins and is as long as those of the large
// issuers of cards: Visa, Mastercard, American Express, Discover, JCB, Diners, Maestro.
func issued(d string) bool {
	has := func(prefixes ...string) bool {
		for _, p := range prefixes {
			if strings.HasPrefix(d, p) {
				return true
			}
		}
		return false
	}
	switch len(d) {
	case 13:
		return has("4")
	case 14:
		return has("36", "38", "30")
	case 15:
		return has("34", "37")
	case 16:
		return has("4", "51", "52", "53", "54", "55", "6011", "65", "35", "62", "50", "67") || d >= "2221" && d < "2721"
	case 19:
		return has("4", "62", "63", "67")
	}
	return false
}

// iban holds the check digits. Source: ISO 13616-1:2020, ISO/IEC 7064 MOD 97-10.
func iban(v string) (shaped, valid bool) {
	v = strings.ToUpper(strings.ReplaceAll(v, " ", ""))
	if !ibanPattern().MatchString(v) {
		return false, false
	}
	rest := 0
	for _, r := range v[4:] + v[:4] {
		if r >= 'A' {
			rest = (rest*100 + int(r-'A') + 10) % 97
		} else {
			rest = (rest*10 + int(r-'0')) % 97
		}
	}
	return true, rest == 1
}

// A paper is a number that a state or an insurer gives a person. Sources: the
// published rules of each country for its check digits.
func paper(v string) (shaped, valid, strong bool) {
	if len(v) < 9 || len(v) > 21 {
		return false, false, false
	}
	if d, plain := onlyDigits(v); plain {
		return digitPaper(v, d)
	}
	w := strings.ToUpper(strings.NewReplacer(" ", "", "-", "", ".", "").Replace(v))
	switch {
	case ninoPattern().MatchString(w):
		return true, !strings.Contains(" BG GB KN NK NT TN ZZ ", " "+w[:2]+" "), true
	case dniPattern().MatchString(w):
		number := strings.NewReplacer("X", "0", "Y", "1", "Z", "2").Replace(w[:len(w)-1])
		return true, "TRWAGMYFPDXBNJZSQVHLCKE"[remainder(number, 23)] == w[len(w)-1], true
	case nirPattern().MatchString(w):
		number := strings.NewReplacer("2A", "19", "2B", "18").Replace(w[:13])
		return true, 97-remainder(number, 97) == remainder(w[13:], 100), true
	case pensionPattern().MatchString(w):
		return true, pension(w), true
	case fiscalPattern().MatchString(w):
		return true, fiscal(w), true
	}
	return false, false, false
}

// digitPaper knows numbers of digits alone; those that are strong have more than
// one check digit, or a form that nothing else has.
func digitPaper(v, d string) (shaped, valid, strong bool) {
	switch {
	case len(v) == 11 && v[3] == '-' && v[6] == '-' && len(d) == 9: // United States
		return true, d[:3] != "000" && d[:3] != "666" && d[0] != '9' && d[3:5] != "00" && d[5:] != "0000", true
	case len(d) == 15 && strings.IndexByte("123478", d[0]) >= 0: // France
		return true, 97-remainder(d[:13], 97) == remainder(d[13:], 100), true
	case len(d) == 13 && strings.HasPrefix(d, "756"): // Switzerland
		return true, weighted(d, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1)%10 == 0, v != d
	case len(d) == 12: // Spain's social security
		return true, remainder(d[:10], 97) == remainder(d[10:], 100), false
	case len(d) == 11 && len(v) == 14 && v[3] == '.' && v[11] == '-': // Brazil
		return true, brazilian(d), true
	case len(d) == 11: // Germany's tax number
		return true, d[0] != '0' && germanTax(d), false
	case len(d) == 10 && strings.IndexByte("4679", d[0]) >= 0: // the National Health Service
		return true, weighted(d, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1)%11 == 0, false
	}
	return false, false, false
}

// germanTax holds the check digit and that one digit comes twice or three times.
// Source: ISO/IEC 7064 MOD 11,10.
func germanTax(d string) bool {
	product := 10
	var seen [10]int
	for i := range 10 {
		n := digit(d, i)
		seen[n]++
		if n = (n + product) % 10; n == 0 {
			n = 10
		}
		product = 2 * n % 11
	}
	repeated := 0
	for _, n := range seen {
		if n > 3 {
			return false
		}
		if n > 1 {
			repeated++
		}
	}
	return repeated == 1 && (11-product)%10 == digit(d, 10)
}

func brazilian(d string) bool {
	check := func(n int) int {
		sum := 0
		for i := range n {
			sum += (n + 1 - i) * digit(d, i)
		}
		return sum * 10 % 11 % 10
	}
	return check(9) == digit(d, 9) && check(10) == digit(d, 10)
}

// pension holds the check digit of a German pension number: 65 170839 J 00 8.
func pension(w string) bool {
	letter := int(w[8]-'A') + 1
	d := w[:8] + string([]byte{byte('0' + letter/10), byte('0' + letter%10)}) + w[9:]
	sum := 0
	for i, weight := range []int{2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1} {
		n := weight * digit(d, i)
		sum += n/10 + n%10
	}
	return sum%10 == digit(d, 12)
}

// fiscal holds the check letter of an Italian tax code.
func fiscal(w string) bool {
	odd := [26]int{1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23}
	sum := 0
	for i := range 15 {
		n := int(w[i] - '0')
		if w[i] >= 'A' {
			n = int(w[i] - 'A')
		}
		if i%2 == 0 {
			n = odd[n]
		}
		sum += n
	}
	return byte('A'+sum%26) == w[15]
}
