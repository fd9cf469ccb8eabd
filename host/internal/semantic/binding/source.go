package binding

import (
	"path"
	"strings"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/semantic/layer"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/sdk"
)

// Find returns a source, also a broken one.
// Errors: those of model.Model.FindSource, with a hint and the notes of the
// state.
func Find(state *layer.State, name string) (*model.Source, error) {
	source, err := state.Model.FindSource(name)
	if err == nil || source != nil && source.Visibility != model.Hidden {
		return source, nil
	}
	refused := *sdk.AsError(err, sdk.SourceCaller)
	if refused.Hint == "" {
		refused.Hint = "list the sources with discover_data or loam sl list"
	}
	if refused.Code == model.CodeUnknown {
		if metrics := state.Model.Source(model.Metrics); strings.EqualFold(name, MetricsName) && len(metrics.Measures) > 0 {
			return metrics, nil
		}
		for _, note := range state.Notes {
			refused.Msg += ". " + strings.TrimSuffix(note, ".")
		}
	}
	return nil, &refused
}

// MetricsName is the source name for the metrics without a source.
const MetricsName = "metrics"

// File returns a file's path below the project's folder.
func File(id connection.ID, file string) string {
	if file == "" {
		return ""
	}
	return path.Join("semantic-layer", string(id), file)
}
