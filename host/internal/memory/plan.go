package memory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/loam-data/loam/host/internal/planner"
	"github.com/loam-data/loam/host/internal/wiki"
	"github.com/loam-data/loam/sdk"
)

// planTime bounds the planning of one text.
const planTime = 10 * time.Second

// bounded runs the planner for a limited time. One that is late ends when it next reads a page or
// a file, or when it is done; nobody waits for it.
// Errors: KindTimeout; KindInternal for a panic; those of ctx and of the planner.
func (s *Service) bounded(ctx context.Context, in planner.Input, v planner.View) (*planner.Plan, error) {
	limit := cmp.Or(s.planTime, planTime)
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	body, content := v.Body, v.Content
	v.Body = func(p *wiki.Page) (string, error) {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		return body(p)
	}
	v.Content = func(path string) ([]byte, error) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		return content(path)
	}
	type outcome struct {
		plan *planner.Plan
		err  error
	}
	done := make(chan outcome, 1)
	go func() {
		var o outcome
		defer func() {
			if fault := recover(); fault != nil {
				s.Logger.ErrorContext(ctx, "planning a text failed", "error", fmt.Sprint(fault), "stack", string(debug.Stack()))
				o.err = sdk.Errorf(sdk.KindInternal, sdk.SourceHost, "planning the text failed; the log has the place")
			}
			done <- o
		}()
		o.plan, o.err = s.Plan(in, v)
	}()
	select {
	case o := <-done:
		if !errors.Is(o.err, context.DeadlineExceeded) {
			return o.plan, o.err
		}
	case <-ctx.Done():
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return nil, sdk.Errorf(sdk.KindTimeout, sdk.SourceHost, "the text was not planned within %v", limit).WithHint("ingest it in parts")
	}
	return nil, ctx.Err()
}
