package code

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/loam-data/loam/host/internal/file"
)

// maxBytes bounds the bytes read of the file; a record has about 200.
const maxBytes = 4 << 10

// record is the content of the file.
type record struct {
	SHA256  string    `json:"sha256"` // of the code, in hexadecimal digits
	Expires time.Time `json:"expiresAt"`
	User    string    `json:"user"` // of the operating system, who made the code
	Wrong   int       `json:"wrong,omitempty"`
}

// write replaces the file; a link of its name is replaced and not followed.
func (r *record) write(path string) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if err := file.Replace(path, append(text, '\n'), 0o600); err != nil {
		return denied(filepath.Dir(path), err)
	}
	return nil
}

// read returns nil when there is no code: no file, or one that was damaged.
func read(path string) (*record, error) {
	text, err := content(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, denied(filepath.Dir(path), err)
	}
	r := &record{}
	if json.Unmarshal(text, r) != nil || len(r.SHA256) != 64 || r.User == "" || r.Wrong < 0 {
		return nil, remove(path)
	}
	return r, nil
}

// content reads the file, if nobody but this user can have written it.
func content(path string) (text []byte, err error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New(FileName + " is no regular file; remove it")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	opened, err := f.Stat()
	if err != nil {
		return nil, err
	}
	// Windows has no such modes: there the folder's access list decides.
	othersWrite := runtime.GOOS != "windows" && opened.Mode().Perm()&0o022 != 0
	if !os.SameFile(info, opened) || !file.Own(opened) || othersWrite {
		return nil, errors.New(FileName + " belongs to another user, or others may write it; remove it")
	}
	return io.ReadAll(io.LimitReader(f, maxBytes))
}

func remove(path string) error {
	if err := os.Remove(path); err != nil {
		return denied(filepath.Dir(path), err)
	}
	return nil
}
