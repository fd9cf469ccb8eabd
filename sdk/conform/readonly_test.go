package conform

import "testing"

// An attack that ends early must not hide what a refused one before it changed.
func TestTheStateBeforeRefusedAttacksIsKept(t *testing.T) {
	p := &probe{run: &run{target: &Target{}}}
	looks := 0
	l := &lastSeen{look: func(*probe) string { looks++; return "changed" }}
	l.after(nil, "as it was", nil)
	l.refused = []string{"insert"}
	for range 2 { // the first one ends early
		if data, _ := l.before(p, nil); data != "as it was" || looks > 0 {
			t.Fatalf("%q is taken for the state before, after %d looks", data, looks)
		}
	}
	l.refused = nil
	l.before(p, nil)
	if data, _ := l.before(p, nil); data != "changed" || looks != 1 {
		t.Errorf("got %q after %d looks: nothing waits any more", data, looks)
	}
}
