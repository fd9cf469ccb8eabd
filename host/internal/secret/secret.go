// Package secret resolves references to secrets. loam.yaml holds references
// only; the values live in memory, from the moment a connection opens.
//
//	env:NAME     the environment variable NAME
//	file:path    the content of a file, relative to the project folder
//	cmd:program  what a program prints; words are split as a shell does, and
//	             nothing else of a shell applies
package secret

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/loam-data/loam/sdk"
)

const (
	// maxBytes bounds a secret: a large key file is 16 KiB.
	maxBytes = 1 << 20
	// commandTimeout bounds a cmd: reference. It is long enough for a password
	// manager that asks its own daemon, not for one that asks a person.
	commandTimeout = 10 * time.Second
)

// Resolver resolves references for one project. Concurrency: any number of
// goroutines; it keeps no value.
type Resolver struct {
	dir     string
	env     []string // of programs
	logger  *slog.Logger
	timeout time.Duration
}

// New resolves references of the project in dir. Programs of cmd: references see
// env as their environment, and nothing else of this process.
func New(dir string, env []string, logger *slog.Logger) *Resolver {
	return &Resolver{dir: dir, env: env, logger: logger, timeout: commandTimeout}
}

// reference is a parsed reference.
type reference struct{ scheme, rest string }

func parse(text string) (reference, bool) {
	for _, scheme := range []string{"env", "file", "cmd"} {
		if rest, ok := strings.CutPrefix(text, scheme+":"); ok && strings.TrimSpace(rest) != "" {
			return reference{scheme, rest}, true
		}
	}
	return reference{}, false
}

// String names the reference in messages. The arguments of a command stay out:
// people put tokens there.
func (r reference) String() string {
	if r.scheme != "cmd" {
		return r.scheme + ":" + r.rest
	}
	program, arguments, _ := strings.Cut(strings.TrimSpace(r.rest), " ")
	if arguments != "" {
		program += " …"
	}
	return "cmd:" + program
}

// IsReference reports whether text is a reference rather than a value.
func IsReference(text string) bool {
	_, ok := parse(text)
	return ok
}

// IsReference is the function of the same name, for interfaces.
func (*Resolver) IsReference(text string) bool { return IsReference(text) }

// Resolve returns the secret that a reference stands for. One trailing newline
// of a file, and all of a program's output, do not belong to it.
// Errors: KindInvalid for text that is no reference, KindNotFound, KindDenied,
// KindTimeout, KindUnavailable (the program failed). They name the reference
// and never the value.
func (r *Resolver) Resolve(ctx context.Context, text string) (sdk.Secret, error) {
	ref, ok := parse(text)
	if !ok {
		return sdk.Secret{}, sdk.Errorf(sdk.KindInvalid, sdk.SourceHost, "a secret is written as a value, or its reference is empty").
			WithHint("write env:NAME, file:path or cmd:program in loam.yaml")
	}
	var value string
	var err error
	switch ref.scheme {
	case "env":
		value, err = fromEnvironment(ref)
	case "file":
		value, err = r.fromFile(ctx, ref)
	case "cmd":
		value, err = r.fromCommand(ctx, ref)
	}
	if err != nil {
		return sdk.Secret{}, err
	}
	if value == "" {
		return sdk.Secret{}, sdk.Errorf(sdk.KindNotFound, sdk.SourceHost, "the secret %s is empty", ref).
			WithHint("give it a value, or remove the key from loam.yaml")
	}
	return sdk.NewSecret(value), nil
}

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

func fromEnvironment(ref reference) (string, error) {
	if !variableName.MatchString(ref.rest) {
		return "", sdk.Errorf(sdk.KindInvalid, sdk.SourceHost, "the secret reference env: needs the name of a variable").
			WithHint("write env:NAME with letters, digits and _ in loam.yaml")
	}
	value, ok := os.LookupEnv(ref.rest)
	if !ok {
		return "", sdk.Errorf(sdk.KindNotFound, sdk.SourceHost, "the environment variable %s is not set", ref.rest).
			WithHint("set %s where loam is started; an MCP client has an env setting for it", ref.rest)
	}
	return value, nil
}

// fail makes an error about a reference.
func (r reference) fail(kind sdk.Kind, format string, args ...any) *sdk.Error {
	return sdk.Errorf(kind, sdk.SourceHost, "the secret %s: %s", r, fmt.Sprintf(format, args...))
}
