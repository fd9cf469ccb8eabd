package privacy

import (
	"cmp"
	"math"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/loam-data/loam/sdk"
)

// What values look like, and the share of a column's that must for the column to
// be of it: less where the look is proof enough in itself, more where numbers or
// codes may look the same by chance.
const (
	emails    = "e-mail addresses"
	accounts  = "bank accounts"
	secrets   = "secrets"
	phones    = "phone numbers"
	cards     = "card numbers"
	addresses = "addresses of devices"
	codes     = "keys or tokens"

	clearShare = .2
	vagueShare = .8
)

var looks = []struct {
	what  string
	share float64
}{{emails, clearShare}, {accounts, clearShare}, {secrets, clearShare}, {cards, vagueShare}, {addresses, vagueShare}, {phones, vagueShare}, {codes, vagueShare}}

var (
	emailPattern = regexp.MustCompile(`[\p{L}\p{N}._%+\-]+@[\p{L}\p{N}\-]+(\.[\p{L}\p{N}\-]+)*\.\p{L}{2,}`)
	tokenPattern = regexp.MustCompile(`eyJ[\w\-]{5,}\.[\w\-]{5,}\.|-----BEGIN [A-Z ]*PRIVATE KEY|\b(sk|pk|rk)_(live|test)_\w{10,}|\bgh[pousr]_\w{20,}|\bAKIA[0-9A-Z]{16}\b|\bxox[abprs]-[\w\-]{10,}|\bsk-[\w\-]{20,}|\bglpat-[\w\-]{15,}|\$2[aby]\$\d\d\$[./\w]{20,}|\$argon2`)
	ibanPattern  = regexp.MustCompile(`^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$`)
	phonePattern = regexp.MustCompile(`^(\+|00)?\(?\d[\d\s()./\-]{5,22}\d( ?(x|ext\.?) ?\d{1,6})?$`)
	datePattern  = regexp.MustCompile(`^(\d{4}[\-./]\d{1,2}[\-./]\d{1,2}|\d{1,2}[\-./]\d{1,2}[\-./]\d{2,4})`)
	cardPattern  = regexp.MustCompile(`^[3-6]\d{3}[ \-]?\d{4}[ \-]?\d{4}[ \-]?\d{1,4}[ \-]?\d{0,3}$`)
	uuidPattern  = regexp.MustCompile(`^[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$`)
)

// tokenStarts are what every match of tokenPattern has: few values do.
var tokenStarts = []string{"eyJ", "-----BEGIN", "_live_", "_test_", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "AKIA", "xox", "sk-", "glpat-", "$2", "$argon2"}

// sensitive returns what a single value is that no column should show.
func sensitive(v string) string {
	switch {
	case strings.Contains(v, "@") && emailPattern.MatchString(v):
		return emails
	case len(v) >= 15 && iban(v):
		return accounts
	case len(v) >= 16 && slices.ContainsFunc(tokenStarts, func(start string) bool { return strings.Contains(v, start) }) && tokenPattern.MatchString(v):
		return secrets
	}
	return ""
}

// contains returns what a column holds by what is in it: by everything that
// would be kept of it.
func contains(s *sdk.ColumnStats, typ sdk.Type, words []string) string {
	switch typ {
	case sdk.TypeBool, sdk.TypeFloat64, sdk.TypeDate, sdk.TypeTime, sdk.TypeTimestamp, sdk.TypeTimestampTZ, sdk.TypeInterval, sdk.TypeUUID, sdk.TypeGeoWKT:
		return ""
	}
	values := s.Values
	if len(values) == 0 { // too many, or too long
		values = slices.Clone(s.Quantiles)
		for _, v := range []*string{s.Min, s.Max} {
			if v != nil {
				values = append(values, *v)
			}
		}
	}
	seen := map[string]int{}
	all := 0
	for _, v := range values {
		if v != "" {
			all++
			seen[cmp.Or(sensitive(v), vague(v))]++
		}
	}
	for _, look := range looks {
		enough := seen[look.what] > 0 && float64(seen[look.what]) >= look.share*float64(all)
		harmless := look.what == codes && coded(words) || look.what == phones && typ != sdk.TypeText
		if enough && !harmless {
			return look.what
		}
	}
	return ""
}

