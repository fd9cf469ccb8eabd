package compile_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
)

// Each engine has the zones that docs/semantic.md lists for it: an offset of whole hours
// on all that know zones, and a refusal instead of another zone's days elsewhere.
func TestZonesOfEngines(t *testing.T) {
	t.Parallel()
	hours, named, minutes := []string{"+02:00", "-11:00", "Etc/GMT-2", "UTC"}, []string{"Europe/Berlin", "Asia/Kolkata"}, []string{"+05:30"}
	has := map[string][]string{
		"sqlite":    slices.Concat(hours, minutes),
		"mysql":     slices.Concat(hours, named, minutes),
		"sqlserver": {"UTC"},
	}
	for _, name := range engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want, ok := has[name]
			if !ok {
				want = slices.Concat(hours, named)
			}
			d := engine(t, name)
			m := shopModel(t, d).With(model.Parse("trips.yaml", []byte(beside["trips.yaml"])), model.Parse("areas.yaml", []byte(beside["areas.yaml"])))
			for _, zone := range slices.Concat(hours, named, minutes) {
				_, err := compiled(t, m, d, `{"measures": ["trips.trip_count"], "dimensions": ["trips.started.day"], "time_zone": "`+zone+`"}`)
				if !slices.Contains(want, zone) {
					if e, refused := errors.AsType[*refusal.Error](err); !refused || e.Code != refusal.CodeUnsupported || e.Fix == "" {
						t.Errorf("%s: %v, want a refusal with what to do", zone, err)
					}
					continue
				}
				if err != nil {
					t.Errorf("%s: %v", zone, err)
				}
			}
		})
	}
}
