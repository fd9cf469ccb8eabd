package agents

import (
	"context"
	"fmt"
	"io/fs"
	"reflect"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/agents/edit"
	"github.com/loam-data/loam/host/internal/agents/skill"
	"github.com/loam-data/loam/sdk"
)

// SetupRequest says which clients to set up, and how.
type SetupRequest struct {
	// Targets are the clients to set up; none = the installed ones.
	Targets []Target
	// Scope of the entries; "" = the default of each client.
	Scope Scope
	// Name is the server's name in the clients; "" = DefaultName.
	Name string
	// Server is the server of the entries. Setup sets its Command, Project and Variables.
	Server Server
	// Shared is asked before Setup writes TokenVariable's name into a file of the scope Project,
	// which others use too; false skips the client. nil = always write.
	Shared func(target Target, file string) (bool, error)
	// Write writes also the entries of clients whose entries are printed by default. Print prints
	// every entry and writes nothing.
	Write, Print bool
	// Force replaces an entry or a skill that Setup did not write, or that was edited.
	Force bool
	// Dry reports the changes and writes nothing.
	Dry bool
}

// Setup writes the entry and the skill of each client, all of them or nothing.
// Errors: KindInvalid for a wrong request or a file that does not parse, KindNotFound when no
// client is installed or no project exists, KindConflict for an entry or a skill that Setup did
// not write and for a file that changes meanwhile, KindUnsupported for a file that cannot be
// edited in place, KindLimit for a file over 64 MiB, KindDenied.
func (a *Agents) Setup(ctx context.Context, r SetupRequest) (*Report, error) {
	chosen, notes, err := a.choose(r.Targets, r.Scope)
	if err != nil {
		return nil, err
	}
	if r.Name != "" && !isServerName(r.Name) {
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "a server cannot be called %q", r.Name).
			WithHint("use letters, digits, - and _, at most 32, such as loam-sales: clients put it before the names of tools")
	}
	if token := a.c.Machine.Getenv(TokenVariable); token != "" && strings.Contains(r.Server.URL, token) {
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "the address holds the value of %s, which is never written", TokenVariable).
			WithHint("give the address without it")
	}
	report, err := a.run(ctx, r.Dry, func(d *draft, report *Report) error {
		for _, c := range chosen {
			if err := d.setup(c.client, c.scope, r, report); err != nil {
				return err
			}
		}
		return nil
	})
	if report != nil {
		report.Notes = append(notes, report.Notes...)
	}
	return report, err
}

// maxServerName is the longest name of a server.
const maxServerName = 32

// isServerName reports whether every client accepts a name of a server.
func isServerName(name string) bool {
	letter := func(c rune) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
	odd := func(c rune) bool { return !letter(c) && !('0' <= c && c <= '9') && c != '_' && c != '-' }
	return name != "" && len(name) <= maxServerName && letter(rune(name[0])) && !strings.ContainsFunc(name, odd)
}

// choice is a client and the scope to set it up in.
type choice struct {
	client
	scope Scope
}

// choose returns the clients of a request, and notes about those left out.
func (a *Agents) choose(targets []Target, scope Scope) (chosen []choice, notes []string, err error) {
	if scope != "" && !slices.Contains(Scopes(), scope) {
		return nil, nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "there is no scope %q", scope).WithHint("use one of: %s", joined(Scopes()))
	}
	named := len(targets) > 0
	if !named {
		for _, found := range a.Found() {
			targets = append(targets, found.Target)
		}
	}
	for _, target := range targets {
		c, err := clientOf(target)
		if err == nil && a.c.Project == "" {
			c.scopes = slices.DeleteFunc(slices.Clone(c.scopes), func(s Scope) bool { return s != Global })
		}
		switch {
		case err != nil:
			return nil, nil, err
		case len(c.scopes) == 0 && named, scope != "" && scope != Global && a.c.Project == "":
			return nil, nil, sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "there is no project in this folder, and without one %s is set up everywhere or not at all", c.title).
				WithHint("use --scope global with a client that has it, or make a project: loam init")
		case len(c.scopes) == 0:
			notes = append(notes, c.title+" is set up in projects only and was left out")
		case scope == "" || c.has(scope):
			pick := choice{c, scope}
			if scope == "" {
				pick.scope = c.scopes[0]
			}
			if !slices.ContainsFunc(chosen, func(o choice) bool { return o.target == target }) {
				chosen = append(chosen, pick)
			}
		case named:
			return nil, nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%s has no scope %q", c.title, scope).
				WithHint("use --scope %s", strings.ReplaceAll(joined(c.scopes), ", ", " or "))
		default:
			notes = append(notes, fmt.Sprintf("%s has no scope %q and was left out", c.title, scope))
		}
	}
	if len(chosen) == 0 {
		return nil, nil, sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "no client was found on this machine").
			WithHint("name one with --target: %s", joined(Targets()))
	}
	return chosen, notes, nil
}

