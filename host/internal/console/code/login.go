// Package code makes and takes the one-time codes of `loam console`. The command puts the digest of a code into the
// state folder and hands the code to the browser; the server takes it once. Whoever can write to the folder is the
// operating system's user of the project, so that no password is needed.
package code

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"time"

	"github.com/loam-data/loam/host/internal/file"
	"github.com/loam-data/loam/sdk"
)

const (
	// Lifetime is how long a code is valid.
	Lifetime = time.Minute
	// FileName is the name of the file in the state folder. It never has a code itself.
	FileName = "console.code"
	// mostWrong is the number of wrong codes after which the right one is void, too.
	mostWrong = 5
	// size of a code, in random bytes.
	size = 32
	// patience bounds the wait for another process that makes or takes a code.
	patience = 5 * time.Second
)

// Make makes a code that Take accepts until Lifetime after now. It replaces the code made before.
// Shape: letters, digits, - and _, for the query of a URL.
// Errors: KindDenied for a folder that cannot be written, KindConflict with Retry for a lock that is not released.
// Concurrency: any number of processes.
func Make(stateFolder string, now time.Time) (string, error) {
	raw := make([]byte, size)
	_, _ = rand.Read(raw) // it never fails
	made := base64.RawURLEncoding.EncodeToString(raw)
	if err := os.MkdirAll(stateFolder, 0o700); err != nil {
		return "", denied(stateFolder, err)
	}
	digest := sha256.Sum256([]byte(made))
	r := record{SHA256: hex.EncodeToString(digest[:]), Expires: now.Add(Lifetime).UTC(), User: currentUser()}
	return made, locked(stateFolder, func(path string) error { return r.write(path) })
}

// Take accepts a code once and returns the user of the operating system who made it. The first wrong codes change
// nothing for the right one; the fifth voids it.
// Errors: KindUnauthenticated for a code that is wrong, used, void or expired, and when there is none; KindDenied for a
// file that is a link, belongs to another user, may be written by others, or cannot be removed; KindConflict with Retry
// for a lock that is not released.
// Concurrency: any number of goroutines and processes; of those with the right code one succeeds.
func Take(stateFolder, code string, now time.Time) (user string, err error) {
	if _, err := os.Lstat(filepath.Join(stateFolder, FileName)); errors.Is(err, fs.ErrNotExist) {
		return "", refused(unknown)
	}
	err = locked(stateFolder, func(path string) error {
		user, err = take(path, code, now)
		return err
	})
	if err != nil {
		return "", err
	}
	return user, nil
}

// take runs under the lock.
func take(path, code string, now time.Time) (string, error) {
	r, err := read(path)
	switch {
	case err != nil:
		return "", err
	case r == nil:
		return "", refused(unknown)
	}
	// A code that is valid for longer than Lifetime was made before the clock was set back.
	if left := r.Expires.Sub(now); left <= 0 || left > Lifetime {
		if err := remove(path); err != nil {
			return "", err
		}
		return "", refused("this login code has expired: it is valid for a minute")
	}
	digest := sha256.Sum256([]byte(code))
	if subtle.ConstantTimeCompare([]byte(hex.EncodeToString(digest[:])), []byte(r.SHA256)) == 1 {
		// Only who removes the file has used the code.
		return r.User, remove(path)
	}
	if r.Wrong++; r.Wrong < mostWrong {
		err = r.write(path)
	} else {
		err = remove(path)
	}
	if err != nil {
		return "", err
	}
	return "", refused(unknown)
}

// locked runs f with the path of the file while no other process makes or takes a code.
func locked(dir string, f func(path string) error) error {
	path := filepath.Join(dir, FileName)
	unlock, err := file.Wait(context.Background(), path+".lock", patience)
	switch {
	case err != nil:
		return denied(dir, err)
	case unlock == nil:
		e := sdk.Errorf(sdk.KindConflict, sdk.SourceHost, "another process makes or takes a login code").WithHint("try again")
		e.Retry = true
		return e
	}
	defer func() { _ = unlock() }() // it ends with the process in any case
	return f(path)
}

// currentUser returns the name of the operating system's user, or else its number.
func currentUser() string {
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	return "uid " + strconv.Itoa(os.Getuid())
}

// unknown is the same for each reason, so that a guess learns nothing.
const unknown = "this login code is not valid: it was used, or there is a newer one"

func refused(message string) error {
	return sdk.Errorf(sdk.KindUnauthenticated, sdk.SourceCaller, "%s", message).WithHint("make a new one: loam console")
}

func denied(dir string, err error) error {
	return sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "the login code in %s: %w", dir, err).
		WithHint("let this user write to the folder, or sign in with a token: set console.token in loam.yaml")
}
