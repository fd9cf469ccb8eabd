package install

import (
	"context"
	"strings"

	"github.com/loam-data/loam/host/internal/install/fetch"
	"github.com/loam-data/loam/sdk"
)

// artifact is an archive in an OCI artifact, or an artifact with archives for several platforms.
func (j *job) artifact(ctx context.Context, source fetch.Location) (*release, error) {
	whole, all, err := source.Whole()
	if err != nil {
		return nil, err
	}
	if !all {
		return j.archive(ctx, whole)
	}
	files, err := j.service.fetch.Files(ctx, whole)
	if err != nil {
		return nil, err
	}
	return j.archives(ctx, func(platform string) (fetch.Location, error) {
		var found []string
		for name := range files {
			if strings.HasSuffix(name, "_"+platform+".tar.gz") {
				found = append(found, name)
			}
		}
		if len(found) != 1 {
			return "", sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "%s has %d archives for %s, and needs one", whole, len(found), platform).
				WithHint("name the archive: %s/FILE.tar.gz, or the artifact as an index: --index %s", whole, whole)
		}
		return whole + fetch.Location("/"+found[0]), nil
	})
}
