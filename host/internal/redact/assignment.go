package redact

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The names whose value is a secret: the last word of the name decides. A password may
// be a word, a phrase several, a PIN is digits, and the others are random.
// English, German, French, Spanish and Portuguese.
var (
	passwords = []string{
		"password", "passwd", "pwd", "passwort", "kennwort", "pass", "pw", "passcode", "zugangscode", "losungswort",
		"motdepasse", "mdp", "contraseña", "contrasena", "contraseñas", "senha",
	}
	phrases = []string{"passphrase", "passphrases", "kennwortsatz", "passsatz"}
	pins    = []string{"pin", "otp", "cvv", "cvc", "geheimzahl"}
	// joined are last words that make a name with the words before them.
	joined = map[string]struct {
		before string
		how    strength
	}{
		"passe": {"de", passwordName}, "phrase": {"pass", phraseName}, "code": {"pin", pinName}, "nummer": {"pin", pinName}, "number": {"pin", pinName},
		"word": {"pass", passwordName}, "wort": {"pass", passwordName},
	}
	tokens = []string{
		"secret", "token", "apikey", "accesskey", "secretkey", "privatekey", "accountkey", "authkey", "sharedkey",
		"signingkey", "encryptionkey", "masterkey", "credential", "credentials", "sharedaccesskey",
	}
	// qualified are the words before "key" that make a secret of it: primary key is none.
	qualified = []string{
		"api", "access", "secret", "private", "account", "auth", "shared", "signing", "encryption", "master", "service",
		"consumer", "subscription", "license", "ssh", "deploy", "app", "application", "function", "host",
	}
)

// strength is how much a value must look like a secret under a name.
type strength uint8

const (
	noName strength = iota
	tokenName
	passwordName
	phraseName
	pinName
)

// kinds are what a value is called by the strength of its name.
var kinds = [...]string{tokenName: "token", passwordName: "password", phraseName: "password", pinName: "pin"}

// maxName is the longest word of a name that is looked at; maxValue how much of a value
// decides. Units: bytes.
const (
	maxName  = 40
	maxValue = 256
)

// named returns the value of a name = value whose name has its last word at i.
func (f *finder) named(i int) (kind string, from, to int) {
	end := i
	for end < len(f.text) && end-i <= maxName && (classOf(f.text[end]) == lower || classOf(f.text[end]) == upper || f.text[end] >= utf8.RuneSelf) {
		end++
	}
	how := f.strength(i, end)
	if how == noName {
		return "", 0, 0
	}
	for end < len(f.text) && classOf(f.text[end]) == digit { // password2
		end++
	}
	from, certain := f.separator(i, end)
	if from < 0 && how == passwordName {
		from = f.behind(end)
	}
	if from < 0 {
		return "", 0, 0
	}
	to, quoted := f.value(&from)
	if how == phraseName && !quoted {
		if end := f.phrase(from, to); end > to {
			return kinds[how], from, end
		}
	}
	value := f.text[from:to]
	if to == from || placeholder(value) || !secret(value, how, certain || quoted) {
		return "", 0, 0
	}
	return kinds[how], from, to
}

// proseWords are in sentences about a passphrase and hardly in one.
var proseWords = []string{
	"the", "a", "an", "is", "are", "of", "in", "for", "to", "see", "must", "not", "no", "with", "on", "by", "at", "required", "optional", "und", "der", "die", "das",
	"ist", "im", "für", "siehe", "nicht", "le", "la", "les", "est", "dans", "pour", "voir", "el", "los", "es", "en", "para", "ver", "that", "which", "and", "or", "from",
}

// phrase returns the end of the words behind a passphrase's name up to the end of its part of the sentence, 0 = they are
// a sentence about one.
func (f *finder) phrase(from, first int) int {
	const most = 120
	words := f.rest(from, most)
	if end := strings.IndexAny(words, ".,;\n\"'()"); end >= 0 {
		words = words[:end]
	}
	fields := strings.Fields(words)
	if len(fields) < 2 || len(fields) > 12 || placeholder(words) || slices.ContainsFunc(fields, func(w string) bool { return len(w) < 2 || slices.Contains(proseWords, strings.ToLower(w)) }) {
		return 0
	}
	return max(from+len(strings.TrimRight(words, " \t")), first)
}

