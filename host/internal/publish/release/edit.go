package release

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/file"
	"github.com/loam-data/loam/host/internal/publish/index"
	"github.com/loam-data/loam/host/internal/publish/signature"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/wire"
)

// Editor edits the index of a publisher and signs it.
type Editor struct {
	Path   string
	Signer *signature.Signer
	// Expires is until when the index may be used, from Now.
	Now, Expires time.Time
}

// edit reads the index, changes it and writes it with the next serial. A file that is not there
// is an empty index when create is set.
// Errors: KindDenied when the index was not signed by a key that it lists, or lists no key of
// the signer: a new key is listed by an edit that an old one signs.
func (e Editor) edit(create bool, change func(*index.Index) error) (*index.Index, error) {
	x, err := e.read(create)
	if err != nil {
		return nil, err
	}
	if len(x.Keys) > 0 && !lists(x, e.Signer.Key()) {
		return nil, e.unlisted("the index")
	}
	if err := change(x); err != nil {
		return nil, err
	}
	if !lists(x, e.Signer.Key()) {
		return nil, e.unlisted("the edited index")
	}
	x.Serial, x.Created, x.Expires = x.Serial+1, e.Now.UTC(), e.Expires.UTC()
	text, err := x.Text()
	if err != nil {
		return nil, err
	}
	if x, err = index.Parse(text); err != nil {
		return nil, err
	}
	// Between the two files a reader sees a signature that does not fit, and reads both again.
	err = errors.Join(
		file.Replace(e.Path, text, 0o644),
		file.Replace(e.Path+index.SignatureEnding, e.Signer.Sign(text, "file:"+index.Name), 0o644))
	if err != nil {
		return nil, unavailable("write the index: %w", err)
	}
	return x, nil
}

func (e Editor) read(create bool) (*index.Index, error) {
	text, err := os.ReadFile(e.Path)
	if errors.Is(err, fs.ErrNotExist) && create {
		return &index.Index{Version: 1, Keys: map[string][]signature.Key{}, Connectors: map[string]index.Connector{}}, nil
	}
	if err != nil {
		return nil, sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "the index cannot be read: %w", err)
	}
	x, err := index.Parse(text)
	if err != nil {
		return nil, err
	}
	its, err := os.ReadFile(e.Path + index.SignatureEnding)
	if err != nil {
		return nil, sdk.Errorf(sdk.KindDenied, sdk.SourceCaller, "the index is not signed: %w", err)
	}
	var keys []signature.Key
	for _, some := range x.Keys {
		keys = append(keys, some...)
	}
	return x, verified(text, its, keys)
}

func (e Editor) unlisted(what string) error {
	return sdk.Errorf(sdk.KindDenied, sdk.SourceCaller, "%s does not list the key %s", what, e.Signer.Key()).
		WithHint("sign with a key that it lists; that key may add another one with --publisher-key")
}

func lists(x *index.Index, key signature.Key) bool {
	for _, keys := range x.Keys {
		if slices.Contains(keys, key) {
			return true
		}
	}
	return false
}

// PublisherKey is a key for the connectors of a pattern: "acme/*", "acme/foodb".
type PublisherKey struct {
	Pattern string
	Key     signature.Key
}

// Add adds archives, which are signed and lie below the folder of the index, and keys. The first archive of
// an index makes it, with the signer's key for the namespace.
// Errors: KindConflict for a platform of a version that is there with other bytes.
func (e Editor) Add(ctx context.Context, archives []string, keys []PublisherKey) (*index.Index, error) {
	return e.edit(true, func(x *index.Index) error {
		for _, k := range keys {
			if !slices.Contains(x.Keys[k.Pattern], k.Key) {
				x.Keys[k.Pattern] = append(x.Keys[k.Pattern], k.Key)
			}
		}
		for _, path := range archives {
			if err := e.add(ctx, x, path); err != nil {
				return err
			}
		}
		return nil
	})
}

