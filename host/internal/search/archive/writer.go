package archive

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/loam-data/loam/host/internal/file"
	"github.com/loam-data/loam/sdk"
)

// buffer is how much of a section is collected before it is written.
const buffer = 256 << 10

// Writer writes an archive beside its place and moves it there at the end.
// Concurrency: one goroutine.
type Writer struct {
	path     string
	file     *os.File
	end      int64
	sections map[string]section
	open     int
	done     bool
}

// Create begins an archive that is to be at path. The folder must exist.
// Errors: KindDenied.
func Create(path string) (*Writer, error) {
	temp, err := Temp(path)
	if err != nil {
		return nil, err
	}
	return &Writer{path: path, file: temp, end: headerSize, sections: map[string]section{}}, nil
}

// staleAfter is the age from which a temporary file is of a process that died.
const staleAfter = 24 * time.Hour

// Temp makes a temporary file beside path and removes those that a process that
// was killed has left there.
// Errors: KindDenied.
func Temp(path string) (*os.File, error) {
	dir, pattern := filepath.Dir(path), "."+filepath.Base(path)+".*"
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, unwritable(path, err)
	}
	for _, e := range entries {
		if ok, err := filepath.Match(pattern, e.Name()); err != nil || !ok {
			continue
		}
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > staleAfter {
			// Another process may have been faster.
			if err := os.Remove(filepath.Join(dir, e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return nil, unwritable(path, err)
			}
		}
	}
	temp, err := os.CreateTemp(dir, pattern)
	if err != nil {
		return nil, unwritable(path, err)
	}
	return temp, nil
}

func unwritable(path string, err error) error {
	return sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "the search index %s cannot be written: %w", path, err).
		WithHint("make the folder writable for this user and see that its disk has space")
}

// Section is a part of the file that is being written.
type Section struct {
	writer *Writer
	name   string
	place  section
	out    *bufio.Writer
	sum    hash.Hash32
	length int64
}

// Section reserves the next size bytes for a section. Several may be open at
// once; each must be closed, filled exactly.
func (w *Writer) Section(name string, size int64) *Section {
	offset := (w.end + alignment - 1) / alignment * alignment
	w.end = offset + size
	w.open++
	return &Section{
		writer: w, name: name, place: section{Offset: offset, Size: size},
		out: bufio.NewWriterSize(io.NewOffsetWriter(w.file, offset), int(min(size+1, buffer))),
		sum: crc32.New(castagnoli),
	}
}

// Write adds to the section.
func (s *Section) Write(p []byte) (int, error) {
	if s.length += int64(len(p)); s.length > s.place.Size {
		return 0, fmt.Errorf("section %s: more than the %d bytes it was given", s.name, s.place.Size)
	}
	s.sum.Write(p) // a hash takes everything
	return s.out.Write(p)
}

// Close ends the section.
func (s *Section) Close() error {
	if s.length != s.place.Size {
		return fmt.Errorf("section %s: %d bytes instead of the %d it was given", s.name, s.length, s.place.Size)
	}
	if err := s.out.Flush(); err != nil {
		return unwritable(s.writer.path, err)
	}
	s.place.Sum = s.sum.Sum32()
	s.writer.sections[s.name] = s.place
	s.writer.open--
	return nil
}

// Put writes a whole section.
func (w *Writer) Put(name string, data []byte) error {
	s := w.Section(name, int64(len(data)))
	if _, err := s.Write(data); err != nil {
		return unwritable(w.path, err)
	}
	return s.Close()
}

// PutArray writes a whole section of numbers.
func PutArray[T number](w *Writer, name string, numbers []T) error {
	s := w.Section(name, int64(len(Append[T](nil, 0)))*int64(len(numbers)))
	var chunk []byte
	for len(numbers) > 0 {
		n := min(len(numbers), buffer)
		chunk = Append(chunk[:0], numbers[:n]...)
		if _, err := s.Write(chunk); err != nil {
			return unwritable(w.path, err)
		}
		numbers = numbers[n:]
	}
	return s.Close()
}

// Commit puts the archive in its place, on disk before it returns: whoever
// opens the path sees the old file or the whole new one.
// Errors: KindDenied.
func (w *Writer) Commit() (err error) {
	if w.open > 0 {
		return fmt.Errorf("%d sections are still open", w.open)
	}
	defer func() {
		if err != nil {
			err = unwritable(w.path, err)
		}
	}()
	directory, err := json.Marshal(w.sections)
	if err != nil {
		return err
	}
	header := make([]byte, headerSize)
	copy(header, magic)
	binary.LittleEndian.PutUint32(header[8:], format)
	binary.LittleEndian.PutUint64(header[16:], uint64(w.end))
	binary.LittleEndian.PutUint32(header[24:], uint32(len(directory)))
	// One sum for the place of the directory and for what is in it.
	sum := crc32.Checksum(header[16:], castagnoli) ^ crc32.Checksum(directory, castagnoli)
	binary.LittleEndian.PutUint32(header[12:], sum)
	if _, err := w.file.WriteAt(directory, w.end); err != nil {
		return err
	}
	if _, err := w.file.WriteAt(header, 0); err != nil {
		return err
	}
	if err := w.file.Sync(); err != nil {
		return err
	}
	if err := w.file.Close(); err != nil {
		return err
	}
	if err := os.Rename(w.file.Name(), w.path); err != nil {
		return err
	}
	w.done = true
	return file.SyncDir(filepath.Dir(w.path))
}

// Close removes what was written unless it was committed. It may be called
// again.
func (w *Writer) Close() error {
	if w.done {
		return nil
	}
	w.done = true
	err := w.file.Close()
	if errors.Is(err, os.ErrClosed) {
		err = nil
	}
	return errors.Join(err, os.Remove(w.file.Name()))
}
