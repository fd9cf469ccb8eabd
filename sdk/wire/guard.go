package wire

import "github.com/loam-data/loam/sdk/dialect"

// The host compares each rule of a guard with each word of each statement. The connectors of Loam
// have 80 rules with 1.3 KiB of patterns, and 61 phrases, at most.
const (
	maxGuardRules    = 1000
	maxGuardPatterns = 8 << 10 // bytes
)

// checkGuards refuses dialects whose guard would make each statement slow.
func checkGuards(dialects []dialect.Dialect) error {
	for i := range dialects {
		g := &dialects[i].Guard
		rules, bytes := len(g.Statements)+len(g.Phrases)+len(g.Functions)+len(g.Relations), 0
		for _, list := range [][]dialect.FunctionRule{g.Functions, g.Relations} {
			for _, r := range list {
				bytes += len(r.Pattern)
			}
		}
		for _, p := range g.Phrases {
			for _, w := range p.Words {
				bytes += len(w)
			}
		}
		switch {
		case rules > maxGuardRules:
			return malformed("the guard of dialect %q has %d rules, of at most %d", dialects[i].Name, rules, maxGuardRules)
		case bytes > maxGuardPatterns:
			return malformed("the patterns of the guard of dialect %q have %d bytes, of at most %d", dialects[i].Name, bytes, maxGuardPatterns)
		}
	}
	return nil
}
