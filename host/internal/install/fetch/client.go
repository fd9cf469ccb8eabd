// Package fetch reads the files of connectors from web servers, folders and OCI artifacts. It
// speaks HTTPS; plain HTTP only with this machine.
package fetch

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/publish/registry"
	"github.com/loam-data/loam/sdk"
)

const (
	// maxRedirects is as many as a release page and its storage take.
	maxRedirects = 5
	// answerTimeout bounds the time until a server answers. A download has no bound but
	// its context's: its size is bounded.
	answerTimeout = 30 * time.Second
)

// Location is the address or the path of a file.
type Location string

// Known refuses an address of a scheme that is not fetched. What has no scheme is a path.
// Errors: KindDenied, with the schemes that are.
func (l Location) Known() error {
	scheme, _, address := strings.Cut(string(l), "://")
	if !address || l.Remote() || l.Artifact() || strings.ContainsAny(scheme, `/\`) {
		return nil
	}
	return refused("addresses of %s:// are not fetched: https:// and oci:// are, and http:// from this machine", scheme)
}

// Remote reports whether reading it uses the network.
func (l Location) Remote() bool {
	return strings.HasPrefix(string(l), "https://") || strings.HasPrefix(string(l), "http://")
}

// Beside returns the location of a file that another one names: relative to it, with
// slashes, or by its address.
// Errors: KindDenied for one that leaves the folder of a local file or uses another
// scheme.
func (l Location) Beside(reference string) (Location, error) {
	if l.Artifact() {
		return l.besideInArtifact(reference)
	}
	if !l.Remote() {
		local := filepath.FromSlash(reference)
		if !filepath.IsLocal(local) || strings.ContainsAny(reference, `\:`) {
			return "", refused("%s names %q, which does not lie beside it", l, reference)
		}
		return Location(filepath.Join(filepath.Dir(string(l)), local)), nil
	}
	base, err := url.Parse(string(l))
	if err != nil {
		return "", refused("%q is no address", l)
	}
	target, err := base.Parse(reference)
	if err != nil {
		return "", refused("%s names %q, which is no address", l, reference)
	}
	if err := allowed(base, target); err != nil {
		return "", err
	}
	return Location(target.String()), nil
}

// thisMachine are the hosts that are reached without a network.
var thisMachine = []string{"localhost", "127.0.0.1", "::1"}

// allowed refuses an address that leads from HTTPS to anything else, or to plain HTTP
// beyond this machine.
func allowed(from, to *url.URL) error {
	switch {
	case to.User != nil:
		return refused("%s contains a user or a password", to.Redacted())
	case from != nil && from.Scheme != to.Scheme:
		return refused("%s leads to another scheme: %s", from.Redacted(), to.Redacted())
	case to.Scheme == "https", to.Scheme == "http" && slices.Contains(thisMachine, to.Hostname()):
		return nil
	}
	return refused("%s is not fetched: https:// is, and http:// from this machine", to.Redacted())
}

func refused(format string, args ...any) error {
	return sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "%s", fmt.Sprintf(format, args...)).
		WithHint("name an address that begins with https://, or a file")
}

// Client reads files.
// Concurrency: any number of goroutines.
type Client struct{ http *http.Client }

// New returns a client that connects to nothing before it is asked to.
func New() *Client {
	transport := &http.Transport{
		Proxy: http.ProxyFromEnvironment, TLSHandshakeTimeout: answerTimeout, ResponseHeaderTimeout: answerTimeout,
		DialContext: (&net.Dialer{Timeout: answerTimeout}).DialContext, DisableCompression: true, ForceAttemptHTTP2: true,
	}
	return &Client{&http.Client{Transport: transport, CheckRedirect: func(next *http.Request, via []*http.Request) error {
		if len(via) > maxRedirects {
			return refused("%s redirects more than %d times", via[0].URL.Redacted(), maxRedirects)
		}
		return allowed(via[len(via)-1].URL, next.URL)
	}}}
}

// Bytes returns the content of a file of at most limit bytes.
// Errors: KindNotFound, KindLimit, KindUnavailable, KindDenied; those of ctx.
func (c *Client) Bytes(ctx context.Context, l Location, limit int64) ([]byte, error) {
	var content bytes.Buffer
	_, err := c.Copy(ctx, l, &content, limit)
	return content.Bytes(), err
}

// Copy writes a file of at most limit bytes to w and returns its SHA-256 in lower-case
// hexadecimal.
// Errors: those of Bytes; KindDenied also where w fails.
func (c *Client) Copy(ctx context.Context, l Location, w io.Writer, limit int64) (sum string, err error) {
	body, err := c.open(ctx, l, limit)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, body.Close()) }()
	hash := sha256.New()
	kept := &failing{Writer: w}
	n, err := io.Copy(io.MultiWriter(kept, hash), io.LimitReader(body, limit+1))
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case kept.err != nil:
		return "", sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "%s cannot be kept: %w", l, kept.err).WithHint("make room, and let this user write there")
	case sdk.KindOf(err) == sdk.KindDenied:
		return "", err // content that is not what its manifest says
	case err != nil:
		return "", sdk.Errorf(sdk.KindUnavailable, sdk.SourceHost, "%s could not be read to its end: %w", l, err).WithHint("try again")
	case n > limit:
		return "", sdk.Errorf(sdk.KindLimit, sdk.SourceHost, "%s is larger than %d bytes", l, limit).WithHint("ask its publisher")
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

// failing remembers the error of a writer, to tell it from one of the reader.
type failing struct {
	io.Writer
	err error
}

func (f *failing) Write(p []byte) (int, error) {
	n, err := f.Writer.Write(p)
	f.err = err
	return n, err
}

func (c *Client) open(ctx context.Context, l Location, limit int64) (io.ReadCloser, error) {
	if err := l.Known(); err != nil {
		return nil, err
	}
	if l.Artifact() {
		r, err := registry.Parse(string(l))
		if err != nil {
			return nil, err
		}
		return c.registries().Open(ctx, r, limit)
	}
	if !l.Remote() {
		return openFile(string(l))
	}
	target, err := url.Parse(string(l))
	if err != nil {
		return nil, refused("%q is no address", l)
	}
	if err := allowed(nil, target); err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, target.String(), nil)
	if err != nil {
		return nil, refused("%q is no address", l)
	}
	answer, err := c.http.Do(request)
	if e, ok := errors.AsType[*sdk.Error](err); ok {
		return nil, e // of a redirect
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, sdk.Errorf(sdk.KindUnavailable, sdk.SourceHost, "%s cannot be reached: %w", l, errors.Unwrap(err)).WithHint("try again, or install from a file or a mirror")
	case answer.StatusCode == http.StatusOK:
		return answer.Body, nil
	}
	kind := sdk.KindUnavailable
	if answer.StatusCode == http.StatusNotFound || answer.StatusCode == http.StatusGone {
		kind = sdk.KindNotFound
	}
	err = sdk.Errorf(kind, sdk.SourceHost, "the server of %s answers: %s", l, answer.Status).WithHint("check the address")
	return nil, errors.Join(err, answer.Body.Close())
}

// openFile opens a regular file: the open of a named pipe waits.
func openFile(path string) (io.ReadCloser, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, sdk.Errorf(sdk.KindNotFound, sdk.SourceHost, "there is no file %s", path).WithHint("check the path")
	case err == nil && !info.Mode().IsRegular():
		return nil, refused("%s is no regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "%s cannot be read: %w", path, err).WithHint("let this user read it")
	}
	return f, nil
}
