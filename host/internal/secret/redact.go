package secret

import (
	"cmp"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/loam-data/loam/sdk"
)

const (
	// redacted stands where a secret was.
	redacted = "[redacted]"
	// minHidden is the size, in bytes, from which a secret is taken out of texts:
	// a shorter one is part of ordinary words, and a text without those could not
	// be read.
	minHidden = 6
	// maxHidden bounds the secrets that are known; the one known longest goes first.
	maxHidden = 256
)

// redactor knows the secrets that were given out. The zero value knows none.
// Concurrency: any number of goroutines.
type redactor struct {
	mu       sync.RWMutex
	known    []string
	replacer *strings.Replacer // nil = nothing to replace
}

func (r *redactor) know(value string) {
	if len(value) < minHidden {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if slices.Contains(r.known, value) {
		return
	}
	r.known = append(r.known, value)
	r.known = r.known[max(0, len(r.known)-maxHidden):]
	var all []string
	for _, k := range r.known {
		all = append(all, forms(k)...)
	}
	// Of several at one place the first counts.
	slices.SortFunc(all, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	var pairs []string
	for _, form := range slices.Compact(all) {
		pairs = append(pairs, form, redacted)
	}
	r.replacer = strings.NewReplacer(pairs...)
}

// forms are the ways in which a text may have a secret in it: as it is, and as
// JSON and addresses write it.
func forms(value string) []string {
	all := []string{value, url.QueryEscape(value), url.PathEscape(value)}
	if text, err := json.Marshal(value); err == nil {
		all = append(all, string(text[1:len(text)-1]))
	}
	return all
}

func (r *redactor) redact(text string) string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if r.replacer == nil {
		return text
	}
	return r.replacer.Replace(text)
}

// Hide makes Redact take out a secret that was not resolved here.
func (r *Resolver) Hide(s sdk.Secret) { r.given.know(s.Reveal()) }

// Redact returns text without the secrets that were resolved or hidden so far, of
// at least six bytes each.
func (r *Resolver) Redact(text string) string { return r.given.redact(text) }