// strength says what the word of a name from i to end makes of its value.
func (f *finder) strength(i, end int) strength {
	word := strings.ToLower(f.text[i:end])
	suffix := func(s string) bool {
		rest, ok := strings.CutSuffix(word, s)
		return ok && (rest == "" || len(s) > 4)
	}
	before := joined[word]
	switch {
	case slices.ContainsFunc(phrases, suffix):
		return phraseName
	case slices.Contains(pins, word):
		return pinName
	case before.how != noName && f.wordBefore(i) == before.before:
		return before.how
	case slices.ContainsFunc(passwords, suffix):
		return passwordName
	case slices.ContainsFunc(tokens, suffix):
		return tokenName
	case word == "key" && slices.Contains(qualified, f.wordBefore(i)):
		return tokenName
	}
	return noName
}

// wordBefore returns the word that one space, dash, dot or underscore parts from i.
func (f *finder) wordBefore(i int) string {
	if i < 2 || strings.IndexByte(" _-.", f.text[i-1]) < 0 {
		return ""
	}
	start := i - 1
	for start > 0 && i-start <= maxName && letterOrDigit(f.text[start-1]) {
		start--
	}
	return strings.ToLower(f.text[start : i-1])
}

// separator returns where the value begins behind a name that ends at end, -1 for a
// name that nothing is assigned to. certain: it is written as in a configuration.
func (f *finder) separator(start, end int) (value int, certain bool) {
	rest := f.rest(end, 16)
	trimmed := strings.TrimLeft(rest, "\"'`]")
	closed := len(trimmed) < len(rest)
	spaced := strings.TrimLeft(trimmed, " \t")
	gap := len(spaced) < len(trimmed)
	at := end + len(rest) - len(spaced)
	switch {
	case strings.HasPrefix(spaced, "=="), strings.HasPrefix(spaced, "::"), strings.HasPrefix(spaced, "://"):
		return -1, false
	case strings.HasPrefix(spaced, ":="), strings.HasPrefix(spaced, "=>"):
		at, certain = at+2, true
	case strings.HasPrefix(spaced, "="):
		at, certain = at+1, true
	case strings.HasPrefix(spaced, ":"):
		at, certain = at+1, closed
	case strings.HasPrefix(spaced, ">") && start > 0 && f.opensTag(start): // <password>…
		at, certain = at+1, true
	case gap && slices.ContainsFunc(verbs, func(verb string) bool { return strings.HasPrefix(strings.ToLower(spaced), verb) }):
		at += strings.IndexByte(spaced, ' ')
	case gap && f.netrc(start):
		certain = true
	case gap && (strings.HasPrefix(spaced, "'") || strings.HasPrefix(spaced, "\"")): // PASSWORD 'x'
	case gap && f.option(start):
		certain = true
	default:
		return -1, false
	}
	for at < len(f.text) && (f.text[at] == ' ' || f.text[at] == '\t') {
		at++
	}
	return at, certain
}

// behind returns where the value begins of a name with some words between it and its verb, as in "the password for the
// staging box is …"; -1 where there is none.
func (f *finder) behind(end int) int {
	const most = 48
	words := f.rest(end, most)
	if stop := strings.IndexAny(words, ".,;:!?=\n"); stop >= 0 {
		words = words[:stop]
	}
	for _, verb := range verbs {
		at := strings.Index(words, " "+verb)
		if at < 0 || !strings.HasPrefix(words, " ") {
			continue
		}
		from := end + at + 1 + len(verb)
		to := trimEnd(f.text, from, f.run(from, solid))
		value := f.text[from:to]
		if len(value) >= 6 && strings.ContainsAny(value, "0123456789") && strings.ContainsFunc(value, unicode.IsLetter) && !identifier(value) {
			return from
		}
	}
	return -1
}

// verbs stand between the name and the value in a sentence.
var verbs = []string{"is ", "was ", "ist ", "war ", "lautet ", "est ", "était ", "es ", "era ", "é "}

// netrc reports whether the name at i is the key of an entry of a .netrc file, behind its login.
func (f *finder) netrc(i int) bool {
	before := strings.Fields(f.text[max(i-200, 0):i])
	n := len(before)
	return n >= 3 && before[n-2] == "login" && (n >= 4 && before[n-4] == "machine" || before[n-3] == "default")
}

// opensTag and option report what the name that holds i begins with: <name, --name.
func (f *finder) opensTag(i int) bool { return f.nameStart(i) > 0 && f.text[f.nameStart(i)-1] == '<' }

