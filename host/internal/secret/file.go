package secret

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"runtime"
	"strings"

	"github.com/loam-data/loam/host/internal/file"
	"github.com/loam-data/loam/sdk"
)

// fromFile reads a file. Without a grant it is opened below the project folder,
// so that no link and no .. leads out of it, whoever changes them meanwhile.
func (r *Resolver) fromFile(ctx context.Context, ref Reference, granted bool) (string, error) {
	path, err := ref.Path(r.dir)
	if err != nil {
		return "", ref.fail(sdk.KindNotFound, "the home folder is unknown").WithHint("write an absolute path in loam.yaml")
	}
	var content string
	if granted {
		content, err = r.read(ctx, anywhere{}, path, path)
	} else {
		content, err = r.readWithin(ctx, path)
	}
	if errors.Is(err, errOutside) {
		return "", ref.untrusted(r.dir)
	}
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

var (
	errTooLarge = errors.New("the file is larger than 1 MiB")
	errOutside  = errors.New("the file is outside the project folder")
)

func (r *Resolver) readWithin(ctx context.Context, path string) (content string, err error) {
	below, ok := file.Within(r.dir, path)
	if !ok {
		return "", errOutside
	}
	root, err := os.OpenRoot(r.dir)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	return r.read(ctx, root, below, path)
}

// files are the files that may be read: those below an os.Root, or all.
type files interface {
	Stat(name string) (fs.FileInfo, error)
	Open(name string) (*os.File, error)
}

type anywhere struct{}

func (anywhere) Stat(name string) (fs.FileInfo, error) { return os.Stat(name) }
func (anywhere) Open(name string) (*os.File, error)    { return os.Open(name) }

// read reads the file that in has by a name; path is what messages call it.
func (r *Resolver) read(ctx context.Context, in files, name, path string) (content string, err error) {
	info, err := in.Stat(name)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", errors.New(path + " is no regular file")
	}
	if info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" {
		r.logger.WarnContext(ctx, "a secret file is readable by other users; chmod 600 it", "path", path, "mode", info.Mode().Perm().String())
	}
	f, err := in.Open(name)
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
