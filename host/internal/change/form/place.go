package form

import (
	"encoding/json"
	"strings"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/sdk"
)

// The beginnings of a page's places.
const (
	frontPlace = "front:"
	bodyPlace  = "body:"
)

// WholeFile is the place of a block that is a whole file, of pages and overlays alike.
const WholeFile = "file"

// A slash in a name is written ~1 in a place, and a tilde ~0.
var escaper, unescaper = strings.NewReplacer("~", "~0", "/", "~1"), strings.NewReplacer("~1", "/", "~0", "~")

// Front is the place of a key of a page's frontmatter.
func Front(key string) string { return frontPlace + escaper.Replace(key) }

// FrontEntry is the place of one entry of a list in a page's frontmatter.
func FrontEntry(key, entry string) string { return Front(key) + "/" + escaper.Replace(entry) }

// FrontValue is the text of a block of the frontmatter: a value of texts, numbers and lists as JSON.
func FrontValue(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // texts always encode
	}
	return string(text)
}

// Below is the place of a block below headings, the outermost first; without any it is
// the place before the first heading.
func Below(headings ...string) string {
	names := make([]string, len(headings))
	for i, h := range headings {
		names[i] = escaper.Replace(h)
	}
	return bodyPlace + strings.Join(names, "/")
}

// Member is the place of an entry of an overlay: Member("measures", "arr"),
// Member("columns", "status", "values").
func Member(section string, names ...string) string {
	for _, n := range names {
		section += "/" + escaper.Replace(n)
	}
	return section
}

// step leads to a part of a YAML document: the value of a key, or the entry of a list
// that is that text or has that name. Exactly one of them is set.
type step struct{ key, entry string }

// frontSteps returns where a place of the frontmatter is.
func frontSteps(place string) []step {
	key, entry, listed := strings.Cut(strings.TrimPrefix(place, frontPlace), "/")
	path := []step{{key: unescaper.Replace(key)}}
	if listed {
		path = append(path, step{entry: unescaper.Replace(entry)})
	}
	return path
}

// overlaySteps returns where a place of an overlay is; nil = it is no such place.
func overlaySteps(place string) []step {
	names := strings.Split(place, "/")
	for i, n := range names {
		if names[i] = unescaper.Replace(n); n == "" {
			return nil
		}
	}
	switch section := names[0]; {
	case len(names) == 1 && (section == "name" || section == "description" || section == "version"):
		return []step{{key: section}}
	case len(names) == 2 && (section == "measures" || section == "segments" || section == "metrics" || section == "synonyms" || section == "joins" || section == "tags"):
		return []step{{key: section}, {entry: names[1]}}
	case len(names) == 3 || len(names) == 4:
		path := []step{{key: section}, {entry: names[1]}, {key: names[2]}}
		switch section {
		case "columns":
			path[0].key = "column_overrides"
		case "measures", "segments", "metrics", "joins":
		default:
			return nil
		}
		if len(names) == 4 {
			path = append(path, step{entry: names[3]})
		}
		return path
	}
	return nil
}

func unknownPlace(b change.Block) error {
	return invalid("%q is no place of such a file", b.Place)
}

func invalid(format string, args ...any) *sdk.Error {
	return sdk.Errorf(sdk.KindInvalid, sdk.SourceHost, format, args...).WithHint("change the file by hand")
}

func conflict(place string) *sdk.Error {
	return sdk.Errorf(sdk.KindConflict, sdk.SourceHost, "%s is not as it was when the change was made", place).WithHint("plan the change again")
}
