package project

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/connector"
	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/host/internal/secret"
	"github.com/loam-data/loam/sdk"
)

// wizard asks for the arguments of loam connection add.
type wizard struct {
	questions *terminal.Questions
	current   *project.Project
}

// askConnection adds the connection that a person describes. Before the last answer it writes nothing
// and starts nothing.
func (a *commands) askConnection(ctx context.Context, c connection.Connection, questions *terminal.Questions) error {
	return a.open(ctx, func(services *Services) error {
		current, err := services.Project.Current(ctx)
		if err != nil {
			return err
		}
		w := wizard{questions, current}
		c, place, err := w.describe(ctx, services, c)
		if err != nil {
			return unwritten(err)
		}
		return a.writeConnection(ctx, services, current, c, place, func(c connection.Connection) error { return w.confirm(ctx, c) })
	})
}

func (w wizard) describe(ctx context.Context, services *Services, c connection.Connection) (connection.Connection, place, error) {
	add := addition{Connection: c, values: map[string]string{}}
	var err error
	if add.Connector, add.location, err = w.connector(ctx, services.Connectors.List()); err != nil {
		return c, place{}, err
	}
	found, err := locate(ctx, services, w.current.Dir, add)
	if err != nil {
		return c, found, err
	}
	c.Connector = found.found.Name
	if c.ID, err = w.id(ctx, found.id()); err != nil {
		return c, found, err
	}
	return c, found, w.keys(ctx, &found, add.location != "")
}

// connector asks for a connector. The answer may also be a URL, a file or a folder, which determine the
// connector and are returned as location.
func (w wizard) connector(ctx context.Context, all []connector.Installed) (name, location string, err error) {
	all = slices.DeleteFunc(slices.Clone(all), func(c connector.Installed) bool { return c.Err != nil })
	if len(all) == 0 {
		return "", "", sdk.Errorf(sdk.KindNotFound, sdk.SourceHost, "no connector is installed").WithHint("see where they are looked for: loam connector list --help")
	}
	for i, c := range all {
		w.questions.Sayf("%3d  %-12s %s", i+1, terminal.Escape(c.Name), terminal.Escape(c.Description.DisplayName))
	}
	for {
		answer, err := w.questions.Ask(ctx, "Connector, by number or name; or a URL, a folder, or a database file: ")
		if err != nil || isLocation(answer) {
			return "", answer, err
		}
		for i, c := range all {
			if answer == c.Name || answer == strconv.Itoa(i+1) {
				return c.Name, "", nil
			}
		}
		if isFolder(answer) {
			return "", answer, nil
		}
		w.questions.Sayf("That is neither a connector, a URL, nor a file or folder that exists.") // the answer may contain a secret
	}
}

// taken reports whether the project has a connection with this id.
func (w wizard) taken(id connection.ID) bool {
	_, err := w.current.Connections.Get(id)
	return err == nil
}

// free returns an unused id, similar to a suggested one.
func (w wizard) free(suggested connection.ID) connection.ID {
	free := suggested
	for n := 2; w.taken(free); n++ {
		free = connection.ID(fmt.Sprintf("%s_%d", suggested, n))
	}
	return free
}

// id asks for the id of the connection.
func (w wizard) id(ctx context.Context, suggested connection.ID) (connection.ID, error) {
	free := w.free(suggested)
	for {
		answer, err := w.questions.Ask(ctx, fmt.Sprintf("Name of the connection [%s]: ", free))
		if err != nil {
			return "", err
		}
		id := connection.ID(cmp.Or(answer, string(free)))
		switch err := id.Validate(); {
		case err != nil:
			w.questions.Sayf("%s: %s.", terminal.Escape(err.Error()), sdk.AsError(err, sdk.SourceCaller).Hint)
		case w.taken(id):
			w.questions.Sayf("There is a connection %q already.", id)
		default:
			return id, nil
		}
	}
}

// keys asks for the usual keys of a connection, and for others by name. With a location it asks only
// for keys that the location should have contained.
func (w wizard) keys(ctx context.Context, p *place, located bool) error {
	keys, err := connection.Keys(p.found.Description.ConfigSchema)
	if err != nil {
		return err
	}
	if err := w.usual(ctx, p, keys, located); err != nil {
		return err
	}
	return w.others(ctx, p, keys)
}

