package connector

import (
	"cmp"
	"io"
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

// Installed is an installed connector.
type Installed struct {
	// Name is its id: "foodb", "acme/foodb".
	Name        string
	Description sdk.Description
	// Manifest and Binary are absolute paths.
	Manifest, Binary string
	SHA256           string // of Binary, in lower-case hexadecimal
	// Argv is the command line if another program runs Binary; else empty.
	Argv []string
	// Files are the checksums of further files of the program, by absolute path.
	Files map[string]string
	// Bundled says that the connector is part of this host's installation.
	Bundled bool
	// Stored: it was installed by command, and starts where the project locked it.
	Stored bool
	// ByPath: it was named by its path.
	ByPath bool
	// Err is why the connector cannot be used; then only Name and Manifest are set.
	Err error
}

// broken returns a connector with an unreadable manifest, named after the file.
func broken(manifest string, err error) Installed {
	name := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(manifest), programPrefix), ".json")
	if filepath.Base(manifest) == wire.ManifestName {
		short := filepath.Dir(filepath.Dir(filepath.Dir(manifest)))
		name = filepath.Base(filepath.Dir(short)) + "/" + filepath.Base(short)
	}
	return Installed{Name: name, Manifest: manifest, Err: err}
}

// readManifest returns the connector that a manifest describes.
func readManifest(manifest string) Installed {
	content, err := readUpTo(manifest, wire.MaxManifestBytes+1)
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
		Binary: filepath.Join(dir, filepath.FromSlash(target.Path)), SHA256: target.SHA256,
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

// readUpTo reads at most limit bytes of a file.
func readUpTo(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(io.LimitReader(f, limit))
	return content, joinClose(err, f)
}

// inFile adds the manifest's path to an error about it.
func inFile(manifest string, err error) error {
	e := *sdk.AsError(err, sdk.SourceConnector)
	e.Msg = manifest + ": " + e.Msg
	return &e
}

// compareVersions compares semantic versions: by their numbers, then pre-releases before the
// release. Pre-releases are compared as text.
// Source: semver.org, rule 11, except for the order of pre-releases.
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

// glob returns the paths below dir that match the elements. dir itself is not a pattern.
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
