package corpus

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

func number(s string) *big.Int {
	n, _ := new(big.Int).SetString(s, 10)
	return n
}

func modulo(s string, by int64) int64 { return new(big.Int).Mod(number(s), big.NewInt(by)).Int64() }

// card returns a number whose last digit makes it whole.
func (g *generator) card() string {
	body := g.one("4", "51", "52", "55", "2223", "6011")
	body += g.digits(15 - len(body))
	if g.r.IntN(6) == 0 {
		body = g.one("34", "37") + g.digits(12)
	}
	for d := range 10 {
		all := body + strconv.Itoa(d)
		sum := 0
		for i := range len(all) {
			n := int(all[len(all)-1-i] - '0')
			if i%2 == 1 {
				n *= 2
			}
			sum += n/10 + n%10
		}
		if sum%10 == 0 {
			return all
		}
	}
	return body
}

func grouped(s, by string) string {
	var parts []string
	for len(s) > 4 {
		parts = append(parts, s[:4])
		s = s[4:]
	}
	return strings.Join(append(parts, s), by)
}

func (g *generator) iban() string {
	country, length := g.one("DE", "FR", "ES", "GB"), 18
	letters := ""
	switch country {
	case "FR":
		length = 23
	case "ES":
		length = 20
	case "GB":
		length, letters = 14, g.one("NWBK", "BARC", "LOYD")
	}
	spelled := func(s string) (out string) {
		for _, r := range s {
			if r >= 'A' {
				out += strconv.Itoa(int(r-'A') + 10)
			} else {
				out += string(r)
			}
		}
		return out
	}
	account := letters + g.digits(length)
	return fmt.Sprintf("%s%02d%s", country, 98-modulo(spelled(account+country)+"00", 97), account)
}

// papers returns how columns write the numbers of persons' papers.
func (g *generator) papers() map[string]func() string {
	return map[string]map[string]func() string{
		"en": {
			"social security": func() string {
				return fmt.Sprintf("%03d-%02d-%04d", g.between(100, 665), g.between(1, 99), g.between(1, 9999))
			},
			"national insurance": func() string {
				return g.chars("ABCEHJKLMPRSTWXYZ", 1) + g.chars("ABCEHJKLMPRSTWXYZ", 1) + g.fill(" ## ## ## ") + g.chars("ABCD", 1)
			},
			"health service": g.health,
		},
		"de": {
			"tax number": g.germanTax,
			"tax number, grouped": func() string {
				n := g.germanTax()
				return n[:2] + " " + n[2:5] + " " + n[5:8] + " " + n[8:]
			},
			"pension": g.pension,
		},
		"fr": {
			"social security": func() string { return g.nir("") },
			"spaced":          func() string { return g.nir(" ") },
		},
		"es": {
			"dni":  func() string { return g.dni("") },
			"nie":  func() string { return g.dni("XYZ") },
			"dash": func() string { n := g.dni(""); return n[:8] + "-" + n[8:] },
		},
	}[g.language]
}

func (g *generator) dni(first string) string {
	body := g.digits(8)
	spelled := body
	if first != "" {
		at := g.r.IntN(3)
		body = first[at:at+1] + body[1:]
		spelled = strconv.Itoa(at) + body[1:]
	}
	return body + string("TRWAGMYFPDXBNJZSQVHLCKE"[modulo(spelled, 23)])
}

func (g *generator) nir(by string) string {
	body := fmt.Sprintf("%d%02d%02d%02d%s", g.between(1, 2), g.r.IntN(100), g.between(1, 12), g.between(1, 95), g.digits(6))
	key := fmt.Sprintf("%02d", 97-modulo(body, 97))
	if by == "" {
		return body + key
	}
	return strings.Join([]string{body[:1], body[1:3], body[3:5], body[5:7], body[7:10], body[10:], key}, by)
}

func (g *generator) health() string {
	for {
		body := g.one("4", "6", "7") + g.digits(8)
		sum := 0
		for i := range 9 {
			sum += int(body[i]-'0') * (10 - i)
		}
		if check := (11 - sum%11) % 11; check < 10 {
			n := body + strconv.Itoa(check)
			return n[:3] + " " + n[3:6] + " " + n[6:]
		}
	}
}

func (g *generator) pension() string {
	body := fmt.Sprintf("%02d%02d%02d%02d", g.between(2, 89), g.between(1, 31), g.between(1, 12), g.between(30, 99))
	letter := g.r.IntN(26)
	rest := fmt.Sprintf("%02d", g.between(0, 99))
	sum := 0
	for i, r := range body + fmt.Sprintf("%02d", letter+1) + rest {
		n := int(r-'0') * []int{2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1}[i]
		sum += n/10 + n%10
	}
	return body + string(rune('A'+letter)) + rest + strconv.Itoa(sum%10)
}

// germanTax returns a number in whose first ten digits one comes twice and one
// not at all, with its check digit.
func (g *generator) germanTax() string {
	order := g.r.Perm(10)
	for order[0] == 0 {
		order = g.r.Perm(10)
	}
	order[9] = order[g.r.IntN(9)]
	product := 10
	for _, d := range order {
		n := (d + product) % 10
		if n == 0 {
			n = 10
		}
		product = n * 2 % 11
	}
	var b strings.Builder
	for _, d := range order {
		b.WriteString(strconv.Itoa(d))
	}
	return b.String() + strconv.Itoa((11-product)%10)
}

const (
	base62 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	base16 = "0123456789abcdef"
)

// tokens returns how columns write keys and tokens.
func (g *generator) tokens() map[string]func() string {
	all := map[string]func() string{
		"random":      func() string { return g.chars(base62, g.between(28, 48)) },
		"hexadecimal": func() string { return g.chars(base16, 64) },
		"prefixed":    func() string { return g.one("sk_live_", "pk_test_", "ghp_") + g.chars(base62, 30) },
		"web": func() string {
			return "eyJ" + g.chars(base62, 20) + "." + g.chars(base62, 40) + "." + g.chars(base62, 30)
		},
		"password": func() string { return "$2b$12$" + g.chars(base62, 53) },
	}
	if g.held() {
		delete(all, "prefixed")
		all["cloud"] = func() string { return "AKIA" + strings.ToUpper(g.chars("ABCDEFGHJKLMNPQRSTUVWXYZ234567", 16)) }
		all["short"] = func() string { return g.chars(base62, 24) }
		all["address"] = func() string { return "amqp://app:" + g.chars(base62, 12) + "@queue.example.com:5672/shop" }
	}
	return all
}
