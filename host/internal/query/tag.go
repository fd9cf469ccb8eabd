package query

import (
	"context"
	"strings"
	"unicode"

	"github.com/loam-data/loam/host/internal/caller"
	"github.com/loam-data/loam/host/internal/telemetry"
	"github.com/loam-data/loam/sdk"
)

// product is the tag by which a warehouse tells our statements from all others.
const product = "loam"

// Tags say in the warehouse's own log who asked for a statement, as far as the engine
// takes it: those that name the caller first. A connector that says nothing of tags gets
// the name of the caller alone, as in contract 1.0; nil where there is none.
func (s *Service) Tags(ctx context.Context, rules sdk.TagRules, request string) map[string]string {
	who, principal := caller.Of(ctx), ""
	if who.Named {
		principal = who.Principal
	}
	if rules.MaxTags <= 0 {
		if principal == "" {
			return nil
		}
		return map[string]string{"principal": principal}
	}
	tool, client := telemetry.Origin(ctx)
	fitted, bytes := map[string]string{}, 0
	for _, tag := range [][2]string{
		{"principal", principal}, {"client", client}, {"tool", tool}, {"project", s.project}, {"request_id", request}, {"product", product},
	} {
		key, value := fit(tag[0], rules.MaxKeyChars, rules), fit(tag[1], rules.MaxValueChars, rules)
		size := len(key) + len(value)
		if key == "" || value == "" || len(fitted) == rules.MaxTags || rules.MaxBytes > 0 && bytes+size > rules.MaxBytes {
			continue
		}
		fitted[key] = value
		bytes += size
	}
	return fitted
}

// fit shortens text to what an engine takes and replaces what it does not: by "_" or "-"
// where it takes one of them, else by nothing.
func fit(text string, longest int, rules sdk.TagRules) string {
	var out strings.Builder
	n := 0
	for _, r := range text {
		if rules.LowerCase {
			r = unicode.ToLower(r)
		}
		if !taken(r, rules) {
			if r = substitute(rules); r == 0 {
				continue
			}
		}
		if n++; longest > 0 && n > longest {
			break
		}
		out.WriteRune(r)
	}
	return out.String()
}

func taken(r rune, rules sdk.TagRules) bool {
	switch {
	case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r >= 'A' && r <= 'Z' && !rules.LowerCase:
		return true
	case rules.Characters == "*":
		return unicode.IsPrint(r)
	}
	return strings.ContainsRune(rules.Characters, r)
}

func substitute(rules sdk.TagRules) rune {
	for _, r := range "_-" {
		if taken(r, rules) {
			return r
		}
	}
	return 0
}
