// Package archive stores named arrays in one file that is written whole or not
// at all, and read without decoding.
//
// Layout: a header of 32 bytes (magic, format, offset, length and checksum of
// the directory), the sections, each at a multiple of 8 bytes, and the
// directory, which names them with their places and checksums. All numbers are
// little-endian. A file is never changed after it was renamed into place.
package archive

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"sync"

	"github.com/loam-data/loam/sdk"
)

const (
	magic      = "LOAMSEG\x00"
	format     = 1
	headerSize = 32
	alignment  = 8
	maxFile    = 16 << 30
)

// checksums are Castagnoli's CRC-32, which processors compute at memory speed.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// ErrDamaged is inside every error of Open that a new file would mend: the file
// is not one of ours, of another format, cut short or altered.
var ErrDamaged = errors.New("the file is damaged")

// section is a place in the file.
type section struct {
	Offset int64  `json:"offset"`
	Size   int64  `json:"size"`
	Sum    uint32 `json:"sum"`
}

// Archive is an open file, whole in memory and outside the garbage-collected
// heap where the system allows. Concurrency: any number of readers until Close.
type Archive struct {
	data     []byte
	sections map[string]section
	free     func() error
	once     sync.Once
	err      error
}

// Open reads a file and verifies every byte of it.
// Errors: KindNotFound (no file), KindUnavailable with ErrDamaged, KindDenied.
func Open(path string) (*Archive, error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, sdk.Errorf(sdk.KindNotFound, sdk.SourceHost, "there is no search index at %s: %w", path, err)
	}
	if err != nil {
		return nil, sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "the search index %s cannot be read: %w", path, err).
			WithHint("make the file readable for this user")
	}
	a, err := read(file)
	if err = errors.Join(err, file.Close()); err != nil {
		if a != nil {
			err = errors.Join(err, a.Close())
		}
		return nil, sdk.Errorf(sdk.KindUnavailable, sdk.SourceHost, "the search index %s cannot be used: %w", path, err).
			WithHint("run loam scan; the index is built again from the catalog")
	}
	return a, nil
}

func read(file *os.File) (*Archive, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() < headerSize || info.Size() > maxFile {
		return nil, ErrDamaged
	}
	data, free, err := allocate(int(info.Size()))
	if err != nil {
		return nil, err
	}
	a := &Archive{data: data, free: free}
	if _, err := io.ReadFull(file, data); err != nil {
		return a, errors.Join(ErrDamaged, err)
	}
	return a, a.verify()
}

func (a *Archive) verify() error {
	if string(a.data[:len(magic)]) != magic || binary.LittleEndian.Uint32(a.data[8:]) != format {
		return ErrDamaged
	}
	directory := section{
		Offset: int64(binary.LittleEndian.Uint64(a.data[16:])),
		Size:   int64(binary.LittleEndian.Uint32(a.data[24:])),
		Sum:    binary.LittleEndian.Uint32(a.data[12:]),
	}
	// The directory is the end of the file: one that was cut short has none.
	if crc32.Checksum(a.data[16:headerSize], castagnoli) != directory.Sum^a.sum(directory) || directory.Offset+directory.Size != int64(len(a.data)) {
		return ErrDamaged
	}
	if err := json.Unmarshal(a.bytes(directory), &a.sections); err != nil {
		return errors.Join(ErrDamaged, err)
	}
	for _, s := range a.sections {
		if !a.within(s) || s.Offset%alignment != 0 || a.sum(s) != s.Sum {
			return ErrDamaged
		}
	}
	return nil
}

func (a *Archive) within(s section) bool {
	size := int64(len(a.data))
	return s.Offset >= headerSize && s.Size >= 0 && s.Offset <= size && s.Size <= size-s.Offset
}

func (a *Archive) sum(s section) uint32 {
	if !a.within(s) {
		return 0
	}
	return crc32.Checksum(a.bytes(s), castagnoli)
}

func (a *Archive) bytes(s section) []byte {
	return a.data[s.Offset : s.Offset+s.Size : s.Offset+s.Size]
}

// Has reports whether the file has a section.
func (a *Archive) Has(name string) bool {
	_, ok := a.sections[name]
	return ok
}

// Bytes returns a section, nil when there is none. It must not be changed, nor
// used after Close.
func (a *Archive) Bytes(name string) []byte {
	s, ok := a.sections[name]
	if !ok {
		return nil
	}
	return a.bytes(s)
}

// Size returns the bytes that the archive holds in memory.
func (a *Archive) Size() int64 { return int64(len(a.data)) }

// Close frees the memory; nothing of the archive may be used after it. It may
// be called again.
func (a *Archive) Close() error {
	a.once.Do(func() {
		a.data, a.sections = nil, nil
		a.err = a.free()
	})
	return a.err
}
