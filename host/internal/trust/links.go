package trust

import (
	"io/fs"
	"os"
	"path/filepath"

	"github.com/loam-data/loam/host/internal/file"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

// CheckLinks returns an error if a folder of the project in which the host writes is, contains,
// or is below a symbolic link to something outside the project: a stranger's project could make
// the host overwrite any file. The folder need not exist.
// Errors: KindDenied, with the link and its target.
func (t *Trust) CheckLinks(dir string) error {
	if t.Everything {
		return nil
	}
	for above := filepath.Dir(dir); len(above) > len(t.Dir); above = filepath.Dir(above) {
		if err := t.checkLink(above); err != nil {
			return err
		}
	}
	return filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.Type()&fs.ModeSymlink == 0 { // what cannot be read is refused by whoever needs it
			return nil //nolint:nilerr // see above
		}
		return t.checkLink(path)
	})
}

// checkLink returns an error if path is a link to something outside the project.
func (t *Trust) checkLink(path string) error {
	if info, err := os.Lstat(path); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return nil //nolint:nilerr // what is not there is no link
	}
	if _, inside := file.Within(t.Dir, path); inside {
		return nil
	}
	return sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "%s is a link to %s, outside the project folder: Loam would write there", path, file.Real(path)).
		WithHint("remove the link: rm %s; or set %s=1 where every project is trusted, as in CI", text.ShellWord(path), Variable)
}
