package install

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/install/fetch"
	"github.com/loam-data/loam/host/internal/install/lockfile"
	"github.com/loam-data/loam/host/internal/publish/index"
	"github.com/loam-data/loam/host/internal/publish/signature"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/wire"
)

const (
	maxSumsBytes      = 1 << 20
	maxSignatureBytes = 4 << 10
)

// release is what a source offers.
type release struct {
	// id and version; "" = only the archive says so.
	id, version string
	// source is the index, the address or the path.
	source string
	// key signed it, "" = nobody did; keys are those that its publisher uses now.
	key  string
	keys []string
	// level of its check and serial of its index; only of an index.
	level    string
	serial   int64
	archives map[string]archiveAt
}

// archiveAt is an archive for one platform.
type archiveAt struct {
	at fetch.Location
	// sum is the SHA-256, "" = nobody says it. tree is the hash of its files, if an index says it.
	sum, tree string
}

// sums are the checksums of all platforms that an index knows.
func (r *release) sums() map[string]lockfile.Sums {
	sums := map[string]lockfile.Sums{}
	for platform, a := range r.archives {
		if a.tree != "" {
			sums[platform] = lockfile.Sums{Archive: a.sum, Tree: a.tree}
		}
	}
	return sums
}

// resolve finds the release that is asked for.
func (j *job) resolve(ctx context.Context) (*release, error) {
	source := j.request.Source
	if locked, ok := j.lock[source]; ok && j.request.Locked {
		return j.resolveLocked(ctx, source, locked)
	}
	if err := fetch.Location(source).Known(); err != nil {
		return nil, err
	}
	switch {
	case fetch.Location(source).Artifact():
		return j.artifact(ctx, fetch.Location(source))
	case fetch.Location(source).Remote():
		return j.archive(ctx, fetch.Location(source))
	case local(source):
		absolute, err := filepath.Abs(source)
		if err != nil {
			return nil, err
		}
		return j.file(ctx, absolute)
	}
	return j.indexed(ctx, source, "")
}

func (j *job) resolveLocked(ctx context.Context, id string, locked lockfile.Connector) (*release, error) {
	if cached := j.cached(locked); cached != nil {
		cached.id, cached.version = id, locked.Version
		return cached, nil
	}
	switch at := fetch.Location(locked.Source); {
	case strings.HasSuffix(locked.Source, ".tar.gz"):
		return j.archives(ctx, func(platform string) (fetch.Location, error) { return ofPlatform(at, platform), nil })
	case strings.HasSuffix(locked.Source, index.Name):
		if len(j.request.Indexes) == 0 {
			return j.fromIndex(ctx, at, id, locked.Version)
		}
	}
	return j.indexed(ctx, id, locked.Version)
}

// cached returns the locked release if its archives were installed from before on this
// machine, which knows who signed them: the lock only claims it.
func (j *job) cached(locked lockfile.Connector) *release {
	r := &release{source: locked.Source, archives: map[string]archiveAt{}}
	for _, platform := range j.request.Platforms {
		sums := locked.Platforms[platform]
		key, known := j.records.Archives[sums.Archive]
		path := j.service.download(sums.Archive)
		if _, err := os.Stat(path); err != nil || !known || len(r.archives) > 0 && key != r.key {
			return nil
		}
		r.key = key
		r.archives[platform] = archiveAt{fetch.Location(path), sums.Archive, sums.Tree}
	}
	if r.key != "" {
		r.keys = []string{r.key}
	}
	return r
}

// indexed asks the indexes in their order.
func (j *job) indexed(ctx context.Context, id, version string) (*release, error) {
	indexes := slices.Concat(j.request.Indexes, j.project.Connectors.Indexes)
	if len(indexes) == 0 {
		return nil, sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "no index of connectors is configured").
			WithHint("add connector_indexes to %s, or name an archive", "loam.yaml")
	}
	var missing error
	for _, at := range indexes {
		found, err := j.fromIndex(ctx, indexAt(at), id, version)
		if sdk.KindOf(err) != sdk.KindNotFound {
			return found, err
		}
		missing = err
	}
	return nil, missing
}

