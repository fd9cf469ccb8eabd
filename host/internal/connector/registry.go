package connector

import (
	"cmp"
	"errors"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
	"github.com/loam-data/loam/sdk/wire"
)

// EnvPath is the environment variable with additional folders of connectors, separated as in PATH.
const EnvPath = "LOAM_CONNECTOR_PATH"

// programPrefix begins the file name of every connector program.
const programPrefix = "loam-connector-"

// Place is a folder that is searched for connectors.
type Place struct {
	Dir string
	// Bundled says that its connectors are part of the host's installation.
	Bundled bool
	// Store: its connectors are those that were installed by command, of which each
	// project uses the version that it locked.
	Store bool
}

// Places returns the folders that are searched for connectors, in this order: those of EnvPath, the
// folder of the host's program and the library folder beside it, the user's data folder, the
// system's. The working directory is never searched.
func Places() []Place {
	var places []Place
	add := func(bundled bool, elements ...string) {
		if dir := filepath.Join(elements...); filepath.IsAbs(dir) {
			places = append(places, Place{Dir: dir, Bundled: bundled})
		}
	}
	for _, dir := range filepath.SplitList(os.Getenv(EnvPath)) {
		add(false, dir)
	}
	if exe, err := os.Executable(); err == nil {
		if target, err := filepath.EvalSymlinks(exe); err == nil {
			exe = target
		}
		add(true, filepath.Dir(exe))
		add(true, filepath.Dir(exe), "..", "lib", "loam", "connectors")
	}
	for _, base := range dataFolders() {
		add(false, base, "loam", "connectors")
	}
	for i := range places {
		places[i].Store = places[i].Dir == filepath.Join(DataFolder(), "connectors")
	}
	return places
}

// DataFolder is Loam's folder for what the user installed, "" for a user without a home
// folder.
func DataFolder() string {
	for _, base := range dataFolders() {
		if filepath.IsAbs(base) {
			return filepath.Join(base, "loam")
		}
	}
	return ""
}

func dataFolders() []string {
	home, _ := os.UserHomeDir() // "" makes the paths relative, which add ignores
	switch runtime.GOOS {
	case "windows":
		return []string{os.Getenv("LOCALAPPDATA")}
	case "darwin":
		return []string{os.Getenv("XDG_DATA_HOME"), filepath.Join(home, "Library", "Application Support"), "/usr/local/lib"}
	}
	data := os.Getenv("XDG_DATA_HOME")
	if data == "" {
		data = filepath.Join(home, ".local", "share")
	}
	return []string{data, "/usr/local/lib", "/usr/lib"}
}

// Registry finds the installed connectors by their manifests. It reads a manifest at its first use,
// and again when the file changed.
// Concurrency: its methods may be called concurrently.
type Registry struct {
	places []Place
	// locked returns the version of a connector that the project locked, "" for none.
	locked func(name string) string
	mu     sync.Mutex
	read   map[string]manifestEntry // by path of the manifest
}

type manifestEntry struct {
	info  fs.FileInfo
	found Installed
}

// NewRegistry returns a registry that searches places in order; see Places. It finds the newest version of a connector.
func NewRegistry(places []Place) *Registry {
	return NewLockedRegistry(places, func(string) string { return "" })
}

// NewLockedRegistry is NewRegistry that finds, in the store, the version which locked
// returns for a connector; "" = the newest.
func NewLockedRegistry(places []Place, locked func(name string) string) *Registry {
	return &Registry{places: places, locked: locked, read: map[string]manifestEntry{}}
}

// Find returns the connector with a name ("foodb", "acme/foodb"), or the one at
// path, if set: the path of its program, its manifest or its folder.
// Errors: KindNotFound with the installed names; KindInvalid and KindUnsupported
// for a manifest that cannot be used.
func (r *Registry) Find(name, path string) (Installed, error) {
	if path != "" {
		return r.findPath(name, path)
	}
	locked := r.locked(name)
	for _, place := range r.places {
		for manifest := range candidates(place.Dir, name) {
			if place.Store && locked != "" && versionOf(manifest) != locked {
				continue
			}
			found, err := r.load(manifest, place)
			switch {
			case errors.Is(err, fs.ErrNotExist):
				continue
			case err != nil:
				return Installed{}, err
			case found.Name == name:
				return found, found.Err
			}
		}
	}
	if locked != "" {
		return Installed{}, sdk.Errorf(sdk.KindNotFound, sdk.SourceHost, "connector %q %s is locked by this project and not installed", name, locked).
			WithHint("Run: loam connector install")
	}
	return Installed{}, r.notFound(name)
}

// candidates yields the possible paths of a connector's manifest in dir. It lists the folder of
// versions only when the consumer gets there, because every statement calls it.
func candidates(dir, name string) iter.Seq[string] {
	return func(yield func(string) bool) {
		source, short, named := strings.Cut(name, "/")
		if !named {
			source, short = "loam", name
		}
		if !filepath.IsLocal(source) || !filepath.IsLocal(short) || !yield(filepath.Join(dir, programPrefix+short+".json")) {
			return
		}
		for _, manifest := range versions(filepath.Join(dir, source, short)) {
			if !yield(manifest) {
				return
			}
		}
	}
}

// versions returns the manifests <version>/<os>_<arch>/connector.json in dir, newest version first.
func versions(dir string) []string {
	platform := wire.PlatformName(runtime.GOOS, runtime.GOARCH)
	found := glob(dir, "*", platform, wire.ManifestName)
	slices.SortStableFunc(found, func(a, b string) int {
		return compareVersions(versionOf(b), versionOf(a))
	})
	return found
}

