package project

import (
	"context"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/loam-data/loam/host/internal/cli/mcp"
	"github.com/loam-data/loam/host/internal/cli/snapshot"
	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/cli/trust"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/host/internal/scan"
	"github.com/loam-data/loam/sdk"
)

// attempt is one run of loam connect. It writes nothing to the project or the key ring until the
// connection has passed its test.
type attempt struct {
	commands *commands
	services *Services
	flags    connectFlags
	typed    bool // the location was an argument, which is in the shell's history

	questions *terminal.Questions // nil = no questions
	current   *project.Project
	fresh     bool // there is no project yet
	place     place
	was       *connection.Connection // nil for a new one
	now       connection.Connection
	secrets   hiddenSecrets
	steps     []sdk.TestStep
	created   []string
	changed   bool
}

func (t *attempt) run(ctx context.Context, add addition) error {
	for _, step := range []func(context.Context) error{
		t.open,
		func(ctx context.Context) error { return t.locate(ctx, add) },
		t.choose,
		t.configure,
		t.test,
		t.write,
	} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return t.use(ctx)
}

// open reads the project, or prepares a new one.
func (t *attempt) open(ctx context.Context) (err error) {
	if t.commands.asks(t.flags) {
		t.questions = t.commands.term.Questions()
	}
	t.current, err = t.services.Project.Current(ctx)
	if sdk.KindOf(err) == sdk.KindNotFound {
		t.fresh = true
		t.current, err = project.Fresh(t.services.Project.Dir())
	}
	return err
}

// locate finds the connector and the values of its keys, and asks for missing ones.
func (t *attempt) locate(ctx context.Context, add addition) (err error) {
	w := wizard{t.questions, t.current}
	nothing := add.location == "" && add.Connector == ""
	if nothing {
		if add.Connector, add.location, err = w.connector(ctx, t.services.Connectors.List()); err != nil {
			return unwritten(err)
		}
	}
	if t.place, err = locate(ctx, t.services, t.current.Dir, add); err != nil {
		return unwritten(err)
	}
	p := &t.place
	keys, err := connection.Keys(p.found.Description.ConfigSchema)
	if err != nil {
		return err
	}
	if err := t.fromVariable(keys); err != nil {
		return err
	}
	if t.typed && len(p.secrets) > 0 && !strings.HasPrefix(add.location, "env:") && t.commands.term.CanAsk() {
		t.commands.term.Infof("note: the password of the URL is in the history of your shell now; loam connect - asks for the URL instead")
	}
	switch {
	case t.questions == nil || t.known() != nil:
	case nothing && add.location == "":
		err = w.keys(ctx, p, false)
	default:
		err = w.usual(ctx, p, keys, add.location != "" || len(add.values) > 0)
	}
	if err != nil {
		return unwritten(err)
	}
	for _, k := range keys {
		if k.URL == "database" && p.name == "" {
			p.name = p.values[k.Name]
		}
	}
	return nil
}

// fromVariable sets the password to a reference to the named variable.
func (t *attempt) fromVariable(keys []connection.Key) error {
	if t.flags.variable == "" {
		return nil
	}
	for _, k := range keys {
		if k.URL != "password" || !k.Secret {
			continue
		}
		reference := "env:" + t.flags.variable
		if value, given := t.place.secrets[k.Name]; given {
			if err := t.secrets.inVariable(t.services, k.Name, t.flags.variable, value); err != nil {
				return err
			}
			delete(t.place.secrets, k.Name)
		}
		t.place.values[k.Name] = reference
		return nil
	}
	return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "connector %s has no password", t.place.found.Name).
		WithHint("give its secret by reference, as KEY=env:NAME: loam connector show %s", t.place.found.Name)
}

// known returns the project's connection with the same destination; nil = there is none. Of
// several, it prefers the one with the requested id.
func (t *attempt) known() *connection.Connection {
	config, err := typedConfig(t.place.found.Description.ConfigSchema, t.place.values)
	if err != nil {
		return nil // a later step reports the error
	}
	given := connection.Connection{Connector: t.place.found.Name, Config: config, Dir: t.current.Dir}
	var found *connection.Connection
	for _, c := range t.current.Connections.All() {
		if c.Connector != given.Connector || !connection.SamePlace(t.place.found.Description.ConfigSchema, c, given) {
			continue
		}
		switch name := string(c.ID); {
		case name == t.flags.name, t.flags.name == "" && (found == nil || c.ID == t.place.id()):
			found = &c
		}
	}
	return found
}

// choose decides between an existing connection and a new one, and its id.
func (t *attempt) choose(ctx context.Context) (err error) {
	if t.was = t.known(); t.was != nil {
		with, err := t.services.Connectors.Find(t.was.Connector, t.was.Path)
		if err != nil {
			return err
		}
		if _, err := t.services.Trust.Trust.Check(*t.was, with); err != nil {
			return err
		}
		t.now, t.place.found = *t.was, with
		return nil
	}
	id := connection.ID(t.flags.name)
	if id == "" {
		w := wizard{t.questions, t.current}
		id = w.free(t.place.id())
		if t.questions != nil && !t.typed {
			if id, err = w.id(ctx, id); err != nil {
				return unwritten(err)
			}
		}
	} else if c, err := t.current.Connections.Get(id); err == nil {
		return sdk.Errorf(sdk.KindConflict, sdk.SourceCaller, "there is a connection %q already, and it goes elsewhere", id).
			WithHint("choose another --name, or see where it goes: loam connection show %s; nothing was written", c.ID)
	}
	t.now = connection.Connection{ID: id, Connector: t.place.found.Name, Dir: t.current.Dir}
	return nil
}

