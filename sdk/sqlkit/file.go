package sqlkit

import (
	"errors"
	"io/fs"
	"os"

	"github.com/loam-data/loam/sdk"
)

// DatabaseFile describes the file of an embedded engine's database. folder is the hint for
// a path that is a folder. The file is not opened: closing it again would drop the locks
// that the process holds on it.
// Errors: KindNotFound, KindDenied, KindUnavailable, and KindInvalid for what is no
// ordinary file.
// Source: https://sqlite.org/howtocorrupt.html, section 2.2; other engines lock alike.
func DatabaseFile(path, folder string) (fs.FileInfo, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, sdk.Errorf(sdk.KindNotFound, sdk.SourceHost, "there is no file %s", path).
			WithHint("correct path: the connector opens databases, it creates none")
	case errors.Is(err, fs.ErrPermission):
		return nil, sdk.Errorf(sdk.KindDenied, sdk.SourceWarehouse, "%w", err).WithHint("let this user search the folders above the file")
	case err != nil:
		return nil, sdk.Errorf(sdk.KindUnavailable, sdk.SourceWarehouse, "%w", err).WithHint("check the disk or the network share that holds the file")
	case info.IsDir():
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceHost, "%s is a folder", path).WithHint("%s", folder)
	case !info.Mode().IsRegular():
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceHost, "%s is no ordinary file", path).WithHint("point path at a database file")
	}
	return info, nil
}
