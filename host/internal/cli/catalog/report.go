package catalog

import (
	"strings"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

// reportUnchanged says of a connection whose scan failed what it has.
func (a *commands) reportUnchanged(services *Services, id connection.ID) {
	snapshot, err := services.Catalogs.Of(string(id)).Latest()
	switch {
	case err == nil:
		a.term.Infof("%s: the snapshot of %s (%s) stays as it was", id, text.Clock(snapshot.ExtractedAt), snapshot.SyncID)
	case sdk.KindOf(err) == sdk.KindNotFound:
		a.term.Infof("%s: there is no snapshot of it", id)
	default:
		a.term.Warn(err)
	}
}

// scansFailed is the error of a command whose scans failed; of a single one its
// own.
func scansFailed(all int, failed []string, first error) error {
	if first == nil || all == 1 {
		return first
	}
	e := sdk.AsError(first, sdk.SourceHost)
	return sdk.Errorf(e.Kind, e.Source, "%d of %d connections could not be scanned: %s", len(failed), all, strings.Join(failed, ", ")).
		WithHint("scan each of them alone to see why: loam scan %s", failed[0])
}
