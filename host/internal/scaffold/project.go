// Package scaffold writes the source files of a new connector's project.
package scaffold

import (
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/loam-data/loam/sdk"
)

// The templates of a project. The ending .tmpl hides them from the go tool; the prefix dot-
// becomes a dot, with which embedded names may not begin.
//
//go:embed template
var templates embed.FS

// Languages returns the supported values of Project.Language.
func Languages() []string { return []string{"go", "python"} }

// Project describes a new connector.
type Project struct {
	ID       string // "acme/foodb"
	Language string
	// Version is the version of the sdk to require: "v0.1.0".
	Version string
}

var idForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,63}/[a-z0-9][a-z0-9-]{0,63}$`) })

// Name returns the part of the id after the namespace.
func (p Project) Name() string {
	_, name, _ := strings.Cut(p.ID, "/")
	return name
}

// Folder returns the default folder of the project.
func (p Project) Folder() string { return "loam-connector-" + p.Name() }

// Write creates dir with the files of the project, and returns their names in order.
// Errors: KindInvalid for an invalid id, KindConflict if dir has files.
func (p Project) Write(dir string) ([]string, error) {
	if !idForm().MatchString(p.ID) {
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%q is no id of a connector", p.ID).
			WithHint("write NAMESPACE/NAME in lower case, such as acme/foodb")
	}
	if there, err := os.ReadDir(dir); err == nil && len(there) > 0 {
		return nil, sdk.Errorf(sdk.KindConflict, sdk.SourceCaller, "%s exists and is not empty", dir).WithHint("name another folder with --dir")
	}
	fill := strings.NewReplacer("{{id}}", p.ID, "{{name}}", p.Name(), "{{version}}", p.Version)
	var names []string
	for _, root := range []string{"template/common", "template/" + p.Language} { // a language may replace common files
		err := fs.WalkDir(templates, root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			text, err := templates.ReadFile(path)
			if err != nil {
				return err
			}
			name := strings.TrimSuffix(strings.TrimPrefix(path, root+"/"), ".tmpl")
			name = strings.TrimPrefix(strings.ReplaceAll("/"+name, "/dot-", "/."), "/")
			names = append(names, name)
			return write(filepath.Join(dir, filepath.FromSlash(name)), fill.Replace(string(text)))
		})
		if err != nil {
			return nil, sdk.Errorf(sdk.KindUnavailable, sdk.SourceHost, "the project cannot be written: %w", err)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

func write(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("make the folder of %s: %w", path, err)
	}
	mode := os.FileMode(0o644)
	if strings.HasSuffix(path, ".sh") {
		mode = 0o755
	}
	return os.WriteFile(path, []byte(text), mode)
}
