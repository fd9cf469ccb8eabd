package project

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/connector"
	"github.com/loam-data/loam/sdk"
)

// isLocation reports whether an argument is a URL, a reference to one, or an existing file.
func isLocation(arg string) bool {
	if _, ok := connection.ParseURL(arg); ok || strings.HasPrefix(arg, "env:") {
		return true
	}
	return filepath.Ext(arg) != "" && !strings.Contains(arg, "=") && isFile(arg)
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// place is the connector of an addition, and the values of its keys.
type place struct {
	found   connector.Installed
	values  map[string]string     // by dotted key
	secrets map[string]sdk.Secret // by key
	name    string                // of the database or file
}

// locate finds the connector of an addition, and derives keys from its URL, file or folder. Keys in
// the arguments take precedence. A folder may stand where a connector's name does; an installed
// connector with that name comes first.
func locate(ctx context.Context, services *Services, dir string, add addition) (place, error) {
	text := add.location
	if strings.HasPrefix(text, "env:") {
		value, err := services.Secrets.Resolve(ctx, text)
		if err != nil {
			return place{}, err
		}
		text = value.Reveal()
	}
	if text == "" && add.Path == "" && (isFolder(add.Connector) || strings.HasSuffix(add.Connector, "/")) {
		if _, err := services.Connectors.Find(add.Connector, ""); sdk.KindOf(err) == sdk.KindNotFound {
			text, add.Connector = add.Connector, ""
		}
	}
	u, isURL := connection.ParseURL(text)
	p := place{values: maps.Clone(add.values)}
	var err error
	switch {
	case text == "" || add.Connector != "":
		p.found, err = services.Connectors.Find(add.Connector, add.Path)
	case isURL:
		p.found, err = byScheme(services.Connectors.List(), u.Scheme())
	case isFolder(text):
		p.found, err = byFolder(services.Connectors.List())
	default:
		p.found, err = byFile(services.Connectors.List(), text)
	}
	if err != nil || text == "" {
		return p, err
	}
	from, err := p.from(dir, text, u, isURL)
	if err != nil {
		return p, err
	}
	for key := range p.values {
		delete(from.Values, key)
		delete(from.Secrets, key)
	}
	if p.values == nil {
		p.values = map[string]string{}
	}
	maps.Copy(p.values, from.Values)
	if len(from.Ignored) > 0 {
		return p, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "connector %s has no key for these parameters of the URL: %s", p.found.Name, strings.Join(from.Ignored, ", ")).
			WithHint("take them out of the URL, or give the key that is meant as KEY=VALUE: loam connector show %s; nothing was written", p.found.Name)
	}
	p.secrets, p.name = from.Secrets, from.Name
	return p, nil
}

// from derives keys from a URL, a file or a folder.
func (p place) from(dir, text string, u connection.URL, isURL bool) (from connection.FromURL, err error) {
	schema := p.found.Description.ConfigSchema
	_, fileKey := connection.Extensions(schema)
	_, folderKey := connection.Folders(schema)
	switch {
	case isURL:
		if from, err = u.Config(schema); err != nil {
			return from, err
		}
	case isFolder(text) && folderKey != "":
		path, err := relative(dir, text)
		if err != nil {
			return from, err
		}
		list, err := json.Marshal([]string{path}) // a comma may be in the name
		return connection.FromURL{Values: map[string]string{folderKey: string(list)}, Name: filepath.Base(filepath.Join(dir, path))}, err
	case fileKey == "":
		return from, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "connector %s opens no files", p.found.Name).WithHint("give its URL, or KEY=VALUE arguments")
	default:
		from = connection.FromURL{Values: map[string]string{fileKey: text}, Name: text}
	}
	if path := from.Values[fileKey]; fileKey != "" && path != "" {
		from.Values[fileKey], err = inProject(dir, path, isURL)
	}
	return from, err
}

// inProject returns the path of a file for loam.yaml. In some forms of URL, a path after three
// slashes is relative.
func inProject(dir, path string, isURL bool) (string, error) {
	if below := strings.TrimLeft(path, "/"); isURL && below != path && isFile(below) {
		if isFile(path) {
			return "", sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "the URL can mean two files: %s here, and %s", below, path).
				WithHint("give the one that is meant as an argument of its own")
		}
		path = below
	}
	if !isFile(path) {
		return "", noFile(path)
	}
	return relative(dir, path)
}

