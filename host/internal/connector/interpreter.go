package connector

import (
	"os"
	"os/exec"
	"path/filepath"

	"github.com/loam-data/loam/sdk"
)

// InterpreterOf returns the file of the program that would run a connector now, such as Python, without
// links, and its SHA-256; "" for a connector that needs none.
// Errors: KindNotFound where it is not installed.
func InterpreterOf(c Installed, sums *Sums) (path, sum string, err error) {
	if len(c.Argv) == 0 {
		return "", "", nil
	}
	if path, err = interpreter(c); err != nil {
		return "", "", err
	}
	if path, err = filepath.EvalSymlinks(path); err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return "", "", missing(c, err)
	}
	file, err := os.Open(path)
	if err != nil {
		return "", "", missing(c, err)
	}
	sum, err = sums.Of(file)
	if err := joinClose(err, file); err != nil {
		return "", "", missing(c, err)
	}
	return path, sum, nil
}

// interpreter looks the program up that runs a connector.
func interpreter(c Installed) (string, error) {
	path, err := exec.LookPath(c.Argv[0])
	if err != nil {
		return "", missing(c, err)
	}
	return path, nil
}

func missing(c Installed, err error) error {
	return sdk.Errorf(sdk.KindNotFound, sdk.SourceHost, "connector %q is run by %q, which is not there: %w", c.Name, c.Argv[0], err).
		WithHint("Install %s so that it is found in PATH.", c.Argv[0])
}
