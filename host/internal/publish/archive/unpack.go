package archive

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
)

// What an archive may be at most.
const (
	MaxPacked   = 256 << 20 // bytes
	MaxUnpacked = 512 << 20 // bytes
	MaxFiles    = 2000
	// maxRatio is how many times its size an archive may have unpacked; smallRatio bytes may have any.
	maxRatio   = 200
	smallRatio = 1 << 20
)

// Unpack writes the files of an archive below a folder, which is empty. list says which files there must be, by
// the files unpacked so far: it is asked once, at the end. What is refused, or ends with ctx, leaves the folder empty.
// Errors: KindDenied for an archive that is refused; those of list, of writing, and of ctx.
func Unpack(ctx context.Context, r io.Reader, into *os.Root, list func() ([]string, error)) (err error) {
	u := &unpacker{into: into, names: newNames(), packed: &counted{r: r}}
	defer func() {
		if err != nil {
			err = errors.Join(err, u.clear())
		}
	}()
	if err := u.all(ctx); err != nil {
		return err
	}
	listed, err := list()
	if err != nil {
		return err
	}
	return u.check(listed)
}

type unpacker struct {
	into     *os.Root
	names    *names
	packed   *counted
	unpacked int64
}

// counted counts the bytes that were read.
type counted struct {
	r io.Reader
	n int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// errTooLarge ends a reading beyond a bound.
var errTooLarge = errors.New("too large")

// Read reads unpacked bytes within the bounds.
func (u *unpacker) bounded(r io.Reader) io.Reader {
	return readerFunc(func(p []byte) (int, error) {
		n, err := r.Read(p)
		u.unpacked += int64(n)
		if u.packed.n > MaxPacked || u.unpacked > MaxUnpacked || u.unpacked > smallRatio && u.unpacked > maxRatio*u.packed.n {
			return n, errTooLarge
		}
		return n, err
	})
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func (u *unpacker) all(ctx context.Context) error {
	gz, err := gzip.NewReader(bufio.NewReader(u.packed))
	if err != nil {
		return refuse("it is no gzip file: %v", err)
	}
	bytes := u.bounded(gz)
	in := tar.NewReader(bytes)
	for {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		header, err := in.Next()
		switch {
		case errors.Is(err, io.EOF):
			// What stands behind the end is read to see that the file is whole.
			_, err := io.Copy(io.Discard, bytes)
			return u.readError(err)
		case err != nil:
			return u.readError(err)
		}
		if err := u.one(ctx, header, in); err != nil {
			return err
		}
	}
}

func (u *unpacker) readError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errTooLarge):
		return refuse("it is larger than %d MiB, or than %d MiB or %d times its size when it is unpacked", MaxPacked>>20, MaxUnpacked>>20, maxRatio)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return refuse("it ends too early")
	}
	return refuse("it cannot be read: %v", err)
}

// one unpacks a file. Folders come with their files.
func (u *unpacker) one(ctx context.Context, header *tar.Header, content io.Reader) error {
	name := header.Name
	switch {
	case header.Typeflag == tar.TypeDir:
		if why := unusable(strings.TrimSuffix(name, "/")); why != "" {
			return refuse("the name %q %s", name, why)
		}
		return nil
	case header.Typeflag != tar.TypeReg:
		return refuse("%q is no regular file", name)
	case header.Mode&0o7000 != 0:
		return refuse("%q would run with the rights of another user", name)
	}
	if err := u.names.add(name); err != nil {
		return err
	}
	if len(u.names.files) > MaxFiles {
		return refuse("it has more than %d files", MaxFiles)
	}
	if dir := path.Dir(name); dir != "." {
		if err := u.into.MkdirAll(dir, modeProgram); err != nil {
			return err
		}
	}
	mode := modeOf(header.FileInfo().Mode())
	f, err := u.into.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, readerFunc(func(p []byte) (int, error) {
		if ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
		n, err := content.Read(p)
		if err != nil && !errors.Is(err, io.EOF) {
			err = u.readError(err)
		}
		return n, err
	}))
	return errors.Join(err, f.Close(), u.into.Chmod(name, mode)) // a umask took bits away
}

// check compares what was unpacked with what is listed.
func (u *unpacker) check(listed []string) error {
	has := slices.Collect(maps.Values(u.names.files))
	for _, name := range slices.Sorted(slices.Values(has)) {
		if !slices.Contains(listed, name) {
			return refuse("%s is not among the files that connector.json lists", name)
		}
	}
	for _, name := range listed {
		if !slices.Contains(has, name) {
			return refuse("%s is missing, which connector.json lists", name)
		}
	}
	return nil
}

// clear removes all that was unpacked.
func (u *unpacker) clear() error {
	top := map[string]bool{}
	for _, name := range u.names.files {
		first, _, _ := strings.Cut(name, "/")
		top[first] = true
	}
	var err error
	for name := range top {
		err = errors.Join(err, u.into.RemoveAll(name))
	}
	return err
}
