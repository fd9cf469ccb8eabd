package model

import (
	"strings"
	"testing"
)

func FuzzCompareFolded(f *testing.F) {
	for _, pair := range [][2]string{{"ORDERS", "orders"}, {"Orders", "order"}, {"", "a"}, {"straße", "STRASSE"}, {"ıd", "ID"}, {"a\xff", "A"}, {"zé", "Za"}} {
		f.Add(pair[0], pair[1])
	}
	f.Fuzz(func(t *testing.T, name, other string) {
		if got, want := compareFolded(name, fold(other)), strings.Compare(fold(name), fold(other)); got != want {
			t.Errorf("%q and %q: %d, want %d", name, other, got, want)
		}
	})
}
