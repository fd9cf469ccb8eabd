package memory

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/sdk/dialect"
)

// TestEndedTrial compiles for a job that nobody waits for any more: no reason is given why the
// measure does not run, for nobody tried.
func TestEndedTrial(t *testing.T) {
	t.Parallel()
	m := model.Build(model.Input{Files: []*model.File{model.Parse("orders.yaml", []byte("name: orders\ntable: orders\nprimary_key: [id]\ndimensions: [{name: id, type: number}]\nmeasures: [{name: rows, agg: count}, {name: more, agg: count}]\n"))}})
	for name, try := range map[string]func(*trial, *change.Proposal) error{
		"the measure": func(of *trial, p *change.Proposal) error { return of.try(t.Context(), p) },
		"its twins": func(of *trial, p *change.Proposal) error {
			return of.twins(t.Context(), p, period{}, time.Now())
		},
	} {
		p := &change.Proposal{Target: "orders.rows", Kind: change.Measure, Verified: &change.Verified{Level: levelRuns}}
		of := &trial{
			model: m, view: &view{dialect: &dialect.Dialect{Name: "sqlite"}}, job: &job{service: &Service{Config: Config{Now: time.Now}}},
			ended: func() error { return context.Canceled },
		}
		if err := try(of, p); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v, want that the context ended", name, err)
		}
		if len(p.Why) > 0 {
			t.Errorf("%s: the proposal waits because of %v", name, p.Why)
		}
	}
}
