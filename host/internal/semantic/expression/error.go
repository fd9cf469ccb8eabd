package expression

import (
	"fmt"

	"github.com/loam-data/loam/sdk"
)

// fail makes an error at a place of the text.
func fail(kind sdk.Kind, pos sdk.Position, hint, format string, args ...any) *sdk.Error {
	return &sdk.Error{Kind: kind, Source: sdk.SourceCaller, Msg: fmt.Sprintf(format, args...), Hint: hint, Pos: pos}
}
