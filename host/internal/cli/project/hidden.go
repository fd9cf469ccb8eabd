package project

import (
	"context"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/secret"
	"github.com/loam-data/loam/sdk"
)

// hiddenSecrets are the secrets of a connection that are not stored in files: in the key ring, or
// in variables that the person sets.
type hiddenSecrets struct {
	references map[string]string // by dotted key
	variables  []string          // that the person has to set: only this process has their values
	ring       []ringSecret
}

// ringSecret is a secret to store in the key ring. fresh says that the connection did not refer to
// its name before.
type ringSecret struct {
	key   string // of the configuration, dotted
	name  string
	value sdk.Secret
	fresh bool
}

// hide chooses where to store each secret, sets the references in the configuration, and supplies
// the values to this process. It stores nothing.
// Errors: KindConflict for a variable that has another value.
func (h *hiddenSecrets) hide(ctx context.Context, a *commands, services *Services, id connection.ID, config map[string]any, secrets map[string]sdk.Secret) error {
	before := map[string]string{}
	for _, line := range configLines("", config) {
		before[line[0]] = line[1]
	}
	for _, key := range slices.Sorted(maps.Keys(secrets)) {
		value, was := secrets[key], secret.Reference{}
		if ref, ok := secret.Parse(before[key]); ok {
			was = ref
		}
		name, fresh := was.Rest, was.Scheme != secret.Keyring
		if d, err := drawer(services.Project.Dir()); err == nil && fresh {
			name = d.Key(string(id) + "." + key)
		}
		usable := was.Scheme != secret.Variable && a.keys.Usable(ctx, name) == nil
		if err := ctx.Err(); err != nil {
			return err
		}
		if usable {
			ref := secret.Reference{Scheme: secret.Keyring, Rest: name}.String()
			services.Supply(ref, value)
			h.ring = append(h.ring, ringSecret{key, name, value, fresh})
			h.refer(key, ref)
		} else {
			variable := was.Rest
			if was.Scheme != secret.Variable {
				variable = variableOf(id, key)
			}
			if err := h.inVariable(services, key, variable, value); err != nil {
				return err
			}
		}
		setKey(config, key, h.references[key])
	}
	return nil
}

func (h *hiddenSecrets) refer(key, reference string) {
	if h.references == nil {
		h.references = map[string]string{}
	}
	h.references[key] = reference
}

// inVariable makes a secret a reference to a variable, and supplies its value to this process.
func (h *hiddenSecrets) inVariable(services *Services, key, variable string, value sdk.Secret) error {
	has := os.Getenv(variable)
	if has != "" && has != value.Reveal() {
		return sdk.Errorf(sdk.KindConflict, sdk.SourceCaller, "the variable %s has another value than the %s that was given", variable, key).
			WithHint("set it to the %s or unset it, or name another one: %s=env:NAME; nothing was written", key, key)
	}
	reference := secret.Reference{Scheme: secret.Variable, Rest: variable}.String()
	services.Supply(reference, value)
	h.refer(key, reference)
	if has == "" {
		h.variables = append(h.variables, variable)
	}
	return nil
}

// variableOf returns the name of the variable for a secret of a connection.
func variableOf(id connection.ID, key string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, strings.ToUpper(string(id)+"_"+key))
}

// keep stores the secrets for the key ring.
func (h *hiddenSecrets) keep(ctx context.Context, a *commands) error {
	for i, s := range h.ring {
		if err := a.keys.Set(ctx, s.name, s.value); err != nil {
			h.ring = h.ring[:i]
			h.undo(context.WithoutCancel(ctx), a)
			e := *sdk.AsError(err, sdk.SourceHost)
			e.Hint += "\nor have it come from a variable: " + s.key + "=env:NAME"
			return &e
		}
	}
	return nil
}

// undo removes from the key ring what keep stored, unless a connection refers to it.
func (h *hiddenSecrets) undo(ctx context.Context, a *commands) {
	for _, s := range h.ring {
		if !s.fresh {
			continue
		}
		if err := a.keys.Remove(ctx, s.name); err != nil {
			a.term.Warn(err)
		}
	}
}

// report prints where the secrets are.
func (h *hiddenSecrets) report(term *terminal.Terminal) {
	for _, key := range slices.Sorted(maps.Keys(h.references)) {
		where := "is kept in your key ring"
		if strings.HasPrefix(h.references[key], string(secret.Variable)+":") {
			where = "is stored nowhere"
		}
		term.Infof("the %s %s; loam.yaml has %s: %s", key, where, key, h.references[key])
	}
	for _, name := range h.variables {
		term.Infof("set it where loam is started, before the next command: %s", exportLine(name))
	}
}

// exportLine returns a shell command that reads the value of a variable, without showing it and
// without adding it to the shell's history.
func exportLine(name string) string {
	if runtime.GOOS == "windows" {
		return "$env:" + name + " = Read-Host -MaskInput"
	}
	return "read -rs " + name + " && export " + name
}

// forgetSecrets removes the secrets that loam kept for a configuration, where the one that
// replaces it no longer refers to them: out of the key ring and of files. It warns of what stays.
func (a *commands) forgetSecrets(ctx context.Context, dir string, was, now map[string]any) {
	d, err := drawer(dir)
	if err != nil {
		return // then none was kept
	}
	used := map[string]bool{}
	for _, line := range configLines("", now) {
		used[line[1]] = true
	}
	for _, line := range configLines("", was) {
		ref, ok := secret.Parse(line[1])
		if !ok || used[line[1]] {
			continue
		}
		if ref.Scheme == secret.Keyring && d.Owns(ref.Rest) {
			err = a.keys.Remove(ctx, ref.Rest)
		} else {
			err = d.Forget(line[1])
		}
		if err != nil && sdk.KindOf(err) != sdk.KindNotFound {
			a.term.Warn(err)
		}
	}
}

func drawer(dir string) (secret.Drawer, error) {
	config, err := os.UserConfigDir()
	if err != nil {
		return secret.Drawer{}, sdk.Errorf(sdk.KindNotFound, sdk.SourceHost, "your configuration folder is unknown: %w", err).
			WithHint("set HOME; or give the secret by reference: env:NAME, file:path, cmd:program or keyring:NAME")
	}
	return secret.DrawerOf(config, dir), nil
}
