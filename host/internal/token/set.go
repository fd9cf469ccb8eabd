// Package token stores the named tokens of a project: who may connect to its MCP
// server, until when, and with which toolsets and connections.
//
// They are in one file, .loam/tokens.json, which several processes change under a
// lock and replace whole: a killed process leaves the file as it was. The file has
// SHA-256 digests: a token has 130 random bits, so that no slow hash is needed
// against guessing.
package token

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/caller"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

// prefix begins every token, so that people, secret scanners and Redact know one.
const prefix = "loam_"

var pattern = text.Pattern(prefix + `[A-Z2-7]{26}`)

// Redact removes everything that looks like a token from a text.
func Redact(text string) string {
	if !strings.Contains(text, prefix) {
		return text
	}
	return pattern().ReplaceAllString(text, "[redacted]")
}

// Token is one named token, without its secret.
type Token struct {
	Name    string
	Created time.Time
	Expires time.Time // zero = never
	caller.Grant
	digest [sha256.Size]byte
}

// newSecret makes the secret of a token.
func newSecret() string { return prefix + rand.Text() }

// Digest returns the digest of a secret, which is all that is stored of it.
func Digest(secret string) [sha256.Size]byte { return sha256.Sum256([]byte(secret)) }

// Expired reports whether a token has expired.
func (t *Token) Expired(now time.Time) bool { return !t.Expires.IsZero() && !now.Before(t.Expires) }

// Equal reports whether two are the same token with the same grant.
func (t *Token) Equal(o *Token) bool {
	return t.digest == o.digest && t.Name == o.Name && t.Expires.Equal(o.Expires) &&
		slices.Equal(t.Toolsets, o.Toolsets) && slices.Equal(t.Connections, o.Connections)
}

// Digest identifies the token: another token of the same name has another digest.
func (t *Token) Digest() [sha256.Size]byte { return t.digest }

const longestName = 63

// ValidName returns an error for an invalid name of a token.
// Errors: KindInvalid.
func ValidName(name string) error {
	good := 0 < len(name) && len(name) <= longestName && !strings.ContainsFunc(name, func(c rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789._-", c)
	}) && !strings.ContainsRune("._-", rune(name[0]))
	switch {
	case !good:
		return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%q is no name of a token", name).
			WithHint("use lower-case letters, digits, dots, - and _, a letter or a digit first, at most %d characters", longestName)
	case name == caller.Token || name == caller.None:
		return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%q cannot be the name of a token: the history has it for callers without a name", name).
			WithHint("choose another name")
	}
	return nil
}

// Set is the tokens at one moment. It never changes.
type Set struct {
	// Kept: there is a file of tokens, perhaps an empty one. The server then goes
	// on to require tokens after the last one was revoked.
	Kept   bool
	Tokens []*Token // in the order in which they were made
}

// Find returns the token with a digest, nil when there is none. It takes the same
// time for every digest.
func (s *Set) Find(digest [sha256.Size]byte) (found *Token) {
	for _, t := range s.Tokens {
		if subtle.ConstantTimeCompare(t.digest[:], digest[:]) == 1 {
			found = t
		}
	}
	return found
}

// named returns the token with a name, nil when there is none.
func (s *Set) named(name string) *Token {
	if i := slices.IndexFunc(s.Tokens, func(t *Token) bool { return t.Name == name }); i >= 0 {
		return s.Tokens[i]
	}
	return nil
}

// Names lists the names of the tokens.
func (s *Set) Names() []string {
	names := make([]string, len(s.Tokens))
	for i, t := range s.Tokens {
		names[i] = t.Name
	}
	slices.Sort(names)
	return names
}

// document and entry are the file.
type document struct {
	Version int     `json:"version"`
	Tokens  []entry `json:"tokens"`
}

type entry struct {
	Name        string     `json:"name"`
	SHA256      string     `json:"sha256"`
	Created     time.Time  `json:"createdAt"`
	Expires     *time.Time `json:"expiresAt,omitempty"`
	Toolsets    []string   `json:"toolsets,omitempty"`
	Connections []string   `json:"connections,omitempty"`
}

func (t *Token) entry() entry {
	e := entry{Name: t.Name, SHA256: hex.EncodeToString(t.digest[:]), Created: t.Created, Toolsets: t.Toolsets, Connections: t.Connections}
	if !t.Expires.IsZero() {
		e.Expires = &t.Expires
	}
	return e
}

// token reads an entry; false for one that is none.
func (e *entry) token() (*Token, bool) {
	t := &Token{Name: e.Name, Created: e.Created, Grant: caller.Grant{Toolsets: e.Toolsets, Connections: e.Connections}}
	if e.Expires != nil {
		t.Expires = *e.Expires
	}
	// An empty list would open everything, which is not what it says.
	nothing := e.Toolsets != nil && len(e.Toolsets) == 0 || e.Connections != nil && len(e.Connections) == 0
	digest, err := hex.DecodeString(e.SHA256)
	if err != nil || len(digest) != len(t.digest) || ValidName(e.Name) != nil || nothing {
		return nil, false
	}
	copy(t.digest[:], digest)
	return t, true
}
