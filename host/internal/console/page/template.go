package page

import (
	"embed"
	"html/template"
	"io/fs"
)

// Partials are the templates that pages share. Each says in its first line what its dot is.
//
//go:embed partial/*.html
var Partials embed.FS

// Parse parses the templates of groups together with the shared ones and those of a layout.
func Parse(layout fs.FS, groups ...Group) (*template.Template, error) {
	t := template.New("").Funcs(Functions())
	for _, files := range []fs.FS{Partials, layout} {
		var err error
		if t, err = parseAll(t, files); err != nil {
			return nil, err
		}
	}
	for _, g := range groups {
		var err error
		if t, err = parseAll(t, g.Templates); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// parseAll parses the files *.html of a file system, in all of its folders.
func parseAll(t *template.Template, files fs.FS) (*template.Template, error) {
	var names []string
	err := fs.WalkDir(files, ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && len(path) > 5 && path[len(path)-5:] == ".html" {
			names = append(names, path)
		}
		return err
	})
	if err != nil || len(names) == 0 {
		return t, err
	}
	return t.ParseFS(files, names...)
}
