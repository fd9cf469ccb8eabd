// Package trust decides what a project may run and send.
//
// A project folder can come from anybody: a clone, an archive, a pull. Its
// loam.yaml may run a program of the folder, or send the value of a variable to a
// host that somebody else chose. Each such action is an Ask. Trust.Check refuses a
// connection until a person has seen its Asks and allowed them with `loam trust`.
// The rest of a project works without trust.
//
// The digests of allowed Asks are in one file outside all project folders, by the
// real path of each folder; see Trust.Accept. A digest covers everything that
// decides what is run and what is sent where: a change makes another Ask. A
// connection that the person adds through Loam on this machine is accepted at
// once.
package trust

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/connector"
	"github.com/loam-data/loam/host/internal/file"
	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

// Variable names the environment variable that, set to 1, trusts every project:
// for machines where nobody can be asked.
const Variable = "LOAM_TRUST"

// Config is what a Trust needs.
type Config struct {
	Dir string // the project folder
	// File keeps what was allowed; "" = there is no place for it.
	File string
	// Everything: nothing is asked.
	Everything bool
	Now        func() time.Time
}

// Trust is what a person trusts one project with.
// Concurrency: any number of goroutines and processes.
type Trust struct {
	Config
	folder  string // the project folder's real path
	store   *store
	reaches reaches
}

// New reads nothing before it is asked.
func New(c Config) *Trust {
	folder := file.Real(c.Dir)
	return &Trust{Config: c, folder: folder, store: &store{path: c.File, folder: folder}}
}

// Grant is what a connection may resolve.
type Grant struct {
	everything bool
	references []string
}

// Allows reports whether a reference to a secret may be resolved.
func (g Grant) Allows(reference string) bool {
	return g.everything || slices.Contains(g.references, reference)
}

// Everything grants every reference: for what the person types at this moment.
func Everything() Grant { return Grant{everything: true} }

// Check returns what c may resolve when it is trusted, or needs no trust.
// Errors: KindDenied for a connection that is not, with the command that allows
// it; those of the file that keeps what was allowed; KindInternal for a connector
// whose schema is none.
func (t *Trust) Check(c connection.Connection, with connector.Installed) (Grant, error) {
	if t.Everything {
		return Everything(), nil
	}
	asks, err := t.asks(c, with)
	if err != nil || len(asks) == 0 {
		return Grant{}, err
	}
	known, err := t.store.records()
	if err != nil {
		return Grant{}, err
	}
	unknown := func(a Ask) bool {
		return !slices.ContainsFunc(known, func(r record) bool { return r.Digest == a.digest })
	}
	if slices.ContainsFunc(asks, unknown) {
		missing := slices.DeleteFunc(compare(asks, known), func(i Item) bool { return i.State == StateTrusted })
		return Grant{}, t.refusal("connection "+strconv.Quote(string(c.ID)), missing)
	}
	var g Grant
	for _, a := range asks {
		if a.reference != "" {
			g.references = append(g.references, a.reference)
		}
	}
	return g, nil
}

// Endpoint returns where the project has telemetry sent, "" for nowhere.
// Errors: those of Check, for an endpoint that is not trusted.
func (t *Trust) Endpoint(p *project.Project) (string, error) {
	endpoint := p.Telemetry.Endpoint
	if endpoint == "" || t.Everything {
		return endpoint, nil
	}
	known, err := t.store.records()
	if err != nil {
		return "", err
	}
	item := compare([]Ask{telemetryAsk(endpoint)}, known)[0]
	if item.State != StateTrusted {
		return "", t.refusal("the receiver of telemetry", []Item{item})
	}
	return endpoint, nil
}

// State says whether an Ask was allowed.
type State string

const (
	StateNew     State = "new"
	StateChanged State = "changed"
	StateTrusted State = "trusted"
)

// Item is an Ask and what was decided about it.
type Item struct {
	Ask
	State State `json:"state"`
	// Was is what was allowed at the same place before, for a changed one.
	Was string `json:"was,omitempty"`
}

// Items returns everything that a project asks for, in the order of its file.
// find finds the connector of a connection; the connections whose connector is not
// found cannot be used, ask for nothing, and are in missing.
// Errors: those of Check, but none for what is not trusted.
func (t *Trust) Items(p *project.Project, find func(connection.Connection) (connector.Installed, error)) (items []Item, missing map[connection.ID]error, err error) {
	var asks []Ask
	missing = map[connection.ID]error{}
	for _, c := range p.Connections.All() {
		with, err := find(c)
		if err != nil {
			missing[c.ID] = err
			continue
		}
		more, err := t.asks(c, with)
		if err != nil {
			return nil, nil, err
		}
		asks = append(asks, more...)
	}
	if p.Telemetry.Endpoint != "" {
		asks = append(asks, telemetryAsk(p.Telemetry.Endpoint))
	}
	model, err := t.modelAsks(p)
	if err != nil {
		return nil, nil, err
	}
	asks = append(asks, model...)
	for i := range asks {
		asks[i].Line = p.Line(asks[i].Where)
	}
	if t.Everything {
		for _, a := range asks {
			items = append(items, Item{Ask: a, State: StateTrusted})
		}
		return items, missing, nil
	}
	if len(asks) == 0 {
		return nil, missing, nil
	}
	known, err := t.store.records()
	return compare(asks, known), missing, err
}

