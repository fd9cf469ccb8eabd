package registry

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/loam-data/loam/host/internal/text"
)

// Media types, annotations and file names.
// Source: OCI image specification 1.1, manifest.md, image-index.md, annotations.md, image-layout.md.
const (
	manifestType   = "application/vnd.oci.image.manifest.v1+json"
	indexType      = "application/vnd.oci.image.index.v1+json"
	emptyType      = "application/vnd.oci.empty.v1+json"
	titleKey       = "org.opencontainers.image.title"
	refNameKey     = "org.opencontainers.image.ref.name"
	layoutFile     = "oci-layout"
	layoutIndex    = "index.json"
	layoutVersion  = "1.0.0"
	digestScheme   = "sha256:"
	emptyConfig    = "{}"
	schemaVersion2 = 2

	// ArtifactType tells a release from images and the artifacts of others.
	ArtifactType = "application/vnd.loam.connector.release.v1"
	fileType     = "application/vnd.loam.connector.file.v1"
)

const (
	// maxManifestBytes is the size that registries have to accept.
	// Source: OCI distribution specification 1.1, "Pushing Manifests".
	maxManifestBytes = 4 << 20
	// maxManifests bounds the manifests of an image index: there are fewer platforms.
	maxManifests = 64
)

// descriptor names content by its digest.
type descriptor struct {
	MediaType    string            `json:"mediaType"`
	ArtifactType string            `json:"artifactType,omitempty"`
	Digest       string            `json:"digest"`
	Size         int64             `json:"size"`
	Annotations  map[string]string `json:"annotations,omitempty"`
}

type manifest struct {
	SchemaVersion int          `json:"schemaVersion"`
	MediaType     string       `json:"mediaType"`
	ArtifactType  string       `json:"artifactType"`
	Config        descriptor   `json:"config"`
	Layers        []descriptor `json:"layers"`
}

type manifestIndex struct {
	Manifests []descriptor `json:"manifests"`
}

// wholeDigest matches the one algorithm that every registry has to have.
var wholeDigest = text.Pattern(`^sha256:[a-f0-9]{64}$`)

// valid reports whether content can be fetched by the descriptor and compared with it.
func (d descriptor) valid() bool { return d.Size >= 0 && wholeDigest().MatchString(d.Digest) }

func describe(mediaType string, content []byte) descriptor {
	sum := sha256.Sum256(content)
	return descriptor{MediaType: mediaType, Digest: digestScheme + hex.EncodeToString(sum[:]), Size: int64(len(content))}
}

// newManifest is the manifest of layers. It has no time, so that equal files have equal digests.
func newManifest(layers []descriptor) (descriptor, []byte, error) {
	text, err := json.Marshal(manifest{schemaVersion2, manifestType, ArtifactType, describe(emptyType, []byte(emptyConfig)), layers})
	d := describe(manifestType, text)
	d.ArtifactType = ArtifactType
	return d, text, err
}
