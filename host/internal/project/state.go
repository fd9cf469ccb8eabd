package project

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"

	"github.com/loam-data/loam/host/internal/file"
	"github.com/loam-data/loam/sdk"
)

const (
	// StateVariable is the environment variable for the folder below which the state of
	// projects is kept, instead of in the projects.
	StateVariable = "LOAM_STATE_DIR"
	// stateDir holds what the host derives and records. It is not versioned.
	stateDir = ".loam"
)

// State is the folder in which the host writes what it derives and records of a project.
type State string

// StateFolder returns the folder of the state inside the project in dir.
func StateFolder(dir string) State { return State(filepath.Join(dir, stateDir)) }

// FindState returns the folder of the state of the project in dir: below that of the
// environment when it names one, else inside the project. It need not exist.
// Errors: KindInvalid for a relative path.
func FindState(dir string, getenv func(string) string) (State, error) {
	named := getenv(StateVariable)
	switch {
	case named == "":
		return StateFolder(dir), nil
	case !filepath.IsAbs(named):
		return "", sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%s names %q, which is no absolute path", StateVariable, named).
			WithHint("name a folder by its full path, or unset %s", StateVariable)
	}
	return State(filepath.Join(named, stateName(dir))), nil
}

// stateName tells projects apart that share a folder for their states: by their path
// without symbolic links.
func stateName(dir string) string {
	const bytes = 6
	dir = file.Real(dir)
	sum := sha256.Sum256([]byte(dir))
	return filepath.Base(dir) + "-" + hex.EncodeToString(sum[:bytes])
}

// Database returns the path of the state store.
func (s State) Database() string { return filepath.Join(string(s), "state.db") }

// Tokens returns the file of the project's named tokens.
func (s State) Tokens() string { return filepath.Join(string(s), "tokens.json") }

// Catalog returns the folder of the project's snapshots.
func (s State) Catalog() string { return filepath.Join(string(s), "catalog") }

// Index returns the folder of the project's search index.
func (s State) Index() string { return filepath.Join(string(s), "index") }

// FileIndex returns the folder of the search index of the project's collected files.
func (s State) FileIndex() string { return filepath.Join(s.Index(), "files") }

// NoteIndex returns the folder of the search index of the project's notes.
func (s State) NoteIndex() string { return filepath.Join(s.Index(), "notes") }

// SemanticCache returns the folder of the parsed files of the project's semantic layer.
func (s State) SemanticCache() string { return filepath.Join(string(s), "semantic") }
