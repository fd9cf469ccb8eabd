// Package secret resolves references to secrets. loam.yaml has references only; the
// values are in memory only, from the moment a connection opens.
//
//	env:NAME     the environment variable NAME
//	file:path    the content of a file, relative to the project folder
//	cmd:program  the output of a program; words are split as by a shell,
//	             without its other rules
//	keyring:NAME the secret of that name in the key ring of the person
package secret

import (
	"context"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

const (
	// maxBytes bounds a secret: a large key file is 16 KiB.
	maxBytes = 1 << 20
	// commandTimeout bounds a cmd: reference. It is long enough for a password
	// manager that asks its own daemon, not for one that asks a person.
	commandTimeout = 10 * time.Second
)

// Resolver resolves references for one project. A new one only resolves files within
// the project folder; see Granting. Concurrency: any number of goroutines; it keeps
// no value but those of Supply.
type Resolver struct {
	dir     string
	granted func(reference string) bool // nil = none
	env     []string                    // of programs
	logger  *slog.Logger
	timeout time.Duration
	ring    Ring
	// supplied are values by reference, which all resolvers of the project share.
	supplied *sync.Map
}

// New returns a resolver for the project in dir. env is the whole environment of
// programs of cmd: references.
func New(dir string, env []string, logger *slog.Logger) *Resolver {
	return &Resolver{dir: dir, env: env, logger: logger, timeout: commandTimeout, ring: System{}, supplied: &sync.Map{}}
}

// Supply makes a granted reference resolve to a value in this process: that of a
// variable or a secret that its person has yet to set.
func (r *Resolver) Supply(reference string, value sdk.Secret) { r.supplied.Store(reference, value) }

// Granting returns a resolver of the same project that also resolves granted
// references: variables, programs, secrets of the key ring, and files outside the
// project folder.
func (r *Resolver) Granting(granted func(reference string) bool) *Resolver {
	with := *r
	with.granted = granted
	return &with
}

// IsReference is the function of the same name, as a method for interfaces.
func (*Resolver) IsReference(text string) bool { return IsReference(text) }

// Resolve returns the secret of a reference, without one trailing newline of a file
// and all trailing newlines of a program's output.
// Errors: KindInvalid for text that is no reference, KindNotFound, KindDenied,
// also for a reference that was not granted, KindTimeout, KindUnavailable (the
// program failed). They name the reference and never the value.
func (r *Resolver) Resolve(ctx context.Context, text string) (sdk.Secret, error) {
	ref, ok := Parse(text)
	if !ok {
		return sdk.Secret{}, sdk.Errorf(sdk.KindInvalid, sdk.SourceHost, "a secret is written as a value, or its reference is empty").
			WithHint("write env:NAME, keyring:NAME, file:path or cmd:program in loam.yaml")
	}
	granted := r.granted != nil && r.granted(text)
	if value, ok := r.supplied.Load(text); ok && granted {
		return value.(sdk.Secret), nil
	}
	var value string
	var err error
	switch {
	case ref.Scheme == File:
		value, err = r.fromFile(ctx, ref, granted)
	case !granted:
		err = ref.untrusted(r.dir)
	case ref.Scheme == Variable:
		value, err = fromEnvironment(ref)
	case ref.Scheme == Keyring:
		value, err = Keys{ring: r.ring, timeout: r.timeout}.get(ctx, ref)
	default:
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

var variableName = text.Pattern(`^[A-Za-z_][A-Za-z0-9_]*$`)

func fromEnvironment(ref Reference) (string, error) {
	if !variableName().MatchString(ref.Rest) {
		return "", sdk.Errorf(sdk.KindInvalid, sdk.SourceHost, "the secret reference env: needs the name of a variable").
			WithHint("write env:NAME with letters, digits and _ in loam.yaml")
	}
	value, ok := os.LookupEnv(ref.Rest)
	if !ok {
		return "", sdk.Errorf(sdk.KindNotFound, sdk.SourceHost, "the environment variable %s is not set", ref.Rest).
			WithHint("set %s where loam is started; an MCP client has an env setting for it", ref.Rest)
	}
	return value, nil
}
