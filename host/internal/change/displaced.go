package change

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/loam-data/loam/sdk"
)

// displacedDir has the files that writes displaced, in a folder for each path. An editor
// that had one open may write into it still.
const displacedDir = ".loam/displaced"

// displacedFor is how long a displaced file is watched.
const displacedFor = time.Hour

// serial tells displaced files of one moment apart.
var serial atomic.Int64

// displacedFolder is the folder of the files that were displaced from a path.
func displacedFolder(name string) string {
	const bytes = 8
	sum := sha256.Sum256([]byte(name))
	return displacedDir + "/" + hex.EncodeToString(sum[:bytes])
}

// displacedName is the name of a displaced file: the change that displaced it, its content, and when that was.
func displacedName(id ID, content Hash, at time.Time) string {
	return fmt.Sprintf("%s-%s-%d-%d", id, content, at.UnixMilli(), serial.Add(1))
}

// displaced is what a name says.
type displaced struct {
	id      ID
	content Hash
	at      time.Time
}

func parseDisplaced(name string) (d displaced, ok bool) {
	parts := strings.Split(name, "-")
	if len(parts) != 4 || d.content.UnmarshalText([]byte(parts[1])) != nil {
		return d, false
	}
	at, err := strconv.ParseInt(parts[2], 10, 64)
	d.id, d.at = ID(parts[0]), time.UnixMilli(at)
	return d, err == nil
}

// lookAgainAtAll looks at all displaced files.
func (e *Engine) lookAgainAtAll(ctx context.Context) error {
	root, err := os.OpenRoot(e.Dir)
	if err != nil {
		return err
	}
	folders, err := readDir(root, displacedDir)
	for _, folder := range folders {
		err = errors.Join(err, e.lookAgainIn(ctx, root, displacedDir+"/"+folder.Name()))
	}
	return unwrittenIf(displacedDir, errors.Join(err, root.Close()))
}

// lookAgain looks at the files that were displaced from a path. What a person wrote into one of them since is kept, and
// put back when the file is as Loam left it.
func (e *Engine) lookAgain(ctx context.Context, name string) error {
	root, err := os.OpenRoot(e.Dir)
	if err != nil {
		return err
	}
	return unwrittenIf(displacedDir, errors.Join(e.lookAgainIn(ctx, root, displacedFolder(name)), root.Close()))
}

func readDir(root *os.Root, dir string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(root.FS(), dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return entries, err
}

func (e *Engine) lookAgainIn(ctx context.Context, root *os.Root, dir string) error {
	entries, err := readDir(root, dir)
	if err != nil {
		return err
	}
	left := len(entries)
	for _, entry := range entries {
		d, ok := parseDisplaced(entry.Name())
		if !ok {
			continue
		}
		name := path.Join(dir, entry.Name())
		content, err := root.ReadFile(name)
		if err != nil {
			return err
		}
		if Of(content) != d.content {
			if err := e.late(ctx, root, name, d, content); err != nil {
				return err
			}
			continue
		}
		if e.Now().Sub(d.at) < displacedFor {
			continue
		}
		if err := e.at("forget"); err != nil {
			return err
		}
		if err := root.Remove(name); err != nil {
			return err
		}
		left--
	}
	if len(entries) > 0 && left == 0 {
		return root.Remove(dir)
	}
	return nil
}

// late handles what a person wrote into a displaced file.
func (e *Engine) late(ctx context.Context, root *os.Root, name string, d displaced, content []byte) error {
	r, err := e.find(ctx, string(d.id))
	if sdk.KindOf(err) == sdk.KindNotFound {
		return nil // the store is a new one: the file stays where it is
	}
	if err != nil {
		return err
	}
	if err := e.keepTheirs(ctx, r.Path, content); err != nil {
		return err
	}
	current, err := e.Read(r.Path)
	if err != nil {
		return err
	}
	if r.State == Applied && r.written && hashOf(current) == r.after {
		own, err := e.Own(ctx, r.Path, current)
		if err != nil {
			return err
		}
		w := &work{record: r, was: r.Shown(), then: Pending, verb: VerbRestored, problem: WhyEdited, undone: Applied}
		done, err := e.attempt(ctx, w, current, own, &plan{after: content, blocks: r.Blocks})
		if err != nil {
			return err
		}
		if !done { // a person was faster
			if _, err := e.fail(ctx, w, r.Problem); err != nil {
				return err
			}
		}
	}
	if err := e.at("seen"); err != nil {
		return err
	}
	return root.Rename(name, path.Join(path.Dir(name), displacedName(d.id, Of(content), e.Now())))
}
