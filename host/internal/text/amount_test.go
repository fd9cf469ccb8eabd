package text

import (
	"testing"
	"time"
)

func TestLasted(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		1400 * time.Millisecond: "1s", 59 * time.Second: "59s", 61 * time.Second: "1m", 90 * time.Minute: "1h30m", 50 * time.Hour: "50h0m",
	} {
		if got := Elapsed(d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
}
