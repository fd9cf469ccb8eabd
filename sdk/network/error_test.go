package network_test

import (
	"context"
	"errors"
	"net"
	"os"
	"syscall"
	"testing"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/network"
)

func TestError(t *testing.T) {
	t.Parallel()
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tt := range []struct {
		name  string
		ctx   context.Context
		err   error
		kind  sdk.Kind
		retry bool
	}{
		{"unknown host", t.Context(), &net.DNSError{Name: "db", IsNotFound: true}, sdk.KindUnavailable, false},
		{"broken resolver", t.Context(), &net.DNSError{Name: "db", IsTimeout: true}, sdk.KindUnavailable, true},
		{"refused", t.Context(), &net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}, sdk.KindUnavailable, true},
		{"no answer", t.Context(), &net.OpError{Op: "dial", Err: os.ErrDeadlineExceeded}, sdk.KindUnavailable, true},
		{"other", t.Context(), errors.New("odd"), sdk.KindUnavailable, true},
		{"canceled", canceled, errors.New("odd"), sdk.KindCanceled, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e, ok := errors.AsType[*sdk.Error](network.Error(tt.ctx, tt.err))
			if !ok || e.Kind != tt.kind || e.Retry != tt.retry {
				t.Fatalf("got %#v", e)
			}
			if e.Kind == sdk.KindUnavailable && e.Hint == "" {
				t.Error("no hint")
			}
			if !errors.Is(e, tt.err) {
				t.Error("the cause is lost")
			}
		})
	}
	if err := network.Error(t.Context(), nil); err != nil {
		t.Errorf("nil became %v", err)
	}
}
