package registry

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/file"
	"github.com/loam-data/loam/sdk"
)

const (
	// layoutPatience is how long a push waits for another one into the same layout.
	layoutPatience = 30 * time.Second
	// lockName and ingest are the lock of pushes and the folder of blobs that are being written. Readers ignore
	// both.
	lockName = ".lock"
	ingest   = "ingest"
)

// layout is the folder of an OCI layout.
// Source: OCI image specification 1.1, image-layout.md.
type layout struct {
	dir string
	of  Reference
	// patience is how long a push waits for another one.
	patience time.Duration
}

// index is the index of a layout. The entries and keys of others are kept as they are.
type index struct {
	keys    map[string]json.RawMessage
	entries []json.RawMessage
}

func (l layout) resolve(ctx context.Context, version string) (descriptor, []byte, error) {
	x, err := l.index(ctx)
	if err != nil {
		return descriptor{}, nil, err
	}
	for _, entry := range x.entries {
		var d descriptor
		if json.Unmarshal(entry, &d) != nil || d.Annotations[refNameKey] != version {
			continue
		}
		text, err := whole(ctx, l, d, l.of)
		return d, text, err
	}
	return descriptor{}, nil, l.of.notFound()
}

// index reads the index of a layout.
// Errors: KindNotFound where there is no layout, KindDenied, KindLimit; those of ctx.
func (l layout) index(ctx context.Context) (x index, err error) {
	var its struct {
		Version string `json:"imageLayoutVersion"`
	}
	if err := l.read(ctx, layoutFile, &its); err != nil {
		return x, err
	}
	if its.Version != layoutVersion {
		return x, refused("the layout %s is of version %q, not %s", l.dir, its.Version, layoutVersion)
	}
	if err := l.read(ctx, layoutIndex, &x.keys); err != nil {
		return x, err
	}
	if err := json.Unmarshal(x.keys["manifests"], &x.entries); err != nil {
		return x, refused("the index of the layout %s has no list of manifests: %w", l.dir, err)
	}
	return x, nil
}

func (l layout) read(ctx context.Context, name string, into any) error {
	f, err := l.file(name)
	if err != nil {
		return err
	}
	text, err := readManifest(ctx, l.of, f)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, into); err != nil {
		return refused("%s of the layout %s cannot be read: %w", name, l.dir, err)
	}
	return nil
}

// file opens a regular file of the layout: the open of a named pipe waits.
func (l layout) file(name string) (*os.File, error) {
	path := filepath.Join(l.dir, name)
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, l.of.notFound()
	case err == nil && !info.Mode().IsRegular():
		return nil, refused("%s is no regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "%s cannot be read: %w", path, err).WithHint("let this user read it")
	}
	return f, nil
}

func blobName(d descriptor) string {
	return filepath.Join("blobs", "sha256", strings.TrimPrefix(d.Digest, digestScheme))
}

func (l layout) open(_ context.Context, d descriptor) (io.ReadCloser, error) {
	return l.file(blobName(d))
}

// has reports whether the layout has a blob whole: one that was changed is written again.
func (l layout) has(ctx context.Context, d descriptor) (bool, error) {
	f, err := l.file(blobName(d))
	switch {
	case sdk.KindOf(err) == sdk.KindNotFound:
		return false, nil
	case err != nil:
		return false, err
	}
	content := verify(f, d, l.of)
	_, err = io.Copy(io.Discard, cancelable(ctx, content))
	return err == nil, errors.Join(ctx.Err(), content.Close())
}

// put writes a blob beside and renames it when it is whole.
func (l layout) put(ctx context.Context, d descriptor, content io.ReaderAt) (err error) {
	temp := filepath.Join(l.dir, ingest, filepath.Base(blobName(d)))
	f, err := os.Create(temp)
	if err != nil {
		return err
	}
	whole := verify(io.NopCloser(io.NewSectionReader(content, 0, d.Size)), d, l.of)
	_, err = io.Copy(f, cancelable(ctx, whole))
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	to := filepath.Join(l.dir, blobName(d))
	return errors.Join(os.Rename(temp, to), file.SyncDir(filepath.Dir(to)))
}

