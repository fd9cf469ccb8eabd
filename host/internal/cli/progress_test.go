package cli

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"
)

// TestProgressLine: a fast call leaves no trace; of a slow one the last message
// is shown once the time of fast calls is over, and later ones at once.
func TestProgressLine(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var err bytes.Buffer
		line := &progressLine{o: &output{err: &err}}
		hold := func(want string) {
			t.Helper()
			synctest.Wait()
			line.mu.Lock() // which whoever writes holds
			defer line.mu.Unlock()
			if got := err.String(); got != want {
				t.Errorf("%q, want %q", got, want)
			}
			err.Reset()
		}
		line.update(0, "nobody looks")
		line.start()
		line.update(0.3, "Generating")
		line.update(0.6, "Executing\x1b[2J")
		time.Sleep(patience - 1)
		hold("")
		time.Sleep(time.Nanosecond)
		hold("\r\x1b[K 60 % Executing\\x1b[2J")
		line.update(0.8, "more")
		hold("\r\x1b[K 80 % more")
		line.clear()
		hold("\r\x1b[K")
		line.update(1, "late")
		line.clear()
		hold("")

		fast := &progressLine{o: &output{err: &err}}
		fast.start()
		fast.update(0.5, "fast")
		fast.clear()
		time.Sleep(2 * patience)
		hold("")
	})
}
