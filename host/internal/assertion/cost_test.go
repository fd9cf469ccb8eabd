package assertion

import (
	"runtime"
	"strings"
	"testing"
)

// TestReadIsLinear tests that ten times a text takes about ten times the memory, in each layout that is read by lines.
func TestReadIsLinear(t *testing.T) {
	allocated := func(text string) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		Read(text, Options{})
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	const size = 4000
	for name, part := range map[string]string{
		"sentences":     "The copay is what patients pay. It is the sum of fee. ",
		"lines":         "– visits: count of rows\n",
		"columns":       "visit count     sum(visits)\n",
		"bars":          "visits | lab | sum(visits)\n",
		"labels":        "Name: visits\nFormula: sum(visits)\n\n",
		"titles":        "Net fee\nsum(fee)\n\n",
		"headings":      "# Net fee\n\nsum(fee)\n\n",
		"items":         "- visits -> sum(visits)\n",
		"queries":       "Visits:\nSELECT sum(visits) AS visits FROM lab\n\n",
		"fences":        "Visits:\n```sql\nSELECT sum(visits) AS visits FROM lab\n```\n\n",
		"one query":     "SELECT sum(visits),\n",
		"amendments":    "Net fee = sum(fee)\n\nUpdate: it is shown daily.\n\n",
		"conversations": "Tom: what are visits?\nInes: the sum of visits\n",
	} {
		few := allocated(strings.Repeat(part, size/len(part)))
		if many := allocated(strings.Repeat(part, 10*(size/len(part)))); many > 20*few {
			t.Errorf("%s: %d bytes for %d, %d for ten times as much text", name, few, size, many)
		}
	}
}
