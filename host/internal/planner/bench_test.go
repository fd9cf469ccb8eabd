package planner

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/loam-data/loam/host/internal/change"
)

// BenchmarkMake plans texts of growing size.
func BenchmarkMake(b *testing.B) {
	p := shop(b)
	v := p.view()
	for _, n := range []int{4, 32, 256} {
		var text strings.Builder
		for i := 0; text.Len() < n<<10; i++ {
			fmt.Fprintf(&text, "Term%d means the number %d of the orders that were paid in sales.orders.\n\nM%d is the sum of amount in sales.orders where amount > %d.\n\nSome words about nothing in particular, which nobody has to keep.\n\n", i, i, i, i)
		}
		b.Run(fmt.Sprintf("%dKiB", n), func(b *testing.B) {
			for b.Loop() {
				plan, err := Make(p.input(text.String()), v)
				if err != nil {
					b.Fatal(err)
				}
				if !slices.ContainsFunc(plan.Changes, func(c change.Proposal) bool { return c.Kind == change.Measure }) {
					b.Fatal("no measure is planned")
				}
			}
		})
	}
}