// publish adds a manifest to the index, in place of the one that has its tag.
func (l layout) publish(ctx context.Context, d descriptor, text []byte, tag string) error {
	if err := l.put(ctx, d, strings.NewReader(string(text))); err != nil {
		return err
	}
	x, err := l.index(ctx)
	if err != nil {
		return err
	}
	d.Annotations = map[string]string{refNameKey: tag}
	entry, err := json.Marshal(d)
	if err != nil {
		return err
	}
	x.entries = append(slices.DeleteFunc(x.entries, func(entry json.RawMessage) bool {
		var other descriptor
		return json.Unmarshal(entry, &other) == nil && other.Annotations[refNameKey] == tag
	}), entry)
	if x.keys["manifests"], err = json.Marshal(x.entries); err != nil {
		return err
	}
	all, err := json.Marshal(x.keys)
	if err != nil {
		return err
	}
	if len(all) > maxManifestBytes {
		return sdk.Errorf(sdk.KindLimit, sdk.SourceCaller, "the index of the layout %s would be larger than %d bytes", l.dir, maxManifestBytes).WithHint("push to a new folder")
	}
	return file.Replace(filepath.Join(l.dir, layoutIndex), all, 0o644)
}

// push makes the layout if there is none, and adds the artifact while no other push writes there.
// A killed push leaves blobs that nothing names: the index is replaced last.
func (l layout) push(ctx context.Context, dir string, names []string) (pushed string, err error) {
	err = l.locked(ctx, func() (err error) {
		pushed, err = pack(ctx, l, l.of.Version, dir, names)
		return err
	})
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil:
		return "", l.of.unwritten(err)
	}
	return pushed, nil
}

// locked runs write in a layout that is prepared, under its lock.
// Errors: KindConflict for a folder of something else, or while another push has it; KindDenied where
// it cannot be written; those of write and ctx.
func (l layout) locked(ctx context.Context, write func() error) (err error) {
	if err := os.MkdirAll(l.dir, 0o755); err != nil {
		return err
	}
	if err := l.free(); err != nil {
		return err
	}
	unlock, err := file.Wait(ctx, filepath.Join(l.dir, lockName), l.patience)
	switch {
	case err != nil:
		return err
	case unlock == nil:
		return sdk.Errorf(sdk.KindConflict, sdk.SourceHost, "another push writes the layout %s", l.dir).WithHint("try again")
	}
	defer func() { err = errors.Join(err, unlock()) }()
	if err := l.prepare(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(filepath.Join(l.dir, ingest))) }()
	return write()
}

// free refuses a folder with files that is no layout. It reads the folder first: a push beside makes the
// file of the layout before others.
func (l layout) free() error {
	entries, err := os.ReadDir(l.dir)
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(l.dir, layoutFile)); err == nil {
		return nil
	}
	// A push that was killed leaves its lock and a file that Replace writes.
	if slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return !strings.HasPrefix(e.Name(), ".") }) {
		return sdk.Errorf(sdk.KindConflict, sdk.SourceCaller, "the folder %s has files and is no OCI layout", l.dir).WithHint("name a new folder, or the one of a layout")
	}
	return nil
}

// prepare makes the files that every layout has.
func (l layout) prepare(ctx context.Context) error {
	if err := os.RemoveAll(filepath.Join(l.dir, ingest)); err != nil {
		return err
	}
	for _, f := range []struct{ name, text string }{
		{layoutFile, `{"imageLayoutVersion":"` + layoutVersion + `"}`},
		{layoutIndex, `{"schemaVersion":2,"mediaType":"` + indexType + `","manifests":[]}`},
	} {
		path := filepath.Join(l.dir, f.name)
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err := file.Replace(path, []byte(f.text), 0o644); err != nil {
			return err
		}
	}
	if _, err := l.index(ctx); err != nil {
		return err
	}
	return errors.Join(os.MkdirAll(filepath.Join(l.dir, "blobs", "sha256"), 0o755), os.MkdirAll(filepath.Join(l.dir, ingest), 0o755))
}
