// Package secret has the commands that store secrets in the person's key ring.
package secret

import (
	"context"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/secret"
	"github.com/loam-data/loam/sdk"
)

// commands are those of this package on one command line.
type commands struct {
	term *terminal.Terminal
	keys secret.Keys
}

// Commands returns the commands of this package. They need no project.
func Commands(i *command.Invocation, keys secret.Keys) []*cobra.Command {
	a := &commands{i.Terminal, keys}
	return []*cobra.Command{command.Group("secret", "Store secrets in the key ring of this computer", a.setCommand(), a.removeCommand())}
}

func (a *commands) setCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "set NAME",
		Short: "Keep a secret under a name",
		Long: `Stores a secret under a name in your key ring: the Keychain of macOS, the Credential
Manager of Windows, the Secret Service of a Linux desktop (GNOME Keyring, KWallet). In
loam.yaml, keyring:NAME refers to it. Every program that you start can read it, also an MCP
client that was started from the desktop without the variables of your shell.

The command asks for the secret without showing it, or reads it from standard input, without
the last line end. It replaces a secret of the same name.`,
		Example: `  loam secret set warehouse-password
  pass show warehouse | loam secret set warehouse-password
  loam connection add warehouse CONNECTOR host=db.internal user=reader password=keyring:warehouse-password`,
		Args: command.Exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			value, err := a.read(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if err := a.keys.Set(cmd.Context(), args[0], value); err != nil {
				return err
			}
			return a.done(args[0], "kept: refer to it as %s in loam.yaml")
		},
	}
}

func (a *commands) removeCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "remove NAME",
		Short:   "Take a secret out of the key ring",
		Long:    "Removes a secret from your key ring. Connections that refer to it can no longer be opened.",
		Example: "  loam secret remove warehouse-password",
		Args:    command.Exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.keys.Remove(cmd.Context(), args[0]); err != nil {
				return err
			}
			return a.done(args[0], "%s is no longer in the key ring")
		},
	}
}

// done says what was done; format has a place for the reference.
func (a *commands) done(name, format string) error {
	reference := secret.Reference{Scheme: secret.Keyring, Rest: name}.String()
	if a.term.JSON {
		return a.term.Document(map[string]string{"reference": reference})
	}
	a.term.Infof(format, terminal.Escape(reference))
	return nil
}

// maxBytes bounds a secret that is read from standard input, as that of a file is.
const maxBytes = 1 << 20

// read asks a person for a secret, or reads it from standard input.
// Errors: KindCanceled, KindLimit, KindUnavailable.
func (a *commands) read(ctx context.Context, name string) (sdk.Secret, error) {
	if terminal.IsTerminal(a.term.In) {
		return a.term.Questions().AskUnseen(ctx, terminal.Escape(name)+" (it is not shown): ")
	}
	text, err := io.ReadAll(io.LimitReader(a.term.In, maxBytes+1))
	switch {
	case err != nil:
		return sdk.Secret{}, sdk.Errorf(sdk.KindUnavailable, sdk.SourceCaller, "the secret cannot be read: %w", err).
			WithHint("type it on a terminal, or pipe it: printf %%s \"$PASSWORD\" | loam secret set %s", name)
	case len(text) > maxBytes:
		return sdk.Secret{}, sdk.Errorf(sdk.KindLimit, sdk.SourceCaller, "the secret is larger than 1 MiB").WithHint("keep it in a file, and refer to it as file:path")
	}
	value := strings.TrimSuffix(strings.TrimSuffix(string(text), "\n"), "\r")
	return sdk.NewSecret(value), nil
}
