package release

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/loam-data/loam/host/internal/install/fetch"
	"github.com/loam-data/loam/host/internal/publish/index"
	"github.com/loam-data/loam/host/internal/publish/signature"
	"github.com/loam-data/loam/sdk"
)

// Pushed is an artifact that was pushed.
type Pushed struct {
	Reference string `json:"reference"`
	// Digest is that of the manifest.
	Digest string   `json:"digest"`
	Files  []string `json:"files"`
	// Absent are archives that the index names and the folder, as one of a mirror, does not have.
	Absent []string `json:"absent"`
}

// Push pushes a signed release, or an index with the archives that it names, to an OCI registry or
// into an OCI layout. A folder with an index is pushed as one.
// Errors: KindNotFound for a folder without either, KindDenied for what is not signed or changed
// after that; those of fetch.Client.Push.
func Push(ctx context.Context, dir, reference string) (*Pushed, error) {
	names, absent, err := pushable(dir)
	if err != nil {
		return nil, err
	}
	digest, err := fetch.New().Push(ctx, fetch.Location(reference), dir, names)
	if err != nil {
		return nil, err
	}
	return &Pushed{reference, digest, names, absent}, nil
}

// pushable returns the files of what is published in a folder.
func pushable(dir string) (names, absent []string, err error) {
	if _, err := os.Stat(filepath.Join(dir, index.Name)); err == nil {
		return indexFiles(dir)
	}
	_, sums, err := readSums(dir)
	if err != nil {
		return nil, nil, err
	}
	if _, err := os.Stat(filepath.Join(dir, signature.SignatureName)); err != nil {
		return nil, nil, sdk.Errorf(sdk.KindDenied, sdk.SourceCaller, "the release in %s is not signed: %w", dir, err).WithHint("run loam connector sign %s --key FILE", dir)
	}
	if err := unchanged(dir, sums); err != nil {
		return nil, nil, err
	}
	return append([]string{signature.SumsName, signature.SignatureName}, slices.Sorted(maps.Keys(sums))...), []string{}, nil
}

// indexFiles are an index, its signature and the archives that it names, which all lie below it.
func indexFiles(dir string) (names, absent []string, err error) {
	x, err := Editor{Path: filepath.Join(dir, index.Name)}.read(false)
	if err != nil {
		return nil, nil, err
	}
	sums := signature.Sums{}
	absent = []string{}
	for _, connector := range x.Connectors {
		for _, version := range connector.Versions {
			for _, target := range version.Targets {
				if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(target.URL))); errors.Is(err, fs.ErrNotExist) {
					absent = append(absent, target.URL)
					continue
				}
				sums[target.URL] = target.SHA256
			}
		}
	}
	slices.Sort(absent)
	if err := unchanged(dir, sums); err != nil {
		return nil, nil, err
	}
	return append([]string{index.Name, index.Name + index.SignatureEnding}, slices.Sorted(maps.Keys(sums))...), absent, nil
}
