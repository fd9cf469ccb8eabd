// Package index reads and edits the index of a publisher: a signed file on any web server that names the versions of its
// connectors and where their archives are.
package index

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/publish/signature"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

const (
	// Name is the usual name of the file; its signature has SignatureEnding behind it.
	Name            = "index.json"
	SignatureEnding = ".minisig"
	// MaxBytes bounds the file.
	MaxBytes    = 8 << 20
	fileVersion = 1
)

// Index is the file. Keys of JSON that are not here are ignored, and lost when the file is edited.
type Index struct {
	Version int    `json:"index_version"`
	Name    string `json:"name"`
	// Serial grows with each edit: an older file in place of a newer one is noticed.
	Serial  int64     `json:"serial"`
	Created time.Time `json:"created"`
	// Expires bounds how long a file may be held back.
	Expires time.Time `json:"expires"`
	// Keys are those that may sign the connectors of a pattern, "acme/*" or "acme/foodb".
	Keys       map[string][]signature.Key `json:"keys"`
	Connectors map[string]Connector       `json:"connectors"`
}

// Connector is a connector of an index.
type Connector struct {
	DisplayName string             `json:"display_name"`
	Homepage    string             `json:"homepage,omitempty"`
	License     string             `json:"license,omitempty"`
	Versions    map[string]Release `json:"versions"`
}

// Release is a version of a connector.
type Release struct {
	Protocol Protocol `json:"protocol"`
	// Level is that of its check, "" = it was not checked.
	Level    string    `json:"level"`
	Released time.Time `json:"released"`
	// Yanked is why the version is not to be used, "" = it is.
	Yanked string `json:"yanked"`
	// Targets are the archives by platform, "linux_amd64".
	Targets map[string]Target `json:"targets"`
}

// Protocol is the contract with the host: Minor is what the connector was built for, MinMinor the least that its host may have.
type Protocol struct {
	Major    int `json:"major"`
	Minor    int `json:"minor"`
	MinMinor int `json:"min_minor"`
}

// Target is an archive.
type Target struct {
	// URL is relative to the index.
	URL    string `json:"url"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
	// Tree is the hash of the unpacked files.
	Tree string `json:"tree"`
}

var (
	connectorID = text.Pattern(`^[a-z0-9][a-z0-9_-]{0,63}/[a-z0-9][a-z0-9_-]{0,63}$`)
	checksum    = text.Pattern(`^[0-9a-f]{64}$`)
	platform    = text.Pattern(`^[a-z0-9]+_[a-z0-9]+$`)
)

// Parse reads an index and checks that it can be used.
// Errors: KindDenied for a file that breaks a rule, KindUnsupported for one of a later format.
func Parse(text []byte) (*Index, error) {
	if len(text) > MaxBytes {
		return nil, refuse("it is larger than %d MiB", MaxBytes>>20)
	}
	var x Index
	if err := json.Unmarshal(text, &x); err != nil {
		return nil, refuse("it is no JSON of an index: %v", err)
	}
	if x.Version > fileVersion {
		return nil, sdk.Errorf(sdk.KindUnsupported, sdk.SourceHost, "the index has format %d, and this Loam reads %d", x.Version, fileVersion).WithHint("upgrade loam")
	}
	return &x, x.check()
}

func (x *Index) check() error {
	if x.Version < 1 || x.Serial < 1 || x.Expires.IsZero() {
		return refuse("index_version, serial and expires are needed")
	}
	for pattern, keys := range x.Keys {
		namespace, rest, ok := strings.Cut(pattern, "/")
		if !ok || rest != "*" && !connectorID().MatchString(pattern) || !connectorID().MatchString(namespace+"/x") {
			return refuse("its key for %q is neither of a namespace, such as acme/*, nor of a connector", pattern)
		}
		for _, key := range keys {
			if _, err := signature.ParseKey(string(key)); err != nil {
				return refuse("its key for %s is none", pattern)
			}
		}
	}
	for id, c := range x.Connectors {
		if !connectorID().MatchString(id) {
			return refuse("%q is no id of a connector", id)
		}
		if len(x.KeysOf(id)) == 0 {
			return refuse("%s has no key: it may not name a connector of another namespace", id)
		}
		for version, r := range c.Versions {
			if _, err := parseVersion(version); err != nil {
				return refuse("%s has the version %q, which is none", id, version)
			}
			for name, target := range r.Targets {
				if why := target.fault(name); why != "" {
					return refuse("%s %s for %q %s", id, version, name, why)
				}
			}
		}
	}
	return nil
}

// fault returns what is wrong with a target, "" = nothing.
func (t Target) fault(name string) string {
	u, err := url.Parse(t.URL)
	switch {
	case !platform().MatchString(name):
		return "is for no platform"
	case err != nil || t.URL == "":
		return "has no address"
	case u.IsAbs() || u.Host != "" || strings.HasPrefix(u.Path, "/") || slices.Contains(strings.Split(u.Path, "/"), "..") || strings.Contains(t.URL, `\`):
		return "has an address that is not below the index"
	case t.Size < 1 || !checksum().MatchString(t.SHA256) || !strings.HasPrefix(t.Tree, "h1:"):
		return "has no size and checksums"
	}
	return ""
}

// Text is the file.
func (x *Index) Text() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(x)
	return b.Bytes(), err
}

// KeysOf returns the keys that may sign a connector.
func (x *Index) KeysOf(id string) []signature.Key {
	var keys []signature.Key
	for _, pattern := range slices.Sorted(maps.Keys(x.Keys)) {
		if Covers(pattern, id) {
			keys = append(keys, x.Keys[pattern]...)
		}
	}
	return keys
}

// Covers reports whether a pattern, "acme/*" or "acme/foodb", covers a connector.
func Covers(pattern, id string) bool {
	namespace, all := strings.CutSuffix(pattern, "/*")
	return pattern == id || all && strings.HasPrefix(id, namespace+"/")
}

// Fresh refuses an index that is out of date: one that has expired, and one with a serial below what was seen before.
// Errors: KindDenied.
func (x *Index) Fresh(seen int64, now time.Time) error {
	switch {
	case x.Serial < seen:
		return refuse("its serial is %d, and %d was seen before: it is an older one in place of a newer", x.Serial, seen)
	case now.After(x.Expires):
		return refuse("it expired on %s: a newer one may be held back", x.Expires.UTC().Format(time.DateOnly))
	}
	return nil
}

func refuse(format string, args ...any) error {
	return sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "the index is refused: %s", fmt.Sprintf(format, args...)).
		WithHint("nothing was installed; ask its publisher for an index made by loam connector index")
}
