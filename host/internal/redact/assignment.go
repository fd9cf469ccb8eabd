package redact

import (
	"slices"
	"strings"
)

// The names whose value is a secret: the last word of the name decides. A password may
// be a word, the others are random.
var (
	passwords = []string{"password", "passwd", "pwd", "passphrase", "passwort", "kennwort", "pass", "pw"}
	tokens    = []string{
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
)

// maxName is the longest word of a name that is looked at; maxValue how much of a value
// decides. Units: bytes.
const (
	maxName  = 40
	maxValue = 256
)

// named returns the value of a name = value whose name has its last word at i.
func (f *finder) named(i int) (kind string, from, to int) {
	end := i
	for end < len(f.text) && end-i <= maxName && (classOf(f.text[end]) == lower || classOf(f.text[end]) == upper) {
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
	if from < 0 {
		return "", 0, 0
	}
	to, quoted := f.value(&from)
	value := f.text[from:to]
	kind = "token"
	if how == passwordName {
		kind = "password"
	}
	if to == from || placeholder(value) || !secret(value, how, certain || quoted) {
		return "", 0, 0
	}
	return kind, from, to
}

// strength says what the word of a name from i to end makes of its value.
func (f *finder) strength(i, end int) strength {
	word := strings.ToLower(f.text[i:end])
	suffix := func(s string) bool {
		rest, ok := strings.CutSuffix(word, s)
		return ok && (rest == "" || len(s) > 4)
	}
	switch {
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
	case gap && (strings.HasPrefix(spaced, "is ") || strings.HasPrefix(spaced, "ist ") || strings.HasPrefix(spaced, "lautet ")):
		at += strings.IndexByte(spaced, ' ')
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
	var has [digit + 1]bool
	special := false
	for i := range len(value) {
		has[classOf(value[i])] = true
		special = special || classOf(value[i]) == other && strings.IndexByte("_-./: ", value[i]) < 0
	}
	if path(value) || identifier(value) && !(certain && has[digit]) {
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
