package project

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/loam-data/loam/host/internal/file"
	"github.com/loam-data/loam/sdk"
)

// LockTimeout is how long Lock waits for another process that changes the
// project.
const LockTimeout = 10 * time.Second

// Lock waits until this process is the only one that changes files of the
// project in dir.
// Errors: KindConflict with Retry when another process keeps the lock,
// KindDenied; those of ctx.
func Lock(ctx context.Context, dir string) (unlock func() error, err error) {
	state := filepath.Join(dir, stateDir)
	if err := os.MkdirAll(state, 0o700); err != nil {
		return nil, unwritable(dir, err)
	}
	unlock, err = file.Wait(ctx, filepath.Join(state, "project.lock"), LockTimeout)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, err
	case err != nil:
		return nil, unwritable(dir, err)
	case unlock == nil:
		e := sdk.Errorf(sdk.KindConflict, sdk.SourceHost, "another loam process is changing the project in %s", dir).
			WithHint("try again when it is done")
		e.Retry = true
		return nil, e
	}
	return unlock, nil
}

func unwritable(dir string, err error) error {
	return sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "the project in %s cannot be changed: %w", dir, err).
		WithHint("make the folder writable for this user")
}

// replace writes a file whole or not at all, with the permissions it has. A symbolic
// link stays one, wherever it leads, and the file behind it is written: that is how
// people keep loam.yaml in a repository of their settings. One that leads nowhere is
// not filled. was is the content it had when it was read, nil
// when there was no file: a file that a person changed since then stays.
// Errors: KindConflict, with Retry for a change; KindDenied.
func replace(path string, was, content []byte) (err error) {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	} else if link, lerr := os.Readlink(path); lerr == nil {
		return sdk.Errorf(sdk.KindConflict, sdk.SourceCaller, "%s is a link to %s, which is not there", path, link).WithHint("mend the link, or remove it")
	}
	mode := fs.FileMode(0o644)
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	dir := filepath.Dir(path)
	temp, err := file.Temp(dir)
	if err != nil {
		return unwritable(dir, err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(temp.Name()))
		}
	}()
	_, err = temp.Write(content)
	if err = errors.Join(err, temp.Chmod(mode), temp.Sync(), temp.Close()); err != nil {
		return unwritable(dir, err)
	}
	if err := unchanged(path, was); err != nil {
		return err
	}
	if err := os.Rename(temp.Name(), path); err != nil {
		return unwritable(dir, err)
	}
	return file.SyncDir(dir)
}

func unchanged(path string, was []byte) error {
	now, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) && was == nil {
		return nil
	}
	if err == nil && was != nil && bytes.Equal(now, was) {
		return nil
	}
	e := sdk.Errorf(sdk.KindConflict, sdk.SourceHost, "%s was changed by someone else in this moment", path).WithHint("run the command again")
	e.Retry = true
	return e
}