// compare looks for each Ask among what was allowed.
func compare(asks []Ask, known []record) []Item {
	asked := map[string]bool{}
	for _, a := range asks {
		asked[a.digest] = true
	}
	items := make([]Item, len(asks))
	for i, a := range asks {
		items[i] = Item{Ask: a, State: StateNew}
		for _, r := range known {
			switch {
			case r.Digest == a.digest:
				items[i].State, items[i].Was = StateTrusted, ""
			case items[i].State != StateTrusted && r.Where == a.Where && r.Kind == a.Kind && !asked[r.Digest]:
				items[i].State, items[i].Was = StateChanged, r.What
			}
		}
	}
	return items
}

// Accept keeps that the person allows these. What was allowed before stays when
// more is set, and is forgotten otherwise.
// Errors: KindDenied, KindInvalid and KindConflict for a file that cannot be
// written; those of ctx.
func (t *Trust) Accept(ctx context.Context, asks []Ask, more bool) error {
	return t.store.change(ctx, func(known []record) []record {
		if !more {
			known = nil
		}
		for _, a := range asks {
			if !slices.ContainsFunc(known, func(r record) bool { return r.Digest == a.digest }) {
				known = append(known, record{Digest: a.digest, Kind: a.Kind, Where: a.Where, What: a.brief, At: t.Now().UTC().Truncate(time.Second)})
			}
		}
		return known
	})
}

// AcceptOwn keeps that a connection is the person's own work, unless nothing is
// asked anyway.
// Errors: those of Accept and Check.
func (t *Trust) AcceptOwn(ctx context.Context, c connection.Connection, with connector.Installed) error {
	if t.Everything {
		return nil
	}
	asks, err := t.asks(c, with)
	if err != nil || len(asks) == 0 {
		return err
	}
	return t.Accept(ctx, asks, true)
}

// Revoke forgets everything that was allowed, and returns how many things that
// were.
// Errors: those of Accept.
func (t *Trust) Revoke(ctx context.Context) (n int, err error) {
	err = t.store.change(ctx, func(known []record) []record {
		n = len(known)
		return nil
	})
	return n, err
}

// Allowed is what a person allowed, for people.
type Allowed struct {
	Kind  Kind      `json:"kind"`
	Where string    `json:"where"`
	What  string    `json:"what"`
	At    time.Time `json:"at"`
}

// Folder is a project folder with what it was allowed.
type Folder struct {
	Project string    `json:"project"`
	Allowed []Allowed `json:"allowed"`
}

// List returns every project folder that was allowed anything on this machine, by
// path.
// Errors: those of the file that keeps it.
func (t *Trust) List() ([]Folder, error) {
	all, err := t.store.folders()
	if err != nil {
		return nil, err
	}
	list := []Folder{}
	for _, path := range slices.Sorted(maps.Keys(all)) {
		f := Folder{Project: path}
		for _, r := range all[path] {
			f.Allowed = append(f.Allowed, Allowed{r.Kind, r.Where, r.What, r.At})
		}
		list = append(list, f)
	}
	return list, nil
}

// refusal says what is not trusted, and how to allow it.
func (t *Trust) refusal(subject string, missing []Item) error {
	const most = 3
	var parts []string
	for _, i := range missing[:min(most, len(missing))] {
		part := i.Where + ": " + clip(cmp.Or(i.gist, i.brief))
		switch {
		case i.State == StateChanged && i.gist == "":
			part += " (trusted was " + clip(i.Was) + ")"
		case i.State == StateChanged:
			part += " (changed, or goes elsewhere)"
		}
		parts = append(parts, part)
	}
	if n := len(missing) - most; n > 0 {
		parts = append(parts, "and more")
	}
	return sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "%s is not trusted on this machine yet; %s asks for: %s", subject, project.FileName, strings.Join(parts, "; ")).
		WithHint("a person sees and allows it in a terminal: loam trust --project-dir %s", text.ShellWord(t.Dir))
}

// clip shortens a text of the project to what a message has room for.
func clip(s string) string {
	const most = 160
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
