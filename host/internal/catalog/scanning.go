package catalog

import (
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"github.com/loam-data/loam/host/internal/file"
)

const (
	// reportEvery is the number of tables after which a Writer reports how many there are.
	reportEvery = 100
	// lockPatience is the time for which Begin waits for the lock: Scanning may have it for a moment.
	lockPatience = 50 * time.Millisecond
)

// Scan is a snapshot that is being made.
type Scan struct {
	Since time.Time `json:"since"`
	// Tables counts the tables so far, in steps of reportEvery.
	Tables int `json:"tables"`
}

func (c *Catalog) scanPath() string { return filepath.Join(c.dir, "scan.json") }

// report writes how far the snapshot is, for Scanning.
func (w *Writer) report() error {
	text, err := json.Marshal(Scan{w.began.UTC(), len(w.tables)})
	if err != nil {
		return err
	}
	return os.WriteFile(w.catalog.scanPath(), text, 0o600)
}

// Scanning returns how far the scan is that makes a snapshot now, in this process or another; false = there is none.
// Only for a report of a process that was killed does it look at the lock, once.
func (c *Catalog) Scanning() (Scan, bool) {
	text, err := os.ReadFile(c.scanPath())
	if err != nil {
		return Scan{}, false
	}
	unlock, err := file.Lock(c.lockPath())
	if err != nil {
		return Scan{}, false
	}
	if unlock != nil { // the process of the report was killed
		_ = os.Remove(c.scanPath()) // else the next call tries again
		_ = unlock()
		return Scan{}, false
	}
	var s Scan
	_ = json.Unmarshal(text, &s) // a report that is half written: the scan runs all the same
	return s, true
}