// usual asks for the usual keys of a connection that have no value yet.
func (w wizard) usual(ctx context.Context, p *place, keys []connection.Key, located bool) (err error) {
	if p.secrets == nil {
		p.secrets = map[string]sdk.Secret{}
	}
	for _, k := range keys {
		_, given := p.values[k.Name]
		_, hidden := p.secrets[k.Name]
		nested := strings.Contains(k.Name, ".")
		usual := k.Required || k.URL != "" && (k.Secret || !located)
		if given || hidden || nested || !usual {
			continue
		}
		for answered := false; err == nil && !answered; {
			answered, err = w.key(ctx, p, k)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// key asks for the value of a key; false = the answer is not valid.
func (w wizard) key(ctx context.Context, p *place, k connection.Key) (bool, error) {
	w.questions.Sayf("  %s", terminal.Escape(k.Description))
	if k.Secret {
		value, err := w.questions.AskUnseen(ctx, k.Name+" (not shown; or env:NAME, file:PATH, cmd:PROGRAM, keyring:NAME): ")
		switch {
		case err != nil || value.IsZero() && !k.Required:
			return true, err
		case value.IsZero():
			return false, nil
		case secret.IsReference(value.Reveal()):
			p.values[k.Name] = value.Reveal()
		default:
			p.secrets[k.Name] = value
		}
		return true, nil
	}
	prompt := k.Name
	if k.Default != "" {
		prompt += " [" + terminal.Escape(k.Default) + "]"
	}
	answer, err := w.questions.Ask(ctx, prompt+": ")
	if err != nil || answer == "" {
		return !k.Required || k.Default != "", err
	}
	return w.set(p, k, answer), nil
}

// set sets a key to an answer; false = the answer is not valid.
func (w wizard) set(p *place, k connection.Key, answer string) bool {
	var err error
	if k.URL == "file" {
		answer, err = inProject(w.current.Dir, answer, false)
	}
	var value any
	if err == nil {
		value, err = typedValue(k.Name, k.Type, answer)
	}
	_, text := value.(string)
	switch {
	case err != nil:
		w.questions.Sayf("%s.", terminal.Escape(err.Error()))
	case text && (k.Type == "integer" || k.Type == "number" || k.Type == "boolean"):
		w.questions.Sayf("%s is of type %s.", k.Name, k.Type)
	case k.Secret && !secret.IsReference(answer):
		w.questions.Sayf("%s is a secret: give env:NAME, file:PATH, cmd:PROGRAM or keyring:NAME.", k.Name)
	default:
		p.values[k.Name] = answer
		delete(p.secrets, k.Name) // ask again
		return true
	}
	return false
}

// others asks for further keys, until an answer is empty.
func (w wizard) others(ctx context.Context, p *place, keys []connection.Key) error {
	w.questions.Sayf("  Other keys: loam connector show %s", terminal.Escape(p.found.Name))
	for {
		answer, err := w.questions.Ask(ctx, "KEY=VALUE, or nothing: ")
		if err != nil || answer == "" {
			return err
		}
		name, value, _ := strings.Cut(answer, "=")
		i := slices.IndexFunc(keys, func(k connection.Key) bool { return k.Name == name })
		if i < 0 {
			w.questions.Sayf("The connector has no such key.")
			continue
		}
		w.set(p, keys[i], value)
	}
}

// confirm shows the new entry of loam.yaml, and asks whether to write it.
func (w wizard) confirm(ctx context.Context, c connection.Connection) error {
	w.questions.Sayf("\n%s will have the connection %s:\n  connector: %s", terminal.Escape(w.current.File), c.ID, terminal.Escape(c.Connector))
	for _, line := range configLines("config.", c.Config) {
		w.questions.Sayf("  %s: %s", terminal.Escape(line[0]), terminal.Escape(line[1]))
	}
	yes, err := w.questions.Confirm(ctx, "Add it?", true)
	if err == nil && !yes {
		err = sdk.Errorf(sdk.KindCanceled, sdk.SourceCaller, "cancelled: the answer was no")
	}
	if err != nil {
		return unwritten(err)
	}
	return nil
}