func (f *finder) option(i int) bool { return strings.HasPrefix(f.text[f.nameStart(i):], "--") }

func (f *finder) nameStart(i int) int {
	start := i
	for start > 0 && i-start < maxName && members[f.text[start-1]]&(1<<dotted) != 0 {
		start--
	}
	return start
}

// value returns the end of the value at *from, which a quote moves behind itself.
func (f *finder) value(from *int) (end int, quoted bool) {
	if *from >= len(f.text) {
		return *from, false
	}
	if q := f.text[*from]; q == '"' || q == '\'' || q == '`' {
		rest := f.rest(*from+1, 4*maxValue)
		if n := strings.IndexByte(rest, q); n >= 0 && !strings.Contains(rest[:n], "\n") {
			*from++
			return *from + n, true
		}
	}
	end = f.run(*from, solid)
	head := f.text[*from:min(end, *from+maxValue)]
	for i, c := range []byte(head) { // Pwd=x;Host=y, ?token=x&b=y
		if strings.IndexByte(";&,", c) >= 0 && i+1 < len(head) && letterOrDigit(head[i+1]) && strings.ContainsAny(head[i:], "=:") {
			return *from + i, false
		}
	}
	return trimEnd(f.text, *from, end), false
}

// secret reports whether a value looks like one. certain: it is written as a
// configuration has it, so that a word may be one.
func secret(value string, how strength, certain bool) bool {
	value = value[:min(len(value), maxValue)]
	if how == pinName {
		return len(value) >= 3 && len(value) <= 12 && strings.Trim(value, "0123456789") == ""
	}
	var has [digit + 1]bool
	special := false
	for i := range len(value) {
		has[classOf(value[i])] = true
		special = special || classOf(value[i]) == other && strings.IndexByte("_-./: ", value[i]) < 0
	}
	if how == phraseName && certain && strings.Contains(value, " ") {
		return len(value) >= 8
	}
	if path(value) || identifier(value) && !(has[digit] && (certain || how == passwordName && has[upper])) {
		return false
	}
	letters := has[lower] || has[upper]
	if how == tokenName {
		return len(value) >= 8 && letters && (has[digit] || special || has[upper] && has[lower] && len(value) >= 20)
	}
	switch {
	case len(value) < 4 || slices.Contains(types, strings.ToLower(strings.TrimRight(value, "0123456789()"))):
		return false
	case certain:
		return !strings.Contains(value, " ") || has[digit] || special
	}
	return len(value) >= 6 && (letters && has[digit] || special)
}

// types are words that stand behind a name that is called a password and say what it is.
var types = []string{
	"string", "text", "varchar", "char", "nvarchar", "bytes", "bytea", "blob", "secret", "hidden", "required", "optional",
	"null", "none", "true", "false", "password", "unknown", "empty", "redacted", "changed", "missing", "expired", "encrypted",
}

// identifier reports whether a value is words that dots, dashes or underscores join,
// with no more than digits at the end of each.
func identifier(value string) bool {
	parts := strings.FieldsFunc(value, func(r rune) bool { return strings.ContainsRune("._- ", r) })
	return len(parts) > 1 && !slices.ContainsFunc(parts, func(part string) bool {
		word := strings.TrimRight(part, "0123456789")
		return len(part)-len(word) > 4 || strings.ContainsFunc(word, func(r rune) bool { return r < 'A' || r > 'z' || r > 'Z' && r < 'a' })
	})
}

// path reports whether a value is the name of a file or of another place.
func path(value string) bool {
	for _, prefix := range []string{"./", "../", "~/", "env:", "file:", "cmd:", "keyring:", "vault:", "op://", "arn:", "ref+", "projects/"} {
		if strings.HasPrefix(value, prefix) {
			return true
		}
	}
	return strings.HasPrefix(value, "/") && strings.Count(value, "/") > 1 && !strings.ContainsAny(value, "+=")
}

// placeholder reports whether a value stands for one that is elsewhere.
func placeholder(value string) bool {
	for _, prefix := range []string{"${", "$(", "{{", "{", "<", "%(", "[redacted", "-----BEGIN ", "***", "...", "…", "os.", "process.env", "getenv"} {
		if strings.HasPrefix(value, prefix) {
			return true
		}
	}
	if name, ok := strings.CutPrefix(value, "$"); ok {
		return name != "" && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == ""
	}
	return strings.Trim(value, "xX*.-_•") == ""
}
