package catalog

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"sync"
	"unsafe"

	"github.com/klauspost/compress/zstd"
	"github.com/loam-data/loam/sdk"
)

const (
	magic      = "LOAMCAT\x00"
	format     = 1
	headerSize = 64
	placeSize  = 28
	fixedSize  = sha256.Size + 2*placeSize + 8 // before the records: content, dictionary, part, number of tables, size of the strings
	recordSize = atNames + 24
	maxBlock   = 256 << 20 // bytes of a block; more is no table that anyone reads
	maxStrings = math.MaxUint32
	maxName    = math.MaxUint16
	dictionary = 1 // the dictionary's id in the frames
)

// ErrDamaged is wrapped in every error about a file that is no snapshot, has
// another format, is cut short or altered. A new full scan mends it.
var ErrDamaged = errors.New("the file is damaged")

// place is where a block is and the hash of what it is when unpacked.
type place struct {
	offset int64
	size   uint32
	hash   Hash
}

func (p place) append(dst []byte) []byte {
	dst = binary.LittleEndian.AppendUint64(dst, uint64(p.offset))
	dst = binary.LittleEndian.AppendUint32(dst, p.size)
	return append(dst, p.hash[:]...)
}

func readPlace(b []byte) place {
	return place{
		offset: int64(binary.LittleEndian.Uint64(b)),
		size:   binary.LittleEndian.Uint32(b[8:]),
		hash:   Hash(b[12:placeSize]),
	}
}

func hashOf(b []byte) Hash {
	sum := sha256.Sum256(b)
	return Hash(sum[:len(Hash{})])
}

// pack is an open file. Its directory is in memory, its blocks are read when
// they are asked for. The file is closed when nobody has the pack any more.
// Concurrency: any number of readers.
type pack struct {
	path    string
	content string
	file    *os.File
	records []byte
	byName  []byte // positions of tables as uint32, in the order of their folded names
	strings string
	base    place // the dictionary
	part    place // what is kept with the tables, see Writer.Attach
	words   []byte
	zstd    *zstd.Decoder
	nearest func() *spelling
}

// openPack opens the file of a content and verifies its directory.
// Errors: fs.ErrNotExist, KindUnavailable with ErrDamaged, KindDenied.
func openPack(path, content string) (*pack, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err != nil {
		return nil, sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "the catalog %s cannot be read: %w", path, err).
			WithHint("make the file readable for this user")
	}
	p := &pack{path: path, content: content, file: f}
	if err := p.load(); err != nil {
		return nil, errors.Join(damaged(path, err), f.Close())
	}
	p.nearest = sync.OnceValue(p.spelling)
	return p, nil
}

