package secret

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/loam-data/loam/sdk"
)

// Scheme is the kind of a reference.
type Scheme string

const (
	Variable Scheme = "env"
	File     Scheme = "file"
	Command  Scheme = "cmd"
	Keyring  Scheme = "keyring"
)

// Reference is a parsed reference.
type Reference struct {
	Scheme Scheme
	Rest   string // the text after the colon
}

// Parse parses a reference; ok is false for any other text.
func Parse(text string) (ref Reference, ok bool) {
	for _, scheme := range []Scheme{Variable, File, Command, Keyring} {
		if rest, ok := strings.CutPrefix(text, string(scheme)+":"); ok && strings.TrimSpace(rest) != "" {
			return Reference{scheme, rest}, true
		}
	}
	return Reference{}, false
}

// IsReference reports whether text is a reference rather than a value.
func IsReference(text string) bool {
	_, ok := Parse(text)
	return ok
}

// Variables lists the environment variables that a configuration refers to, with
// repetitions.
func Variables(config map[string]any) (names []string) {
	var walk func(any)
	walk = func(value any) {
		switch value := value.(type) {
		case string:
			if ref, ok := Parse(value); ok && ref.Scheme == Variable {
				names = append(names, ref.Rest)
			}
		case map[string]any:
			for _, part := range value {
				walk(part)
			}
		case []any:
			for _, part := range value {
				walk(part)
			}
		}
	}
	walk(config)
	return names
}

// String returns the reference for messages, without the arguments of a command,
// which may contain tokens.
func (r Reference) String() string {
	if r.Scheme != Command {
		return string(r.Scheme) + ":" + r.Rest
	}
	program, arguments, _ := strings.Cut(strings.TrimSpace(r.Rest), " ")
	if arguments != "" {
		program += " …"
	}
	return "cmd:" + program
}

// Path returns the file that a File reference names; dir is the project folder.
// Errors: those of the system when the home folder is needed and unknown.
func (r Reference) Path(dir string) (string, error) {
	path := strings.TrimSpace(r.Rest)
	if below, ok := strings.CutPrefix(path, "~/"); ok {
		home, err := os.UserHomeDir()
		return filepath.Join(home, below), err
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	return filepath.Clean(path), nil
}

// Words returns the program and the arguments of a Command reference.
func (r Reference) Words() ([]string, error) { return split(r.Rest) }

// untrusted is the refusal of a reference that nobody granted. Whoever asks for
// trust has refused the connection before; this is the second check.
func (r Reference) untrusted(dir string) *sdk.Error {
	return r.fail(sdk.KindDenied, "it was not trusted").WithHint("see what the project asks for and allow it: loam trust --project-dir %q", dir)
}

// fail makes an error about a reference.
func (r Reference) fail(kind sdk.Kind, format string, args ...any) *sdk.Error {
	return sdk.Errorf(kind, sdk.SourceHost, "the secret %s: %s", r, fmt.Sprintf(format, args...))
}
