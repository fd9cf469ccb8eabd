package registry

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"

	"github.com/loam-data/loam/sdk"
)

// verified is content that is compared with its descriptor while it is read.
// Errors: KindDenied instead of the end for content of another size or digest; after an error every
// read repeats it.
type verified struct {
	body io.ReadCloser
	hash hash.Hash
	read int64
	want descriptor
	of   Reference
	err  error
}

func verify(body io.ReadCloser, want descriptor, of Reference) *verified {
	return &verified{body: body, hash: sha256.New(), want: want, of: of}
}

func (v *verified) Read(p []byte) (int, error) {
	if v.err != nil {
		return 0, v.err
	}
	n, err := v.body.Read(p)
	v.read += int64(n)
	v.hash.Write(p[:n])
	const other = "%s is not what its manifest says: "
	switch {
	case v.read > v.want.Size:
		n, err = 0, refused(other+"it is longer than %d bytes", v.of, v.want.Size)
	case !errors.Is(err, io.EOF):
	case v.read < v.want.Size:
		err = refused(other+"it has %d of %d bytes", v.of, v.read, v.want.Size)
	case digestScheme+hex.EncodeToString(v.hash.Sum(nil)) != v.want.Digest:
		err = refused(other+"its digest is not %s", v.of, v.want.Digest)
	}
	v.err = err
	return n, err
}

func (v *verified) Close() error { return v.body.Close() }

// readManifest reads a manifest or an index and closes it.
// Errors: KindLimit, KindUnavailable; those of body and ctx.
func readManifest(ctx context.Context, of Reference, body io.ReadCloser) (text []byte, err error) {
	defer func() { err = errors.Join(err, body.Close()) }()
	text, err = io.ReadAll(io.LimitReader(body, maxManifestBytes+1))
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, of.unreached(err)
	case len(text) > maxManifestBytes:
		return nil, sdk.Errorf(sdk.KindLimit, sdk.SourceHost, "the manifest of %s is larger than %d bytes", of, maxManifestBytes).WithHint("ask its publisher")
	}
	return text, nil
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// cancelable ends the reads of a file with ctx.
func cancelable(ctx context.Context, from io.Reader) io.Reader {
	return readerFunc(func(p []byte) (int, error) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		return from.Read(p)
	})
}
