package registry

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/loam-data/loam/sdk"
)

func invalid(format string, args ...any) *sdk.Error {
	return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%s", fmt.Sprintf(format, args...)).
		WithHint("name an artifact as oci://HOST/REPOSITORY:TAG, or oci:FOLDER:TAG for an OCI layout")
}

func refused(format string, args ...any) *sdk.Error {
	return sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "%w", fmt.Errorf(format, args...)).WithHint("ask its publisher to push the release anew")
}

func (r Reference) notFound() error {
	return sdk.Errorf(sdk.KindNotFound, sdk.SourceHost, "there is no artifact %s, or not all of it", r).WithHint("check the repository and the version")
}

func (r Reference) noRelease(is string) error {
	return sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "%s is no release of a connector: its type is %q", r, is).
		WithHint("check the reference; loam connector push makes artifacts of type %s", ArtifactType)
}

func (r Reference) credentials() error {
	return sdk.Errorf(sdk.KindUnauthenticated, sdk.SourceHost, "the registry of %s asks for credentials, and Loam has none for registries", r).
		WithHint("copy between the registry and an OCI layout with oras or skopeo, and name oci:FOLDER:TAG")
}

// unreached keeps an error that has its kind.
func (r Reference) unreached(err error) error {
	if e, ok := errors.AsType[*sdk.Error](err); ok {
		return e
	}
	return sdk.Errorf(sdk.KindUnavailable, sdk.SourceHost, "%s cannot be reached: %w", r, err).WithHint("try again, or use a file, a mirror or an OCI layout")
}

// answered gives the status of a registry's answer its kind.
func (r Reference) answered(status int) error {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return r.credentials()
	case http.StatusNotFound, http.StatusGone:
		return r.notFound()
	case http.StatusTooManyRequests:
		return sdk.Errorf(sdk.KindRateLimited, sdk.SourceHost, "the registry of %s allows no more requests now", r).WithHint("try again later, or use a mirror or an OCI layout")
	}
	return sdk.Errorf(sdk.KindUnavailable, sdk.SourceHost, "the registry of %s answers status %d", r, status).WithHint("check the reference, or try again")
}

// unwritten keeps an error that has its kind.
func (r Reference) unwritten(err error) error {
	if e, ok := errors.AsType[*sdk.Error](err); ok {
		return e
	}
	return sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "the layout %s cannot be written: %w", r.Layout, err).WithHint("make room, and let this user write there")
}
