package trust

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/secret"
	"github.com/loam-data/loam/sdk"
)

// namedFile is a file that a command names, with its content's checksum.
type namedFile struct{ name, sum string }

// MarshalJSON writes a named file as a part of a digest.
func (n namedFile) MarshalJSON() ([]byte, error) { return json.Marshal([]string{n.name, n.sum}) }

// named returns the files that a command names by a relative path. They are part of the
// project folder, so a change of the folder can change what the command does. It searches every
// word, also inside words such as --config=get.sh and the script of sh -c. It does not follow
// what such a file runs or reads, and it ignores absolute paths: those files belong to the
// person.
// Errors: KindDenied for a file that cannot be read.
func (t *Trust) named(ref secret.Reference) (found []namedFile, err error) {
	words, err := ref.Words()
	if err != nil {
		return nil, nil //nolint:nilerr // the resolver cannot run it either and returns the error
	}
	var names []string
	for _, word := range words {
		names = append(names, word)
		names = append(names, strings.FieldsFunc(word, func(r rune) bool { return strings.ContainsRune(" \t\r\n=;|&<>()'\"`,:", r) })...)
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		path := filepath.Join(t.Dir, name)
		if info, err := os.Stat(path); filepath.IsAbs(name) || err != nil || !info.Mode().IsRegular() {
			continue
		}
		sum, err := sumOf(path)
		if err != nil {
			return nil, sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "%s, which the secret %s names, cannot be read: %w", path, ref, err).WithHint("let this user read it")
		}
		found = append(found, namedFile{name, sum})
	}
	return found, nil
}

func sumOf(path string) (_ string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
