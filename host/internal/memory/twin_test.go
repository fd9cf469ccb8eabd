package memory

import (
	"testing"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/planner"
)

// TestTwinOfMetric: a calculation over measures waits when a metric has its numbers.
func TestTwinOfMetric(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write(t, "semantic-layer/shop/metrics.yaml", "metrics:\n  - {name: double, type: derived, expr: orders.revenue * 2}\n")
	s := f.open(t, func(in planner.Input, _ planner.View) (*planner.Plan, error) {
		return &planner.Plan{Changes: []change.Proposal{{
			Kind: change.Measure, Connection: in.Connection, Target: "twice", Path: "semantic-layer/shop/_memory/metrics.yaml",
			Blocks: []change.Block{{Place: "metrics/twice", After: in.Text}}, Says: in.Text, Value: in.Text,
		}}}, nil
	}, nil)
	run := remember(t, s, "{type: derived, expr: orders.revenue + orders.revenue}", agent)
	if len(run.Captured.Pending) != 1 || run.Captured.Pending[0].Why[0] != change.WhyTwin {
		t.Errorf("%+v, %v", run.Captured, run.Notes)
	}
	other := remember(t, s, "{type: derived, expr: orders.revenue * 3}", agent)
	if len(other.Captured.Metrics) != 1 {
		t.Errorf("%+v, %v", other.Captured, other.Notes)
	}
}
