//go:build unix

package layer

import (
	"syscall"
	"testing"
	"time"
)

// cpu reports the processor time of a benchmark besides the time on the wall,
// which says little on a machine that does other things too.
func cpu(b *testing.B) {
	b.Helper()
	var before syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &before); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		var after syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &after); err != nil {
			b.Fatal(err)
		}
		used := after.Utime.Nano() + after.Stime.Nano() - before.Utime.Nano() - before.Stime.Nano()
		b.ReportMetric(float64(used)/float64(time.Millisecond)/float64(b.N), "cpu-ms/op")
	})
}
