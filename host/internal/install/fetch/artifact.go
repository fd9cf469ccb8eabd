package fetch

import (
	"context"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"

	"github.com/loam-data/loam/host/internal/publish/registry"
)

// Artifact reports whether it is a reference to an OCI artifact, or to a file of one.
func (l Location) Artifact() bool { return registry.Is(string(l)) }

// Whole returns the reference of an artifact, with the absolute path of a layout, and whether it
// names the artifact and no file of it.
// Errors: KindInvalid.
func (l Location) Whole() (Location, bool, error) {
	r, err := registry.Parse(string(l))
	if err != nil {
		return "", false, err
	}
	if r.Layout != "" {
		if r.Layout, err = filepath.Abs(r.Layout); err != nil {
			return "", false, err
		}
	}
	return Location(r.String()), r.File == "", nil
}

func (l Location) besideInArtifact(reference string) (Location, error) {
	r, err := registry.Parse(string(l))
	if err != nil {
		return "", err
	}
	r, err = r.Beside(reference)
	return Location(r.String()), err
}

// Files returns the names of the files of an artifact and their sizes.
// Errors: KindInvalid; those of Bytes; KindUnauthenticated.
func (c *Client) Files(ctx context.Context, l Location) (map[string]int64, error) {
	r, err := registry.Parse(string(l))
	if err != nil {
		return nil, err
	}
	return c.registries().Files(ctx, r)
}

// Push pushes files below a folder as one artifact and returns its digest.
// Errors: KindInvalid, KindUnauthenticated, KindUnavailable, KindDenied, KindConflict; those of ctx.
func (c *Client) Push(ctx context.Context, l Location, dir string, names []string) (string, error) {
	r, err := registry.Parse(string(l))
	if err != nil {
		return "", err
	}
	return c.registries().Push(ctx, r, dir, names)
}

// registries are reached by the rules of all addresses, those of tokens and uploads included.
func (c *Client) registries() registry.Registries {
	bound := *c.http
	bound.Transport = allowedOnly{c.http.Transport}
	return registry.Registries{HTTP: &bound, Plain: func(host string) bool {
		return slices.Contains(thisMachine, (&url.URL{Host: host}).Hostname())
	}}
}

// allowedOnly refuses requests to addresses that are not fetched.
type allowedOnly struct{ http.RoundTripper }

func (a allowedOnly) RoundTrip(request *http.Request) (*http.Response, error) {
	if err := allowed(nil, request.URL); err != nil {
		return nil, err
	}
	return a.RoundTripper.RoundTrip(request)
}
