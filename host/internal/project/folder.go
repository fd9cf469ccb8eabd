// Package project finds the project folder, reads its file loam.yaml, and edits that file
// without changing any other line that a person wrote.
package project

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/loam-data/loam/sdk"
)

const (
	// FileName is the project file.
	FileName = "loam.yaml"
	// DirVariable is the environment variable for the project folder, used where the command
	// line names none.
	DirVariable = "LOAM_PROJECT_DIR"
)

// WikiPath returns the folder of the wiki of the project in dir.
func WikiPath(dir string) string { return filepath.Join(dir, "wiki") }

// SemanticPath returns the folder of the semantic layer of the project in dir.
func SemanticPath(dir string) string { return filepath.Join(dir, "semantic-layer") }

// QueriesPath returns the folder of the saved queries of the project in dir.
func QueriesPath(dir string) string { return filepath.Join(dir, "queries") }

// SkillsPath returns the folder of the skills of the project in dir.
func SkillsPath(dir string) string { return filepath.Join(dir, "skills") }

// DecisionsPath returns the file with people's decisions about the relationships of a
// connection. It belongs under version control.
func DecisionsPath(dir, connection string) string {
	return filepath.Join(dir, "relationships", connection+".json")
}

// Find returns the project folder, absolute: flag when it is set, else the
// environment's, else the nearest folder with a project file from cwd upwards,
// else cwd. It need not hold a project file yet.
// Errors: KindNotFound and KindInvalid for a named folder that does not exist or is no folder.
func Find(flag string, getenv func(string) string, cwd string) (string, error) {
	if flag != "" {
		return named(flag, "--project-dir", cwd)
	}
	if dir := getenv(DirVariable); dir != "" {
		return named(dir, DirVariable, cwd)
	}
	for dir := cwd; ; dir = filepath.Dir(dir) {
		if info, err := os.Stat(filepath.Join(dir, FileName)); err == nil && info.Mode().IsRegular() {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return cwd, nil
		}
	}
}

func named(dir, by, cwd string) (string, error) {
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(cwd, dir)
	}
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "%s names %s, which does not exist", by, dir).
			WithHint("correct it, or create the project with `loam init %s`", dir)
	case err != nil:
		return "", sdk.Errorf(sdk.KindDenied, sdk.SourceCaller, "%s: %w", by, err).WithHint("name a folder that this user can read")
	case !info.IsDir():
		return "", sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%s names %s, which is no folder", by, dir).
			WithHint("name the folder that holds %s", FileName)
	}
	return filepath.Clean(dir), nil
}
