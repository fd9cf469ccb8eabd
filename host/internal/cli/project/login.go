package project

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/connector"
	"github.com/loam-data/loam/host/internal/secret"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

func (a *commands) connectionLoginCommand() *cobra.Command {
	var browser bool
	cmd := &cobra.Command{
		Use:   "login ID",
		Short: "Sign in to a warehouse in a browser",
		Long: `Signs you in to a warehouse whose connector has a sign-in of its own. Prints the address
to open and the code to enter there, says until when they can be used, and waits until you
have signed in; ctrl-c ends it. The token that the warehouse returns is kept in your key
ring, or where there is none in a file that nobody else can read, and loam.yaml refers to
it. It is printed nowhere.

A key ring entry that the connection refers to already gets the new token. A connection
that you have not allowed yet is refused (see: loam trust). With --json the address and the
code are written to stderr, as a line with an object "prompt".`,
		Example: `  loam connection login warehouse
  loam connection login warehouse --open`,
		Args: command.Exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.open(cmd.Context(), func(services *Services) error {
				return a.login(cmd.Context(), services, connection.ID(args[0]), browser)
			})
		},
	}
	cmd.Flags().BoolVar(&browser, "open", false, "open the address in your browser")
	return cmd
}

func (a *commands) login(ctx context.Context, services *Services, id connection.ID, browser bool) error {
	current, was, found, err := configured(ctx, services, id)
	if err != nil {
		return err
	}
	if err := a.canLogin(was, found); err != nil {
		return err
	}
	credentials, err := newSignIn(a.term, browser).run(ctx, services, was)
	if err != nil {
		return err
	}
	if err := checkCredentials(found, credentials); err != nil {
		return err
	}
	kept, err := a.keepSecrets(ctx, current.Dir, was, credentials.Secrets)
	if err != nil {
		return err
	}
	config, err := typedConfig(found.Description.ConfigSchema, kept.references)
	if err == nil {
		_, err = a.replaceConnection(ctx, services, current.Dir, was, was.WithConfig(merged(was.Config, config)), found)
	}
	if err != nil {
		kept.undo(context.WithoutCancel(ctx), a.term)
		return err
	}
	return a.signedIn(current.File, id, credentials, kept)
}

// canLogin returns an error for a connector without a sign-in, and if no person can see the prompts.
func (a *commands) canLogin(c connection.Connection, found connector.Installed) error {
	if !found.Description.Capabilities.Authenticate {
		return sdk.Errorf(sdk.KindUnsupported, sdk.SourceCaller, "connector %s has no sign-in", found.Name).
			WithHint("give the connection its secret by reference: loam connection set %s KEY=env:NAME; the keys: loam connector show %s", c.ID, found.Name)
	}
	if !a.term.JSON && (a.term.Quiet || !terminal.IsTerminal(a.term.Err)) {
		return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "a person has to sign in, and there is no terminal to show the address on").
			WithHint("run it in a terminal: loam connection login %s; or have a program show the address: loam connection login %s --json", c.ID, c.ID)
	}
	return nil
}

// checkCredentials returns an error for credentials without a key in the connector's schema.
func checkCredentials(found connector.Installed, given sdk.Credentials) error {
	keys, err := connection.Keys(found.Description.ConfigSchema)
	if err != nil {
		return err
	}
	broken := func(format string, args ...any) error {
		return sdk.Errorf(sdk.KindInternal, sdk.SourceConnector, "connector %s broke the contract: %s", found.Name, fmt.Sprintf(format, args...)).
			WithHint("report this to the author of the connector; nothing was changed")
	}
	if len(given.Secrets) == 0 {
		return broken("its sign-in returned no secret")
	}
	for _, name := range slices.Sorted(maps.Keys(given.Secrets)) {
		known := slices.ContainsFunc(keys, func(k connection.Key) bool { return k.Name == name && k.Secret })
		if !known || filepath.Base(name) != name {
			return broken("its sign-in returned a secret for %q, which is no secret key of its configuration", name)
		}
		if value := given.Secrets[name]; value.IsZero() {
			return broken("its sign-in returned an empty secret for %q", name)
		}
	}
	return nil
}

