package serve

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/loam-data/loam/sdk"
)

// Drain implements wire.Backend. Draining once more closes what is left.
func (r *registry) Drain(ctx context.Context, grace time.Duration) (int, error) {
	ctx, stop := context.WithTimeout(ctx, grace)
	defer stop()
	r.mu.Lock()
	r.draining = true
	r.settle()
	canceled := len(r.cancel(nil, errStopping()))
	r.mu.Unlock()
	idle := wait(ctx, r.idle)

	r.mu.Lock()
	ids := slices.Collect(maps.Keys(r.slots))
	r.mu.Unlock()
	closed := make(chan error, len(ids))
	for _, id := range ids {
		go func() { closed <- r.Close(ctx, id) }() // outlives Drain only if the connector ignores ctx
	}
	errs := make([]error, 0, len(ids))
	for range ids {
		select {
		case err := <-closed:
			errs = append(errs, err)
		case <-ctx.Done():
			return canceled, errHung(grace)
		}
	}
	if idle != nil {
		return canceled, errHung(grace)
	}
	return canceled, errors.Join(errs...)
}

func errHung(grace time.Duration) error {
	return sdk.Errorf(sdk.KindTimeout, sdk.SourceConnector, "the connector did not end its work within %s", grace)
}
