package assertion

import "testing"

func TestMeasuredIn(t *testing.T) {
	t.Parallel()
	for divisor, want := range map[string]bool{
		"sum(load_kg)": true, "sum(kgLoaded)": true, "sum(x * (1))": false, "sum(_)": false, "sum()": false, "count(*)": false,
		"sum(Ⱥ)": false, "sum(_\u212a)": false, // their lower case is longer, and shorter
	} {
		if got := measuredIn(divisor, "kilo"); got != want {
			t.Errorf("%s: %t", divisor, got)
		}
	}
}
