package scan

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"github.com/loam-data/loam/host/internal/scan/privacy"
	"github.com/loam-data/loam/sdk"
)

// Codes of the warnings that the host itself adds.
const (
	codeBudget        = "loam:budget"
	codeGlob          = "loam:glob"
	codeProfile       = "loam:profile"
	codeRelationships = "loam:relationships"
	codeValues        = "loam:values"
)

// maxWarnings is how many warnings of one code a snapshot keeps one by one.
const maxWarnings = 200

// warnings are what a scan could not read.
// Concurrency: any goroutine.
type warnings struct {
	mu    sync.Mutex
	kept  []sdk.Warning
	count map[string]int // by code
}

func (w *warnings) add(one sdk.Warning) {
	one.Message = privacy.Forms(one.Message) // a server may repeat a value
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.count == nil {
		w.count = map[string]int{}
	}
	if w.count[one.Code]++; w.count[one.Code] <= maxWarnings {
		w.kept = append(w.kept, one)
	}
}

// list returns the warnings in the order of codes and objects, with a word on
// those that are too many.
func (w *warnings) list() []sdk.Warning {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := slices.Clone(w.kept)
	for code, n := range w.count {
		if more := n - maxWarnings; more > 0 {
			all = append(all, sdk.Warning{Code: code, Message: fmt.Sprintf("%d more warnings of this kind are not listed", more)})
		}
	}
	slices.SortStableFunc(all, compareWarnings)
	return all
}

func compareWarnings(a, b sdk.Warning) int {
	return cmp.Or(cmp.Compare(a.Code, b.Code), cmp.Compare(a.Object, b.Object), cmp.Compare(a.Message, b.Message))
}
