package privacy

import (
	"math"
	"net/netip"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/loam-data/loam/host/internal/text"
)

// form is what a value is by the way it is written.
type form uint8

const (
	plain   form = iota
	mail         // an e-mail address
	secret       // a key, a token, a password beside its name
	account      // an IBAN
	card         // a card number
	papers       // a number of a person's papers that nothing else is written like
	numbers      // such a number of digits alone
	phone        // a phone number
	trunk        // digits that may be a phone number: 0301234567
	device       // an address of a device
	code         // random characters
	forms
)

// formNames complete "its values look like …".
var formNames = [forms]string{
	mail: "e-mail addresses", secret: "secrets", account: "bank accounts", card: "card numbers",
	papers: "numbers of persons' papers", numbers: "numbers of persons' papers", phone: "phone numbers", trunk: "phone numbers",
	device: "addresses of devices", code: "keys or tokens",
}

// certain forms need no company: a single value of one is left out of a column
// of others.
func (f form) certain() bool { return f >= mail && f <= papers }

var (
	emailPattern = text.Pattern(`[\p{L}\p{N}._%+\-]+(@|%40)[\p{L}\p{N}\-]+(\.[\p{L}\p{N}\-]+)*\.\p{L}{2,}`)
	tokenPattern = text.Pattern(`eyJ[\w\-]{5,}\.[\w\-]{5,}\.|-----BEGIN [A-Z ]*PRIVATE KEY|\b(sk|pk|rk|whsec)_(live|test)?_?\w{10,}|\bgh[pousr]_\w{20,}|\bgithub_pat_\w{20,}|` +
		`\b(AKIA|ASIA)[0-9A-Z]{16}\b|\bxox[abeprs]-[\w\-]{10,}|\bsk-[\w\-]{20,}|\bglpat-[\w\-]{15,}|\bAIza[\w\-]{30,}|\bya29\.[\w\-]{10,}|\bSG\.[\w\-]{10,}\.[\w\-]{10,}|` +
		`\b(npm|hf|shpat|shpss|dop_v1|dapi|sq0csp|sq0atp)[_\-]?[A-Za-z0-9]{24,}|\$2[aby]\$\d\d\$[./\w]{20,}|\$argon2|\$[156]\$[./\w]{1,16}\$[./\w]{20,}|\{S?SHA\d*\}|pbkdf2_|ssh-(rsa|ed25519) AAAA|` +
		`[Bb]earer [\w\-.=]{12,}|AccountKey=`)
	assignPattern  = text.Pattern(`(?i)(passw(or)?d|passwort|kennwort|pwd|contrase(n|ñ)a|mot de passe|secret|token|api[_\-]?key|access[_\-]?key)["']?\s*(=|:|%3D)\s*["']?([^\s"'&;,]{4,})`)
	urlPattern     = text.Pattern(`\w://[^/\s:@]+:[^/\s@]+@`)
	ibanPattern    = text.Pattern(`^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$`)
	ninoPattern    = text.Pattern(`^[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]\d{6}[A-D]$`)
	dniPattern     = text.Pattern(`^([XYZ]\d{7}|\d{8})[A-Z]$`)
	nirPattern     = text.Pattern(`^[1-478]\d{4}(\d\d|2A|2B)\d{8}$`)
	pensionPattern = text.Pattern(`^\d{2}[0-9]{2}(0[1-9]|1[0-2])\d{2}[A-Z]\d{3}$`)
	fiscalPattern  = text.Pattern(`^[A-Z]{6}\d{2}[ABCDEHLMPRST]\d{2}[A-Z]\d{3}[A-Z]$`)
	uuidPattern    = text.Pattern(`^[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$`)
	datePattern    = text.Pattern(`^(\d{4}[\-./]\d{1,2}[\-./]\d{1,2}|\d{1,2}[\-./]\d{1,2}[\-./](\d{4}|\d{2}))($|[ T])`)
)