// indexAt is the index in a folder or an artifact, or the one that is named.
func indexAt(at string) fetch.Location {
	if l := fetch.Location(at); l.Artifact() {
		if whole, all, err := l.Whole(); err == nil && all {
			return whole + "/" + index.Name
		}
	}
	if info, err := os.Stat(at); err == nil && info.IsDir() {
		return fetch.Location(filepath.Join(at, index.Name))
	}
	return fetch.Location(at)
}

// fromIndex chooses a version of a connector from an index; version is the locked one, "" = the newest.
func (j *job) fromIndex(ctx context.Context, at fetch.Location, id, version string) (*release, error) {
	x, key, err := j.index(ctx, at, id)
	if err != nil {
		return nil, err
	}
	platform := j.request.Platforms[0]
	want := index.Wanted{
		ID: id, Constraint: j.constraint(id), Platform: platform, Major: wire.ProtocolVersion, Minor: sdk.ContractMinor, Locked: j.lock[id].Version,
	}
	if version != "" {
		want.Constraint, want.Locked = version, version
	}
	chosen, offered, _, err := x.Choose(want)
	if err != nil {
		return nil, err
	}
	r := &release{id: id, version: chosen, source: string(at), key: key, level: offered.Level, serial: x.Serial, archives: map[string]archiveAt{}}
	for _, k := range x.KeysOf(id) {
		r.keys = append(r.keys, string(k))
	}
	for platform, target := range offered.Targets {
		archive, err := at.Beside(target.URL)
		if err != nil {
			return nil, err
		}
		r.archives[platform] = archiveAt{archive, target.SHA256, target.Tree}
	}
	return r, nil
}

// publishing is how long a publisher may take between the index and its signature.
const publishing = time.Second

// index reads an index and returns the key that signed it, which must be one for the
// connector: a trusted one, or one that the index itself names. The index and its signature
// are two files: when they do not fit, both are read again, once.
func (j *job) index(ctx context.Context, at fetch.Location, id string) (*index.Index, string, error) {
	x, key, err := j.signedIndex(ctx, at, id)
	if x == nil || err == nil {
		return x, key, err
	}
	select {
	case <-ctx.Done():
		return nil, "", ctx.Err()
	case <-time.After(publishing):
	}
	return j.signedIndex(ctx, at, id)
}

// signedIndex returns an index also with the error that its signature does not fit.
func (j *job) signedIndex(ctx context.Context, at fetch.Location, id string) (*index.Index, string, error) {
	text, err := j.service.fetch.Bytes(ctx, at, index.MaxBytes)
	if err != nil {
		return nil, "", err
	}
	signed, err := j.service.fetch.Bytes(ctx, at+index.SignatureEnding, maxSignatureBytes)
	if err != nil {
		return nil, "", denied("the index %s is refused: it has no signature: %w", at, err).WithHint("ask its publisher for %s", index.Name+index.SignatureEnding)
	}
	x, err := index.Parse(text)
	if err != nil {
		return nil, "", err
	}
	if err := x.Fresh(j.records.Serials[string(at)], j.service.Now()); err != nil {
		return nil, "", err
	}
	if _, ok := x.Connectors[id]; !ok {
		return nil, "", sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "the index %s has no connector %s", at, id).WithHint("check the id")
	}
	key, err := j.signer(id, text, signed, x.KeysOf(id))
	return x, key, err
}

// signer returns the key that signed a text, out of the known ones and named. id is the
// connector that the known keys must be for; "" = any.
func (j *job) signer(id string, text, signed []byte, named []signature.Key) (string, error) {
	wrong := errors.New("no key of its publisher is known on this machine")
	for _, key := range slices.Concat(j.known(id), named) {
		err := key.Verify(text, signed)
		if err == nil {
			return string(key), nil
		}
		wrong = err
	}
	return "", denied("the signature is refused: %w", wrong).WithHint("ask the publisher for its key, and give it with --key")
}

