package health

import (
	"context"
	"io/fs"
	"path/filepath"
)

// maxFiles bounds the files of a state folder that are counted.
const maxFiles = 50_000

// Disk is the size of the folder with the project's state.
type Disk struct {
	Path  string `json:"path"`
	Bytes int64  `json:"bytes"`
	Files int    `json:"files"`
	// Partial: there are more files than are counted.
	Partial bool `json:"partial,omitempty"`
	// Free is how many bytes can still be written to its file system; nil = the system does not say. Hint is what to do
	// where little is left, "" = there is enough.
	Free *int64 `json:"freeBytes,omitempty"`
	Hint string `json:"hint,omitempty"`
}

// littleSpace is how many bytes must be free: below it, scans, the search index and the state store may fail soon.
const littleSpace = 256 << 20

// roomHint is what to do where little space is left.
const roomHint = "free space on it; loam connector gc removes connectors that nothing uses"

// free sets how much space is left.
func (d *Disk) free(of func(dir string) (bytes int64, ok bool)) {
	if of == nil {
		return
	}
	n, ok := of(d.Path)
	if !ok {
		return
	}
	if d.Free = &n; n < littleSpace {
		d.Hint = roomHint
	}
}

// Disk measures the folder of the state store. Files that disappear meanwhile are not counted.
// Errors: those of ctx.
func (s *Service) Disk(ctx context.Context) (*Disk, error) {
	d, err := measure(ctx, filepath.Dir(s.config.State.Path()), maxFiles)
	d.free(s.config.Free)
	return d, err
}

func measure(ctx context.Context, dir string, most int) (*Disk, error) {
	d := &Disk{Path: dir}
	err := filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil: // it is gone, or cannot be read
			return nil //nolint:nilerr // the size of what can be read is the answer
		case entry.IsDir():
			return nil
		case d.Files == most:
			d.Partial = true
			return filepath.SkipAll
		}
		if info, err := entry.Info(); err == nil {
			d.Bytes += info.Size()
			d.Files++
		}
		return nil
	})
	return d, err
}
