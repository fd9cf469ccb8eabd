package skill

import (
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/loam-data/loam/host/internal/folder"
	"github.com/loam-data/loam/sdk"
)

const (
	// maxDepth is how many levels of folders are read.
	maxDepth = 8
	// maxFiles bounds the further files of one skill.
	maxFiles = 100
)

// Item is a folder of the library.
// Shape: either Skill or Problem is set. Name is the path of the file or folder when that is not one of a skill.
type Item struct {
	Name  string
	Skill *Skill
	// Revision is the SHA-256 of SKILL.md in hexadecimal; "" = it was not read.
	Revision string
	Modified time.Time
	// Files are all files of the folder that can be served, SKILL.md first.
	Files []File
	// Problem is why the folder holds no skill; Notes name files that cannot be served.
	Problem error
	Notes   []string
}

// File is a file of a skill's folder. Path is relative to the folder, with slashes.
type File struct {
	Path, Hash string // the SHA-256 in hexadecimal
	Size       int
}

// read is a file as the folder keeps it: one SKILL.md, or any other file.
type read struct {
	skill    *Skill
	modified time.Time
	size     int
}

// Library is the folder of the skills.
// Concurrency: any number of goroutines.
type Library struct {
	root  string
	files *folder.Folder[*read]

	mu    sync.Mutex
	of    *folder.Listing[*read] // items is made of it
	items []Item
}

// NewLibrary returns the library in the folder root, which need not exist. It reads nothing yet.
func NewLibrary(root string) *Library {
	return &Library{root: root, files: folder.New(folder.Config[*read]{
		Dir: root, Of: "folder of skills", Within: []string{"."}, MaxBytes: MaxFile, MaxDepth: maxDepth,
		Takes: func(string) bool { return true },
		Parse: func(name string, content []byte, modified time.Time) (*read, *sdk.Error) {
			r := &read{modified: modified, size: len(content)}
			dir, base := path.Split(path.Clean(name))
			dir = strings.TrimSuffix(dir, "/")
			if base != FileName || strings.Contains(dir, "/") || dir == "" {
				return r, nil
			}
			s, err := Parse(dir, content)
			if err != nil {
				return nil, sdk.AsError(err, sdk.SourceHost)
			}
			r.skill = s
			return r, nil
		},
		Timeless: func(*read) bool { return false },
	})}
}

// Items returns the skills by name, and what else is in the folder. The caller must not change the list.
// Shape: the same list as long as no file changes.
// Errors: KindDenied when the folder cannot be read; those of ctx. Errors of single files are in their items.
func (l *Library) Items(ctx context.Context) ([]Item, error) {
	now, err := l.files.Look(ctx)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.of == now {
		return l.items, nil
	}
	items := l.itemsOf(now.Files)
	if now.Since(l.of) { // a slower call must not bring an older listing back
		l.of, l.items = now, items
	}
	return items, nil
}

func (l *Library) itemsOf(files []*folder.File[*read]) []Item {
	of := map[string][]*folder.File[*read]{}
	for _, f := range files {
		dir, _, below := strings.Cut(path.Clean(f.Name), "/")
		if !below && f.Err == nil {
			continue // a file beside the skills, such as a README
		}
		of[dir] = append(of[dir], f)
	}
	items := make([]Item, 0, len(of))
	for dir, files := range of {
		items = append(items, l.itemOf(dir, files))
	}
	slices.SortFunc(items, func(a, b Item) int { return cmp.Compare(a.Name, b.Name) })
	return items
}

func (l *Library) itemOf(dir string, files []*folder.File[*read]) Item {
	item := Item{Name: dir, Problem: CheckName(dir)}
	var others []File
	for _, f := range files {
		at := strings.TrimPrefix(path.Clean(f.Name), dir+"/")
		one := File{Path: at, Hash: hex.EncodeToString(f.Hash[:])}
		if f.Value != nil {
			one.Size = f.Value.size
		}
		switch {
		case path.Clean(f.Name) == dir && f.Err != nil, at == FileName && f.Err != nil && item.Problem == nil:
			item.Problem = f.Err
		case f.Err == nil && l.isLink(dir, at):
			item.leaveOut(at, at+" is a link")
		case at == FileName && f.Err == nil:
			item.Skill, item.Revision, item.Modified = f.Value.skill, one.Hash, f.Value.modified
			item.Files = append(item.Files, one)
		case f.Err != nil:
			item.Notes = append(item.Notes, f.Err.Msg)
		case len(others) == maxFiles:
			item.Notes = append(item.Notes, fmt.Sprintf("%s has more than %d further files: %s is left out", dir, maxFiles, at))
		default:
			others = append(others, one)
		}
	}
	item.Files = append(item.Files, others...)
	if item.Skill == nil && item.Problem == nil {
		item.Problem = invalid("the folder %s has no %s", dir, FileName).WithHint("write %s, or move the folder out of %s", Path(dir), Folder)
	}
	if item.Problem != nil {
		item.Skill = nil
	}
	return item
}

// leaveOut notes why a file is not served; without SKILL.md there is no skill.
func (i *Item) leaveOut(file, why string) {
	if file == FileName && i.Problem == nil {
		i.Problem = invalid("%s/%s", i.Name, why).WithHint("put the file itself there")
	}
	i.Notes = append(i.Notes, i.Name+"/"+why)
}

// isLink reports whether a file, or a folder of it, is a symbolic link: files of a skill are in its folder.
func (l *Library) isLink(dir, file string) bool {
	at := filepath.Join(l.root, dir)
	for part := range strings.SplitSeq(file, "/") {
		at = filepath.Join(at, part)
		if info, err := os.Lstat(at); err != nil || info.Mode()&fs.ModeSymlink != 0 {
			return true
		}
	}
	return false
}

// Read returns a file of a skill's folder.
// Errors: KindDenied for one that cannot be read, KindLimit.
func (l *Library) Read(name, file string) ([]byte, error) {
	content, _, err := l.files.Read(name + "/" + file)
	return content, err
}
