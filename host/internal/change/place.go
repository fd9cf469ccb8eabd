package change

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/loam-data/loam/sdk"
)

// tops are the folders of a project that changes may write in.
var tops = []string{"wiki", "semantic-layer", "queries", "skills"}

// maxPath is the longest path of a change, maxFile the largest file that is changed. Both in bytes.
const maxPath, maxFile = 512, 4 << 20

// checkPath refuses a path that is not one of a file that changes may write.
func checkPath(name string) error {
	parts := strings.Split(name, "/")
	strange := func(r rune) bool { return r == '\\' || r == ':' || unicode.IsControl(r) }
	hidden := func(part string) bool { return part == "" || part[0] == '.' }
	switch {
	case len(name) > maxPath:
		return badPath(name, "it has more than 512 bytes")
	case !utf8.ValidString(name) || strings.ContainsFunc(name, strange) || !filepath.IsLocal(filepath.FromSlash(name)):
		return badPath(name, "it is no plain path")
	case slices.ContainsFunc(parts, hidden):
		return badPath(name, "a part of it is empty or begins with a dot")
	case len(parts) < 2 || !slices.Contains(tops, parts[0]):
		return badPath(name, "it is not below "+strings.Join(tops, "/, ")+"/")
	}
	return nil
}

func badPath(name, why string) error {
	return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "no change can write %q: %s", name, why).
		WithHint("use another name, of letters, digits and dashes")
}

// place is a file in its folder, which is open. Links are not followed.
type place struct {
	engine *Engine
	// project is the project's folder, root and dir that of the file; file is its name.
	project, root *os.Root
	dir           *os.File
	folder, file  string
}

// openPlace opens the folder of a path, and makes it when make says so.
// Errors: fs.ErrNotExist, KindDenied for a link.
func (e *Engine) openPlace(name string, make bool) (_ *place, err error) {
	if err := checkPath(name); err != nil {
		return nil, err
	}
	p := &place{engine: e, folder: path.Dir(name), file: path.Base(name)}
	if p.project, err = os.OpenRoot(e.Dir); err != nil {
		return nil, err
	}
	if p.root, err = p.enter(make); err != nil {
		return nil, errors.Join(err, p.project.Close())
	}
	if p.dir, err = p.root.Open("."); err != nil {
		return nil, errors.Join(err, p.root.Close(), p.project.Close())
	}
	return p, nil
}

// enter opens the folder part by part.
func (p *place) enter(make bool) (*os.Root, error) {
	root, err := p.project.OpenRoot(".")
	if err != nil {
		return nil, err
	}
	for part := range strings.SplitSeq(p.folder, "/") {
		next, err := p.descend(root, part, make)
		if err = errors.Join(err, root.Close()); err != nil {
			return nil, err
		}
		root = next
	}
	return root, nil
}

func (p *place) descend(root *os.Root, part string, make bool) (*os.Root, error) {
	info, err := root.Lstat(part)
	switch {
	case errors.Is(err, fs.ErrNotExist) && make:
		if err := p.engine.at("mkdir"); err != nil {
			return nil, err
		}
		if err := root.Mkdir(part, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
	case err != nil:
		return nil, err
	case !info.IsDir():
		return nil, sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "%s of %s is no folder", part, p.folder).
			WithHint("changes are written to plain folders and files, not through links: put the folder itself there")
	}
	return root.OpenRoot(part)
}

func (p *place) close() error { return errors.Join(p.dir.Close(), p.root.Close(), p.project.Close()) }

// name is the path of the file.
func (p *place) name() string { return p.folder + "/" + p.file }

// read returns the content of a file of the folder; nil = there is none.
// Errors: KindDenied for a link, KindLimit.
func (p *place) read(base string) (_ []byte, err error) {
	info, err := p.root.Lstat(base)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "%s/%s is no plain file", p.folder, base).
			WithHint("changes are written to plain folders and files, not through links: put the file itself there")
	}
	f, err := p.root.Open(base)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	content, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if len(content) > maxFile {
		return nil, sdk.Errorf(sdk.KindLimit, sdk.SourceHost, "%s/%s has more than %d bytes", p.folder, base, maxFile).WithHint("split it")
	}
	return content, err
}

// Read returns a file of the project; nil = there is none.
// Errors: KindInvalid for a path that no change may have, KindDenied, KindLimit (4 MiB).
func (e *Engine) Read(name string) ([]byte, error) {
	p, err := e.openPlace(name, false)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, unreadable(name, err)
	}
	content, err := p.read(p.file)
	if err = errors.Join(err, p.close()); err != nil {
		return nil, unreadable(name, err)
	}
	return content, nil
}

func unreadable(name string, err error) *sdk.Error {
	if known, ok := errors.AsType[*sdk.Error](err); ok {
		return known
	}
	return sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "%s cannot be read: %w", name, err).WithHint("make it readable for this user")
}