// byItself reports whether a client must start its own server over stdio, because it cannot use
// the HTTP server.
func (c client) byItself(s Server) bool {
	return s.Transport == HTTP && (c.stdioOnly || s.Token && c.noToken)
}

// server returns the server of a client's entry.
func (a *Agents) server(c client, s Server) Server {
	if s.Transport == Stdio || c.byItself(s) {
		own := Server{Transport: Stdio, Command: a.c.Command, Project: a.c.Project}
		if c.fewVariables {
			own.Variables = a.c.Variables
		}
		return own
	}
	return Server{Transport: HTTP, URL: s.URL, Token: s.Token}
}

func (d *draft) setup(c client, scope Scope, r SetupRequest, report *Report) error {
	m, backups := d.of(scope)
	rec := record{Target: c.target, Scope: scope, Project: d.a.c.Project, Server: d.a.server(c, r.Server)}
	if r.Name != DefaultName {
		rec.Name = r.Name
	}
	p := c.named(d.a.c.Machine, scope, d.a.c.Project, rec.name())
	if c.byItself(r.Server) {
		if d.a.c.Project == "" {
			report.Notes = append(report.Notes, c.title+" cannot use a server elsewhere "+c.lacks()+", and was left out")
			return nil
		}
		report.Notes = append(report.Notes, c.title+" cannot use the server over HTTP "+c.lacks()+": its entry starts one by itself")
	}
	if r.Print {
		report.Changes = append(report.Changes, Change{
			Target: c.target, Scope: scope, Action: Printed, File: p.config, Key: strings.Join(p.path, "."), Snippet: snippet(p, c.entry(rec.Server)),
		})
		report.Notes = append(report.Notes, c.notes(scope, rec.Server, d.a.c.Variables)...)
		return nil
	}
	if scope == Project {
		if skip, err := shared(c, p, rec.Server, r, report); skip || err != nil {
			return err
		}
	}
	last := m.find(rec)
	if last != nil {
		if last.Project != rec.Project && scope == Global && !r.Force {
			return sdk.Errorf(sdk.KindConflict, sdk.SourceCaller, "%s is set up everywhere for %s", c.title, last.what()).
				WithHint("use --name for another entry beside it, --scope project here, or --force to replace it")
		}
		if err := d.moved(*last, p, r.Force, report); err != nil {
			return err
		}
		if last = m.find(rec); last != nil {
			rec.Entry, rec.Skill = last.Entry, last.Skill
		}
	}
	if err := d.setEntry(c, p, &rec, last, r, backups, report); err != nil {
		return err
	}
	if err := d.setSkill(c, p, &rec, r.Force, backups, report); err != nil {
		return err
	}
	if rec.Entry != nil || rec.Skill != nil {
		m.put(rec)
	}
	report.Notes = append(report.Notes, c.notes(scope, rec.Server, d.a.c.Variables)...)
	return nil
}

// moved removes an entry and a skill from a place that the client does not read any more.
func (d *draft) moved(last record, p place, force bool, report *Report) error {
	m, backups := d.of(last.Scope)
	entry, skill := last.Entry, last.Skill
	if entry != nil && (entry.File != p.config || !slices.Equal(entry.Path, p.path)) {
		last.Entry = nil
		m.put(last)
		if err := d.takeEntry(last, entry, force, backups, report); err != nil {
			return err
		}
	}
	if skill != nil && skill.File != p.skill {
		last.Skill = nil
		m.put(last)
		return d.takeSkill(last, skill, force, backups, report)
	}
	return nil
}

// shared adds notes about a file that is likely to be under version control, and reports whether
// to skip the client.
func shared(c client, p place, s Server, r SetupRequest, report *Report) (skip bool, err error) {
	switch {
	case s.Transport == Stdio:
		report.Notes = append(report.Notes, p.config+" names paths of this machine: keep it out of version control, or use --transport http")
	case s.Token:
		report.Notes = append(report.Notes, fmt.Sprintf("%s names the variable %s: whoever shares the file must set it, or the client cannot connect", p.config, TokenVariable))
		if r.Shared == nil {
			return false, nil
		}
		write, err := r.Shared(c.target, p.config)
		if !write && err == nil {
			report.Notes = append(report.Notes, c.title+" was skipped")
		}
		return !write, err
	}
	return false, nil
}

