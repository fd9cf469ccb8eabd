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

// proposal is a connection that a folder suggests, and the command that adds it. It
// holds nothing of a URL.
type proposal struct {
	Found   string `json:"found"`
	Command string `json:"command"`
}

// maxProposals is how many files are proposed.
const maxProposals = 10

// assignment is compiled when first used: loam init alone needs it.
var assignment = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_]*)=["']?([^"'\s]+)`)
})

// propose looks for warehouses: the URL in a variable or in .env, and database files in
// the folder and those in it.
func propose(dir string, connectors []connector.Installed, getenv func(string) string) []proposal {
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
		web := u.Scheme() == "http" || u.Scheme() == "https" // it may be any site
		return ok && !web && slices.Contains(schemes, u.Scheme())
	}
	found := []proposal{}
	const variable = "DATABASE_URL"
	inEnvironment := known(getenv(variable))
	if inEnvironment {
		found = append(found, proposal{"the variable " + variable, "loam connection add env:" + variable})
	}
	// The file may be a stranger's: to have a shell read it would run what is in it.
	for _, m := range assignment().FindAllStringSubmatch(readEnvironment(filepath.Join(dir, ".env")), -1) {
		if known(m[2]) && (!inEnvironment || m[1] != variable) {
			found = append(found, proposal{m[1] + " in .env (set it in your shell first)", "loam connection add env:" + m[1]})
		}
	}
	for _, pattern := range []string{"*", "*/*"} {
		files, err := fs.Glob(os.DirFS(dir), pattern)
		if err != nil {
			panic("project: a pattern of this package is malformed: " + err.Error())
		}
		for _, name := range files {
			hidden := strings.HasPrefix(name, ".")
			if !hidden && slices.Contains(endings, filepath.Ext(name)) && isFile(filepath.Join(dir, name)) && len(found) < maxProposals {
				found = append(found, proposal{name, "loam connection add " + text.ShellWord(name)})
			}
		}
	}
	return found
}

// maxEnvironment is how many bytes of a file with variables are read.
const maxEnvironment = 64 << 10

// readEnvironment returns the beginning of a file with variables; "" when there is none,
// or it is not for us.
func readEnvironment(path string) string {
	if !isFile(path) {
		return ""
	}
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close() //nolint:errcheck // it was only read
	content, err := io.ReadAll(io.LimitReader(f, maxEnvironment))
	if err != nil {
		return ""
	}
	return string(content)
}
