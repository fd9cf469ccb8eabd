package archive

import (
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/loam-data/loam/host/internal/text"
)

// names are those of an archive. On no system may two of them be one file.
type names struct {
	files   map[string]string // as in the archive, by what they are without case and composition
	folders map[string]string
}

func newNames() *names { return &names{map[string]string{}, map[string]string{}} }

// add takes a name in.
// Errors: KindDenied for a name that is no file below the folder on every system, and for one that is taken.
func (n *names) add(name string) error {
	if why := unusable(name); why != "" {
		return refuse("the name %q %s", name, why)
	}
	same := folded(name)
	if before, ok := n.files[same]; ok {
		return refuse("the names %q and %q are the same file on some systems", before, name)
	}
	if before, ok := n.folders[same]; ok {
		return refuse("the name %q is a folder in %q", name, before)
	}
	for dir := path.Dir(same); dir != "."; dir = path.Dir(dir) {
		if before, ok := n.files[dir]; ok {
			return refuse("the name %q is a folder in %q", before, name)
		}
		n.folders[dir] = name
	}
	n.files[same] = name
	return nil
}

func folded(name string) string { return strings.ToLower(strings.ToUpper(norm.NFC.String(name))) }

// device are names that open a device on Windows, with any ending.
var device = text.Pattern(`(?i)^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³])(\.|$)`)

const maxName = 200 // bytes

// unusable returns what is wrong with a name, "" = nothing.
func unusable(name string) string {
	parts := strings.Split(name, "/")
	switch {
	case name == "" || len(name) > maxName:
		return "is empty or too long"
	case !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl):
		return "has characters that are no text"
	case strings.ContainsAny(name, `\:*?"<>|`):
		return "has characters that no file has on Windows"
	case strings.HasPrefix(name, "/"):
		return "is absolute"
	case slices.Contains(parts, ".."):
		return "leaves the folder"
	case slices.Contains(parts, "") || slices.Contains(parts, "."):
		return "is not in its shortest form"
	}
	for _, part := range parts {
		if device().MatchString(part) {
			return "is a device on Windows"
		}
		if strings.HasSuffix(part, ".") || strings.HasSuffix(part, " ") {
			return "ends in a way that Windows removes"
		}
	}
	return ""
}
