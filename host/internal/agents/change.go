package agents

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/agents/edit"
	"github.com/loam-data/loam/host/internal/file"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// Config has the dependencies of Agents. All fields are required, except those that say so.
type Config struct {
	Machine Machine
	// Project is the absolute path of the project folder; "" = no project: then only entries for
	// servers elsewhere can be written, in the scope Global. State is Loam's folder in it.
	Project, State string
	// Variables are the names of the environment variables that the project's server reads.
	Variables []string
	// Command is the command by which a client starts this program, see Machine.Command.
	Command string
	Now     func() time.Time
}

// Agents sets up MCP clients for one project.
// Concurrency: its methods may be called concurrently, also by several processes.
type Agents struct {
	c Config
}

// New returns the Agents of a project.
func New(c Config) *Agents { return &Agents{c} }

// Action is what was done, or in a dry run would be done, to a file.
type Action string

const (
	Created   Action = "created"
	Changed   Action = "changed"
	Unchanged Action = "unchanged"
	Printed   Action = "printed"
	Removed   Action = "removed"
	Kept      Action = "kept" // another client still needs it
)

// Change is the change of one file of one client.
type Change struct {
	Target Target `json:"target"`
	Scope  Scope  `json:"scope"`
	Action Action `json:"action"`
	File   string `json:"file"`
	// Key is the changed key, its parts joined with dots; "" = the file is the skill.
	Key  string `json:"key,omitempty"`
	Note string `json:"note,omitempty"`
	// Snippet is the text to add to the file by hand; set for Printed.
	Snippet string `json:"snippet,omitempty"`
	// Backups is the folder with a copy of the previous file; "" = there is no copy.
	Backups string `json:"backups,omitempty"`
}

// Report is what a command did, or in a dry run would do.
type Report struct {
	Changes []Change
	// Notes are sentences for the person, such as what to do in the client.
	Notes []string
	// Diff is the changes as a unified diff.
	Diff string
}

// Found is an installed client. Why names the program or file that shows it.
type Found struct {
	Target Target `json:"target"`
	Why    string `json:"why"`
}

// Found returns the installed clients, in the order of Targets.
func (a *Agents) Found() []Found {
	var all []Found
	for _, c := range clients {
		if why := a.shows(c); why != "" {
			all = append(all, Found{c.target, why})
		}
	}
	return all
}

// shows returns the evidence that a client is installed; "" = none.
func (a *Agents) shows(c client) string {
	if c.program != "" {
		if path, err := a.c.Machine.LookPath(c.program); err == nil {
			return path + " is in PATH"
		}
	}
	for _, path := range c.trace(a.c.Machine, a.c.Project) {
		if exists(path) {
			return path + " exists"
		}
	}
	return ""
}

// clientOf returns a client by name.
// Errors: KindInvalid with the known names.
func clientOf(target Target) (client, error) {
	i := slices.IndexFunc(clients, func(c client) bool { return c.target == target })
	if i >= 0 {
		return clients[i], nil
	}
	names := Names()
	e := sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "there is no target %q", target).WithHint("use one of: %s", joined(Targets()))
	e.Candidates = sqlkit.Nearest(string(target), names)
	return client{}, e
}

func joined[T ~string](names []T) string {
	all := make([]string, len(names))
	for i, name := range names {
		all[i] = string(name)
	}
	return strings.Join(all, ", ")
}

// draft is a plan together with the manifests that it changes.
type draft struct {
	plan        plan
	a           *Agents
	user, own   *planned // the manifests' files
	mine, ours  *manifest
	backupsMine string
	backupsOurs string
}

// draft reads the manifests.
func (a *Agents) draft() (*draft, error) {
	d := &draft{
		a:           a,
		backupsMine: filepath.Join(a.c.Machine.state(), "backups"),
		backupsOurs: filepath.Join(a.c.State, "backups"),
	}
	var err error
	if d.user, d.mine, err = d.load(filepath.Join(a.c.Machine.state(), "agents.json")); err != nil {
		return nil, err
	}
	if d.own, d.ours, err = d.load(filepath.Join(a.c.State, "agents.json")); err != nil {
		return nil, err
	}
	d.ours.each(a.c.Project, filepath.Join)
	return d, d.ours.within(a.c.Project, d.own.name)
}

// within returns an error when a project's manifest lists a file outside the project. The
// manifest may come from a stranger, and Remove deletes and restores the listed files.
func (m *manifest) within(project, name string) (err error) {
	m.each(project, func(elements ...string) string {
		path := elements[1]
		if _, inside := file.Within(project, path); !inside && err == nil {
			err = sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "%s lists %s, which is outside the project folder", name, path).
				WithHint("if loam agents setup wrote there through a link, remove the entry by hand; then move %s away", name)
		}
		return path
	})
	return err
}

func (d *draft) load(path string) (*planned, *manifest, error) {
	f, err := d.plan.open(path)
	if err != nil {
		return nil, nil, err
	}
	m, err := parseManifest(path, f.before)
	return f, m, err
}