func versionOf(manifest string) string { return filepath.Base(filepath.Dir(filepath.Dir(manifest))) }

func (r *Registry) findPath(name, path string) (Installed, error) {
	if !filepath.IsAbs(path) {
		return Installed{}, sdk.Errorf(sdk.KindInvalid, sdk.SourceHost, "the path of connector %q, %q, is not absolute", name, path).
			WithHint("Give the connector's full path.")
	}
	found, beside, err := r.at(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && beside == "":
		return Installed{}, sdk.Errorf(sdk.KindNotFound, sdk.SourceHost, "connector %q is not at its path: %w", name, err).
			WithHint("Correct the connection's path, or leave it out to use an installed connector.")
	case errors.Is(err, fs.ErrNotExist):
		return Installed{}, sdk.Errorf(sdk.KindNotFound, sdk.SourceHost, "connector %q has no manifest at %s", name, beside).
			WithHint("Let the connector write it: %s manifest --output %s", path, beside)
	case err != nil:
		return Installed{}, err
	case found.Name != name:
		return Installed{}, sdk.Errorf(sdk.KindInvalid, sdk.SourceHost, "%s is for connector %q, not %q", found.Manifest, found.Name, name).
			WithHint("Write connector: %s, or correct the path.", found.Name)
	}
	return found, nil
}

// At returns the connector at path: the path of its program, its manifest or its folder. For a
// program without a manifest only Binary is set.
// Errors: KindNotFound; KindInvalid and KindUnsupported for a manifest that cannot be
// used.
func (r *Registry) At(path string) (Installed, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return Installed{}, err
	}
	found, beside, err := r.at(path)
	info, statErr := os.Stat(path)
	program := statErr == nil && !info.IsDir() && filepath.Ext(path) != ".json"
	switch {
	case program && (errors.Is(err, fs.ErrNotExist) || err == nil && found.Binary != path):
		return Installed{Binary: path}, nil
	case errors.Is(err, fs.ErrNotExist):
		return Installed{}, sdk.Errorf(sdk.KindNotFound, sdk.SourceHost, "there is no connector at %s", cmp.Or(beside, path)).
			WithHint("name a connector's program, its manifest or the folder of its manifest")
	}
	return found, err
}

// at reads the manifest of the program, manifest or folder at path. beside is the path where the
// manifest is expected; "" = path does not exist.
func (r *Registry) at(path string) (found Installed, beside string, err error) {
	places := []string{path, strings.TrimSuffix(path, ".exe") + ".json", filepath.Join(filepath.Dir(path), wire.ManifestName)}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return Installed{}, "", err
	case info.IsDir():
		places = []string{filepath.Join(path, wire.ManifestName)}
	case filepath.Ext(path) != ".json":
		places = places[1:]
	}
	for _, manifest := range places {
		found, err = r.load(manifest, Place{})
		found.ByPath = true
		if !errors.Is(err, fs.ErrNotExist) {
			if err == nil {
				err = found.Err
			}
			return found, places[0], err
		}
	}
	return Installed{}, places[0], fs.ErrNotExist
}

// List returns the connectors of all places, ordered by name. One with an unusable manifest has Err
// set. Of several with one name, only that of the first place is in the list.
func (r *Registry) List() []Installed {
	found := map[string]Installed{}
	for _, place := range r.places {
		manifests := glob(place.Dir, programPrefix+"*.json")
		for _, dir := range glob(place.Dir, "*", "*") {
			manifests = append(manifests, versions(dir)...)
		}
		for _, manifest := range manifests {
			c, err := r.load(manifest, place)
			if err != nil {
				continue // it was removed meanwhile
			}
			if locked := r.locked(c.Name); place.Store && locked != "" && versionOf(manifest) != locked {
				continue
			}
			if _, ok := found[c.Name]; !ok {
				found[c.Name] = c
			}
		}
	}
	return slices.SortedFunc(maps.Values(found), func(a, b Installed) int { return strings.Compare(a.Name, b.Name) })
}

func (r *Registry) notFound(name string) error {
	var names []string
	for _, c := range r.List() {
		if c.Err == nil {
			names = append(names, c.Name)
		}
	}
	installed := "none is installed"
	if len(names) > 0 {
		installed = "installed: " + strings.Join(names, ", ")
	}
	e := sdk.Errorf(sdk.KindNotFound, sdk.SourceHost, "connector %q is not installed (%s)", name, installed).
		WithHint("Run: loam connector list")
	e.Candidates = sqlkit.Nearest(name, names)
	return e
}

// load reads a manifest; an unchanged one is cached.
func (r *Registry) load(manifest string, place Place) (Installed, error) {
	info, err := os.Stat(manifest)
	if err != nil {
		return Installed{}, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	known, ok := r.read[manifest]
	if !ok || !sameFile(known.info, info) {
		known = manifestEntry{info: info, found: broken(manifest, sdk.Errorf(sdk.KindInvalid, sdk.SourceHost, "the manifest %s is no regular file", manifest))}
		if info.Mode().IsRegular() { // opening a named pipe would block
			known.found = readManifest(manifest)
		}
		r.read[manifest] = known
	}
	found := known.found
	found.Bundled, found.Stored = place.Bundled, place.Store
	return found, nil
}

func sameFile(a, b fs.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}
