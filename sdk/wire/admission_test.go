package wire

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loam-data/loam/sdk"
)

func TestAdmissionWaitsForACallThatEnds(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		endsAfter time.Duration
		want      sdk.Kind
	}{
		"ends soon": {admissionPatience - time.Millisecond, ""},
		"runs on":   {admissionPatience + time.Millisecond, sdk.KindRateLimited},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				a := newAdmission(1)
				leave, err := a.enter("c")
				if err != nil {
					t.Fatal(err)
				}
				time.AfterFunc(test.endsAfter, leave)
				_, err = a.await(t.Context(), "c")
				if got := sdk.KindOf(err); got != test.want {
					t.Errorf("await = %v, want %q", err, test.want)
				}
				synctest.Wait()
				time.Sleep(admissionPatience)
			})
		})
	}
}

func TestAdmissionEndsWithItsContext(t *testing.T) {
	t.Parallel()
	a := newAdmission(1)
	leave, err := a.enter("c")
	if err != nil {
		t.Fatal(err)
	}
	defer leave()
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := a.await(gone, "c"); !errors.Is(err, context.Canceled) {
		t.Errorf("await = %v, want the context's error", err)
	}
}
