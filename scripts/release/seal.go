package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"aead.dev/minisign"
)

const (
	sumsName = "SHA256SUMS"
	// passphraseVariable is the environment variable for the passphrase of the key.
	passphraseVariable = "LOAM_MINISIGN_PASSPHRASE"
)

// seal writes the checksums of the files, in the form of sha256sum, and signs them
// where there is a key.
func (r *release) seal(files []string) error {
	var b strings.Builder
	for _, name := range slices.Sorted(slices.Values(files)) {
		sum, _, err := digest(filepath.Join(r.out, name))
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s  %s\n", sum, name)
	}
	if err := os.WriteFile(filepath.Join(r.out, sumsName), []byte(b.String()), 0o644); err != nil || r.key == "" {
		return err
	}
	return r.sign([]byte(b.String()))
}

// sign writes the signature of minisign beside the checksums. Without a passphrase in the
// environment the file of the key is one that is not encrypted.
func (r *release) sign(sums []byte) error {
	key, err := os.ReadFile(r.key)
	if err != nil {
		return err
	}
	var private minisign.PrivateKey
	if minisign.IsEncrypted(key) {
		private, err = minisign.DecryptKey(os.Getenv(passphraseVariable), key)
	} else {
		err = private.UnmarshalText(key)
	}
	if err != nil {
		return fmt.Errorf("the key %s cannot be read (%s has its passphrase): %w", r.key, passphraseVariable, err)
	}
	signature := minisign.SignWithComments(private, sums, "loam "+r.version, "signature of Loam's checksums")
	return os.WriteFile(filepath.Join(r.out, sumsName+".minisig"), signature, 0o644)
}

// digest returns the SHA-256 of a file in hexadecimal, and its size.
func digest(path string) (sum string, size int64, err error) {
	file, err := os.Open(path)
	if err != nil {
		return "", 0, err
	}
	defer file.Close()
	hash := sha256.New()
	if size, err = io.Copy(hash, file); err != nil {
		return "", 0, err
	}
	return hex.EncodeToString(hash.Sum(nil)), size, nil
}
