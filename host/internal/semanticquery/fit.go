package semanticquery

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

const (
	// maxDimensions is how many dimensions of a source are listed at once.
	maxDimensions = 200
	// defaultChars is the size of an answer that names none: common MCP clients
	// cut or refuse a longer one.
	defaultChars = 40_000
	// leastDimensions are listed however little is left.
	leastDimensions = 10
)

// narrow keeps the dimensions that are asked for, in that order.
// Errors: KindNotFound with near names for one that there is not.
func (a *SourceAnswer) narrow(names []string) error {
	if names == nil {
		return nil
	}
	kept := make([]Dimension, 0, len(names))
	for _, name := range names {
		at := a.dimension(name)
		if at < 0 {
			all := make([]string, len(a.Dimensions))
			for i := range a.Dimensions {
				all[i] = a.Dimensions[i].Name
			}
			near := sqlkit.Nearest(name, all)
			missing := sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "source %s has no dimension %q", a.Name, name).
				WithHint("leave the list out to see all dimensions")
			if missing.Candidates = near; len(near) > 0 {
				missing = missing.WithHint("use one of %s, or leave the list out to see all dimensions", strings.Join(near, ", "))
			}
			return missing
		}
		kept = append(kept, a.Dimensions[at])
	}
	a.Dimensions = kept
	return nil
}

// dimension finds a dimension by its name, with or without that of the source.
func (a *SourceAnswer) dimension(name string) int {
	for _, same := range []func(a, b string) bool{func(a, b string) bool { return a == b }, strings.EqualFold} {
		for i := range a.Dimensions {
			if own := a.Dimensions[i].Name; same(own, name) || same(a.Name+"."+own, name) {
				return i
			}
		}
	}
	return -1
}

// fit leaves dimensions out until the answer has about the characters that it may
// have. What is not dimensions stays whole.
func (a *SourceAnswer) fit(chars int) {
	total, kept := len(a.Dimensions), min(len(a.Dimensions), maxDimensions)
	if chars >= 0 {
		all := a.Dimensions
		a.Dimensions = nil
		left := cmp.Or(chars, defaultChars) - size(a)
		a.Dimensions = all
		for i := range kept {
			if left -= size(&all[i]); left < 0 && i >= leastDimensions {
				kept = i
				break
			}
		}
	}
	if kept == total {
		return
	}
	a.Dimensions, a.DimensionsTruncated, a.TotalDimensions = a.Dimensions[:kept], true, total
	a.Notes = append(a.Notes, fmt.Sprintf("The first %d of %d dimensions of %s are listed: name the ones you want in dimensions.", kept, total, a.Name))
}

// size is what a part of an answer takes as JSON, in characters.
func size(of any) int {
	text, err := json.Marshal(of)
	if err != nil {
		panic(err) // texts, numbers and lists of them only
	}
	return utf8.RuneCount(text)
}
