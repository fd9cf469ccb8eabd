package sqlkit_test

import (
	"context"
	"errors"
	"net"
	"os"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

func TestStepsStopAtTheFirstFailure(t *testing.T) {
	t.Parallel()
	var got []string
	steps := sqlkit.NewSteps(func(s sdk.TestStep) {
		state := "ok: " + s.Detail
		if s.Err != nil {
			state = string(s.Err.Kind)
		}
		got = append(got, s.Name+" "+state)
	})
	steps.Run("config", func(s *sdk.TestStep) error { s.Detail = "fine"; return nil })
	steps.Run("login", func(*sdk.TestStep) error {
		return sdk.Errorf(sdk.KindUnauthenticated, sdk.SourceWarehouse, "no")
	})
	if steps.Run("read", func(*sdk.TestStep) error { t.Error("read ran"); return nil }) {
		t.Error("read passed")
	}
	if diff := cmp.Diff([]string{"config ok: fine", "login unauthenticated"}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestNetworkSteps(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	var steps []sdk.TestStep
	collect := func(s sdk.TestStep) { steps = append(steps, s) }
	if !sqlkit.NewSteps(collect).Network(t.Context(), "127.0.0.1", port) {
		t.Errorf("an open port fails: %+v", steps)
	}
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	steps = nil
	if sqlkit.NewSteps(collect).Network(t.Context(), "127.0.0.1", port) {
		t.Error("a closed port passes")
	}
	if len(steps) != 2 || steps[1].Name != "tcp" || steps[1].Err.Kind != sdk.KindUnavailable || steps[1].Err.Hint == "" {
		t.Errorf("got %+v", steps)
	}
}

func TestNetworkError(t *testing.T) {
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
			e, ok := errors.AsType[*sdk.Error](sqlkit.NetworkError(tt.ctx, tt.err))
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
	if err := sqlkit.NetworkError(t.Context(), nil); err != nil {
		t.Errorf("nil became %v", err)
	}
}