func (e Editor) add(ctx context.Context, x *index.Index, path string) error {
	o, err := Open(ctx, path)
	if err != nil {
		return err
	}
	d := o.Manifest.Description
	namespace, _, _ := strings.Cut(d.ID, "/")
	if x.Name == "" {
		x.Name = namespace
	}
	if len(x.Keys) == 0 {
		x.Keys[namespace+"/*"] = []signature.Key{e.Signer.Key()}
	}
	if err := signed(path, o.SHA256, x.KeysOf(d.ID)); err != nil {
		return err
	}
	address, err := e.address(path)
	if err != nil {
		return err
	}
	protocol := index.Protocol{Major: wire.ProtocolVersion, Minor: d.ContractMinor, MinMinor: o.Manifest.MinMinor}
	c := x.Connectors[d.ID]
	if c.Versions == nil {
		c.Versions = map[string]index.Release{}
	}
	c.DisplayName, c.License, c.Homepage = d.DisplayName, d.License, o.Manifest.Homepage
	r, known := c.Versions[d.Version]
	if !known {
		r = index.Release{Protocol: protocol, Released: e.Now.UTC(), Targets: map[string]index.Target{}, Level: level(o.Manifest.Checked)}
	}
	before, there := r.Targets[o.Platform]
	if r.Protocol != protocol || there && before.SHA256 != o.SHA256 {
		return sdk.Errorf(sdk.KindConflict, sdk.SourceCaller, "%s %s for %s is in the index already, and is another one", d.ID, d.Version, o.Platform).
			WithHint("a published version never changes: give the connector a new version")
	}
	r.Targets[o.Platform] = index.Target{URL: address, Size: o.Size, SHA256: o.SHA256, Tree: o.Tree}
	c.Versions[d.Version], x.Connectors[d.ID] = r, c
	return nil
}

// level is that of an index: "" = unchecked.
func level(c *wire.Checked) string {
	if c == nil || c.Level == wire.Unchecked {
		return ""
	}
	return c.Level
}

// address is that of an archive relative to the index.
func (e Editor) address(path string) (string, error) {
	base, err := filepath.Abs(filepath.Dir(e.Path))
	if err != nil {
		return "", err
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	relative, err := filepath.Rel(base, absolute)
	if err != nil || !filepath.IsLocal(relative) {
		return "", sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%s is not below %s, the folder of the index", path, base).
			WithHint("an index names files below it: move the archives there, with their signature")
	}
	return filepath.ToSlash(relative), nil
}

// Yank withdraws a version, for a reason that is shown; "" takes that back.
func (e Editor) Yank(id, version, reason string) (*index.Index, error) {
	return e.edit(false, func(x *index.Index) error {
		r, ok := x.Connectors[id].Versions[version]
		if !ok {
			return absent(id, version)
		}
		r.Yanked = reason
		x.Connectors[id].Versions[version] = r
		return nil
	})
}

// Remove removes a version, or all of a connector for the version "".
func (e Editor) Remove(id, version string) (*index.Index, error) {
	return e.edit(false, func(x *index.Index) error {
		c, ok := x.Connectors[id]
		if _, known := c.Versions[version]; !ok || version != "" && !known {
			return absent(id, version)
		}
		delete(c.Versions, version)
		if version == "" || len(c.Versions) == 0 {
			delete(x.Connectors, id)
		}
		return nil
	})
}

// Retire removes keys from the index, never the last key of a pattern.
func (e Editor) Retire(keys []PublisherKey) (*index.Index, error) {
	return e.edit(false, func(x *index.Index) error {
		for _, k := range keys {
			at := slices.Index(x.Keys[k.Pattern], k.Key)
			switch {
			case at < 0:
				return sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "the index does not list %s for %s", k.Key, k.Pattern)
			case len(x.Keys[k.Pattern]) == 1:
				return sdk.Errorf(sdk.KindConflict, sdk.SourceCaller, "%s is the only key for %s", k.Key, k.Pattern).
					WithHint("add its successor first: loam connector index add --publisher-key")
			}
			x.Keys[k.Pattern] = slices.Delete(x.Keys[k.Pattern], at, at+1)
		}
		return nil
	})
}

func absent(id, version string) error {
	return sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "the index has no %s", strings.TrimSpace(id+" "+version))
}
