package wiki

import (
	"fmt"
	"strings"
	"testing"

	"github.com/loam-data/loam/host/internal/console/page"
)

// BenchmarkPages shows the list and a page of a wiki of 10,000 pages, a third of them an agent's.
func BenchmarkPages(b *testing.B) {
	f := newProject(b)
	for i := range 10_000 {
		front := "---\ntitle: Page %d\nsummary: About %d\ntags: [kpi]\n"
		if i%3 == 0 {
			front += "origin: agent\nsource: codex\nrefs: [sales.orders]\n"
		}
		f.write(b, fmt.Sprintf("wiki/global/a%02d/p%04d.md", i%20, i), fmt.Sprintf(front+"---\n# Page %[1]d\n\nSee [[a00/p0000]] and [[none/p%[1]d]].\n\n%s\n", i, i, strings.Repeat("Some text about it. ", 40)))
	}
	for _, address := range []string{"wiki", "wiki?order=latest", "wiki?trust=agent&q=about", "wiki?flag=stale", "wiki/a00/p0000", "wiki/a00/none", "wiki/a00/p0000?edit=1", "wiki/a00/p0000?history=1"} {
		b.Run(address, func(b *testing.B) {
			if _, err := f.show(b, address); err != nil { // what is cached by content
				b.Fatal(err)
			}
			b.ResetTimer()
			for range b.N {
				view, err := f.show(b, address)
				if err != nil || view == (*page.View)(nil) {
					b.Fatal(err)
				}
			}
		})
	}
}
