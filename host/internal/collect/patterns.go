package collect

import (
	"slices"

	"github.com/loam-data/loam/host/internal/collect/ignore"
	"github.com/loam-data/loam/sdk"
)

const (
	// maxPatterns bounds each list of patterns, maxPattern the length of one, in bytes.
	maxPatterns = 100
	maxPattern  = 512
)

// patterns choose files of a folder. The zero patterns choose all.
type patterns struct{ include, exclude []*ignore.Glob }

// newPatterns parses the patterns of a request.
// Errors: KindInvalid.
func newPatterns(include, exclude []string) (p patterns, err error) {
	if p.include, err = globs("include", include); err == nil {
		p.exclude, err = globs("exclude", exclude)
	}
	return p, err
}

func globs(what string, all []string) (parsed []*ignore.Glob, err error) {
	if len(all) > maxPatterns {
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%s has %d patterns; the limit is %d", what, len(all), maxPatterns).WithHint("join some with {a,b}")
	}
	for _, one := range all {
		g, err := ignore.ParseGlob(one)
		if len(one) > maxPattern {
			err = sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "it has %d bytes; the limit is %d", len(one), maxPattern)
			one = one[:20] + "…"
		}
		if err != nil {
			return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%s: %q is no pattern: %w", what, one, err).
				WithHint("write it relative to the folder, such as docs/** or **/*.{md,sql}")
		}
		parsed = append(parsed, g)
	}
	return parsed, nil
}

// leaveOut reports whether a file or a folder is left out. A folder is read unless it is excluded.
func (p *patterns) leaveOut(path string, folder bool) bool {
	matches := func(g *ignore.Glob) bool { return g.Match(path) }
	return slices.ContainsFunc(p.exclude, matches) || !folder && len(p.include) > 0 && !slices.ContainsFunc(p.include, matches)
}
