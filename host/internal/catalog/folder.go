package catalog

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/loam-data/loam/host/internal/file"
	"github.com/loam-data/loam/sdk"
)

// Kept is the number of snapshots that are kept.
const Kept = 10

// Catalog is the snapshots of one connection. Several processes may open the same one.
// Concurrency: any number of goroutines.
type Catalog struct {
	connection string
	dir        string
	step       func(string) // called between the steps of a commit, by tests
	packs      packs

	mu     sync.Mutex
	seen   file.Seen  // the state of the head when it was last read
	read   []byte     // the head as it was last read
	kept   []Identity // what it says, oldest first
	latest *Snapshot  // the last of kept; nil until it is asked for
}

// Open returns the catalog of a connection in a folder, which need not exist.
func Open(dir, connection string) *Catalog {
	return &Catalog{connection: connection, dir: dir, step: func(string) {}}
}

// Latest returns the last snapshot, also one that another process made a moment
// ago.
// Errors: KindNotFound before the first scan, KindUnavailable with ErrDamaged,
// KindDenied.
func (c *Catalog) Latest() (*Snapshot, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		if err := c.look(); err != nil {
			return nil, err
		}
		if c.latest != nil {
			return c.latest, nil
		}
		last := c.kept[len(c.kept)-1]
		snapshot, err := c.open(last)
		if errors.Is(err, fs.ErrNotExist) {
			// So many scans went by since the head was read? Then there is a newer one.
			before := c.read
			c.seen = file.Seen{}
			if again := c.look(); again == nil && !bytes.Equal(c.read, before) {
				continue
			}
			return nil, damaged(c.packPath(last.Content), err)
		}
		if err != nil {
			return nil, err
		}
		c.latest = snapshot
		return snapshot, nil
	}
}

// look brings kept up to date with the head. The caller has the lock. A head is read again when its file changed: it has
// megabytes where a connector notes each table for its next scan.
// Errors: those of raw and decode.
func (c *Catalog) look() error {
	info, failed := os.Stat(c.headPath())
	if c.kept != nil && failed == nil && c.seen.Same(info) {
		return nil
	}
	at := time.Now()
	raw, err := c.raw()
	if err != nil {
		return err
	}
	if c.kept == nil || !bytes.Equal(raw, c.read) {
		all, err := c.decode(raw)
		if err != nil {
			return err
		}
		c.read, c.kept, c.latest = raw, all, nil
	}
	c.seen = file.SeenAt(info, at)
	return nil
}

// History lists the snapshots that are kept, newest first; nil before the first
// scan.
// Errors: those of Latest.
func (c *Catalog) History() ([]Identity, error) {
	all, err := c.head()
	slices.Reverse(all)
	return all, err
}

// Snapshot returns a kept snapshot by its sync id.
// Errors: KindNotFound with the ids that there are, and as of Latest.
func (c *Catalog) Snapshot(syncID string) (*Snapshot, error) {
	all, err := c.head()
	if err != nil {
		return nil, err
	}
	var known []string
	for _, id := range slices.Backward(all) {
		if id.SyncID == syncID {
			snapshot, err := c.open(id)
			if errors.Is(err, fs.ErrNotExist) {
				return nil, damaged(c.packPath(id.Content), err)
			}
			return snapshot, err
		}
		known = append(known, id.SyncID)
	}
	e := sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "connection %s has no snapshot %q; the last %d are kept", c.connection, syncID, Kept).
		WithHint("choose one of the snapshots that are kept")
	e.Candidates = known
	return nil, e
}

func (c *Catalog) open(id Identity) (*Snapshot, error) {
	p, err := c.packs.open(c.packPath(id.Content), id.Content)
	if err != nil {
		return nil, err
	}
	return &Snapshot{Identity: id, connection: c.connection, pack: p}, nil
}

func (c *Catalog) packPath(content string) string { return filepath.Join(c.dir, content+".pack") }
func (c *Catalog) headPath() string               { return filepath.Join(c.dir, "head.json") }
func (c *Catalog) lockPath() string               { return filepath.Join(c.dir, "lock") }

// head lists the kept snapshots, oldest first; nil before the first scan. The list is the caller's, what its entries
// refer to is shared.
func (c *Catalog) head() ([]Identity, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.look(); sdk.KindOf(err) == sdk.KindNotFound {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	return slices.Clone(c.kept), nil
}

func (c *Catalog) raw() ([]byte, error) {
	raw, err := os.ReadFile(c.headPath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "connection %s was never scanned", c.connection).
			WithHint("run loam scan %s", c.connection)
	}
	if err != nil {
		return nil, sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "the catalog %s cannot be read: %w", c.headPath(), err).
			WithHint("make the file readable for this user")
	}
	return raw, nil
}

// decode reads a head: a line with the SHA-256 of the rest, then the snapshots.
func (c *Catalog) decode(raw []byte) ([]Identity, error) {
	sum, body, _ := bytes.Cut(raw, []byte("\n"))
	if string(sum) != checksum(body) {
		return nil, damaged(c.headPath(), ErrDamaged)
	}
	var all []Identity
	if err := json.Unmarshal(body, &all); err != nil {
		return nil, damaged(c.headPath(), err)
	}
	if len(all) == 0 {
		return nil, damaged(c.headPath(), ErrDamaged)
	}
	return all, nil
}

func checksum(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}

func (c *Catalog) putHead(all []Identity) error {
	body, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	return file.Replace(c.headPath(), append([]byte(checksum(body)+"\n"), body...), 0o600)
}

// prune removes the packs that no kept snapshot has. One that cannot be removed
// now, because a reader on this system holds it, goes with the next scan.
func (c *Catalog) prune(all []Identity) error {
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		kept := slices.ContainsFunc(all, func(id Identity) bool { return e.Name() == id.Content+".pack" })
		if filepath.Ext(e.Name()) == ".pack" && !kept {
			_ = os.Remove(filepath.Join(c.dir, e.Name()))
		}
	}
	return nil
}
