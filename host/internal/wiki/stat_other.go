//go:build !linux && !darwin

package wiki

import (
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