func (d *draft) setEntry(c client, p place, rec, last *record, r SetupRequest, backups string, report *Report) error {
	change := Change{Target: c.target, Scope: rec.Scope, File: p.config, Key: strings.Join(p.path, "."), Action: Unchanged}
	want := c.entry(rec.Server)
	f, err := d.plan.open(p.config)
	if err != nil {
		return err
	}
	value, found, err := edit.Find(p.format, f.after, p.path)
	if err != nil {
		return at(p.config, err, snippet(p, want))
	}
	ours := rec.Entry != nil
	switch {
	case found && edit.Same(want, value):
		if !ours {
			change.Note = "it stands there already, and not by loam: it stays yours"
			rec.Entry = nil
		}
		report.Changes = append(report.Changes, change)
		return nil
	case c.printed && !r.Write:
		change.Action, change.Snippet = Printed, snippet(p, want)
		report.Changes = append(report.Changes, change)
		return nil
	case found && !r.Force && (!ours || !reflect.DeepEqual(value, rec.Entry.Value)):
		return inTheWay(change, ours)
	}
	var undo *edit.Undo
	if found && ours {
		undo = &rec.Entry.Undo
	}
	text, made, err := edit.Set(p.format, f.after, p.path, want, undo)
	if err != nil {
		return at(p.config, err, snippet(p, want))
	}
	e := &entry{File: p.config, Path: p.path, Undo: made, Form: p.format, Created: f.gone, Dirs: f.missing}
	if ours && !f.gone {
		e.Created, e.Dirs = last.Entry.Created, last.Entry.Dirs
	}
	if change.Action = Changed; f.gone {
		change.Action, f.mode = Created, newMode(rec.Scope)
	}
	if err := f.write(text); err != nil {
		return err
	}
	if f.existed {
		f.backups, change.Backups = backups, backups
	}
	e.Value, _, err = edit.Find(p.format, text, p.path)
	rec.Entry = e
	report.Changes = append(report.Changes, change)
	return err
}

// newMode returns the mode of a new file. A file that is not the project's may get credentials
// later.
func newMode(scope Scope) fs.FileMode {
	if scope == Project {
		return 0o644
	}
	return 0o600
}

func inTheWay(c Change, ours bool) error {
	who := "was not written by loam"
	if ours {
		who = "was edited since loam wrote it"
	}
	return sdk.Errorf(sdk.KindConflict, sdk.SourceCaller, "%s: %s %s", c.File, c.Key, who).
		WithHint("keep it as it is and leave out --target %s, or replace it with --force; `loam agents remove` brings it back", c.Target)
}

func (d *draft) setSkill(c client, p place, rec *record, force bool, backups string, report *Report) error {
	text, err := skillFile(c)
	if err != nil {
		return err
	}
	change := Change{Target: c.target, Scope: rec.Scope, File: p.skill, Action: Unchanged}
	f, err := d.plan.open(p.skill)
	if err != nil {
		return err
	}
	last := rec.Skill
	if other := d.sharer(rec, p.skill); last == nil && other != nil {
		last = &owned{File: p.skill, Sum: other.Skill.Sum, Old: other.Skill.Old}
	}
	ours := last != nil
	now := &owned{File: p.skill, Sum: sum(text), Dirs: f.missing}
	if ours {
		now.Dirs, now.Old = append(slices.Clone(last.Dirs), f.missing...), last.Old
	}
	switch {
	case !f.gone && string(f.after) == string(text):
		if !ours {
			report.Changes = append(report.Changes, change)
			return nil
		}
	case f.gone:
		change.Action = Created
	case !ours || sum(f.after) != last.Sum:
		if !force {
			return sdk.Errorf(sdk.KindConflict, sdk.SourceCaller, "%s is not as loam writes it", p.skill).
				WithHint("keep your text under another name, or replace it with --force; `loam agents remove` brings it back")
		}
		old := string(f.after)
		now.Old, change.Action = &old, Changed
	default:
		change.Action = Changed
	}
	if change.Action != Unchanged {
		if err := f.write(text); err != nil {
			return err
		}
		if f.existed && (!ours || sum(f.before) != last.Sum) {
			f.backups, change.Backups = backups, backups
		}
	}
	rec.Skill = now
	if other := d.sharer(rec, p.skill); other != nil {
		other.Skill.Sum = now.Sum
	}
	report.Changes = append(report.Changes, change)
	return nil
}

func skillFile(c client) ([]byte, error) {
	if !c.archive {
		return skill.Analytics().File(), nil
	}
	text, err := skill.Analytics().Archive()
	if err != nil {
		return nil, sdk.Errorf(sdk.KindInternal, sdk.SourceHost, "the archive of the skill: %w", err)
	}
	return text, nil
}
