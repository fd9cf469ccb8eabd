// Package redact removes secrets from a text before it is stored: tokens in the formats
// of known providers, PEM blocks, passwords in URLs, and values that are named as
// secrets. It has no list of actual secrets.
package redact

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
)

// Finding counts what was taken out, by kind: "url_password", "pem", "aws_access_key".
type Finding struct {
	Kind  string
	Count int
}

// Text returns s without its secrets, and how many of each kind it had, ordered by kind.
// In the place of one stands [redacted:<kind>:<mark>]: equal secrets have equal marks
// under one salt, and 16 bits of a keyed hash lead back to none. known, nil = none, takes
// out the secrets that the caller knows; it runs first, on whole secrets.
// Digests, UUIDs, numbers, identifiers and file paths stay, and so do encoded words,
// unless a name says that they are a secret.
// Units: the cost is linear in s.
func Text(s string, salt []byte, known func(string) string) (clean string, found []Finding) {
	counts := map[string]int{}
	if known != nil {
		if replaced := known(s); replaced != s {
			const mark = "[redacted]"
			counts["known"] = max(1, strings.Count(replaced, mark)-strings.Count(s, mark))
			s = replaced
		}
	}
	f := finder{text: s, nextEnd: -1}
	var out strings.Builder
	copied := 0
	for i := 0; i < len(s); {
		kind, from, to := f.at(i)
		if kind == "" {
			i++
			continue
		}
		out.WriteString(s[copied:from])
		out.WriteString("[redacted:" + kind + ":" + mark(salt, s[from:to]) + "]")
		counts[kind]++
		copied, i = to, to
	}
	out.WriteString(s[copied:])
	for kind, n := range counts {
		found = append(found, Finding{kind, n})
	}
	slices.SortFunc(found, func(a, b Finding) int { return cmp.Compare(a.Kind, b.Kind) })
	return out.String(), found
}

func mark(salt []byte, secret string) string {
	h := hmac.New(sha256.New, salt)
	h.Write([]byte(secret))
	return hex.EncodeToString(h.Sum(nil)[:2])
}

// finder looks for secrets from left to right.
type finder struct {
	text string
	// ends are where runs of each alphabet end that were looked at before, so that no
	// byte is read again and again: a run that holds a place ends where it ended.
	ends [alphabets]int
	// nextEnd is where the next END line of a PEM block was found; before the block
	// that is looked at, it says nothing.
	nextEnd int
}

// at returns the secret for which something at i speaks; it begins at i or behind it.
// Shape: kind is "" where there is none.
func (f *finder) at(i int) (kind string, from, to int) {
	switch c := f.text[i]; {
	case c == '-' && strings.HasPrefix(f.text[i:], "-----BEGIN "):
		return "pem", i, f.blockEnd(i)
	case c == '-':
		if from, to := f.argument(i); to > from {
			return "password", from, to
		}
	case c == '/':
		if from, to := f.login(i); to > from {
			return "password", from, to
		}
	case c == '*' && (i == 0 || f.text[i-1] == '\n'):
		if from, to := f.passwordFile(i); to > from {
			return "password", from, to
		}
	case c == ':' && strings.HasPrefix(f.text[i:], "://"):
		if from, to := f.userinfo(i + 3); to > from {
			return "url_password", from, to
		}
	case letterOrDigit(c) && (i == 0 || !letterOrDigit(f.text[i-1])):
		if i == 0 || f.text[i-1] == '\n' || f.text[i-1] == '`' {
			if from, to := f.passwordFile(i); to > from {
				return "password", from, to
			}
		}
		if kind, to := f.provider(i); kind != "" {
			return kind, i, to
		}
		if kind, to := f.infixed(i); kind != "" {
			return kind, i, to
		}
		if from, to := f.bearer(i); to > from {
			return "bearer_token", from, to
		}
		return f.named(i)
	}
	return "", 0, 0
}

// run returns the end of the run of an alphabet at i.
func (f *finder) run(i int, a alphabet) int {
	if i < f.ends[a] {
		return f.ends[a]
	}
	end := i
	for end < len(f.text) && members[f.text[end]]&(1<<a) != 0 {
		end++
	}
	f.ends[a] = end
	return end
}

// rest returns the text from i on, of at most n bytes.
func (f *finder) rest(i, n int) string { return f.text[i:min(i+n, len(f.text))] }

func letterOrDigit(c byte) bool { return members[c]&(1<<base62) != 0 }
