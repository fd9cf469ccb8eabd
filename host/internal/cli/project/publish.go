package project

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/publish/release"
	"github.com/loam-data/loam/host/internal/publish/signature"
	"github.com/loam-data/loam/host/internal/secret"
	"github.com/loam-data/loam/sdk"
)

func (a *commands) connectorPackageCommand() *cobra.Command {
	var b release.Build
	cmd := &cobra.Command{
		Use:   "package MANIFEST...",
		Short: "Make the archives of a connector's release",
		Long: `Makes an archive for each platform of the manifests, and SHA256SUMS. A manifest is a
connector.json, or the folder of one; the program and LICENSE lie beside it. Each archive has
the manifest, the program, LICENSE, README.md, check.json and the files that the manifest lists,
and is unpacked as a test before it gets its name. The same files make the same bytes: the time
of all files is SOURCE_DATE_EPOCH (seconds), or 0. No connector is started.

A package needs the report of a check that reached level "reads": loam connector check
--report check.json. With --unchecked it needs none, and the package says so.`,
		Example: "  loam connector package build/release/* --check build/check.json --out dist/foodb/0.3.1\n  loam connector package . --check build/check.json --homepage https://foodb.example --publisher Acme",
		Args:    atLeastOne("manifest"),
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, path := range args {
				if info, err := os.Stat(path); err == nil && info.IsDir() {
					path = filepath.Join(path, "connector.json")
				}
				b.Manifests = append(b.Manifests, path)
			}
			if b.Report == "" && !b.Unchecked {
				return command.Usage(cmd, "--check names the report of loam connector check, or --unchecked says that there is none")
			}
			seconds := int64(0)
			if text := os.Getenv("SOURCE_DATE_EPOCH"); text != "" {
				n, err := strconv.ParseInt(text, 10, 64)
				if err != nil || n < 0 {
					return command.Usage(cmd, "SOURCE_DATE_EPOCH is %q, no number of seconds since 1970", text)
				}
				seconds = n
			}
			b.Modified = time.Unix(seconds, 0)
			r, err := b.Make(cmd.Context())
			if err != nil {
				return err
			}
			lines := make([]string, len(r.Archives))
			for i, one := range r.Archives {
				lines[i] = one.File
			}
			return a.term.Done(r, "packaged %s %s (check: %s) in %s\n  %s\n  next: loam connector sign %s --key FILE", r.ID, r.Version, r.Level, r.Dir, strings.Join(lines, "\n  "), r.Dir)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&b.Out, "out", "dist", "the folder for the archives and SHA256SUMS")
	flags.StringSliceVar(&b.Platforms, "platforms", nil, "make only these: linux_amd64,darwin_arm64 (default: all of the manifests)")
	flags.StringVar(&b.Report, "check", "", "the report of loam connector check --report")
	flags.BoolVar(&b.Unchecked, "unchecked", false, "package without a check of level reads, and say so in the package")
	flags.StringVar(&b.Homepage, "homepage", "", "the web page of the connector (default: that of the manifest)")
	flags.StringVar(&b.Source, "source", "", "the web page of its source (default: that of the manifest)")
	flags.StringVar(&b.Publisher, "publisher", "", "who publishes it (default: that of the manifest)")
	return cmd
}

func atLeastOne(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return command.Usage(cmd, "no %s is named: %s", what, cmd.UseLine())
		}
		return nil
	}
}

// A keyFile is the secret key of a publisher, as flags of a command.
type keyFile struct{ path, passphrase string }

func (k *keyFile) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&k.path, "key", "", "the file of the secret key, which loam connector keygen made")
	cmd.Flags().StringVar(&k.passphrase, "passphrase", "", "a reference to its passphrase: env:NAME or file:PATH (default: it is asked for)")
}

// signer reads the key.
func (a *commands) signer(cmd *cobra.Command, k keyFile) (*signature.Signer, error) {
	if k.path == "" {
		return nil, command.Usage(cmd, "--key names the file of the secret key")
	}
	text, err := os.ReadFile(k.path)
	if err != nil {
		return nil, sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "the secret key cannot be read: %w", err).
			WithHint("loam connector keygen makes one")
	}
	var passphrase sdk.Secret
	if signature.Encrypted(text) {
		if passphrase, err = a.passphrase(cmd, k.passphrase); err != nil {
			return nil, err
		}
	}
	return signature.ReadSigner(text, passphrase)
}