// tokenStarts are what every match of tokenPattern has: few values do.
var tokenStarts = []string{
	"eyJ", "-----BEGIN", "sk_", "pk_", "rk_", "whsec_", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "AKIA", "ASIA", "xox", "sk-", "glpat-", "AIza", "ya29.", "SG.",
	"npm_", "hf_", "shpat_", "shpss_", "dop_v1_", "dapi", "sq0", "$2", "$argon2", "$1$", "$5$", "$6$", "SHA", "pbkdf2_", "ssh-", "earer ", "AccountKey=",
}

// assigned are what every match of assignPattern has, in lower case.
var assigned = []string{"passw", "kennwort", "pwd", "contrase", "mot de passe", "secret", "token", "key"}

// shape counts the characters of a value: it decides which patterns are worth a try.
type shape struct {
	letters, upper, digits, spaces, others int
	run                                    int // the longest without a space
}

func shapeOf(v string) (s shape) {
	run := 0
	for i := range len(v) {
		if run++; v[i] <= ' ' {
			run = 0
		}
		s.run = max(s.run, run)
		switch c := v[i]; {
		case 'a' <= c && c <= 'z', c >= utf8.RuneSelf:
			s.letters++
		case 'A' <= c && c <= 'Z':
			s.letters++
			s.upper++
		case '0' <= c && c <= '9':
			s.digits++
		case c == ' ':
			s.spaces++
		default:
			s.others++
		}
	}
	return s
}

// formOf returns how a value is written; valid says that its check digits, where
// the form has some, are right.
func formOf(v string) (f form, valid bool) {
	if len(v) < 3 {
		return plain, true
	}
	s := shapeOf(v)
	switch {
	case s.others > 0 && (strings.Contains(v, "@") || strings.Contains(v, "%40")) && emailPattern().MatchString(v):
		return mail, true
	case hasSecret(v, s):
		return secret, true
	case s.letters == 0:
		return numberForm(v, s)
	case s.digits >= 6 && s.letters <= 8 && s.others <= 6 && (strings.HasPrefix(v, "+") || strings.HasPrefix(v, "0") || strings.HasPrefix(v, "(")) && extension(v):
		return phone, true
	case s.digits >= 2 && s.upper >= 1 && len(v) <= 42:
		if shaped, valid := iban(v); shaped {
			return account, valid
		}
		if shaped, valid, _ := paper(v); shaped {
			return papers, valid
		}
	}
	if len(v) <= 43 && s.others >= 2 && strings.Contains(v, ":") && isDevice(v) {
		return device, true
	}
	if random(v, s) {
		return code, true
	}
	return plain, true
}

// hasSecret reports whether a known key, a password in an address, or a password
// with its name before it is part of a value.
func hasSecret(v string, s shape) bool {
	if len(v) < 8 || s.others == 0 && s.digits == 0 {
		return false
	}
	const token = 10 // no part of a key between spaces is shorter
	if len(v) >= 16 && s.run >= token && slices.ContainsFunc(tokenStarts, func(start string) bool { return strings.Contains(v, start) }) && tokenPattern().MatchString(v) {
		return true
	}
	if strings.Contains(v, "://") && strings.Contains(v, "@") && urlPattern().MatchString(v) {
		return true
	}
	return assigns(v)
}

func assigns(v string) bool {
	if !strings.ContainsAny(v, "=:") && !strings.Contains(v, "%3D") {
		return false
	}
	low := strings.ToLower(v)
	return slices.ContainsFunc(assigned, func(word string) bool { return strings.Contains(low, word) }) && assignPattern().MatchString(v)
}

// numberForm knows values without letters.
func numberForm(v string, s shape) (form, bool) {
	if s.digits < 7 {
		if s.others >= 2 && isDevice(v) {
			return device, true
		}
		return plain, true
	}
	if datePattern().MatchString(v) {
		return plain, true
	}
	if s.others >= 3 && isDevice(v) {
		return device, true
	}
	if d, ok := onlyDigits(v); ok && s.digits >= 13 && s.digits <= 19 && issued(d) {
		return card, luhn(d)
	}
	if shaped, valid, strong := paper(v); shaped {
		if strong {
			return papers, valid
		}
		if valid {
			return numbers, true
		}
	}
	switch {
	case dialled(v, s):
		return phone, true
	case s.spaces+s.others == 0 && s.digits >= 9 && s.digits <= 16 && v[0] == '0':
		return trunk, true
	}
	return plain, true
}

