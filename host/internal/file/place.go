package file

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// StateDir returns the folder for state that belongs to no single project. goos
// is as runtime.GOOS, home the person's home folder.
func StateDir(goos, home string, getenv func(string) string) string {
	folder := func(variable string, elements ...string) string {
		if dir := getenv(variable); filepath.IsAbs(dir) {
			return dir
		}
		return filepath.Join(append([]string{home}, elements...)...)
	}
	switch goos {
	case "darwin":
		return filepath.Join(home, "Library", "Application Support", "loam")
	case "windows":
		return filepath.Join(folder("LOCALAPPDATA", "AppData", "Local"), "loam")
	}
	return filepath.Join(folder("XDG_STATE_HOME", ".local", "state"), "loam")
}

// Within returns the path below dir that a path really leads to, with symbolic
// links followed in both, and whether it is below dir at all. A path that does
// not exist is resolved from its nearest existing parent.
func Within(dir, path string) (below string, ok bool) {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", false
	}
	below, err = filepath.Rel(dir, Real(path))
	return below, err == nil && filepath.IsLocal(below)
}

// Writable reports whether this user may make files in dir, or, where dir does not
// exist, make it. Nothing is written to find out.
func Writable(dir string) bool {
	for {
		info, err := os.Stat(dir)
		if err == nil {
			return info.IsDir() && mayWrite(dir)
		}
		if !errors.Is(err, fs.ErrNotExist) || dir == filepath.Dir(dir) {
			return false
		}
		dir = filepath.Dir(dir)
	}
}

// Real returns a path with its symbolic links followed, as far as it exists; a
// link to what does not exist is followed too.
func Real(path string) string { return realPath(filepath.Clean(path), 0) }

func realPath(path string, links int) string {
	const most = 40 // as many as Linux follows
	real, err := filepath.EvalSymlinks(path)
	if err == nil {
		return real
	}
	parent := filepath.Dir(path)
	if !errors.Is(err, fs.ErrNotExist) || parent == path || links > most {
		return path
	}
	path = filepath.Join(realPath(parent, links), filepath.Base(path))
	target, err := os.Readlink(path)
	switch {
	case err != nil: // no link
		return path
	case filepath.IsAbs(target):
		return realPath(filepath.Clean(target), links+1)
	}
	return realPath(filepath.Join(filepath.Dir(path), target), links+1)
}
