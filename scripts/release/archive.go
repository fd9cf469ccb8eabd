package main

import (
	"archive/tar"
	"archive/zip"
	"cmp"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"
)

// entry is a file of an archive, of which either content or file is set.
type entry struct {
	name    string // with slashes
	content []byte
	file    string
	program bool
}

func (e entry) read() ([]byte, error) {
	if e.file == "" {
		return e.content, nil
	}
	return os.ReadFile(e.file)
}

func (e entry) mode() os.FileMode {
	if e.program {
		return 0o755
	}
	return 0o644
}

// writeArchive writes a zip or a tar.gz, by its name, whose bytes depend on the entries
// and the time alone.
func writeArchive(path string, entries []entry, at time.Time) error {
	entries = slices.SortedFunc(slices.Values(entries), func(a, b entry) int { return cmp.Compare(a.name, b.name) })
	out, err := os.Create(path)
	if err != nil {
		return err
	}
	pack := writeTar
	if !strings.HasSuffix(path, ".tar.gz") && !strings.HasSuffix(path, ".tgz") {
		pack = writeZip
	}
	if err := pack(out, entries, at); err != nil {
		_ = out.Close()
		return fmt.Errorf("%s: %w", path, err)
	}
	return out.Close()
}

func writeTar(w io.Writer, entries []entry, at time.Time) error {
	compressed := gzip.NewWriter(w)
	archive := tar.NewWriter(compressed)
	for _, e := range entries {
		content, err := e.read()
		if err != nil {
			return err
		}
		header := &tar.Header{Typeflag: tar.TypeReg, Name: e.name, Mode: int64(e.mode()), Size: int64(len(content)), ModTime: at, Format: tar.FormatUSTAR}
		if len(e.name) > 100 {
			header.Format = tar.FormatPAX
		}
		if err := archive.WriteHeader(header); err != nil {
			return err
		}
		if _, err := archive.Write(content); err != nil {
			return err
		}
	}
	if err := archive.Close(); err != nil {
		return err
	}
	return compressed.Close()
}

func writeZip(w io.Writer, entries []entry, at time.Time) error {
	archive := zip.NewWriter(w)
	for _, e := range entries {
		content, err := e.read()
		if err != nil {
			return err
		}
		header := &zip.FileHeader{Name: e.name, Method: zip.Deflate, Modified: at}
		header.SetMode(e.mode())
		file, err := archive.CreateHeader(header)
		if err != nil {
			return err
		}
		if _, err := file.Write(content); err != nil {
			return err
		}
	}
	return archive.Close()
}
