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

// remembered is what became of a text.
type remembered struct {
	RunID    string
	Done     bool
	Error    *string
	Captured struct{ Wiki, SL []string }
}

// tell tells Loam a text and waits until it has been read.
func (t *Tour) tell(ctx context.Context, server *client.Client, connection, text string) (*remembered, error) {
	var run remembered
	if err := t.ask(ctx, server, "memory_ingest", map[string]any{"connectionId": connection, "content": text}, &run); err != nil {
		return nil, err
	}
	id := run.RunID
	for !run.Done {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(200 * time.Millisecond):
		}
		if err := t.ask(ctx, server, "memory_ingest_status", map[string]any{"runId": id}, &run); err != nil {
			return nil, err
		}
	}
	if run.Error != nil {
		return nil, wrong("the text was not remembered: %s", *run.Error)
	}
	return &run, nil
}

// teach tells Loam a fact and a measure, finds the one and asks for the other.
func (t *Tour) teach(ctx context.Context, server *client.Client) error {
	run, err := t.tell(ctx, server, "shop", learned)
	if err != nil {
		return err
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
		Changes []struct{ ID, State, Kind string }
	}
	if err := json.Unmarshal(listed, &open); err != nil {
		return wrong("loam review list --json printed %q: %w", listed, err)
	}
	for _, change := range open.Changes {
		if change.State != "draft" { // the tour is taken again, and what it left to decide contradicts it
			continue
		}
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
