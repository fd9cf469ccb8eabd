package registry

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

const manifestsPath = "manifests/"

// remote is a repository of a registry.
// Source: OCI distribution specification 1.1.
// Concurrency: one goroutine.
type remote struct {
	http *http.Client
	of   Reference
	// base is the address of the repository.
	base url.URL
	// authorization is the header that the registry asked for, "" = none so far.
	authorization string
}

func (g Registries) remote(r Reference) *remote {
	scheme := "https"
	if g.Plain(r.Registry) {
		scheme = "http"
	}
	return &remote{http: g.HTTP, of: r, base: url.URL{Scheme: scheme, Host: r.Registry, Path: "/v2/" + r.Repository}}
}

// call is a request to the registry. content is its body of size bytes, nil = none.
type call struct {
	method  string
	address *url.URL
	header  http.Header
	content io.ReaderAt
	size    int64
}

func (m *remote) at(path string) *url.URL { return m.base.JoinPath(path) }

// resolve fetches a manifest by its tag or digest.
func (m *remote) resolve(ctx context.Context, version string) (descriptor, []byte, error) {
	body, header, err := m.get(ctx, manifestsPath+version)
	if err != nil {
		return descriptor{}, nil, err
	}
	text, err := readManifest(ctx, m.of, body)
	if err != nil {
		return descriptor{}, nil, err
	}
	mediaType, _, _ := strings.Cut(header.Get("Content-Type"), ";")
	d := describe(strings.TrimSpace(mediaType), text)
	for _, want := range []string{version, header.Get("Docker-Content-Digest")} {
		if strings.HasPrefix(want, digestScheme) && want != d.Digest {
			return d, nil, refused("the manifest of %s is not what was asked for: its digest is not %s", m.of, want)
		}
	}
	return d, text, nil
}

func (m *remote) open(ctx context.Context, d descriptor) (io.ReadCloser, error) {
	kind := "blobs/"
	if d.MediaType == manifestType || d.MediaType == indexType {
		kind = manifestsPath
	}
	body, _, err := m.get(ctx, kind+d.Digest)
	return body, err
}

func (m *remote) get(ctx context.Context, path string) (io.ReadCloser, http.Header, error) {
	header := http.Header{}
	if strings.HasPrefix(path, manifestsPath) {
		header.Set("Accept", manifestType+", "+indexType) // in one line: some registries read the first one only
	}
	answer, err := m.do(ctx, call{method: http.MethodGet, address: m.at(path), header: header}, http.StatusOK)
	if err != nil {
		return nil, nil, err
	}
	return answer.Body, answer.Header, nil
}

func (m *remote) has(ctx context.Context, d descriptor) (bool, error) {
	answer, err := m.do(ctx, call{method: http.MethodHead, address: m.at("blobs/" + d.Digest)}, http.StatusOK, http.StatusNotFound)
	if err != nil {
		return false, err
	}
	return answer.StatusCode == http.StatusOK, answer.Body.Close()
}

// put uploads a blob in one piece.
func (m *remote) put(ctx context.Context, d descriptor, content io.ReaderAt) error {
	start := m.at("blobs/uploads")
	start.Path += "/"
	answer, err := m.do(ctx, call{method: http.MethodPost, address: start}, http.StatusAccepted)
	if err != nil {
		return err
	}
	if err := answer.Body.Close(); err != nil {
		return m.of.unreached(err)
	}
	to, err := answer.Location()
	if err != nil {
		return m.of.unreached(fmt.Errorf("it does not say where to upload: %w", err))
	}
	if err := m.follows(to); err != nil {
		return err
	}
	query := to.Query()
	query.Set("digest", d.Digest)
	to.RawQuery = query.Encode()
	return m.upload(ctx, to, "application/octet-stream", content, d.Size)
}

// publish puts a manifest under a tag.
func (m *remote) publish(ctx context.Context, d descriptor, text []byte, tag string) error {
	return m.upload(ctx, m.at(manifestsPath+tag), d.MediaType, strings.NewReader(string(text)), d.Size)
}

func (m *remote) upload(ctx context.Context, to *url.URL, mediaType string, content io.ReaderAt, size int64) error {
	header := http.Header{"Content-Type": {mediaType}}
	answer, err := m.do(ctx, call{http.MethodPut, to, header, content, size}, http.StatusCreated)
	if err != nil {
		return err
	}
	return answer.Body.Close()
}

// follows refuses an address that a registry names and that leaves TLS.
func (m *remote) follows(to *url.URL) error {
	if m.base.Scheme == "https" && to.Scheme != "https" {
		return refused("the registry of %s leads to another scheme: %s", m.of, to.Redacted()).WithHint("use a mirror or an OCI layout")
	}
	return nil
}

// do sends a call, with a token where the registry asks for one, and wants one of some statuses.
// Errors: KindUnauthenticated, KindNotFound, KindRateLimited, KindUnavailable, KindDenied for an
// address that is not fetched; those of ctx.
func (m *remote) do(ctx context.Context, c call, want ...int) (*http.Response, error) {
	answer, err := m.send(ctx, c)
	if err != nil {
		return nil, err
	}
	// Storage that a registry redirects to may not ask for the registry's token.
	if answer.StatusCode == http.StatusUnauthorized && answer.Request.URL.Host == m.base.Host {
		_ = answer.Body.Close() // of an answer that is not used
		if err := m.authorize(ctx, answer.Header.Values("WWW-Authenticate"), c.method); err != nil {
			return nil, err
		}
		if answer, err = m.send(ctx, c); err != nil {
			return nil, err
		}
	}
	if slices.Contains(want, answer.StatusCode) {
		return answer, nil
	}
	_ = answer.Body.Close() // of an answer that is refused
	return nil, m.of.answered(answer.StatusCode)
}

func (m *remote) send(ctx context.Context, c call) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, c.method, c.address.String(), nil)
	if err != nil {
		return nil, invalid("%s is no address", c.address.Redacted())
	}
	for name, values := range c.header {
		request.Header[name] = values
	}
	request.Header.Set("User-Agent", "loam")
	if m.authorization != "" && c.address.Host == m.base.Host {
		request.Header.Set("Authorization", m.authorization)
	}
	if c.content != nil && c.size > 0 {
		request.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(io.NewSectionReader(c.content, 0, c.size)), nil }
		request.Body, _ = request.GetBody()
		request.ContentLength = c.size
	}
	answer, err := m.http.Do(request)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, m.of.unreached(errors.Unwrap(err))
	}
	return answer, nil
}