// vague returns what a value may be, if most of a column's are.
func vague(v string) string {
	if len(v) > 512 {
		return ""
	}
	switch {
	case cardPattern.MatchString(v) && luhn(v):
		return cards
	case strings.ContainsAny(v, ".:") && device(v):
		return addresses
	case phone(v):
		return phones
	case random(v):
		return codes
	}
	return ""
}

// phone reports whether a value is written as a phone number is and plain
// numbers, dates and decimals are not.
func phone(v string) bool {
	if len(v) < 7 || len(v) > 32 || !phonePattern.MatchString(v) || datePattern.MatchString(v) {
		return false
	}
	n := 0
	for _, r := range v {
		if r >= '0' && r <= '9' {
			n++
		}
	}
	marked := strings.HasPrefix(v, "+") || strings.HasPrefix(v, "00") || strings.Contains(v, "(")
	groups := len(strings.FieldsFunc(v, func(r rune) bool { return strings.ContainsRune(" -/.", r) }))
	return n >= 7 && n <= 15 && (marked || groups >= 3)
}

func device(v string) bool {
	host := v
	if prefix, err := netip.ParsePrefix(v); err == nil {
		host = prefix.Addr().String()
	}
	_, err := netip.ParseAddr(host)
	return err == nil
}

// iban holds the check digits. Source: ISO 13616-1:2020, ISO/IEC 7064 MOD 97-10.
func iban(v string) bool {
	v = strings.ToUpper(strings.ReplaceAll(v, " ", ""))
	if !ibanPattern.MatchString(v) {
		return false
	}
	rest := 0
	for _, r := range v[4:] + v[:4] {
		if r >= 'A' {
			rest = (rest*100 + int(r-'A') + 10) % 97
		} else {
			rest = (rest*10 + int(r-'0')) % 97
		}
	}
	return rest == 1
}

// luhn holds the check digit of a card. Source: ISO/IEC 7812-1, annex B.
func luhn(v string) bool {
	sum, n := 0, 0
	for i := len(v) - 1; i >= 0; i-- {
		if v[i] < '0' || v[i] > '9' {
			continue
		}
		d := int(v[i] - '0')
		if n%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
		n++
	}
	return n >= 13 && n <= 19 && sum%10 == 0
}

// random reports whether a value looks as if nobody thought of it: hexadecimal
// of a digest's length, or mixed letters and digits of high entropy.
func random(v string) bool {
	if len(v) < 24 || len(v) > 512 || !utf8.ValidString(v) || uuidPattern.MatchString(v) {
		return false
	}
	var upper, lower, number, other int
	var seen [128]int
	for _, r := range v {
		switch {
		case r >= 'a' && r <= 'z':
			lower++
		case r >= 'A' && r <= 'Z':
			upper++
		case r >= '0' && r <= '9':
			number++
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
		return len(v) >= 32 && number > 0 && lower+upper > 0 && entropy >= 3
	}
	return upper > 1 && lower > 1 && number > 1 && other <= len(v)/8 && entropy >= 4
}

func hexadecimal(v string) bool { return strings.Trim(v, "0123456789abcdefABCDEF") == "" }

// coded reports whether a column is called like one whose codes are no secret:
// what refers to something, or what tells two versions apart.
func coded(words []string) bool {
	const names = " id key sk pk fk oid uuid guid hash checksum digest etag md5 md sha fingerprint code sku slug url uri path file image version commit revision "
	if len(words) == 0 {
		return false
	}
	last := words[len(words)-1]
	if digits(last) && len(words) > 1 {
		last = words[len(words)-2]
	}
	return strings.Contains(names, " "+last+" ")
}
