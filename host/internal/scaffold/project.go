// Package scaffold writes the source files of a new connector's project.
package scaffold

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
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
	// Like is the dialect to begin from instead of that of the embedded engine, for a
	// project in Go; nil = that one.
	Like *dialect.Dialect
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
	if p.Like != nil {
		text, err := p.dialect()
		if err == nil {
			err = write(filepath.Join(dir, "dialect.json"), text)
		}
		if err != nil {
			return nil, sdk.Errorf(sdk.KindUnavailable, sdk.SourceHost, "the dialect cannot be written: %w", err)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// dialect writes Like under the connector's own name, for every version of its server,
// without what is empty.
func (p Project) dialect() (string, error) {
	d := *p.Like
	d.Name, d.Product, d.MinVersion, d.MaxVersion = p.Name(), "", "", ""
	text, err := json.Marshal(d)
	if err != nil {
		return "", err
	}
	var fields any
	if err := json.Unmarshal(text, &fields); err != nil {
		return "", err
	}
	text, err = json.MarshalIndent(said(fields), "", "  ")
	return string(text) + "\n", err
}

// said leaves out the fields that are empty; nil = all of them.
func said(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, inner := range v {
			if v[key] = said(inner); v[key] == nil {
				delete(v, key)
			}
		}
		if len(v) == 0 {
			return nil
		}
	case []any:
		for i := range v {
			if inner := said(v[i]); inner != nil {
				v[i] = inner
			}
		}
		if len(v) == 0 {
			return nil
		}
	case string, bool, float64:
		if v == "" || v == false || v == 0.0 {
			return nil
		}
	}
	return v
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
