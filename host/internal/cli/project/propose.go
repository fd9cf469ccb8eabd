package project

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/connector"
	"github.com/loam-data/loam/host/internal/text"
)

// proposal is a connection that a folder suggests, and the command that adds it. It contains no part
// of a URL and no secret.
type proposal struct {
	Found   string `json:"found"`
	Command string `json:"command,omitempty"`
	// PassedOver is why there is no command; "" = there is one.
	PassedOver string `json:"passedOver,omitempty"`
}

// maxProposals bounds the proposals from profiles; proposals from files are added up to it.
const maxProposals = 10

// assignment is compiled at its first use: only loam init needs it.
var assignment = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_]*)=["']?([^"'\s]+)`)
})

// propose searches for warehouses: a URL in a variable or in .env, dbt's profiles, and database files
// in the folder and its direct subfolders.
func propose(dir, home string, connectors []connector.Installed, getenv func(string) string) []proposal {
	var schemes, endings []string
	for _, c := range connectors {
		if c.Err == nil {
			schemes = append(schemes, connection.Schemes(c.Description.ConfigSchema)...)
			files, _ := connection.Extensions(c.Description.ConfigSchema)
			endings = append(endings, files...)
		}
	}
	known := func(url string) bool {
		u, ok := connection.ParseURL(url)
		return ok && !web(u.Scheme()) && slices.Contains(schemes, u.Scheme())
	}
	found := []proposal{}
	const variable = "DATABASE_URL"
	inEnvironment := known(getenv(variable))
	switch u, isURL := connection.ParseURL(getenv(variable)); {
	case inEnvironment:
		found = append(found, proposal{Found: "the variable " + variable, Command: "loam connection add env:" + variable})
	case isURL && !web(u.Scheme()):
		found = append(found, proposal{Found: "the variable " + variable, PassedOver: "no installed connector takes URLs with the scheme " + u.Scheme()})
	}
	// The file may be a stranger's, so it is not read by a shell, which would run its content.
	variables, err := readStart(filepath.Join(dir, ".env"), maxEnvironment)
	if err != nil {
		variables = nil // there is none, or it cannot be read
	}
	for _, m := range assignment().FindAllStringSubmatch(string(variables), -1) {
		if known(m[2]) && (!inEnvironment || m[1] != variable) {
			found = append(found, proposal{Found: m[1] + " in .env (set it in your shell first)", Command: "loam connection add env:" + m[1]})
		}
	}
	profiles := proposeProfiles(dir, home, connectors, getenv)
	if more := len(profiles) - maxProposals; more > 0 {
		profiles = append(profiles[:maxProposals], proposal{Found: text.Count(more, "more target"), PassedOver: "the first ones are shown"})
	}
	found = append(found, profiles...)
	for _, pattern := range []string{"*", "*/*"} {
		files, err := fs.Glob(os.DirFS(dir), pattern)
		if err != nil {
			panic("project: a pattern of this package is malformed: " + err.Error())
		}
		for _, name := range files {
			hidden := strings.HasPrefix(name, ".")
			if !hidden && slices.Contains(endings, filepath.Ext(name)) && isFile(filepath.Join(dir, name)) && len(found) < maxProposals {
				found = append(found, proposal{Found: name, Command: "loam connection add " + text.ShellWord(name)})
			}
		}
	}
	return found
}

// maxEnvironment bounds the bytes read of a file with variables.
const maxEnvironment = 64 << 10

// readStart returns the first bytes of a regular file.
func readStart(path string, most int64) ([]byte, error) {
	if !isFile(path) {
		return nil, fs.ErrNotExist
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	return io.ReadAll(io.LimitReader(f, most))
}