// noFile returns the error for a file that does not exist. It names the path, unless that may
// contain a secret.
func noFile(path string) error {
	named := "that the URL names"
	if !strings.Contains(path, "@") {
		named = path
	}
	return sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "there is no file %s", named).WithHint("correct the path; nothing was written")
}

// relative returns a path for loam.yaml: relative to the project if it is inside.
func relative(dir, path string) (string, error) {
	full, err := filepath.Abs(path)
	if err != nil {
		return "", sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "the path: %w", err)
	}
	if below, err := filepath.Rel(dir, full); err == nil && filepath.IsLocal(below) {
		return filepath.ToSlash(below), nil
	}
	return full, nil
}

func byScheme(all []connector.Installed, scheme string) (connector.Installed, error) {
	return only(all, "URLs with the scheme "+scheme, scheme, func(c connector.Installed) []string { return connection.Schemes(c.Description.ConfigSchema) })
}

func byExtension(all []connector.Installed, extension string) (connector.Installed, error) {
	return only(all, "files that end with "+extension, extension, func(c connector.Installed) []string {
		endings, _ := connection.Extensions(c.Description.ConfigSchema)
		return endings
	})
}

func byFolder(all []connector.Installed) (connector.Installed, error) {
	return only(all, "folders of files", partFolder, func(c connector.Installed) []string {
		if _, key := connection.Folders(c.Description.ConfigSchema); key != "" {
			return []string{partFolder}
		}
		return nil
	})
}

// partFolder stands for a folder among what connectors take.
const partFolder = "folder"

// mostFirst is the number of bytes at the beginning of a file by which its kind is recognised.
const mostFirst = 512

// byFile returns the connector that recognises a file by its first bytes, else by its extension.
func byFile(all []connector.Installed, path string) (connector.Installed, error) {
	if !isFile(path) {
		return connector.Installed{}, noFile(path)
	}
	first, err := readStart(path, mostFirst)
	if err != nil {
		first = nil // the connector reports why it cannot be read
	}
	var found []connector.Installed
	for _, c := range all {
		if c.Err == nil && connection.Recognizes(c.Description.ConfigSchema, first) {
			found = append(found, c)
		}
	}
	if len(found) == 1 {
		return found[0], nil
	}
	ending := filepath.Ext(path)
	c, err := byExtension(all, ending)
	if err != nil && slices.ContainsFunc(all, func(c connector.Installed) bool {
		endings, _ := connection.Folders(c.Description.ConfigSchema)
		return slices.Contains(endings, ending)
	}) {
		return c, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%s is a data file, not a database", path).
			WithHint("name its folder: all such files in it become tables")
	}
	return c, err
}

// only returns the connector that accepts a thing. Zero or several are an error.
func only(all []connector.Installed, things, one string, takes func(connector.Installed) []string) (connector.Installed, error) {
	var found []connector.Installed
	var known, unusable []string
	for _, c := range all {
		if c.Err != nil {
			unusable = append(unusable, c.Name)
			continue
		}
		if slices.Contains(takes(c), one) {
			found = append(found, c)
		}
		known = append(known, takes(c)...)
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		e := sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "no installed connector takes %s", things).
			WithHint("known are %s; connectors are programs beside this one or in the folders of: loam connector list --help", strings.Join(known, ", "))
		if len(known) == 0 {
			_ = e.WithHint("see which connectors there are, and where they are looked for: loam connector list --help")
		}
		if len(unusable) > 0 {
			e.Hint += "\nwhy these cannot be used: loam connector list   (" + strings.Join(unusable, ", ") + ")"
		}
		return connector.Installed{}, e
	}
	return connector.Installed{}, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "several connectors take %s: %s and %s", things, found[0].Name, found[1].Name).
		WithHint("name the one that is meant, with KEY=VALUE arguments: loam connector show %s", found[0].Name)
}

// id derives an id from the name of the database or file.
func (p place) id() connection.ID {
	name := strings.ToLower(filepath.Base(p.name))
	name = strings.TrimSuffix(name, filepath.Ext(name))
	var b strings.Builder
	for _, r := range name {
		letter := 'a' <= r && r <= 'z'
		switch {
		case letter || b.Len() > 0 && strings.ContainsRune("0123456789_-", r):
			b.WriteRune(r)
		case b.Len() > 0:
			b.WriteByte('_')
		}
	}
	const most = 63
	id := connection.ID(strings.TrimRight(b.String()[:min(most, b.Len())], "_-"))
	if id == "" {
		id = connection.ID(strings.ReplaceAll(p.found.Name, "/", "_"))
	}
	return id
}
