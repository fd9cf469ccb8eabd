package project

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/connector"
	"github.com/loam-data/loam/host/internal/file"
	"github.com/loam-data/loam/host/internal/text"
)

const (
	profilesName = "profiles.yml"
	// maxProfiles bounds the bytes read of a file with profiles.
	maxProfiles = 256 << 10
)

// profilesFile returns the file with the profiles of dbt: in the folder that
// DBT_PROFILES_DIR names, else in the project, else in ~/.dbt; "" when there is none.
func profilesFile(dir, home string, getenv func(string) string) string {
	var folders []string
	if named := getenv("DBT_PROFILES_DIR"); named != "" {
		if below, ok := strings.CutPrefix(named, "~/"); ok {
			named = filepath.Join(home, below)
		}
		if !filepath.IsAbs(named) {
			named = filepath.Join(dir, named)
		}
		folders = append(folders, named)
	}
	folders = append(folders, dir)
	if home != "" {
		folders = append(folders, filepath.Join(home, ".dbt"))
	}
	for _, folder := range folders {
		if path := filepath.Join(folder, profilesName); isFile(path) {
			return path
		}
	}
	return ""
}

// proposeProfiles proposes the targets of dbt's profiles for which a connector is installed, dbt's
// default targets first. The file may be a stranger's: nothing in it is run, opened or followed,
// and no password is copied.
func proposeProfiles(dir, home string, connectors []connector.Installed, getenv func(string) string) (found []proposal) {
	path := profilesFile(dir, home, getenv)
	if path == "" {
		return nil
	}
	shown := path
	if filepath.Dir(path) == filepath.Clean(dir) {
		shown = profilesName
		if _, inside := file.Within(dir, path); !inside {
			return []proposal{{Found: shown, PassedOver: "it is a link out of the project"}}
		}
	}
	content, err := readStart(path, maxProfiles+1)
	if err != nil {
		return []proposal{{Found: shown, PassedOver: "it cannot be read"}}
	}
	if len(content) > maxProfiles {
		return []proposal{{Found: shown, PassedOver: "it is larger than 256 KiB"}}
	}
	targets, problem := readTargets(content, getenv)
	if problem != "" {
		return []proposal{{Found: shown, PassedOver: problem}}
	}
	ids := map[connection.ID]bool{}
	for _, t := range targets {
		c, err := byScheme(connectors, t.scheme())
		if err != nil || web(t.scheme()) {
			continue
		}
		name := t.profile
		if !t.preferred {
			name += "_" + t.name
		}
		id := place{found: c, name: strings.NewReplacer(".", "_", "/", "_").Replace(name)}.id()
		if ids[id] {
			id = place{found: c, name: string(id) + "_" + t.name}.id()
		}
		ids[id] = true
		p := t.propose(string(id), c, getenv)
		p.Found = "target " + t.name + " of profile " + t.profile + " in " + shown + p.Found
		found = append(found, p)
	}
	return found
}

// web reports whether a scheme is that of ordinary web sites.
func web(scheme string) bool { return scheme == "http" || scheme == "https" }

// profileKeys are the keys of a profile for each part of a URL, in order of precedence.
var profileKeys = []struct {
	part string
	keys []string
}{
	{"host", []string{"host", "server"}},
	{"port", []string{"port"}},
	{"user", []string{"user", "username"}},
	{"password", []string{"password", "pass"}},
	{"database", []string{"dbname", "database", "schema"}},
	{"file", []string{"path", "schemas_and_paths"}},
}

// ownKeys are keys of a profile that concern only dbt.
var ownKeys = []string{"type", "threads", "schema", "driver"}

// variableMark precedes the name of a variable that replaces a value. Values cannot contain it,
// because it is a control character.
const variableMark = "\x00"

