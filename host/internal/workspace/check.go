package workspace

import (
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/loam-data/loam/sdk"
)

// The limits of notes, in characters and entries. Source: spec of toolsets, section 5.
const (
	maxSummary     = 500
	maxDescription = 5_000
	maxError       = 10_000
	maxStack       = 50_000
	maxQuery       = 1_000
	maxSolution    = 50_000
	maxTags        = 20
	maxTag         = 50
	maxKeys        = 50
	maxValue       = 1_000
	maxClientID    = 64
	maxErrorType   = 200
	maxPath        = 1_000
	maxOffset      = 10_000
	// maxSecrets is how many secrets a checkpoint may have: with more it is a file of secrets.
	maxSecrets = 20
)

// checks collects the first fault of some arguments.
type checks struct{ err error }

func (c *checks) refuse(hint, format string, args ...any) {
	if c.err == nil {
		c.err = sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, format, args...).WithHint("%s", hint)
	}
}

// text refuses a text that is longer than most characters, or that is no text.
func (c *checks) text(name, s string, most int) {
	switch n := utf8.RuneCountInString(s); {
	case !utf8.ValidString(s):
		c.refuse("convert it to UTF-8", "%s is not UTF-8", name)
	case strings.ContainsRune(s, 0):
		c.refuse("send text, not a binary file", "%s has a NUL character", name)
	case n > most:
		c.refuse("shorten it: nothing is cut for you", "%s has %d characters; the limit is %d", name, n, most)
	}
}

// required refuses an empty text too.
func (c *checks) required(name, s string, most int) {
	if strings.TrimSpace(s) == "" {
		c.refuse("write it in a few words", "%s is empty", name)
	}
	c.text(name, s, most)
}

func (c *checks) tags(all []string) {
	if len(all) > maxTags {
		c.refuse("give fewer tags", "%d tags are given; the limit is %d", len(all), maxTags)
	}
	for _, tag := range all {
		c.required("a tag", tag, maxTag)
	}
}

func (c *checks) pairs(all map[string]string) {
	if len(all) > maxKeys {
		c.refuse("give fewer keys", "context has %d keys; the limit is %d", len(all), maxKeys)
	}
	for key, value := range all {
		c.required("a key of context", key, maxTag)
		c.text("a value of context", value, maxValue)
	}
}

// path refuses a folder that is not absolute and clean. It is an attribute: nothing is read there.
func (c *checks) path(path string) {
	if path == "" {
		return
	}
	c.text("projectPath", path, maxPath)
	windows := len(path) > 2 && path[1] == ':' && (path[2] == '\\' || path[2] == '/')
	parts := strings.FieldsFunc(path, func(r rune) bool { return r == '/' || r == '\\' && windows })
	clean := filepath.ToSlash(filepath.Clean(path)) == path || windows
	if !strings.HasPrefix(path, "/") && !windows || !clean || slices.Contains(parts, "..") || slices.Contains(parts, ".") {
		c.refuse("give the absolute path of the folder, without . and ..", "projectPath %q is not absolute and clean", brief(path))
	}
}

func (c *checks) within(name string, n, least, most int) {
	if n < least || n > most {
		c.refuse("ask for less, and follow nextCursor where there is one", "%s is %d; it is from %d to %d", name, n, least, most)
	}
}

func (c *checks) oneOf(name, value string, words ...string) {
	if value != "" && !slices.Contains(words, value) {
		c.refuse("choose from "+strings.Join(words, ", "), "there is no %s %q", name, brief(value))
	}
}

func (c *checks) save(in *Save) {
	c.pairs(in.Context)
	c.tags(in.Tags)
	c.path(in.ProjectPath)
	c.text("clientId", in.ClientID, maxClientID)
}

// brief returns the beginning of a text for a message.
func brief(s string) string {
	if all := []rune(s); len(all) > maxTag {
		return string(all[:maxTag]) + "…"
	}
	return s
}
