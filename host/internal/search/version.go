package search

import (
	"strconv"

	"github.com/loam-data/loam/host/internal/text"
)

// Version names the rules that segments are made under today. Open refuses a
// segment of others.
func Version(a *text.Analyzer) string { return a.Version() + "." + strconv.Itoa(ranking) }
