package sqlkit

import (
	"context"
	"testing"
)

// An order that is under way when the work ends is waited for, and goes on: given
// up, it might reach the engine later and end another statement.
func TestOrderUnderWay(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	under, goOn := make(chan struct{}), make(chan struct{})
	orders := 0
	s := NewStopper(ctx, func(ctx context.Context) error {
		orders++
		close(under)
		<-goOn
		return ctx.Err()
	}, func() { t.Error("given up") })
	cancel()
	<-under
	ended := make(chan bool)
	go func() { ended <- s.End() }()
	<-s.over
	select {
	case <-ended:
		t.Error("it did not wait for the order")
	default:
	}
	close(goOn)
	if !<-ended {
		t.Error("no order was given")
	}
	if orders != 1 {
		t.Errorf("%d orders", orders)
	}
}

// An order that hangs ends with its context, and costs the connection even if the
// work is over: what it will do is not known.
func TestOrderThatHangs(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	given := false
	under := make(chan struct{})
	s := NewStopper(ctx, func(ctx context.Context) error {
		close(under)
		<-ctx.Done()
		return nil // as drivers do
	}, func() { given = true })
	cancel()
	<-under
	if !s.End() || !given {
		t.Errorf("given up: %v", given)
	}
}