// dialled reports whether a value is written as a phone number is, and numbers of
// documents, dates and decimals are not: with a sign for the country, the area in
// parentheses, or in the groups of a country.
func dialled(v string, s shape) bool {
	if s.digits > 15 || len(v) > 32 || strings.Trim(v, "0123456789 +()./-") != "" {
		return false
	}
	groups := strings.FieldsFunc(v, func(r rune) bool { return r < '0' || r > '9' })
	switch {
	case v[0] == '+', strings.HasPrefix(v, "(0"), strings.HasPrefix(v, "(+"):
		return true
	case len(groups) < 2 || strings.Count(v, ".") == 1 && len(groups) == 2:
		return false
	case strings.HasPrefix(v, "00"):
		return len(v) > 2 && v[2] > '0' && s.digits >= 10
	case v[0] == '0':
		return v[1] != '0' && len(groups[0]) <= 6 && s.digits >= 8
	}
	lengths := ""
	for _, g := range groups {
		lengths += string(byte('0' + min(len(g), 9)))
	}
	american := func(area, exchange string) bool { return area[0] > '1' && exchange[0] > '1' }
	switch lengths {
	case "334":
		return american(groups[0], groups[1])
	case "1334":
		return groups[0] == "1" && american(groups[1], groups[2])
	case "333", "3222", "2322", "2232":
		return groups[0][0] >= '6'
	}
	return false
}

// extension reports whether a value is a phone number with words behind it.
func extension(v string) bool {
	at := strings.IndexFunc(v, func(r rune) bool { return r >= 'A' })
	head := strings.TrimRight(v[:at], " .,(")
	if s := shapeOf(head); s.digits < 7 || !dialled(head, s) {
		return false
	}
	tail := strings.ToLower(strings.TrimSpace(strings.TrimRight(v[at:], "0123456789 .)")))
	return strings.Contains(" x ext extension durchwahl dw poste int mobil mobile privat fax buro home work ", " "+tail+" ")
}

func isDevice(v string) bool {
	host := v
	if prefix, err := netip.ParsePrefix(v); err == nil {
		host = prefix.Addr().String()
	}
	if _, err := netip.ParseAddr(host); err == nil {
		return true
	}
	return len(v) == 17 && strings.Count(v, v[2:3]) == 5 && strings.IndexByte(":-", v[2]) >= 0 && hexadecimal(strings.ReplaceAll(v, v[2:3], ""))
}

// random reports whether a value looks as if nobody thought of it: hexadecimal
// of a digest's length, or mixed letters and digits of high entropy.
func random(v string, s shape) bool {
	if len(v) < 20 || len(v) > 512 || s.spaces > 0 || s.digits < 2 || uuidPattern().MatchString(v) || !utf8.ValidString(v) {
		return false
	}
	var seen [128]int
	other, lower := 0, 0
	for _, r := range v {
		switch {
		case r >= 'a' && r <= 'z':
			lower++
		case r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
		case strings.ContainsRune("+_-=/", r):
			other++
		default:
			return false
		}
		seen[r]++
	}
	entropy := 0.
	for _, n := range seen {
		if n > 0 {
			p := float64(n) / float64(len(v))
			entropy -= p * math.Log2(p)
		}
	}
	if hexadecimal(v) {
		return len(v) >= 32 && s.letters > 0 && entropy >= 3
	}
	least := 4.
	if len(v) < 24 {
		least = 3.9 // it has not room for more
	}
	return s.upper > 1 && lower > 1 && other <= len(v)/8 && entropy >= least
}

func hexadecimal(v string) bool { return strings.Trim(v, "0123456789abcdefABCDEF") == "" }
