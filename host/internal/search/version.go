package search

import (
	"strconv"

	"github.com/loam-data/loam/host/internal/text"
)

// Version identifies the rules by which segments are built. Open refuses a
// segment with other rules.
func Version(a *text.Analyzer) string { return a.Version() + "." + strconv.Itoa(ranking) }
