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

// named returns the files that a command names by a relative path: they came with
// the folder, and what they do changes with it. It finds them in every word, also
// within one such as --config=get.sh or the text of sh -c. What such a file runs
// or reads in turn is not looked at, and neither is what an absolute path names:
// that is the person's own.
// Errors: KindInvalid for a command that is none, KindDenied for a file that
// cannot be read.
func (t *Trust) named(ref secret.Reference) (found []namedFile, err error) {
	words, err := ref.Words()
	if err != nil {
		return nil, nil //nolint:nilerr // it cannot be run either, and the resolver says why
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
