package network_test

import (
	"net"
	"testing"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/network"
	"github.com/loam-data/loam/sdk/sqlkit"
)

func TestDirectSteps(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	var steps []sdk.TestStep
	collect := func(s sdk.TestStep) { steps = append(steps, s) }
	if !network.NewDialer(&network.SSH{}).Steps(t.Context(), sqlkit.NewSteps(collect), "127.0.0.1", port) {
		t.Errorf("an open port fails: %+v", steps)
	}
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	steps = nil
	if network.NewDialer(&network.SSH{}).Steps(t.Context(), sqlkit.NewSteps(collect), "127.0.0.1", port) {
		t.Error("a closed port passes")
	}
	if len(steps) != 2 || steps[1].Name != "tcp" || steps[1].Err.Kind != sdk.KindUnavailable || steps[1].Err.Hint == "" {
		t.Errorf("got %+v", steps)
	}
}
