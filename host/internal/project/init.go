package project

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed template.yaml
var template []byte

// Init makes a project in dir: the folder, a project file without connections,
// and a .gitignore entry for the derived state. Existing files keep their
// content.
// Shape: created names the files that it made or added to.
// Errors: KindDenied, KindConflict.
func Init(ctx context.Context, dir string) (created []string, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, unwritable(dir, err)
	}
	unlock, err := Lock(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	file := filepath.Join(dir, FileName)
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		if err := replace(file, nil, template); err != nil {
			return nil, err
		}
		created = append(created, FileName)
	}
	added, err := ignoreState(dir)
	if added {
		created = append(created, ".gitignore")
	}
	return created, err
}

// Fresh returns the project that Init would make in dir. It makes nothing.
func Fresh(dir string) (*Project, error) { return parse(dir, template) }

// ignoreState adds the state folder to .gitignore unless it is there. One that is a link
// stays as it is: git does not read it, and it may lead anywhere.
func ignoreState(dir string) (added bool, err error) {
	file := filepath.Join(dir, ".gitignore")
	if info, err := os.Lstat(file); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return false, nil
	}
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, unwritable(dir, err)
	}
	for line := range strings.Lines(string(text)) {
		pattern := strings.Trim(strings.TrimSpace(line), "/")
		if slices.Contains([]string{stateDir, "**/" + stateDir}, pattern) {
			return false, nil
		}
	}
	more := bytes.Clone(text)
	if len(more) > 0 && more[len(more)-1] != '\n' {
		more = append(more, '\n')
	}
	more = append(more, "/"+stateDir+"/\n"...)
	return true, replace(file, text, more)
}
