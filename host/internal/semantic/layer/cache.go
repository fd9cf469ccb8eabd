package layer

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"runtime/debug"
	"sync"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/file"
	"github.com/loam-data/loam/host/internal/flight"
	"github.com/loam-data/loam/host/internal/folder"
	"github.com/loam-data/loam/host/internal/semantic/model"
)

// source is a file of the semantic layer with what was parsed.
type source = folder.File[*model.File]

// kept is a source as the cache has it: one that could be read.
type kept struct {
	Name  string
	Hash  [sha256.Size]byte
	Stamp folder.Stamp
	File  *model.File
}

// cache keeps what was parsed, a pack for each connection. A pack is the format,
// the parser's identity, and blocks: length, SHA-256, so many bytes. One that is
// damaged, or of another program, is as none at all, and is replaced whole.
// Concurrency: any number of goroutines and processes.
type cache struct {
	dir    string
	parser [sha256.Size]byte
	log    *slog.Logger
	warned sync.Once
}

const (
	packMagic = "loamsl1\n"
	// blockFiles is how many files are in a block, which one goroutine reads.
	blockFiles = 256
	blockHead  = 4 + sha256.Size
)

func newCache(dir string, log *slog.Logger) *cache {
	return &cache{dir: dir, parser: parser(), log: log}
}

// parser tells apart programs that may make something else of the same file.
var parser = sync.OnceValue(func() (id [sha256.Size]byte) {
	h := sha256.New()
	layout(h, reflect.TypeFor[kept]())
	if info, ok := debug.ReadBuildInfo(); ok {
		fmt.Fprint(h, info)
	}
	// Two builds of one state of the code that was not committed are told apart by
	// their files.
	if path, err := os.Executable(); err == nil {
		if info, err := os.Stat(path); err == nil {
			fmt.Fprint(h, info.Size(), info.ModTime().UnixNano())
		}
	}
	return [sha256.Size]byte(h.Sum(nil))
})

func (c *cache) path(id connection.ID) string { return filepath.Join(c.dir, string(id)+".pack") }

// load returns what is kept of a connection's files; nil when nothing is of use.
func (c *cache) load(id connection.ID) []*source {
	raw, err := os.ReadFile(c.path(id))
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			c.log.Debug("the cache of the semantic layer is not used", "connection", id, "error", err)
		}
		return nil
	}
	files, err := c.unpack(string(raw))
	if err != nil {
		c.log.Debug("the cache of the semantic layer is not used", "connection", id, "error", err)
		return nil
	}
	return files
}

func (c *cache) unpack(raw string) (_ []*source, err error) {
	head := packMagic + string(c.parser[:])
	if len(raw) < len(head) || raw[:len(head)] != head {
		return nil, errors.New("it is another program's")
	}
	var blocks []string
	for rest := raw[len(head):]; rest != ""; {
		if len(rest) < blockHead {
			return nil, errors.New("it is cut short")
		}
		size := int(binary.LittleEndian.Uint32([]byte(rest)))
		if len(rest)-blockHead < size {
			return nil, errors.New("it is cut short")
		}
		blocks = append(blocks, rest[:blockHead+size])
		rest = rest[blockHead+size:]
	}
	defer func() {
		if p := recover(); p != nil { // nothing that decode expects
			err = fmt.Errorf("it is damaged: %v", p)
		}
	}()
	parts := make([][]kept, len(blocks))
	workers := min(runtime.GOMAXPROCS(0), len(blocks))
	flight.All(workers, func(w int) {
		for i := w; i < len(blocks); i += workers {
			text := blocks[i][blockHead:]
			if hash := sum(text); string(hash[:]) != blocks[i][4:blockHead] {
				panic("another hash")
			}
			d := decoder{text: text}
			d.decode(reflect.ValueOf(&parts[i]).Elem())
		}
	})
	var files []*source
	for _, part := range parts {
		for i := range part {
			k := &part[i]
			files = append(files, &source{Name: k.Name, Hash: k.Hash, Stamp: k.Stamp, Value: k.File})
		}
	}
	return files, nil
}

// save replaces what is kept of a connection's files.
func (c *cache) save(id connection.ID, files []*source) {
	if err := c.put(id, files); err != nil {
		c.warned.Do(func() {
			c.log.Warn("parsed files of the semantic layer cannot be kept: the next start reads all of them again", "folder", c.dir, "error", err)
		})
	}
}

func (c *cache) put(id connection.ID, files []*source) error {
	if err := os.MkdirAll(c.dir, 0o755); err != nil {
		return err
	}
	unlock, err := file.Lock(filepath.Join(c.dir, "lock"))
	if err != nil || unlock == nil { // another process is at it
		return err
	}
	if err = file.Sweep(c.dir); err == nil {
		err = file.Replace(c.path(id), c.pack(files), 0o644)
	}
	return errors.Join(err, unlock())
}

func (c *cache) pack(files []*source) []byte {
	var all []kept
	for _, f := range files {
		if f.Err == nil {
			all = append(all, kept{f.Name, f.Hash, f.Stamp, f.Value})
		}
	}
	raw := append([]byte(packMagic), c.parser[:]...)
	for len(all) > 0 {
		n := min(blockFiles, len(all))
		at := len(raw)
		raw = encode(append(raw, make([]byte, blockHead)...), reflect.ValueOf(all[:n]))
		text := raw[at+blockHead:]
		binary.LittleEndian.PutUint32(raw[at:], uint32(len(text)))
		hash := sha256.Sum256(text)
		copy(raw[at+4:], hash[:])
		all = all[n:]
	}
	return raw
}
