// Package registry keeps the files of releases in OCI registries and OCI layout folders. An
// artifact has a layer for each file, titled with its name. A registry only carries the bytes:
// who made them is a matter of their signature.
package registry

import (
	"io/fs"
	"path"
	"strings"

	"github.com/loam-data/loam/host/internal/text"
)

const (
	remoteScheme = "oci://"
	layoutScheme = "oci:"
	// maxRepository is the longest name that registries commonly accept, in bytes.
	maxRepository = 255
)

// Reference names an artifact, or a file of it.
type Reference struct {
	// Layout is the folder of an OCI layout; "" = a registry.
	Layout string
	// Registry is the host, with its port, and Repository the name there; of a registry only.
	Registry, Repository string
	// Version is a tag; of a registry also a digest.
	Version string
	// File is the name of a file, with slashes; "" = all of them.
	File string
}

// Is reports whether a text is meant as a reference.
func Is(text string) bool { return strings.HasPrefix(text, layoutScheme) }

// Source: OCI distribution specification 1.1, "Pulling manifests".
var (
	tag        = text.Pattern(`^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$`)
	repository = text.Pattern(`^[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*(/[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*)*$`)
	host       = text.Pattern(`^([A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?$`)
)

// Parse reads oci://HOST/REPOSITORY:TAG, the same with @DIGEST, and oci:FOLDER:TAG, each also
// with /FILE.
// Errors: KindInvalid.
func Parse(text string) (Reference, error) {
	if rest, ok := strings.CutPrefix(text, remoteScheme); ok {
		return parseRemote(text, rest)
	}
	if rest, ok := strings.CutPrefix(text, layoutScheme); ok {
		return parseLayout(text, rest)
	}
	return Reference{}, invalid("%q is no reference of an artifact", text)
}

func parseRemote(text, rest string) (r Reference, err error) {
	r.Registry, rest, _ = strings.Cut(rest, "/")
	if strings.Contains(r.Registry, "@") {
		return Reference{}, invalid("a reference with a user or a password is not used")
	}
	at := strings.IndexAny(rest, ":@")
	if at < 0 {
		return Reference{}, invalid("%s names no version", text)
	}
	versions := tag()
	if rest[at] == '@' {
		versions = wholeDigest()
	}
	r.Repository = rest[:at]
	r.Version, r.File, _ = strings.Cut(rest[at+1:], "/")
	switch {
	case !host().MatchString(r.Registry) || !repository().MatchString(r.Repository) || len(r.Repository) > maxRepository || !versions.MatchString(r.Version):
		return Reference{}, invalid("%s is no reference of a registry", text)
	case r.File != "" && !plain(r.File):
		return Reference{}, invalid("%s names no file of an artifact", text)
	}
	return r, nil
}

func parseLayout(text, rest string) (r Reference, err error) {
	at := strings.LastIndex(rest, ":")
	if at <= 0 {
		return Reference{}, invalid("%s names no version", text)
	}
	r.Layout = rest[:at]
	r.Version, r.File, _ = strings.Cut(rest[at+1:], "/")
	switch {
	case !tag().MatchString(r.Version):
		return Reference{}, invalid("%s names no version", text)
	case r.File != "" && !plain(r.File):
		return Reference{}, invalid("%s names no file of an artifact", text)
	}
	return r, nil
}

// plain reports whether a name is one of a file below a folder on every system.
func plain(name string) bool {
	return fs.ValidPath(name) && name != "." && !strings.ContainsAny(name, `\:@`)
}

// String is the text that Parse reads.
func (r Reference) String() string {
	text := layoutScheme + r.Layout + ":" + r.Version
	if r.Layout == "" {
		mark := ":"
		if strings.Contains(r.Version, ":") {
			mark = "@"
		}
		text = remoteScheme + r.Registry + "/" + r.Repository + mark + r.Version
	}
	if r.File != "" {
		text += "/" + r.File
	}
	return text
}

// Beside returns the reference of a file that another file of the artifact names, relative to it.
// Errors: KindDenied for a name that leaves the artifact.
func (r Reference) Beside(name string) (Reference, error) {
	joined := path.Join(path.Dir(r.File), name)
	if !plain(name) || !plain(joined) {
		return r, refused("%s names %q, which is no file beside it", r, name)
	}
	r.File = joined
	return r, nil
}
