package machine

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/loam-data/loam/host/internal/file"
	"github.com/loam-data/loam/host/internal/publish/archive"
)

// A replacement keeps two folders beside that of the release until it is recorded.
const (
	asideNew = ".new-"
	asideOld = ".old-"
)

// Commit puts a staged folder in the place of the release and records it. An older
// folder there is replaced. change edits what else is recorded; nil = nothing.
// Errors: KindDenied where the store cannot be written; the release is then as it was.
func (s *Store) Commit(staged string, record Record, change func(*Records)) error {
	if err := syncTree(staged); err != nil {
		return s.unwritable(err)
	}
	if err := s.place(staged, record.Release); err != nil {
		return s.unwritable(errors.Join(err, s.settle(record.Release)))
	}
	err := s.Change(func(r *Records) {
		r.Put(record)
		if change != nil {
			change(r)
		}
	})
	return errors.Join(err, s.settle(record.Release))
}

// place renames the staged folder to that of the release. What is there is exchanged for it, so
// that there is a whole release at any moment.
func (s *Store) place(staged string, r Release) error {
	target := s.Path(r)
	dir, name := filepath.Split(target)
	if err := s.Step("make the folder of the version"); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if _, err := os.Lstat(target); errors.Is(err, fs.ErrNotExist) {
		return s.rename(staged, target)
	}
	aside := filepath.Join(dir, asideNew+name)
	if err := s.rename(staged, aside); err != nil {
		return err
	}
	if err := s.exchange(dir, asideNew+name, name); err == nil {
		return nil
	}
	// This file system cannot exchange folders. A process that is killed between the two leaves
	// the old one to recover.
	if err := s.rename(target, filepath.Join(dir, asideOld+name)); err != nil {
		return err
	}
	return s.rename(aside, target)
}

func (s *Store) rename(from, to string) error {
	if err := s.Step("rename to " + filepath.Base(to)); err != nil {
		return err
	}
	if err := os.Rename(from, to); err != nil {
		return err
	}
	return file.SyncDir(filepath.Dir(to))
}

func (s *Store) exchange(dir, one, other string) error {
	if err := s.Step("exchange"); err != nil {
		return err
	}
	folder, err := os.Open(dir)
	if err != nil {
		return err
	}
	if err = file.Exchange(folder, one, other); err == nil {
		err = file.SyncDir(dir)
	}
	return errors.Join(err, folder.Close())
}

// recover settles the releases that a killed process was replacing.
func (s *Store) recover() error {
	var errs []error
	for _, aside := range []string{asideNew, asideOld} {
		left, err := fs.Glob(os.DirFS(s.Dir), "*/*/*/"+aside+"*")
		errs = append(errs, err)
		for _, path := range left {
			parts := strings.Split(path, "/")
			errs = append(errs, s.settle(Release{ID: parts[0] + "/" + parts[1], Version: parts[2], Platform: strings.TrimPrefix(parts[3], aside)}))
		}
	}
	return errors.Join(errs...)
}

// settle ends a replacement: the folder whose files are recorded becomes that of the release, and
// the others are removed. Where none is recorded, all are.
func (s *Store) settle(r Release) error {
	records, err := s.Read()
	if err != nil {
		return err
	}
	target := s.Path(r)
	dir, name := filepath.Split(target)
	asides := []string{filepath.Join(dir, asideOld+name), filepath.Join(dir, asideNew+name)}
	record, known := records.Find(r)
	if !known {
		return s.drop(append(asides, target))
	}
	for _, aside := range asides {
		if _, err := os.Lstat(aside); err != nil || treeOf(target) == record.Tree || treeOf(aside) != record.Tree {
			continue
		}
		if s.exchange(dir, filepath.Base(aside), name) == nil {
			break
		}
		if err := os.RemoveAll(target); err != nil { // not the recorded one, which is aside
			return err
		}
		if err := s.rename(aside, target); err != nil {
			return err
		}
	}
	return s.drop(asides)
}

// drop removes folders, and those above them that are empty then.
func (s *Store) drop(folders []string) error {
	var errs []error
	for _, folder := range folders {
		if _, err := os.Lstat(folder); err == nil {
			errs = append(errs, s.Discard(folder))
		}
	}
	return errors.Join(errs...)
}

// treeOf is the hash of a folder's files, "" where it cannot be read.
func treeOf(dir string) string {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return ""
	}
	defer root.Close() //nolint:errcheck // only read
	tree, err := archive.Tree(root.FS())
	if err != nil {
		return ""
	}
	return tree
}

// syncTree writes all files of a folder to the disk.
func syncTree(dir string) error {
	return filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			return file.SyncDir(path)
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		return errors.Join(f.Sync(), f.Close())
	})
}
