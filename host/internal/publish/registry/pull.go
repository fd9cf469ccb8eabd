package registry

import (
	"context"
	"encoding/json"
	"io"
	"net/http"

	"github.com/loam-data/loam/sdk"
)

// Registries reaches registries through an HTTP client, which decides which addresses it
// reaches. It has no credentials: it reads what anybody may.
// Concurrency: any number of goroutines.
type Registries struct {
	HTTP *http.Client
	// Plain reports whether a host is spoken to without TLS.
	Plain func(host string) bool
}

// source has artifacts.
type source interface {
	// resolve returns the manifest, or the index of manifests, of a version.
	resolve(ctx context.Context, version string) (descriptor, []byte, error)
	// open returns content that is not verified.
	open(ctx context.Context, d descriptor) (io.ReadCloser, error)
}

func (g Registries) source(r Reference) source {
	if r.Layout != "" {
		return layout{r.Layout, r, layoutPatience}
	}
	return g.remote(r)
}

// artifact is a resolved reference: its files by name, and where they are.
type artifact struct {
	from  source
	of    Reference
	files map[string]descriptor
}

// Files returns the names of the files of an artifact and their sizes.
// Errors: KindNotFound, KindDenied for an artifact that is no release, KindUnauthenticated, KindLimit,
// KindRateLimited, KindUnavailable; those of ctx.
func (g Registries) Files(ctx context.Context, r Reference) (map[string]int64, error) {
	a, err := g.artifact(ctx, r)
	if err != nil {
		return nil, err
	}
	sizes := make(map[string]int64, len(a.files))
	for name, d := range a.files {
		sizes[name] = d.Size
	}
	return sizes, nil
}

// Open opens a file of an artifact. The reader ends with an error of KindDenied when the content
// is not what the manifest says.
// Errors: those of Files; KindLimit for a file beyond limit bytes, of which nothing is fetched.
func (g Registries) Open(ctx context.Context, r Reference, limit int64) (io.ReadCloser, error) {
	a, err := g.artifact(ctx, r)
	if err != nil {
		return nil, err
	}
	d, ok := a.files[r.File]
	switch {
	case !ok:
		return nil, sdk.Errorf(sdk.KindNotFound, sdk.SourceHost, "there is no file %s", r).WithHint("check the name and the version")
	case d.Size > limit:
		return nil, sdk.Errorf(sdk.KindLimit, sdk.SourceHost, "%s is larger than %d bytes", r, limit).WithHint("ask its publisher")
	}
	body, err := a.from.open(ctx, d)
	if err != nil {
		return nil, err
	}
	return verify(body, d, r), nil
}

func (g Registries) artifact(ctx context.Context, r Reference) (*artifact, error) {
	a := &artifact{g.source(r), r, map[string]descriptor{}}
	d, text, err := a.from.resolve(ctx, r.Version)
	if err != nil {
		return nil, err
	}
	if d.MediaType != indexType {
		return a, a.add(d.MediaType, text)
	}
	var index manifestIndex
	if err := json.Unmarshal(text, &index); err != nil {
		return nil, refused("%s is no index of manifests: %w", r, err)
	}
	if len(index.Manifests) > maxManifests {
		return nil, sdk.Errorf(sdk.KindLimit, sdk.SourceHost, "%s has more than %d manifests", r, maxManifests).WithHint("ask its publisher")
	}
	for _, one := range index.Manifests {
		if one.MediaType != manifestType {
			return nil, r.noRelease(one.MediaType)
		}
		text, err := whole(ctx, a.from, one, r)
		if err != nil {
			return nil, err
		}
		if err := a.add(one.MediaType, text); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// add adds the files of a manifest.
func (a *artifact) add(mediaType string, text []byte) error {
	if mediaType != manifestType {
		return a.of.noRelease(mediaType)
	}
	var m manifest
	if err := json.Unmarshal(text, &m); err != nil {
		return refused("the manifest of %s cannot be read: %w", a.of, err)
	}
	if m.ArtifactType != ArtifactType {
		return a.of.noRelease(m.ArtifactType)
	}
	for _, d := range m.Layers {
		name := d.Annotations[titleKey]
		if !plain(name) || !d.valid() {
			return refused("the manifest of %s has a file %q without a usable name, size or digest", a.of, name)
		}
		if other, ok := a.files[name]; ok && other.Digest != d.Digest {
			return refused("the manifest of %s has two files %s", a.of, name)
		}
		a.files[name] = d
	}
	return nil
}

// whole reads a manifest and verifies it.
func whole(ctx context.Context, from source, d descriptor, of Reference) ([]byte, error) {
	if !d.valid() {
		return nil, refused("%s has a manifest without a usable size or digest", of)
	}
	body, err := from.open(ctx, d)
	if err != nil {
		return nil, err
	}
	return readManifest(ctx, of, verify(body, d, of))
}
