package tool

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A client that does not read keeps no call waiting, and gets the newest report
// when it reads again.
func TestProgressDoesNotWaitForTheClient(t *testing.T) {
	t.Parallel()
	reads := make(chan struct{})
	var sent []float64
	r := &reporter{last: -1, notify: func(_ string, params any) error {
		<-reads
		sent = append(sent, params.(progressParams).Progress)
		return nil
	}}
	const reports = 10 * maxUnsent
	for i := range reports {
		r.report(float64(i)/reports, "")
	}
	close(reads)
	r.end()
	r.report(1, "after the call")
	if n := len(sent); n < maxUnsent || n > maxUnsent+1 || sent[0] != 0 || sent[n-1] != float64(reports-1)/reports {
		t.Errorf("sent %v", sent)
	}
}

func TestProgressLosesNothingOnTheWay(t *testing.T) {
	t.Parallel()
	var sent []float64
	taken := make(chan struct{})
	r := &reporter{last: -1, notify: func(_ string, params any) error {
		sent = append(sent, params.(progressParams).Progress)
		taken <- struct{}{}
		return nil
	}}
	want := []float64{0, 0.25, 0.5, 0.75, 1}
	for _, fraction := range want {
		r.report(fraction, "")
		<-taken
	}
	r.end()
	if diff := cmp.Diff(want, sent); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
