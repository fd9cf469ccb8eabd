package health

import (
	"context"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/console/page"
	"github.com/loam-data/loam/host/internal/console/result"
	check "github.com/loam-data/loam/host/internal/health"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

// Testing is the connection whose test follows.
type Testing struct {
	Connection connection.ID `json:"connection"`
}

// Tested is the result of a test.
type Tested struct {
	*check.Tested
	// Problem is why the test did not run to its end; "" = it did.
	Problem string `json:"problem,omitempty"`
}

// test runs the staged checks of a connection. The page is shown at once; the steps follow.
// Errors: KindInvalid without a connection.
func (s *Services) test(_ context.Context, r *page.Request) (*page.Outcome, error) {
	id := connection.ID(r.Field("connection"))
	if id == "" {
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "no connection is chosen").WithHint("choose one on the page of the health")
	}
	shown := result.Short(string(id), maxText)
	view := &page.View{
		Title: "Test of " + shown, Command: "loam connection test " + text.ShellWord(shown) + " --json", Data: Testing{connection.ID(shown)}, Template: "health.testing",
		ThenTemplate: "health.tested",
		Then:         func(ctx context.Context) (any, error) { return s.tested(ctx, id) },
	}
	return &page.Outcome{View: view}, nil
}

// tested runs a test.
// Errors: KindNotFound for an unknown connection, before any step.
func (s *Services) tested(ctx context.Context, id connection.ID) (*Tested, error) {
	found, err := s.Health.TestConnection(ctx, id, false, func(sdk.TestStep) {})
	if found == nil {
		return nil, err
	}
	out := &Tested{Tested: found}
	if err != nil {
		out.OK, out.Problem = false, s.said(err)
	}
	for i := range out.Steps {
		step := &out.Steps[i]
		step.Detail = result.Short(s.Redact(step.Detail), maxText)
		for j, statement := range step.Statements {
			step.Statements[j] = result.Short(s.Redact(statement), maxText)
		}
		if step.Error != nil {
			step.Error.Message, step.Error.Hint = result.Short(s.Redact(step.Error.Message), maxText), result.Short(s.Redact(step.Error.Hint), maxText)
		}
	}
	return out, nil
}
