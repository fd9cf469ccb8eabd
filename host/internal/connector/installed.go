package connector

import (
	"cmp"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/wire"
)

// Installed is a connector that was found.
type Installed struct {
	// Name is its id: "foodb", "acme/foodb".
	Name        string
	Description sdk.Description
	// Manifest and Binary are absolute paths.
	Manifest, Binary string
	SHA256           string // of Binary, in lower-case hexadecimal
	// Argv is the command line where another program runs Binary; else empty.
	Argv []string
	// Files are the checksums of further files of the program, by absolute path.
	Files map[string]string
	// Bundled: the connector is part of this host's installation.
	Bundled bool
	// Err is why the connector cannot be used; then only Name and Manifest are
	// set.
	Err error
}

// broken is a connector whose manifest says nothing. Its file is its name.
func broken(manifest string, err error) Installed {
	name := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(manifest), programPrefix), ".json")
	if filepath.Base(manifest) == wire.ManifestName {
		short := filepath.Dir(filepath.Dir(filepath.Dir(manifest)))
		name = filepath.Base(filepath.Dir(short)) + "/" + filepath.Base(short)
	}
	return Installed{Name: name, Manifest: manifest, Err: err}
}

// readManifest returns what a manifest says of the connector beside it.
func readManifest(manifest string, bundled bool) Installed {
	content, err := os.ReadFile(manifest)
	if err != nil {
		return broken(manifest, sdk.Errorf(sdk.KindInvalid, sdk.SourceHost, "the manifest cannot be read: %w", err))
	}
	m, err := wire.DecodeManifest(content)
	if err != nil {
		return broken(manifest, inFile(manifest, err))
	}
	platform := wire.PlatformName(runtime.GOOS, runtime.GOARCH)
	target, ok := m.Targets[platform]
	if !ok {
		err := sdk.Errorf(sdk.KindUnsupported, sdk.SourceHost, "%s: connector %q has no program for %s", manifest, m.Description.ID, platform).
			WithHint("Install a release of the connector for %s.", platform)
		return Installed{Name: m.Description.ID, Manifest: manifest, Err: err}
	}
	dir := filepath.Dir(manifest)
	c := Installed{
		Name: m.Description.ID, Description: m.Description, Manifest: manifest,
		Binary: filepath.Join(dir, filepath.FromSlash(target.Path)), SHA256: target.SHA256, Bundled: bundled,
	}
	if len(target.Argv) == 0 {
		return c
	}
	c.Files = map[string]string{}
	for name, sum := range m.Files {
		c.Files[filepath.Join(dir, filepath.FromSlash(name))] = sum
	}
	for _, arg := range target.Argv {
		local := filepath.Join(dir, filepath.FromSlash(arg))
		if _, listed := c.Files[local]; listed || local == c.Binary {
			arg = local
		}
		c.Argv = append(c.Argv, arg)
	}
	return c
}

// inFile names the manifest in the message of what is wrong with it.
func inFile(manifest string, err error) error {
	e := *sdk.AsError(err, sdk.SourceConnector)
	e.Msg = manifest + ": " + e.Msg
	return &e
}

// compareVersions orders semantic versions well enough to find the newest: by
// their numbers, and before the release what has a suffix.
// Source: semver.org, rule 11, without the order of suffixes among each other
// beyond that of their text.
func compareVersions(a, b string) int {
	numbersA, suffixA, _ := strings.Cut(a, "-")
	numbersB, suffixB, _ := strings.Cut(b, "-")
	byNumber := slices.CompareFunc(strings.Split(numbersA, "."), strings.Split(numbersB, "."), func(x, y string) int {
		n, errN := strconv.Atoi(x)
		m, errM := strconv.Atoi(y)
		if errN != nil || errM != nil {
			return strings.Compare(x, y)
		}
		return cmp.Compare(n, m)
	})
	switch {
	case byNumber != 0:
		return byNumber
	case suffixA == "" && suffixB != "":
		return 1
	case suffixA != "" && suffixB == "":
		return -1
	default:
		return strings.Compare(suffixA, suffixB)
	}
}

// glob lists the paths below dir that match the elements; dir is no pattern.
func glob(dir string, elements ...string) []string {
	found, err := fs.Glob(os.DirFS(dir), path.Join(elements...))
	if err != nil {
		panic("connector: a pattern of this package is malformed: " + err.Error())
	}
	for i := range found {
		found[i] = filepath.Join(dir, filepath.FromSlash(found[i]))
	}
	return found
}
