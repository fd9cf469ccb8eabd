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
)

const sumsName = "SHA256SUMS"

// seal writes the checksums of the files, in the form of sha256sum.
func (r *release) seal(files []string) error {
	var b strings.Builder
	for _, name := range slices.Sorted(slices.Values(files)) {
		sum, _, err := digest(filepath.Join(r.out, name))
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s  %s\n", sum, name)
	}
	return os.WriteFile(filepath.Join(r.out, sumsName), []byte(b.String()), 0o644)
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