// known returns the keys that may sign a connector, or with "" any connector.
func (j *job) known(id string) []signature.Key {
	var keys []signature.Key
	add := func(pattern, key string) {
		if key != "" && (id == "" || index.Covers(pattern, id)) {
			keys = append(keys, signature.Key(key))
		}
	}
	add(id, j.request.Key)
	for _, known := range j.records.Keys {
		add(known.Pattern, known.Key)
	}
	for pattern, granted := range j.rules.Machine.Keys {
		for _, key := range granted {
			add(pattern, key)
		}
	}
	for locked, c := range j.lock {
		add(locked, c.Key)
	}
	return keys
}

// file is an archive, or a folder with archives for several platforms.
func (j *job) file(ctx context.Context, path string) (*release, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "there is no archive or folder %s", path).WithHint("name an archive, a folder of archives, or the id of a connector")
	case !info.IsDir():
		return j.archive(ctx, fetch.Location(path))
	}
	return j.archives(ctx, func(platform string) (fetch.Location, error) {
		archives, err := filepath.Glob(filepath.Join(path, "*_"+platform+".tar.gz"))
		if err != nil || len(archives) != 1 {
			return "", sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "%s has %d archives for %s, and needs one", path, len(archives), platform).WithHint("name the archive")
		}
		return fetch.Location(archives[0]), nil
	})
}

// archives are archives for the requested platforms, each where at says.
func (j *job) archives(ctx context.Context, at func(platform string) (fetch.Location, error)) (*release, error) {
	var found *release
	for _, platform := range j.request.Platforms {
		location, err := at(platform)
		if err != nil {
			return nil, err
		}
		one, err := j.archive(ctx, location)
		if err != nil {
			return nil, err
		}
		if found == nil {
			found = one
		}
		if one.key != found.key {
			return nil, denied("%s is refused: it is not signed by the key of %s", location, found.source).WithHint("ask its publisher for the archives of one release")
		}
		found.archives[platform] = one.archives[j.request.Platforms[0]]
	}
	return found, nil
}

var platformEnding = text.Pattern(`_[a-z0-9]+_[a-z0-9]+\.tar\.gz$`)

// ofPlatform is the archive of another platform beside an archive, as loam connector
// package names both.
func ofPlatform(archive fetch.Location, platform string) fetch.Location {
	return fetch.Location(platformEnding().ReplaceAllLiteralString(string(archive), "_"+platform+".tar.gz"))
}

// archive is a single archive with SHA256SUMS and its signature beside it. Without a
// signature it is not signed, and a person has to confirm its checksum.
func (j *job) archive(ctx context.Context, at fetch.Location) (*release, error) {
	name := path.Base(filepath.ToSlash(string(at)))
	r := &release{source: string(at), archives: map[string]archiveAt{}}
	put := func(sum string) *release {
		r.archives[j.request.Platforms[0]] = archiveAt{at: at, sum: sum}
		return r
	}
	text, err := j.beside(ctx, at, signature.SumsName, maxSumsBytes)
	if err != nil || text == nil {
		return put(""), err
	}
	sums, err := signature.ParseSums(text)
	if err != nil {
		return nil, err
	}
	if sums[name] == "" {
		return nil, denied("%s is refused: %s does not name it", name, signature.SumsName).WithHint("ask its publisher for the files of one release")
	}
	signed, err := j.beside(ctx, at, signature.SignatureName, maxSignatureBytes)
	if err != nil || signed == nil {
		return put(sums[name]), err
	}
	if r.key, err = j.signer("", text, signed, nil); err != nil {
		return nil, err
	}
	r.keys = []string{r.key}
	return put(sums[name]), nil
}

// beside reads a file beside another one, nil if there is none.
func (j *job) beside(ctx context.Context, at fetch.Location, name string, limit int64) ([]byte, error) {
	location, err := at.Beside(name)
	if err != nil {
		return nil, err
	}
	text, err := j.service.fetch.Bytes(ctx, location, limit)
	if sdk.KindOf(err) == sdk.KindNotFound {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return text, nil
}
