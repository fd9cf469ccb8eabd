package cli

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestArgumentsOfUsageLines(t *testing.T) {
	t.Parallel()
	for use, want := range map[string][]string{
		"list": nil, "scan [CONNECTION]...": {"CONNECTION", "+"}, "show [-c CONNECTION] TABLE": {"TABLE"},
		"add ID CONNECTOR|URL|FILE [KEY=VALUE]...": {"ID", "CONNECTOR|URL|FILE", "KEY=VALUE", "+"}, "sql -c CONNECTION [STATEMENT]": {"STATEMENT"},
	} {
		got, repeated := arguments(use)
		if repeated {
			got = append(slices.Clone(got), "+")
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", use, diff)
		}
	}
}

// TestCompletion completes what a person began to type.
func TestCompletion(t *testing.T) {
	t.Parallel()
	f := newFolder(t, "shop", "crm")
	f.session(t, "complete",
		words("__complete sql -c s"), words("__complete connection test c"), words("__complete scan shop c"), words("__complete connection test shop c"),
		words("__complete catalog show -c shop ord"), words("__complete catalog show -c shop main.c"), words("__complete connector show x"), words("__complete sl query --connection c"))
}