// propose returns the proposal for a target: the command that adds it as a connection, and notes.
func (t target) propose(id string, c connector.Installed, getenv func(string) string) proposal {
	schema := c.Description.ConfigSchema
	parts, used := map[string]string{}, slices.Clone(ownKeys)
	for _, p := range profileKeys {
		used = append(used, p.keys...)
		for _, key := range p.keys {
			v := t.values[key]
			switch {
			case parts[p.part] != "" || v == value{}:
			case p.part == "password" && v.variable != "":
				parts[p.part] = variableMark + v.variable
			case p.part == "password":
				parts[p.part] = "not copied"
			case v.problem != "":
				return proposal{PassedOver: "its " + key + " " + v.problem}
			default:
				parts[p.part] = v.mark(getenv)
			}
		}
	}
	var parameters [][2]string
	var without []string
	for _, key := range t.keys {
		v := t.values[key]
		switch {
		case slices.Contains(used, key) || strings.Trim(key, "abcdefghijklmnopqrstuvwxyz_") != "" || v == value{}:
		case v.problem != "":
			without = append(without, key)
		default:
			parameters = append(parameters, [2]string{key, v.mark(getenv)})
		}
	}
	scheme := t.scheme()
	if driver := t.values["driver"].text; slices.Contains(connection.Schemes(schema), driver) {
		scheme = driver
	}
	from := connection.FromParts(schema, scheme, parts, parameters)
	words, notes, problem := t.arguments(id, c, from, getenv)
	if problem != "" {
		return proposal{PassedOver: problem}
	}
	if without = append(without, from.Ignored...); len(without) > 0 {
		notes = append(notes, "without "+some(without))
	}
	p := proposal{Command: "loam connection add " + id + " " + text.ShellWord(c.Name) + words}
	if len(notes) > 0 {
		p.Found = " (" + strings.Join(notes, "; ") + ")"
	}
	return p
}

// arguments returns the arguments of a command for the keys, in the order of the schema, and notes
// about what else to do. problem is why the command would not work; "" = it would.
func (t target) arguments(id string, c connector.Installed, from connection.FromURL, getenv func(string) string) (words string, notes []string, problem string) {
	keys, err := connection.Keys(c.Description.ConfigSchema)
	if err != nil {
		return "", nil, "its connector cannot be described"
	}
	var unset []string
	for _, key := range keys {
		content := from.Values[key.Name]
		secret, isSecret := from.Secrets[key.Name]
		if isSecret {
			content = secret.Reveal()
		}
		variable, isVariable := strings.CutPrefix(content, variableMark)
		if isVariable && getenv(variable) == "" && !slices.Contains(unset, variable) {
			unset = append(unset, variable)
		}
		switch _, misread := connection.ParseURL(key.Name + "=" + content); {
		case isSecret && isVariable:
			words += " " + key.Name + "=env:" + variable
		case isSecret:
			name := id + "-" + key.Name
			notes = append(notes, "its "+key.Name+" is not copied: to give it, run loam secret set "+name+" and add "+key.Name+"=keyring:"+name)
		case isVariable:
			words += " " + key.Name + `="$` + variable + `"`
		case key.URL == "file" && !namesFile(content):
			return "", nil, "it names no file of this machine"
		case misread:
			return "", nil, "its " + key.Name + " reads as a URL"
		case content != "":
			words += " " + key.Name + "=" + text.ShellWord(content)
		case key.Required && key.Default == "":
			return "", nil, "it says no " + key.Name
		}
	}
	if len(unset) > 0 {
		notes = append([]string{"set " + some(unset) + " in your shell first"}, notes...)
	}
	return words, notes, ""
}

// some formats the first of several names.
func some(names []string) string {
	const most = 5
	if len(names) > most {
		return strings.Join(names[:most], ", ") + ", …"
	}
	return strings.Join(names, ", ")
}

// namesFile reports whether a path names a file: it is neither a URL nor an in-memory database.
func namesFile(path string) bool {
	before, _, colon := strings.Cut(path, ":")
	const drive = 1 // a letter
	return path != "" && (!colon || len(before) == drive)
}

// scheme returns the scheme of URLs of such a warehouse.
func (t target) scheme() string { return t.values["type"].text }

// clean reports whether a terminal shows a text unescaped.
func clean(s string) bool { return terminal.Escape(s) == s }

func homeFolder() string {
	home, err := os.UserHomeDir()
	if err != nil {
		return "" // then that place is not searched
	}
	return home
}
