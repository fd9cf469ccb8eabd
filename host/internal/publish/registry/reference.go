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
func Parse(text string) (r Reference, err error) {
	rest, remote := strings.CutPrefix(text, remoteScheme)
	if authority, _, _ := strings.Cut(rest, "/"); remote && strings.Contains(authority, "@") {
		return r, invalid("a reference with a user or a password is not used")
	}
	at := 0
	if remote {
		at = strings.Index(rest, "/") + 1
		if n := strings.IndexAny(rest[at:], ":@"); n >= 0 {
			at += n
		} else {
			at = 0
		}
	} else {
		rest = strings.TrimPrefix(rest, layoutScheme)
		at = strings.LastIndex(rest, ":")
	}
	if at <= 0 {
		return r, invalid("%s names no version", text)
	}
	name, version := rest[:at], rest[at:]
	version, r.File, _ = strings.Cut(version, "/")
	if strings.Contains(text, "\\") && remote || r.File != "" && !plain(r.File) {
		return r, invalid("%s names no file of an artifact", text)
	}
	if !remote {
		r.Layout, r.Version = name, version[1:]
		if !tag().MatchString(r.Version) {
			return r, invalid("%s names no version", text)
		}
		return r, nil
	}
	r.Registry, r.Repository, _ = strings.Cut(name, "/")
	r.Version = version[1:]
	versions := tag()
	if version[0] == '@' {
		versions = wholeDigest()
	}
	if !host().MatchString(r.Registry) || !repository().MatchString(r.Repository) || len(r.Repository) > maxRepository || !versions.MatchString(r.Version) {
		return Reference{}, invalid("%s is no reference of a registry", text)
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