// keptSecrets are the stored secrets of a sign-in.
type keptSecrets struct {
	references map[string]string // by dotted key
	drawer     secret.Drawer
	keys       secret.Keys
	added      []string // references that the connection did not have before
}

// keepSecrets stores secrets in the key ring, or in files if it cannot be used.
func (a *commands) keepSecrets(ctx context.Context, dir string, c connection.Connection, secrets map[string]sdk.Secret) (keptSecrets, error) {
	k := keptSecrets{references: map[string]string{}, keys: a.keys}
	var err error
	if k.drawer, err = drawer(dir); err != nil {
		return k, err
	}
	before := map[string]string{}
	for _, line := range configLines("", c.Config) {
		before[line[0]] = line[1]
	}
	for key, value := range secrets {
		file := string(c.ID) + "." + key
		ref := secret.Reference{Scheme: secret.Keyring, Rest: k.drawer.Key(file)}
		if was, ok := secret.Parse(before[key]); ok && was.Scheme == secret.Keyring {
			ref = was
		}
		reference := ref.String()
		if err := a.keys.Set(ctx, ref.Rest, value); err != nil {
			if reference = k.drawer.Reference(file); ctx.Err() == nil {
				err = k.drawer.Keep(file, value)
			}
			if err != nil {
				k.undo(context.WithoutCancel(ctx), a.term)
				return k, err
			}
		}
		k.references[key] = reference
		if before[key] != reference {
			k.added = append(k.added, reference)
		}
	}
	return k, nil
}

// undo removes the secrets that loam.yaml does not refer to.
func (k keptSecrets) undo(ctx context.Context, term *terminal.Terminal) {
	for _, reference := range k.added {
		var err error
		if ref, ok := secret.Parse(reference); ok && ref.Scheme == secret.Keyring {
			err = k.keys.Remove(ctx, ref.Rest)
		} else {
			err = k.drawer.Forget(reference)
		}
		if err != nil {
			term.Warn(err)
		}
	}
}

// signedIn reports a sign-in, without its secrets.
func (a *commands) signedIn(file string, id connection.ID, given sdk.Credentials, kept keptSecrets) error {
	if a.term.JSON {
		document := map[string]any{"connection": id, "secrets": kept.references}
		if given.User != "" {
			document["user"] = given.User
		}
		if !given.Expires.IsZero() {
			document["expires"] = given.Expires.UTC().Format(time.RFC3339)
		}
		return a.term.Document(document)
	}
	as := ""
	if given.User != "" {
		as = " as " + terminal.Escape(given.User)
	}
	a.term.Infof("signed in to %s%s", id, as)
	for _, key := range slices.Sorted(maps.Keys(kept.references)) {
		place := "a file that only you can read"
		if ref, ok := secret.Parse(kept.references[key]); ok && ref.Scheme == secret.Keyring {
			place = "your key ring"
		}
		a.term.Infof("the %s is kept in %s; %s has %s: %s", key, place, file, key, kept.references[key])
	}
	if !given.Expires.IsZero() {
		a.term.Infof("it can be used until %s", text.Clock(given.Expires))
	}
	a.term.Infof("next: loam connection test %s", id)
	return nil
}

// promptDocument is a prompt of a sign-in; with --json it is printed as a line on stderr.
type promptDocument struct {
	URL     string `json:"url"`
	Code    string `json:"code,omitempty"`
	Expires string `json:"expires,omitempty"`
}

func (d promptDocument) write(term *terminal.Terminal) error {
	enc := json.NewEncoder(term.Err)
	enc.SetEscapeHTML(false)
	return enc.Encode(map[string]any{"prompt": d})
}
