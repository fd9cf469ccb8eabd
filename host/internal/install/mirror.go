package install

import (
	"context"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/loam-data/loam/host/internal/install/fetch"
	"github.com/loam-data/loam/host/internal/install/lockfile"
	"github.com/loam-data/loam/host/internal/publish/archive"
	"github.com/loam-data/loam/host/internal/publish/index"
	"github.com/loam-data/loam/sdk"
)

// Mirror copies the locked releases for all locked platforms into a folder, each index
// with its signature in a folder of its namespace, so that the folders serve as indexes
// where there is no network. It returns these folders.
// Errors: KindUnsupported for a connector that was not installed from an index; those of
// Install.
func (s *Service) Mirror(ctx context.Context, dir string) ([]string, error) {
	lock, err := lockfile.Read(s.Dir)
	if err != nil {
		return nil, err
	}
	j, err := s.begin(ctx, Request{})
	if err != nil {
		return nil, err
	}
	if err := j.read(); err != nil {
		return nil, err
	}
	folders := []string{}
	for _, id := range slices.Sorted(maps.Keys(lock)) {
		c := lock[id]
		if filepath.Base(c.Source) != index.Name {
			return nil, sdk.Errorf(sdk.KindUnsupported, sdk.SourceCaller, "connector %q was installed from %s and not from an index: it cannot be mirrored", id, c.Source).
				WithHint("copy its archive, SHA256SUMS and SHA256SUMS.minisig yourself")
		}
		folder := filepath.Join(dir, filepath.Dir(id))
		if err := j.mirror(ctx, folder, id, c); err != nil {
			return nil, err
		}
		if !slices.Contains(folders, folder) {
			folders = append(folders, folder)
		}
	}
	return folders, nil
}

func (j *job) mirror(ctx context.Context, folder, id string, c lockfile.Connector) error {
	at := fetch.Location(c.Source)
	x, key, err := j.index(ctx, at, id)
	if err != nil {
		return err
	}
	if !j.trusts(id, key) {
		return denied("the index %s is signed by key %s, which is not trusted on this machine", at, key).WithHint("loam connector trust add %s %s", key, id)
	}
	for _, name := range []string{index.Name, index.Name + index.SignatureEnding} {
		if err := j.copy(ctx, at, name, folder, index.MaxBytes, ""); err != nil {
			return err
		}
	}
	for platform, sums := range c.Platforms {
		target, ok := x.Connectors[id].Versions[c.Version].Targets[platform]
		if !ok || target.Tree != sums.Tree {
			return denied("the index %s has no archive of %s %s for %s that this project locked", at, id, c.Version, platform)
		}
		if err := j.copy(ctx, at, target.URL, folder, archive.MaxPacked, target.SHA256); err != nil {
			return err
		}
	}
	return nil
}

// copy copies a file beside the index into a folder; sum is its SHA-256, "" = any.
func (j *job) copy(ctx context.Context, index fetch.Location, name, folder string, limit int64, sum string) (err error) {
	from, err := index.Beside(name)
	if err != nil {
		return err
	}
	into, err := fetch.Location(filepath.Join(folder, "index")).Beside(name)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(string(into)), 0o755); err != nil {
		return err
	}
	f, err := os.Create(string(into))
	if err != nil {
		return err
	}
	found, err := j.service.fetch.Copy(ctx, from, io.Writer(f), limit)
	if err == nil && sum != "" && found != sum {
		err = denied("%s is refused: it is not the archive that was named (SHA-256 %s, found %s)", from, sum, found)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		err = errors.Join(err, os.Remove(string(into)))
	}
	return err
}
