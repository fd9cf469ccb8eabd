package collect

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/chunk"
	"github.com/loam-data/loam/host/internal/file"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

// Root is a folder below which agents may have folders indexed.
type Root struct {
	Dir string
	// Denied is why it may not be read; nil = it may.
	Denied error
}

// openIndexed opens the folder of a request. The way of an agent to it begins at a root, out of which no link leads.
func (s *Service) openIndexed(ctx context.Context, r *IndexRequest) (*folder, error) {
	own := append([]string{s.config.State}, s.config.Own...)
	at := -1
	var roots []Root
	if r.By.Channel == change.MCP {
		if !filepath.IsAbs(r.Path) {
			return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%q is no absolute path", r.Path).WithHint("name the folder from / on")
		}
		var err error
		if roots, err = s.config.Roots(ctx); err != nil {
			return nil, err
		}
		at = slices.IndexFunc(roots, func(root Root) bool { _, ok := file.Within(root.Dir, r.Path); return ok })
		if at < 0 {
			return nil, outside(r.Path, roots)
		}
		if err := roots[at].Denied; err != nil {
			return nil, err
		}
	}
	if at < 0 {
		return openFolder(r.Path, own)
	}
	if err := checkOwn(r.Path, own); err != nil {
		return nil, err
	}
	return openBelow(roots[at].Dir, r.Path, own)
}

// checkOwn returns an error for a folder of Loam itself; path is absolute.
func checkOwn(path string, own []string) error {
	for _, dir := range own {
		if _, ok := file.Within(dir, path); ok {
			return sdk.Errorf(sdk.KindDenied, sdk.SourceCaller, "%s is a folder of Loam itself", path).
				WithHint("name another folder: search reads pages and the semantic layer already")
		}
	}
	return nil
}

// outside is the error for a folder that is below no root.
func outside(path string, roots []Root) error {
	e := sdk.Errorf(sdk.KindDenied, sdk.SourceCaller, "%s is below no folder of sources.roots", path).
		WithHint("ask a person to add it to sources.roots in loam.yaml, or to run: loam index %s", text.ShellWord(path))
	for _, root := range roots {
		if root.Denied == nil {
			e.Candidates = append(e.Candidates, root.Dir)
		}
	}
	return e
}

// nameOf returns the name of the repository that a folder has, or gets: its own name, with a number if that is taken.
func (s *Service) nameOf(ctx context.Context, folder string) (string, error) {
	repos, err := s.config.Chunks.Repos(ctx)
	if err != nil {
		return "", err
	}
	if i := slices.IndexFunc(repos, func(r chunk.Repo) bool { return r.Folder == folder }); i >= 0 {
		return repos[i].Name, nil
	}
	base := slugOf(filepath.Base(folder))
	for name, n := base, 2; ; name, n = fmt.Sprintf("%s-%d", base, n), n+1 {
		if !slices.ContainsFunc(repos, func(r chunk.Repo) bool { return r.Name == name }) {
			return name, nil
		}
	}
}

// slugOf returns a name as that of a repository.
func slugOf(name string) string {
	const most = 56 // a number fits behind it
	slug := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '.', r == '_', r == '-':
			return r
		}
		return '-'
	}, strings.ToLower(name))
	slug = strings.TrimLeft(slug, "._-")
	if slug == "" {
		return "folder"
	}
	return slug[:min(most, len(slug))]
}

// openBelow opens a folder below a root, through the root.
func openBelow(root, dir string, own []string) (*folder, error) {
	below, _ := file.Within(root, dir)
	handle, err := os.OpenRoot(root)
	if err != nil {
		return nil, unreadable(root, err)
	}
	defer func() { _ = handle.Close() }() // it was only read
	inside, err := handle.OpenRoot(below)
	if err != nil {
		return nil, unreadable(dir, err)
	}
	return newFolder(inside, filepath.Join(file.Real(root), below), own), nil
}
