package registry

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/loam-data/loam/sdk"
)

// sink is where an artifact is pushed.
type sink interface {
	has(ctx context.Context, d descriptor) (bool, error)
	put(ctx context.Context, d descriptor, content io.ReaderAt) error
	// publish adds a manifest and gives it a tag.
	publish(ctx context.Context, d descriptor, text []byte, tag string) error
}

// Push pushes files below a folder as one artifact, and tags it. The tag comes last: until then
// nobody sees any of it. It returns the digest of the manifest, which equal files share.
// Errors: KindInvalid for a reference that has no tag or names a file; KindNotFound for a file that
// cannot be read; KindUnauthenticated, KindRateLimited, KindUnavailable, KindDenied; KindConflict for a layout that
// another push holds and a folder of something else; those of ctx.
func (g Registries) Push(ctx context.Context, r Reference, dir string, names []string) (string, error) {
	if !tag().MatchString(r.Version) || r.File != "" {
		return "", invalid("%s has no tag to push to", r)
	}
	if r.Layout == "" {
		return pack(ctx, g.remote(r), r.Version, dir, names)
	}
	return layout{r.Layout, r, layoutPatience}.push(ctx, dir, names)
}

// pack pushes the files and the manifest.
func pack(ctx context.Context, into sink, tag, dir string, names []string) (string, error) {
	layers := make([]descriptor, 0, len(names))
	for _, name := range slices.Sorted(slices.Values(names)) {
		if !plain(name) {
			return "", invalid("%q cannot be the name of a file of an artifact", name).WithHint("rename the file")
		}
		d, err := pushFile(ctx, into, filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			return "", err
		}
		d.Annotations = map[string]string{titleKey: name}
		layers = append(layers, d)
	}
	if err := pushBlob(ctx, into, describe(emptyType, []byte(emptyConfig)), strings.NewReader(emptyConfig)); err != nil {
		return "", err
	}
	d, text, err := newManifest(layers)
	if err != nil {
		return "", err
	}
	return d.Digest, into.publish(ctx, d, text, tag)
}

func pushBlob(ctx context.Context, into sink, d descriptor, content io.ReaderAt) error {
	if has, err := into.has(ctx, d); err != nil || has {
		return err
	}
	return into.put(ctx, d, content)
}

func pushFile(ctx context.Context, into sink, path string) (d descriptor, err error) {
	f, err := os.Open(path)
	if err != nil {
		return d, sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "%s cannot be read: %w", path, err).WithHint("check the folder")
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	hash := sha256.New()
	n, err := io.Copy(hash, cancelable(ctx, f))
	if err != nil {
		return d, err
	}
	d = descriptor{MediaType: fileType, Digest: digestScheme + hex.EncodeToString(hash.Sum(nil)), Size: n}
	return d, pushBlob(ctx, into, d, f)
}
