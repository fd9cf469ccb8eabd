//go:build !linux && !darwin

package folder

import (
	"io/fs"
	"os"
	"path/filepath"
)

// statIn returns what looks at names of an open folder.
func statIn(folder *os.File) func(name string) (stat, error) {
	return func(name string) (stat, error) {
		info, err := os.Lstat(filepath.Join(folder.Name(), name))
		if err != nil {
			return stat{}, err
		}
		return statOf(info), nil
	}
}

// statFile looks at an open file.
func statFile(f *os.File) (stat, error) {
	info, err := f.Stat()
	if err != nil {
		return stat{}, err
	}
	return statOf(info), nil
}

func statOf(info fs.FileInfo) stat {
	return stat{Stamp: Stamp{Size: info.Size(), Modified: info.ModTime().UnixNano()}, kind: info.Mode().Type()}
}
