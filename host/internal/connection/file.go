package connection

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// The parts of a URL, as schemas name them, that are places of files.
const (
	partFile   = "file"
	partFolder = "folder"
)

// Extensions returns the file extensions that a connector opens, and the configuration key
// that names such a file.
func Extensions(configSchema json.RawMessage) (endings []string, key string) {
	key, p := lenient(configSchema).part(partFile)
	return p.Extensions, key
}

// Folders returns the extensions of the files that a connector reads in folders, and the
// configuration key that lists such folders.
func Folders(configSchema json.RawMessage) (endings []string, key string) {
	key, p := lenient(configSchema).part(partFolder)
	return p.Extensions, key
}

// Recognizes reports whether a connector knows a file as its own by its first bytes.
func Recognizes(configSchema json.RawMessage, first []byte) bool {
	_, p := lenient(configSchema).part(partFile)
	return p.Begins != "" && p.BeginsAt >= 0 && p.BeginsAt <= len(first) && strings.HasPrefix(string(first[p.BeginsAt:]), p.Begins)
}

// Local reports whether a connector opens files of this machine and no server.
func Local(configSchema json.RawMessage) bool {
	shape := lenient(configSchema)
	host, _ := shape.part("host")
	file, _ := shape.part(partFile)
	return host == "" && file != ""
}

// part returns the key that has a part of a URL; "" for none.
func (s schema) part(part string) (key string, property schema) {
	for name, p := range s.Properties {
		if p.URL == part {
			return name, p
		}
	}
	return "", schema{}
}

// SamePlace reports whether two configurations of one connector lead to the same database
// of the same server, or to the same files, whatever else they say.
func SamePlace(configSchema json.RawMessage, a, b Connection) bool {
	shape := lenient(configSchema)
	for key, p := range shape.Properties {
		if slices.Contains([]string{"host", "port", "database", "schema", partFile, partFolder}, p.URL) && a.at(key, p) != b.at(key, p) {
			return false
		}
	}
	return true
}

// at returns the value of a key, or its default, as text.
func (c Connection) at(key string, p schema) string {
	value := c.Config[key]
	s := splitter{dir: c.Dir}
	switch v := value.(type) {
	case nil:
		value = p.Default
	case string:
		if p.Format == formatPath {
			value = s.absolute(v)
		}
	case []any:
		value = s.list(v, p)
	}
	return fmt.Sprint(value)
}
