package demo

import (
	"context"
	"encoding/json"
	"os/exec"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/client"
)

// learned is what the tour tells Loam: a fact and, of it, a measure.
const learned = "Delivery income is the sum of shipping_cents / 100 in orders where status = 'shipped'. Source: finance."

// teach tells Loam a fact and a measure, finds the one and asks for the other.
func (t *Tour) teach(ctx context.Context, server *client.Client) error {
	var run struct {
		RunID    string
		Done     bool
		Error    *string
		Captured struct{ Wiki, SL []string }
	}
	if err := t.ask(ctx, server, "memory_ingest", map[string]any{"connectionId": "shop", "content": learned}, &run); err != nil {
		return err
	}
	id := run.RunID
	for !run.Done {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(200 * time.Millisecond):
		}
		if err := t.ask(ctx, server, "memory_ingest_status", map[string]any{"runId": id}, &run); err != nil {
			return err
		}
	}
	if run.Error != nil {
		return wrong("the text was not remembered: %s", *run.Error)
	}
	t.print("captured: pages %q, measures %q", run.Captured.Wiki, run.Captured.SL)
	var found struct {
		Refs []struct{ Kind, ID, Trust string }
	}
	if err := t.ask(ctx, server, "discover_data", map[string]any{"query": "delivery income", "limit": 2}, &found); err != nil {
		return err
	}
	for _, ref := range found.Refs {
		t.print("%-11s %s, trust: %s", ref.Kind, ref.ID, ref.Trust)
	}
	var answered struct{ Rows [][]json.RawMessage }
	asked := map[string]any{"connection_id": "shop", "measures": []any{"orders.delivery_income"}}
	if err := t.ask(ctx, server, "sl_query", asked, &answered); err != nil {
		return err
	}
	if len(found.Refs) == 0 || len(answered.Rows) != 1 {
		return wrong("delivery income is %v, found as %v", answered.Rows, found.Refs)
	}
	t.print("delivery income: %s", answered.Rows[0][0])
	return nil
}

// review approves the page that was learned and takes the measure back. Both are gone or
// reviewed already when the tour is taken again.
func (t *Tour) review(ctx context.Context, _ *client.Client) error {
	if _, err := t.command(ctx, true, "review", "list"); err != nil {
		return err
	}
	listed, err := t.command(ctx, false, "review", "list", "--source", "finance", "--json")
	if err != nil {
		return err
	}
	var open struct {
		Changes []struct{ ID, Kind string }
	}
	if err := json.Unmarshal(listed, &open); err != nil {
		return wrong("loam review list --json printed %q: %w", listed, err)
	}
	for _, change := range open.Changes {
		args := []string{"review", "approve", change.ID}
		if change.Kind == "measure" {
			args = []string{"review", "revert", change.ID, "--yes"}
		}
		_, err := t.command(ctx, true, args...)
		if err != nil && strings.Contains(err.Error(), "approve_from") { // a project that the demo of an earlier version made
			t.print("deciding needs a terminal here: %s", err)
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// command runs the command line and returns what it prints; shown prints it as well.
func (t *Tour) command(ctx context.Context, shown bool, args ...string) ([]byte, error) {
	var said strings.Builder
	cmd := exec.CommandContext(ctx, t.Executable, append(args, "--project-dir", t.Dir)...)
	cmd.Stderr = &said
	text, err := cmd.Output()
	if err != nil {
		return nil, wrong("loam %s: %w: %s", strings.Join(args, " "), err, said.String())
	}
	if !shown {
		return text, nil
	}
	t.print("%s", t.Dim("$ loam "+strings.Join(args, " ")))
	for line := range strings.Lines(string(text) + said.String()) {
		t.print("%s", strings.TrimSpace(line))
	}
	return text, nil
}