func damaged(path string, err error) error {
	if !errors.Is(err, ErrDamaged) {
		err = fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return sdk.Errorf(sdk.KindUnavailable, sdk.SourceHost, "the catalog %s cannot be used: %w", path, err).
		WithHint("run loam scan --full for this connection")
}

func (p *pack) load() error {
	info, err := p.file.Stat()
	if err != nil {
		return err
	}
	header := make([]byte, headerSize)
	if _, err := p.file.ReadAt(header, 0); err != nil {
		return err
	}
	offset, size := int64(binary.LittleEndian.Uint64(header[16:])), int64(binary.LittleEndian.Uint64(header[24:]))
	if string(header[:8]) != magic || binary.LittleEndian.Uint64(header[8:]) != format {
		return ErrDamaged
	}
	// The directory is the end of the file: one that was cut short has none.
	if offset < headerSize || size < fixedSize || offset > info.Size() || size != info.Size()-offset {
		return ErrDamaged
	}
	directory := make([]byte, size)
	if _, err := p.file.ReadAt(directory, offset); err != nil {
		return err
	}
	sum := sha256.Sum256(directory)
	if string(sum[:]) != string(header[32:]) {
		return ErrDamaged
	}
	if err := p.split(directory); err != nil {
		return err
	}
	if p.words, err = p.raw(p.base); err != nil {
		return err
	}
	if hashOf(p.words) != p.base.hash {
		return ErrDamaged
	}
	p.zstd, err = newDecoder(p.words)
	return err
}

// split cuts the directory into its parts.
func (p *pack) split(d []byte) error {
	content, rest := d[:sha256.Size], d[sha256.Size:]
	p.base, p.part = readPlace(rest), readPlace(rest[placeSize:])
	tables := int64(binary.LittleEndian.Uint32(rest[2*placeSize:]))
	letters := int64(binary.LittleEndian.Uint32(rest[2*placeSize+4:]))
	d = d[fixedSize:]
	if hex.EncodeToString(content) != p.content || int64(len(d)) != tables*(recordSize+4)+letters {
		return ErrDamaged
	}
	p.records, d = d[:tables*recordSize], d[tables*recordSize:]
	p.byName = d[:tables*4]
	if letters > 0 {
		p.strings = unsafe.String(&d[tables*4], letters) // never written to
	}
	return nil
}

func newDecoder(words []byte) (*zstd.Decoder, error) {
	options := []zstd.DOption{zstd.WithDecoderConcurrency(0), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxMemory(maxBlock)}
	if len(words) > 0 {
		options = append(options, zstd.WithDecoderDictRaw(dictionary, words))
	}
	return zstd.NewReader(nil, options...)
}

// raw returns the bytes of a block as they are in the file.
func (p *pack) raw(at place) ([]byte, error) {
	b := make([]byte, at.size)
	if at.size == 0 {
		return b, nil
	}
	if _, err := p.file.ReadAt(b, at.offset); err != nil {
		return nil, damaged(p.path, err)
	}
	return b, nil
}

// buffers are what blocks are read into and unpacked to.
var buffers = sync.Pool{New: func() any { return new([2][]byte) }}

// block returns an unpacked block, verified.
func (p *pack) block(at place) (block string, err error) {
	err = p.visit(at, func(plain []byte) error {
		block = string(plain)
		return nil
	})
	return block, err
}

// visit calls read with an unpacked block, verified. The block is overwritten after read returns.
// Errors: KindUnavailable with ErrDamaged; those of read.
func (p *pack) visit(at place, read func([]byte) error) error {
	return p.visitAll([]place{at}, func(_ int, plain []byte) error { return read(plain) })
}

// A read of several blocks has at most maxRun bytes, and maxGap bytes that are not wanted between two of them.
const (
	maxRun = 256 << 10
	maxGap = 4 << 10
)

// visitAll calls read with unpacked blocks, verified, and their positions in all. A block is overwritten after read
// returns. Blocks that follow each other in the file are read at once.
// Errors: KindUnavailable with ErrDamaged; those of read.
func (p *pack) visitAll(all []place, read func(i int, plain []byte) error) error {
	b := buffers.Get().(*[2][]byte)
	defer buffers.Put(b)
	for i := 0; i < len(all); {
		n, size := run(all[i:])
		if cap(b[0]) < size {
			b[0] = make([]byte, size)
		}
		packed := b[0][:size]
		if _, err := p.file.ReadAt(packed, all[i].offset); err != nil {
			return damaged(p.path, err)
		}
		for start := all[i].offset; n > 0; i, n = i+1, n-1 {
			from := all[i].offset - start
			plain, err := p.zstd.DecodeAll(packed[from:from+int64(all[i].size)], b[1][:0])
			if err != nil {
				return damaged(p.path, err)
			}
			b[1] = plain
			if hashOf(plain) != all[i].hash {
				return damaged(p.path, ErrDamaged)
			}
			if err := read(i, plain); err != nil {
				return err
			}
		}
	}
	return nil
}

// run returns how many of the first blocks are read at once, and from the first to the last one how many bytes.
func run(all []place) (n, size int) {
	end := all[0].offset + int64(all[0].size)
	for n = 1; n < len(all); n++ {
		next := all[n].offset + int64(all[n].size)
		if all[n].offset < end || all[n].offset-end > maxGap || next-all[0].offset > maxRun {
			break
		}
		end = next
	}
	return n, int(end - all[0].offset)
}

func (p *pack) len() int { return len(p.records) / recordSize }

func (p *pack) record(i int) record { return p.records[i*recordSize : (i+1)*recordSize] }

// record is a table in the directory.
type record []byte

const (
	atTable   = 0
	atProfile = placeSize
	atNumbers = 2 * placeSize // rows, bytes, fingerprint
	atCounts  = atNumbers + 24
	atNames   = atCounts + 12 // catalog, schema, name, kind: where, then how long
)

func (r record) table() place        { return readPlace(r[atTable:]) }
func (r record) profile() place      { return readPlace(r[atProfile:]) }
func (r record) number(i int) int64  { return int64(binary.LittleEndian.Uint64(r[atNumbers+8*i:])) }
func (r record) count(i int) int     { return int(binary.LittleEndian.Uint32(r[atCounts+4*i:])) }
func (r record) columns() int        { return r.count(0) }
func (r record) foreignKeys() int    { return r.count(1) }
func (r record) profiled() int       { return r.count(2) }
func (r record) rows() int64         { return r.number(0) }
func (r record) bytes() int64        { return r.number(1) }
func (r record) fingerprint() uint64 { return uint64(r.number(2)) }

// text returns a string of a record: 0 catalog, 1 schema, 2 name, 3 kind.
func (p *pack) text(r record, i int) string {
	from := int(binary.LittleEndian.Uint32(r[atNames+4*i:]))
	size := int(binary.LittleEndian.Uint16(r[atNames+16+2*i:]))
	return p.strings[from : from+size]
}

func (p *pack) ref(i int) sdk.TableRef {
	r := p.record(i)
	return sdk.TableRef{Catalog: p.text(r, 0), Schema: p.text(r, 1), Name: p.text(r, 2)}
}

func (p *pack) name(i int) string { return p.text(p.record(i), 2) }
