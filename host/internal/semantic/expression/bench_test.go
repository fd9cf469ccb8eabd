package expression_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/loam-data/loam/host/internal/semantic/expression"
)

const ordinary = "lineitem.price * (1 - lineitem.rate) > 100 AND orders.status IN ('paid', 'sent') AND orders.day BETWEEN '2024-01-01' AND '2024-12-31'"

func BenchmarkParse(b *testing.B) {
	for _, n := range []int{1, 100, 1000} {
		text := ordinary
		if n > 1 {
			text = "paid" + strings.Repeat(" AND qty = 1", n)
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := expression.Parse(text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkCheck(b *testing.B) {
	n, err := expression.Parse(ordinary)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := expression.Check(n, resolve); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPrint(b *testing.B) {
	for _, n := range []int{1, 100, 1000} {
		text := ordinary
		if n > 1 {
			text = "paid" + strings.Repeat(" AND qty = 1", n)
		}
		node := checked(b, text)
		p := printer(engine(b, "postgres"))
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := p.Predicate(node); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
