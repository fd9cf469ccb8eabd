package terminal

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
		line := &Progress{o: &Terminal{Err: &err}}
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
		line.Update(0, "nobody looks")
		line.start()
		line.Update(0.3, "Generating")
		line.Update(0.6, "Executing\x1b[2J")
		time.Sleep(patience - 1)
		hold("")
		time.Sleep(time.Nanosecond)
		hold("\r\x1b[K 60 % Executing\\x1b[2J")
		line.Update(0.8, "more")
		hold("\r\x1b[K 80 % more")
		line.Clear()
		hold("\r\x1b[K")
		line.Update(1, "late")
		line.Clear()
		hold("")

		fast := &Progress{o: &Terminal{Err: &err}}
		fast.start()
		fast.Update(0.5, "fast")
		fast.Clear()
		time.Sleep(2 * patience)
		hold("")
	})
}