// passphrase resolves a reference, or asks.
func (a *commands) passphrase(cmd *cobra.Command, reference string) (phrase sdk.Secret, err error) {
	if reference != "" {
		if !secret.IsReference(reference) {
			return phrase, command.Usage(cmd, "--passphrase is a reference, env:NAME or file:PATH")
		}
		err = a.open(cmd.Context(), func(services *Services) error {
			phrase, err = services.Secrets.Resolve(cmd.Context(), reference)
			return err
		})
		return phrase, err
	}
	if !a.term.CanAsk() {
		return sdk.Secret{}, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "the passphrase of the secret key is needed, and there is no terminal to ask for it").
			WithHint("name it with --passphrase env:NAME or --passphrase file:PATH")
	}
	return a.term.Questions().AskUnseen(cmd.Context(), "passphrase of the secret key (it is not shown): ")
}

func (a *commands) connectorSignCommand() *cobra.Command {
	var key keyFile
	cmd := &cobra.Command{
		Use:   "sign FOLDER",
		Short: "Sign the archives of a connector's release",
		Long: `Signs SHA256SUMS in a folder that loam connector package made, after a look whether the
archives are those that it lists, and writes SHA256SUMS.minisig beside it. minisign verifies it too.`,
		Example: "  loam connector sign dist/foodb/0.3.1 --key ~/.loam/acme.key",
		Args:    command.Exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			signer, err := a.signer(cmd, key)
			if err != nil {
				return err
			}
			sums, err := release.Sign(args[0], signer)
			if err != nil {
				return err
			}
			return a.term.Done(map[string]any{"dir": args[0], "files": len(sums), "key": signer.Key()},
				"signed %d files in %s with %s", len(sums), args[0], signer.Key())
		},
	}
	key.flags(cmd)
	return cmd
}

func (a *commands) connectorKeygenCommand() *cobra.Command {
	var passphrase string
	var open bool
	cmd := &cobra.Command{
		Use:   "keygen FILE",
		Short: "Make the keys of a publisher",
		Long: `Makes a pair of keys as minisign has them: the secret key in FILE, encrypted by a passphrase, which
only you have, and the public key in FILE.pub, which those who install your connectors trust.`,
		Example: "  loam connector keygen ~/.loam/acme.key\n  loam connector keygen acme.key --passphrase env:ACME_PASSPHRASE",
		Args:    command.Exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var phrase sdk.Secret
			if open && passphrase != "" {
				return command.Usage(cmd, "give either --passphrase or --unencrypted")
			}
			if !open {
				var err error
				if phrase, err = a.passphrase(cmd, passphrase); err != nil {
					return err
				}
				if phrase.IsZero() {
					return command.Usage(cmd, "the passphrase is empty: --unencrypted makes a key without one")
				}
			}
			signer, err := signature.NewSigner()
			if err != nil {
				return err
			}
			text, err := signer.File(phrase)
			if err != nil {
				return err
			}
			public := args[0] + ".pub"
			if err := writeNew(args[0], text, 0o600); err != nil {
				return err
			}
			if err := writeNew(public, signer.Key().File(), 0o644); err != nil {
				return errors.Join(err, os.Remove(args[0]))
			}
			return a.term.Done(map[string]any{"secret": args[0], "public": public, "key": signer.Key()},
				"made %s, which is secret, and %s\n  key: %s", args[0], public, signer.Key())
		},
	}
	cmd.Flags().StringVar(&passphrase, "passphrase", "", "a reference to the passphrase: env:NAME or file:PATH (default: it is asked for)")
	cmd.Flags().BoolVar(&open, "unencrypted", false, "make a secret key without a passphrase")
	return cmd
}

// writeNew writes a file that is not there.
func writeNew(path string, text []byte, mode fs.FileMode) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if errors.Is(err, fs.ErrExist) {
		return sdk.Errorf(sdk.KindConflict, sdk.SourceCaller, "%s is there already, and a key is never replaced", path).WithHint("name another file")
	}
	if err == nil {
		_, err = f.Write(text)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return sdk.Errorf(sdk.KindUnavailable, sdk.SourceHost, "the key cannot be written: %w", err)
	}
	return nil
}
