package secret

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/loam-data/loam/sdk"
)

func (r *Resolver) fromFile(ctx context.Context, ref reference) (string, error) {
	path := strings.TrimSpace(ref.rest)
	if home, ok := strings.CutPrefix(path, "~/"); ok {
		dir, err := os.UserHomeDir()
		if err != nil {
			return "", ref.fail(sdk.KindNotFound, "the home folder is unknown").WithHint("write an absolute path in loam.yaml")
		}
		path = filepath.Join(dir, home)
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(r.dir, path)
	}
	content, err := r.read(ctx, path)
	switch {
	case err == nil:
		return trimNewline(content), nil
	case errors.Is(err, fs.ErrNotExist):
		return "", ref.fail(sdk.KindNotFound, "there is no file %s", path).WithHint("create it, or correct the path in loam.yaml")
	case errors.Is(err, fs.ErrPermission):
		return "", ref.fail(sdk.KindDenied, "%s may not be read", path).WithHint("let this user read it: chmod u+r %s", path)
	default:
		return "", ref.fail(sdk.KindInvalid, "%v", err).WithHint("name a file with the secret and nothing else")
	}
}

var errTooLarge = errors.New("the file is larger than 1 MiB")

func (r *Resolver) read(ctx context.Context, path string) (content string, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", errors.New(path + " is no regular file")
	}
	if info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" {
		r.logger.WarnContext(ctx, "a secret file is readable by other users; chmod 600 it", "path", path, "mode", info.Mode().Perm().String())
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	bytes, err := io.ReadAll(io.LimitReader(f, maxBytes+1))
	if err == nil && len(bytes) > maxBytes {
		err = errTooLarge
	}
	return string(bytes), err
}

// trimNewline takes off the one line end that editors add.
func trimNewline(text string) string {
	return strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
}
