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
}

// Disk measures the folder of the state store. Files that disappear meanwhile are not counted.
// Errors: those of ctx.
func (s *Service) Disk(ctx context.Context) (*Disk, error) {
	return measure(ctx, filepath.Dir(s.config.State.Path()), maxFiles)
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
