// Package archive packs the files of a connector into a tar.gz and unpacks one from
// anybody. The same files make the same bytes. What is unpacked is bounded and consists of
// regular files below one folder.
package archive

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"time"

	"github.com/loam-data/loam/sdk"
)

const (
	modeFile    = 0o644
	modeProgram = 0o755
)

// Pack writes the named files of a folder, in the order of their names: readable by all, executable where
// their owner can execute them, without an owner.
// Errors: those of reading and writing; KindDenied for what Unpack would refuse.
func Pack(w io.Writer, files fs.FS, names []string, modified time.Time) error {
	names = slices.Sorted(slices.Values(names))
	taken := newNames()
	packed := gzip.NewWriter(w)
	packed.ModTime = time.Time{} // the time of each file is in its header
	out := tar.NewWriter(packed)
	for _, name := range names {
		if err := taken.add(name); err != nil {
			return err
		}
		if err := packFile(out, files, name, modified); err != nil {
			return err
		}
	}
	if err := out.Close(); err != nil {
		return err
	}
	return packed.Close()
}

func packFile(out *tar.Writer, files fs.FS, name string, modified time.Time) error {
	f, err := files.Open(name)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // only read
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return refuse("%s is no regular file", name)
	}
	err = out.WriteHeader(&tar.Header{
		Typeflag: tar.TypeReg, Name: name, Size: info.Size(), Mode: int64(modeOf(info.Mode())), ModTime: modified.UTC().Truncate(time.Second), Format: tar.FormatPAX,
	})
	if err != nil {
		return err
	}
	_, err = io.Copy(out, f)
	return err
}

// modeOf returns the mode that a file has in an archive and where it is unpacked.
func modeOf(mode fs.FileMode) fs.FileMode {
	if mode&0o100 != 0 {
		return modeProgram
	}
	return modeFile
}

// Tree is the hash of all files below a folder, of their names and of whether they can be executed: "h1:" and the
// SHA-256, as base64, of a line for each, in the order of their names. Packed anew, the same files have the same hash.
// Source: the h1 hash of golang.org/x/mod/sumdb/dirhash, to which the mode is added.
// Errors: those of reading; KindDenied for what is no regular file.
func Tree(files fs.FS) (string, error) {
	return TreeOf(files, func(f fs.File) (string, error) {
		sum := sha256.New()
		_, err := io.Copy(sum, f)
		return hex.EncodeToString(sum.Sum(nil)), err
	})
}

// TreeOf is Tree with the SHA-256 of each file, in lower-case hexadecimal, from another function.
func TreeOf(files fs.FS, of func(fs.File) (string, error)) (string, error) {
	sum := sha256.New()
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		if !info.Mode().IsRegular() {
			return refuse("%s is no regular file", name)
		}
		one, err := sumOf(files, name, of)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(sum, "%s  %04o  %s\n", one, modeOf(info.Mode()), name)
		return err
	})
	if err != nil {
		return "", err
	}
	return "h1:" + base64.StdEncoding.EncodeToString(sum.Sum(nil)), nil
}

func sumOf(files fs.FS, name string, of func(fs.File) (string, error)) (string, error) {
	f, err := files.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close() //nolint:errcheck // only read
	return of(f)
}

func refuse(format string, args ...any) error {
	return sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "the archive is refused: "+format, args...).
		WithHint("nothing was installed; ask the publisher of the connector for an archive made by loam connector package")
}