// configure builds the configuration, and makes the connector check it.
func (t *attempt) configure(ctx context.Context) error {
	config, err := typedConfig(t.place.found.Description.ConfigSchema, t.place.values)
	if err != nil {
		return err
	}
	config = merged(t.now.Config, config)
	if err := t.secrets.hide(ctx, t.commands, t.services, t.now.ID, config, t.place.secrets); err != nil {
		return err
	}
	t.now = t.now.WithConfig(config)
	t.changed = t.was == nil || !reflect.DeepEqual(configLines("", t.was.Config), configLines("", config))
	if t.questions != nil && !t.typed && t.changed {
		if err := (wizard{t.questions, t.current}).confirm(ctx, t.now); err != nil {
			return err
		}
	}
	return t.commands.checkConfig(ctx, t.services, t.now, t.place.found)
}

// test runs the staged checks.
func (t *attempt) test(ctx context.Context) error {
	a := t.commands
	if err := t.services.Trust.Trust.AcceptOwn(ctx, t.now, t.place.found); err != nil {
		return unwritten(err)
	}
	a.term.Infof("testing %s, by connector %s", t.now.ID, t.now.Connector)
	var failed *sdk.TestStep
	var err error
	if t.steps, failed, err = a.steps(ctx, t.now, t.services.Test); err != nil {
		return unwritten(err)
	}
	if failed == nil {
		return nil
	}
	e := *failed.Err
	e.Msg = fmt.Sprintf("the step %s of the test failed: %s", failed.Name, strings.TrimPrefix(e.Msg, failed.Name+": "))
	return unwritten(&e)
}

// write creates the project if needed, stores the secrets, and writes the connection.
func (t *attempt) write(ctx context.Context) (err error) {
	a, dir := t.commands, t.current.Dir
	if t.fresh {
		if t.created, err = project.Init(ctx, dir); err != nil {
			return unwritten(err)
		}
		a.term.Infof("made a project of %s: %s", dir, strings.Join(t.created, ", "))
	}
	if err := t.secrets.keep(ctx, a); err != nil {
		return unwritten(err)
	}
	switch {
	case !t.changed:
		a.term.Infof("%s is in %s already", t.now.ID, t.current.File)
	case t.was == nil:
		_, err = project.Add(ctx, dir, t.now)
	default:
		_, err = project.Update(ctx, dir, *t.was, t.now)
	}
	if err != nil {
		if sdk.KindOf(err) != sdk.KindConflict { // else another run has just stored the same secret
			t.secrets.undo(context.WithoutCancel(ctx), a)
		}
		return unwritten(err)
	}
	t.current, err = t.services.Project.Current(ctx)
	if err == nil {
		t.now, err = t.current.Connections.Get(t.now.ID)
	}
	if err != nil {
		return err
	}
	trust.AcceptOwn(ctx, a.term, t.services.Trust, t.now, t.place.found)
	if t.was != nil {
		a.forgetSecrets(ctx, dir, t.was.Config, t.now.Config)
	}
	if t.changed {
		verb := "changed"
		if t.was == nil {
			verb = "added"
		}
		a.term.Infof("%s %s in %s", verb, t.now.ID, t.current.File)
	}
	t.secrets.report(a.term)
	return nil
}

// use scans the connection, sets up clients, and reports.
func (t *attempt) use(ctx context.Context) error {
	a, id := t.commands, t.now.ID
	result, err := snapshot.Scan(ctx, a.invocation, t.services.Scan, scan.Request{Connection: id})
	if err != nil {
		e := *sdk.AsError(err, sdk.SourceHost)
		e.Hint = strings.TrimSpace(e.Hint + "\n" + string(id) + " is in " + project.FileName + ": run the same command again, or loam scan " + string(id))
		return &e
	}
	d := t.document(result)
	if err := t.showFound(d); err != nil {
		return err
	}
	var failed error
	if d.Agents, failed = t.setUp(ctx); failed != nil {
		d.AgentsError = terminal.NewFailure(failed)
		if len(t.flags.clients) == 0 {
			a.term.Warn(failed)
			failed = nil
		}
	}
	for _, next := range d.Next {
		a.term.Infof("next: %s", next)
	}
	if a.term.JSON {
		if err := a.term.Document(d); err != nil {
			return err
		}
	}
	return failed
}

// setUp sets up the clients that were named, or those found if the person agrees.
func (t *attempt) setUp(ctx context.Context) (*mcp.Setup, error) {
	a := t.commands
	if t.flags.noClients {
		return nil, nil
	}
	if len(t.flags.clients) == 0 {
		clients, err := t.services.MCP.Agents()
		if err != nil {
			return nil, err
		}
		var found []string
		for _, f := range clients.Found() {
			found = append(found, string(f.Target))
		}
		if len(found) == 0 {
			a.term.Infof("no MCP client was found on this machine; to set one up: loam agents setup --target NAME")
			return nil, nil
		}
		if t.questions != nil {
			yes, err := t.questions.Confirm(ctx, "Set up "+strings.Join(found, ", ")+" for "+filepath.Base(t.current.Dir)+"?", true)
			if err != nil || !yes {
				return nil, err
			}
		}
	}
	return mcp.SetUp(ctx, a.term, t.services.MCP, t.flags.clients)
}