// of returns the manifest of a scope, and the folder for backups.
func (d *draft) of(scope Scope) (*manifest, string) {
	if scope == Project {
		return d.ours, d.backupsOurs
	}
	return d.mine, d.backupsMine
}

// sharer returns another record with the same skill file; nil = none.
func (d *draft) sharer(r *record, file string) *record {
	for _, m := range []*manifest{d.ours, d.mine} {
		for i := range m.Records {
			o := &m.Records[i]
			if o.Skill != nil && o.Skill.File == file && (!o.same(*r) || o.Project != r.Project) {
				return o
			}
		}
	}
	return nil
}

// finish adds the manifests to the plan.
func (d *draft) finish() error {
	d.ours.each(d.a.c.Project, func(elem ...string) string {
		if rel, err := filepath.Rel(elem[0], elem[1]); err == nil {
			return rel
		}
		return elem[1]
	})
	return errors.Join(d.keep(d.user, d.mine), d.keep(d.own, d.ours))
}

func (d *draft) keep(f *planned, m *manifest) error {
	if len(m.Records) == 0 && len(m.Exports) == 0 {
		d.plan.remove(f)
		return nil
	}
	text, err := m.text()
	if err != nil {
		return sdk.Errorf(sdk.KindInternal, sdk.SourceHost, "the list of set-up clients: %w", err)
	}
	if !f.existed {
		f.mode = 0o600 // it contains the replaced values, which may be secrets
	}
	return f.write(text)
}

// each applies a function to the paths of a project's manifest. In the file they are relative,
// so that a project can be moved.
func (m *manifest) each(project string, change func(...string) string) {
	all := func(dirs []string) (out []string) {
		for _, dir := range dirs {
			out = append(out, change(project, dir))
		}
		return out
	}
	for _, r := range m.Records {
		if r.Entry != nil {
			r.Entry.File, r.Entry.Dirs = change(project, r.Entry.File), all(r.Entry.Dirs)
		}
		if r.Skill != nil {
			r.Skill.File, r.Skill.Dirs = change(project, r.Skill.File), all(r.Skill.Dirs)
		}
	}
	for i := range m.Exports {
		m.Exports[i].File = change(project, m.Exports[i].File)
	}
}

// diff returns the changes of the clients' files as a unified diff.
func (d *draft) diff() string {
	var b strings.Builder
	for _, f := range d.plan.files {
		if f != d.user && f != d.own && f.changed() {
			b.WriteString(unified(f.name, f.before, f.after, f.existed, f.gone))
		}
	}
	return b.String()
}

// patience bounds the wait for another command.
const patience = 10 * time.Second

// locked runs f while it has the lock against other commands of this person.
// Errors: KindConflict when another command has the lock for 10 seconds, KindDenied, those of f.
func (a *Agents) locked(ctx context.Context, f func() error) (err error) {
	dir := a.c.Machine.state()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return unwritable(dir, err)
	}
	unlock, err := file.Wait(ctx, filepath.Join(dir, "agents.lock"), patience)
	if err != nil {
		return unwritable(dir, err)
	}
	if unlock == nil {
		return sdk.Errorf(sdk.KindConflict, sdk.SourceCaller, "another loam is setting up clients").WithHint("wait until it is done, then run the command again")
	}
	defer func() { err = errors.Join(err, unlock()) }()
	return f()
}

// run makes a plan and applies it, unless dry is set.
func (a *Agents) run(ctx context.Context, dry bool, make func(*draft, *Report) error) (*Report, error) {
	report := &Report{}
	work := func() error {
		d, err := a.draft()
		if err != nil {
			return err
		}
		if err := make(d, report); err != nil {
			return err
		}
		report.Diff = d.diff()
		if err := d.finish(); err != nil || dry {
			return err
		}
		return d.plan.apply(a.c.Now())
	}
	var err error
	if dry {
		err = work()
	} else {
		err = a.locked(ctx, work)
	}
	if err != nil {
		return nil, err
	}
	return report, nil
}

// at adds the file's name and position to an error about its text.
func at(name string, err error, snippet string) error {
	e, ok := errors.AsType[*sdk.Error](err)
	if !ok {
		return err
	}
	out := *e
	out.Msg = name + ": " + e.Msg
	if !e.Pos.IsZero() {
		out.Msg = name + ":" + position(e.Pos) + ": " + e.Msg
		out.Pos = sdk.Position{}
	}
	out.Msg += "; it was left alone"
	if out.Hint == "" {
		out.Hint = "mend it and run the command again"
		if snippet != "" {
			out.Hint += ", or add this by hand:\n" + strings.TrimSpace(snippet)
		}
	}
	return &out
}

// snippet returns the text of a file that contains only this entry.
func snippet(p place, e edit.Entry) string {
	text, _, err := edit.Set(p.format, nil, p.path, e, nil)
	if err != nil {
		return ""
	}
	return string(text)
}

func position(p sdk.Position) string { return fmt.Sprintf("%d:%d", p.Line, p.Column) }
