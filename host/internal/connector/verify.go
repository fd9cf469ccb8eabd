package connector

import (
	"cmp"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/loam-data/loam/sdk"
)

// bundledSums has the checksums of the connectors that were built together with this host, as
// "name=sha256,…". The build sets it with -ldflags "-X".
var bundledSums string

// sumsOf parses bundledSums. nil means that the build set none; then bundled connectors are only
// checked against their manifests.
func sumsOf(list string) map[string]string {
	if list == "" {
		return nil
	}
	sums := map[string]string{}
	for entry := range strings.SplitSeq(list, ",") {
		if name, sum, ok := strings.Cut(entry, "="); ok {
			sums[name] = sum
		}
	}
	return sums
}

// verifier checks programs before they run.
// Concurrency: its methods may be called concurrently.
type verifier struct {
	bundled map[string]string
	sums    *Sums
}

func newVerifier(bundled string, sums *Sums) *verifier {
	return &verifier{bundled: sumsOf(bundled), sums: sums}
}

// executable is a verified program. Its file is open, so that the hashed content is what runs. The
// receiver closes file.
type executable struct {
	path string
	file *os.File
	id   fileID
	sum  string
}

// open checks that the program of c has the checksum that its manifest, and for a bundled connector
// the build of this host, names.
// Errors: KindNotFound when it does not exist, KindDenied when it has another checksum or others may
// change it.
func (v *verifier) open(c Installed) (*executable, error) {
	expected, err := v.expected(c)
	if err != nil {
		return nil, err
	}
	if err := mayRun(c); err != nil {
		return nil, err
	}
	file, err := os.Open(c.Binary)
	if err != nil {
		return nil, gone(c, err)
	}
	exe := &executable{path: c.Binary, file: file}
	if err := v.check(exe, c, expected); err != nil {
		return nil, joinClose(err, file)
	}
	return exe, nil
}

// KnowsBundled reports whether this host was built with the checksums of its connectors.
// Without them nothing is bundled: what lies beside the host may be of anybody.
func KnowsBundled() bool { return bundledSums != "" }

// Verify makes the checks that precede a start. A program without a manifest passes.
// Errors: KindNotFound when a file does not exist, KindDenied when one has another checksum or others
// may change it.
func Verify(c Installed) error {
	if c.Manifest == "" {
		return nil
	}
	exe, err := newVerifier(bundledSums, NewSums()).open(c)
	if err != nil {
		return err
	}
	return exe.file.Close()
}

// mayRun checks the file before it is opened, because opening a named pipe would block.
func mayRun(c Installed) error {
	info, err := os.Stat(c.Binary)
	switch {
	case err != nil:
		return gone(c, err)
	case !info.Mode().IsRegular():
		return sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "connector %q is not started: %s is no regular file", c.Name, c.Binary).
			WithHint("%s", reinstallHint(c))
	case len(c.Argv) == 0 && runtime.GOOS != "windows" && info.Mode().Perm()&0o111 == 0:
		return sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "connector %q is not started: %s is not executable", c.Name, c.Binary).
			WithHint("Run: chmod +x %q", c.Binary)
	}
	return nil
}

func gone(c Installed, err error) error {
	return sdk.Errorf(sdk.KindNotFound, sdk.SourceHost, "the program of connector %q cannot be opened: %w", c.Name, err).
		WithHint("Install the connector again; its manifest is %s.", c.Manifest)
}

func (v *verifier) check(exe *executable, c Installed, expected string) error {
	if !execsOpenFile() || len(c.Argv) > 0 { // it is executed by its path
		if writable := writableByOthers(c.Binary, filepath.Dir(c.Binary)); writable != "" {
			return sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "connector %q is not started: others than its owner may write to %s", c.Name, writable).
				WithHint("Run: chmod go-w %q", writable)
		}
	}
	found, id, err := v.sums.of(exe.file)
	if err != nil {
		return sdk.Errorf(sdk.KindUnavailable, sdk.SourceHost, "the program of connector %q cannot be read: %w", c.Name, err)
	}
	exe.id, exe.sum = id, found
	if found != expected {
		return mismatch(c, c.Binary, expected, found)
	}
	return v.checkFiles(c)
}

// checkFiles checks the further files of a connector, see Installed.Files.
func (v *verifier) checkFiles(c Installed) error {
	if len(c.Argv) > 0 {
		if err := staysInside(c, c.Binary); err != nil {
			return err
		}
	}
	for _, path := range slices.Sorted(maps.Keys(c.Files)) {
		if err := staysInside(c, path); err != nil {
			return err
		}
		file, err := os.Open(path)
		if err != nil {
			return mismatch(c, path, c.Files[path], "none")
		}
		found, _, err := v.sums.of(file)
		if err := joinClose(err, file); err != nil {
			return sdk.Errorf(sdk.KindUnavailable, sdk.SourceHost, "a file of connector %q cannot be read: %w", c.Name, err)
		}
		if found != c.Files[path] {
			return mismatch(c, path, c.Files[path], found)
		}
	}
	return nil
}

// staysInside refuses a file that an interpreter would read outside the connector's folder, where a link
// leads there, and what is no file: to open a named pipe would block.
func staysInside(c Installed, path string) error {
	folder, err := filepath.EvalSymlinks(filepath.Dir(c.Manifest))
	target, missing := filepath.EvalSymlinks(path)
	if err := errors.Join(err, missing); err != nil {
		return mismatch(c, path, cmp.Or(c.Files[path], c.SHA256), "none")
	}
	relative, err := filepath.Rel(folder, target)
	if err != nil || !filepath.IsLocal(relative) {
		return sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "connector %q is not started: %s leads out of its folder, to %s", c.Name, path, target).
			WithHint("Put the file itself into the connector's folder, and write its manifest again.")
	}
	if info, err := os.Stat(target); err != nil || !info.Mode().IsRegular() {
		return sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "connector %q is not started: %s is no regular file", c.Name, path).
			WithHint("%s", reinstallHint(c))
	}
	return nil
}

func mismatch(c Installed, path, expected, found string) error {
	return sdk.Errorf(sdk.KindDenied, sdk.SourceHost,
		"connector %q is not started: %s is not the expected file (SHA-256 expected %s, found %s)", c.Name, path, expected, found).
		WithHint("%s", reinstallHint(c))
}

// expected returns the checksum that the program must have. That of the host's build takes precedence
// over the manifest, which anyone who can change the program can change as well.
func (v *verifier) expected(c Installed) (string, error) {
	if !c.Bundled || v.bundled == nil {
		return c.SHA256, nil
	}
	sum, ok := v.bundled[c.Name]
	if !ok {
		return "", sdk.Errorf(sdk.KindDenied, sdk.SourceHost,
			"connector %q is not started: %s lies among the bundled connectors, but this host was not built with it (SHA-256 expected none, found %s)", c.Name, c.Binary, c.SHA256).
			WithHint("Build host and connectors together with \"make build\", or name the program as the connection's path.")
	}
	return sum, nil
}

func reinstallHint(c Installed) string {
	if c.Bundled {
		return "Build host and connectors together with \"make build\", or install the release again."
	}
	return "Install the connector again, or, if you built it yourself, write its manifest again: " + c.Binary + " manifest --output " + c.Manifest
}

// unchanged reports whether the open file still has the hashed content. It is called when the program
// runs and the file cannot be written any more. Renaming or linking a file changes its times but not
// its content, so the content decides.
func (e *executable) unchanged() bool {
	if now, err := identify(e.file); err == nil && now == e.id {
		return true
	}
	found, err := hash(e.file)
	return err == nil && found == e.sum
}
