package project

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/publish/index"
	"github.com/loam-data/loam/host/internal/publish/release"
	"github.com/loam-data/loam/host/internal/publish/signature"
)

func (a *commands) connectorIndexCommand() *cobra.Command {
	return command.Group("index", "Edit and sign the index of a publisher", a.indexAddCommand(), a.indexYankCommand(), a.indexRemoveCommand())
}

// An edit is the flags that all edits of an index share.
type edit struct {
	path string
	key  keyFile
	days int
}

func (e *edit) flags(cmd *cobra.Command) *cobra.Command {
	cmd.Flags().StringVar(&e.path, "index", "index.json", "the file of the index; index.json.minisig is its signature")
	cmd.Flags().IntVar(&e.days, "expires", 90, "for how many days the index is good")
	e.key.flags(cmd)
	return cmd
}

func (a *commands) editor(cmd *cobra.Command, e *edit) (release.Editor, error) {
	if e.days < 1 {
		return release.Editor{}, command.Usage(cmd, "--expires is a number of days, at least 1")
	}
	signer, err := a.signer(cmd, e.key)
	now := time.Now()
	return release.Editor{Path: e.path, Signer: signer, Now: now, Expires: now.AddDate(0, 0, e.days)}, err
}

// publisherKeys parses PATTERN=KEY.
func publisherKeys(cmd *cobra.Command, texts []string) (keys []release.PublisherKey, err error) {
	for _, text := range texts {
		pattern, key, ok := strings.Cut(text, "=")
		if !ok {
			return nil, command.Usage(cmd, "--publisher-key %q is not of the form acme/*=RW...", text)
		}
		parsed, err := signature.ParseKey(key)
		if err != nil {
			return nil, err
		}
		keys = append(keys, release.PublisherKey{Pattern: pattern, Key: parsed})
	}
	return keys, nil
}

func (a *commands) indexAddCommand() *cobra.Command {
	var e edit
	var more []string
	cmd := &cobra.Command{
		Use:   "add ARCHIVE...",
		Short: "Add archives or a key to the index",
		Long: `Adds archives to the index and signs it. They lie below its folder, with SHA256SUMS and its
signature beside them, because the index names them by relative addresses. The first archive makes the
index, with your key for the namespace of the connector. A version that is in the index never changes.

--publisher-key lists a further key. To change keys, add the new one, signed by the old one; when all
who install have seen that index, sign with the new key and remove the old one.

An index expires: run add without archives, again and again, to renew it.`,
		Example: "  loam connector index add --index dist/index.json --key acme.key dist/foodb/0.3.1/*.tar.gz\n  loam connector index add --index dist/index.json --key old.key --publisher-key \"acme/*=$(tail -1 new.key.pub)\"",
		RunE: func(cmd *cobra.Command, args []string) error {
			keys, err := publisherKeys(cmd, more)
			if err != nil {
				return err
			}
			editor, err := a.editor(cmd, &e)
			if err != nil {
				return err
			}
			if _, err := os.Stat(e.path); errors.Is(err, fs.ErrNotExist) && len(args) == 0 {
				return command.Usage(cmd, "%s is not there, and no archive is named that could make it", e.path)
			}
			x, err := editor.Add(cmd.Context(), args, keys)
			if err != nil {
				return err
			}
			return a.edited(e.path, x.Serial, x.Expires, "added %d archives and %d keys", len(args), len(keys))
		},
	}
	cmd.Flags().StringArrayVar(&more, "publisher-key", nil, "list a further key, acme/*=RW... (again for more)")
	return e.flags(cmd)
}

// edited answers an edit.
func (a *commands) edited(path string, serial int64, expires time.Time, format string, args ...any) error {
	return a.term.Done(map[string]any{"index": path, "serial": serial, "expires": terminal.Moment(expires)},
		format+"\n  %s: serial %d, good until %s", append(args, path, serial, expires.Format(time.DateOnly))...)
}

func (a *commands) indexYankCommand() *cobra.Command {
	var e edit
	var reason string
	var undo bool
	cmd := &cobra.Command{
		Use:   "yank ID VERSION",
		Short: "Withdraw a version",
		Long: `Withdraws a version: it is not chosen any more, and where a project has locked it, the reason is
shown. --undo takes that back.`,
		Example: "  loam connector index yank acme/foodb 0.3.1 --reason \"it lost rows\" --index dist/index.json --key acme.key",
		Args:    command.Exactly(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if undo == (reason != "") {
				return command.Usage(cmd, "give either a --reason or --undo")
			}
			editor, err := a.editor(cmd, &e)
			if err != nil {
				return err
			}
			x, err := editor.Yank(args[0], args[1], reason)
			if err != nil {
				return err
			}
			done := "withdrew %s %s"
			if undo {
				done = "%s %s is good again"
			}
			return a.edited(e.path, x.Serial, x.Expires, done, args[0], args[1])
		},
	}
	cmd.Flags().StringVar(&reason, "reason", "", "why, in a sentence that everybody sees who uses it")
	cmd.Flags().BoolVar(&undo, "undo", false, "take it back")
	return e.flags(cmd)
}

func (a *commands) indexRemoveCommand() *cobra.Command {
	var e edit
	var old []string
	cmd := &cobra.Command{
		Use:   "remove [ID [VERSION]]",
		Short: "Remove a version, a connector or a key from the index",
		Long: `Removes a version from the index, or all versions of a connector, or with --publisher-key a key. Projects that
have locked a removed version can install it no more: yank is the milder way.`,
		Example: "  loam connector index remove acme/foodb 0.3.0 --index dist/index.json --key acme.key\n  loam connector index remove --publisher-key \"acme/*=$(tail -1 old.key.pub)\" --index dist/index.json --key new.key",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 2 || (len(args) == 0) != (len(old) > 0) {
				return command.Usage(cmd, "name either a connector, with a version or without, or a --publisher-key")
			}
			keys, err := publisherKeys(cmd, old)
			if err != nil {
				return err
			}
			editor, err := a.editor(cmd, &e)
			if err != nil {
				return err
			}
			x, err := remove(editor, keys, args)
			if err != nil {
				return err
			}
			return a.edited(e.path, x.Serial, x.Expires, "removed %s", strings.Join(append(args, old...), " "))
		},
	}
	cmd.Flags().StringArrayVar(&old, "publisher-key", nil, "remove a key, acme/*=RW... (again for more)")
	return e.flags(cmd)
}

func remove(editor release.Editor, keys []release.PublisherKey, args []string) (*index.Index, error) {
	if len(keys) > 0 {
		return editor.Retire(keys)
	}
	return editor.Remove(args[0], strings.Join(args[1:], ""))
}
