// Package scaffold writes the project of a new connector.
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

// The files of a project: .tmpl keeps the go tool from taking them for its own, and dot-
// stands for a dot, with which embedded names may not begin.
//
//go:embed template
var templates embed.FS

// Languages lists the languages that a project can be written in.
func Languages() []string { return []string{"go", "python"} }

// Project is a new connector.
type Project struct {
	ID       string // "acme/foodb"
	Language string
	// Version of the sdk to require: "v0.1.0".
	Version string
}

var idForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,63}/[a-z0-9][a-z0-9-]{0,63}$`) })

// Name is the part of the id behind the namespace.
func (p Project) Name() string {
	_, name, _ := strings.Cut(p.ID, "/")
	return name
}

// Folder is where the project goes unless another folder is named.
func (p Project) Folder() string { return "loam-connector-" + p.Name() }

// Write makes dir with the files of the project and returns their names in order.
// Errors: KindInvalid for an id that is none, KindConflict where dir has files already.
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
	for _, root := range []string{"template/common", "template/" + p.Language} { // a language may replace what is common
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
