package project

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/loam-data/loam/sdk"
)

const (
	lockTimeout = 10 * time.Second
	lockPoll    = 10 * time.Millisecond
)

// lock waits until this process is the only one that changes files of the
// project in dir.
// Errors: KindConflict with Retry when another one keeps it, KindDenied.
func lock(ctx context.Context, dir string) (unlock func() error, err error) {
	state := filepath.Join(dir, stateDir)
	if err := os.MkdirAll(state, 0o700); err != nil {
		return nil, unwritable(dir, err)
	}
	f, err := os.OpenFile(filepath.Join(state, "project.lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, unwritable(dir, err)
	}
	patience := time.NewTimer(lockTimeout)
	defer patience.Stop()
	for {
		held, err := tryLock(f)
		if err != nil {
			return nil, errors.Join(unwritable(dir, err), f.Close())
		}
		if !held {
			return f.Close, nil
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), f.Close())
		case <-patience.C:
			e := sdk.Errorf(sdk.KindConflict, sdk.SourceHost, "another loam process is changing the project in %s", dir).
				WithHint("try again when it is done")
			e.Retry = true
			return nil, errors.Join(e, f.Close())
		case <-time.After(lockPoll):
		}
	}
}

func unwritable(dir string, err error) error {
	return sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "the project in %s cannot be changed: %w", dir, err).
		WithHint("make the folder writable for this user")
}

// replace writes a file whole or not at all, through symbolic links and with
// the permissions the file has. was is the content it had when it was read, nil
// when there was no file: a file that a person changed since then stays.
// Errors: KindConflict with Retry, KindDenied.
func replace(path string, was, content []byte) (err error) {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	mode := fs.FileMode(0o644)
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	dir := filepath.Dir(path)
	temp, err := os.CreateTemp(dir, "."+filepath.Base(path)+".*")
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
	return syncDir(dir)
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
