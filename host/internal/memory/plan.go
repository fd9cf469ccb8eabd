package memory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/loam-data/loam/host/internal/planner"
	"github.com/loam-data/loam/sdk"
)

// planTime bounds the planning of one text.
const planTime = 10 * time.Second

// bounded runs the planner for a limited time. A plan that is late ends before its next statement or page.
// Errors: KindTimeout; KindInternal for a panic; those of ctx and of the planner.
func (s *Service) bounded(ctx context.Context, in planner.Input, v planner.View) (p *planner.Plan, err error) {
	limit := cmp.Or(s.planTime, planTime)
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	defer func() {
		if fault := recover(); fault != nil {
			s.Logger.ErrorContext(ctx, "planning a text failed", "error", fmt.Sprint(fault), "stack", string(debug.Stack()))
			err = sdk.Errorf(sdk.KindInternal, sdk.SourceHost, "planning the text failed; the log has the place")
		}
	}()
	v.Ended = limited.Err
	p, err = s.Plan(in, v)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		return nil, sdk.Errorf(sdk.KindTimeout, sdk.SourceHost, "the text was not planned within %v", limit).WithHint("ingest it in parts")
	}
	return p, err
}
