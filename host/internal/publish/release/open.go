package release

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/loam-data/loam/host/internal/file"
	"github.com/loam-data/loam/host/internal/publish/archive"
	"github.com/loam-data/loam/host/internal/publish/signature"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/wire"
)

// Opened is an archive and its manifest, which has one platform.
type Opened struct {
	Archive
	Manifest wire.Manifest
}

// Open unpacks an archive into a folder of its own, as an installation does, and removes the folder.
// Errors: KindDenied for an archive that no host would unpack.
func Open(ctx context.Context, path string) (o Opened, err error) {
	packed, err := os.ReadFile(path)
	if err != nil {
		return o, sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "the archive cannot be read: %w", err)
	}
	dir, err := os.MkdirTemp("", "loam-unpack-")
	if err != nil {
		return o, unavailable("make a folder for the files: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	root, err := os.OpenRoot(dir)
	if err != nil {
		return o, unavailable("open the folder for the files: %w", err)
	}
	defer root.Close() //nolint:errcheck // every file was closed
	o.File, o.Size, o.SHA256 = filepath.Base(path), int64(len(packed)), sumOf(packed)
	err = archive.Unpack(ctx, bytes.NewReader(packed), root, func() (names []string, err error) {
		if o.Manifest, err = readManifest(filepath.Join(dir, wire.ManifestName)); err != nil {
			return nil, err
		}
		platforms := slices.Collect(maps.Keys(o.Manifest.Targets))
		if len(platforms) != 1 {
			return nil, sdk.Errorf(sdk.KindDenied, sdk.SourceCaller, "%s has programs for %d platforms, not for one", o.File, len(platforms)).
				WithHint("make it with loam connector package")
		}
		o.Platform = platforms[0]
		return Files(o.Manifest, o.Platform), nil
	})
	if err != nil {
		return o, err
	}
	o.Tree, err = archive.Tree(root.FS())
	return o, err
}

// Sign signs the SHA256SUMS of a folder, whose files must be there unchanged.
// Errors: KindNotFound for a folder without archives, KindDenied for a file that changed.
func Sign(dir string, signer *signature.Signer) (signature.Sums, error) {
	text, sums, err := readSums(dir)
	if err != nil {
		return nil, err
	}
	if err := unchanged(dir, sums); err != nil {
		return nil, err
	}
	err = file.Replace(filepath.Join(dir, signature.SignatureName), signer.Sign(text, "file:"+signature.SumsName), 0o644)
	if err != nil {
		return nil, unavailable("write the signature: %w", err)
	}
	return sums, nil
}

// unchanged checks that files below a folder are those of their checksums.
func unchanged(dir string, sums signature.Sums) error {
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		same, err := sameFile(filepath.Join(dir, filepath.FromSlash(name)), sums[name])
		switch {
		case err != nil:
			return sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "%s cannot be read, which is listed in %s: %w", name, dir, err).
				WithHint("run loam connector package again")
		case !same:
			return sdk.Errorf(sdk.KindDenied, sdk.SourceCaller, "%s is not the file that is listed in %s", name, dir).
				WithHint("run loam connector package again")
		}
	}
	return nil
}

func readSums(dir string) ([]byte, signature.Sums, error) {
	text, err := os.ReadFile(filepath.Join(dir, signature.SumsName))
	if err != nil {
		return nil, nil, sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "%s cannot be read: %w", signature.SumsName, err).
			WithHint("loam connector package writes it beside the archives")
	}
	sums, err := signature.ParseSums(text)
	return text, sums, err
}

// signed checks that one of the keys signed the checksum of an archive.
func signed(path, sum string, keys []signature.Key) error {
	dir := filepath.Dir(path)
	text, sums, err := readSums(dir)
	if err != nil {
		return err
	}
	if sums[filepath.Base(path)] != sum {
		return sdk.Errorf(sdk.KindDenied, sdk.SourceCaller, "%s is not a file that %s beside it lists", path, signature.SumsName).
			WithHint("run loam connector package and sign again")
	}
	its, err := os.ReadFile(filepath.Join(dir, signature.SignatureName))
	if err != nil {
		return sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "%s is not signed: %w", path, err).
			WithHint("run loam connector sign %s --key FILE", dir)
	}
	return verified(text, its, keys)
}

// verified checks that one of the keys signed a text. The error is that of the first key.
func verified(text, its []byte, keys []signature.Key) (err error) {
	for _, key := range keys {
		failed := key.Verify(text, its)
		if failed == nil {
			return nil
		}
		if err == nil {
			err = failed
		}
	}
	if err == nil {
		err = sdk.Errorf(sdk.KindDenied, sdk.SourceCaller, "the index lists no key for it")
	}
	return err
}
