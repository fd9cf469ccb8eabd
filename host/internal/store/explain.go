package store

import (
	"context"
	"errors"
	"io/fs"
	"syscall"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/loam-data/loam/sdk"
)

// explain turns whatever a store operation failed with into the error that
// says what to do. It returns nil for nil.
func explain(op, path string, err error) error {
	if err == nil {
		return nil
	}
	e := kindOf(path, err)
	e.Op = op
	return e
}

func kindOf(path string, err error) *sdk.Error {
	if known, ok := errors.AsType[*sdk.Error](err); ok {
		return known
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return sdk.AsError(err, sdk.SourceHost)
	}
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) || errors.Is(err, syscall.ENOTDIR) {
		return denied(path, err)
	}
	native, ok := errors.AsType[*sqlite.Error](err)
	if !ok {
		return sdk.AsError(err, sdk.SourceHost)
	}
	const primary = 0xff // the rest refines it
	switch native.Code() & primary {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		e := sdk.Errorf(sdk.KindConflict, sdk.SourceHost, "%s is held by another process for more than 10 s: %w", path, err).
			WithHint("try again; if it stays, find the other loam process on this project folder")
		e.Retry = true
		return e
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return damaged(path, err.Error())
	case sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_AUTH:
		return denied(path, err)
	case sqlite3.SQLITE_FULL:
		return sdk.Errorf(sdk.KindLimit, sdk.SourceHost, "the disk of %s is full: %w", path, err).WithHint("free some space, then run it again: nothing is lost")
	case sqlite3.SQLITE_IOERR:
		return sdk.Errorf(sdk.KindUnavailable, sdk.SourceHost, "%s cannot be read or written: %w", path, err).WithHint("free some space if the disk is full, else check it; then run it again")
	}
	return sdk.AsError(err, sdk.SourceHost)
}

func denied(path string, err error) *sdk.Error {
	return sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "%s cannot be opened: %w", path, err).
		WithHint("make the folder .loam writable for this user, or use another project folder")
}

func damaged(path, finding string) *sdk.Error {
	return sdk.Errorf(sdk.KindUnavailable, sdk.SourceHost, "the state store is damaged: %s", finding).
		WithHint("move %[1]s, %[1]s-wal and %[1]s-shm aside and run the command again: a new one is made", path)
}
