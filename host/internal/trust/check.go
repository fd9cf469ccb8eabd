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

// Config has the dependencies of a Trust.
type Config struct {
	Dir string // the project folder
	// File is the path of the trust file, see Path; "" = there is no home folder: every check
	// of something that needs permission is KindDenied.
	File string
	// Everything allows every Ask, see Variable.
	Everything bool
	Now        func() time.Time
}

// Trust checks and records the permissions of one project.
// Concurrency: its methods may be called concurrently, also by several processes.
type Trust struct {
	Config
	folder  string // the project folder's real path
	store   *store
	reaches reaches
}

// New returns the Trust of a project. It reads no trust file yet.
func New(c Config) *Trust {
	folder := file.Real(c.Dir)
	return &Trust{Config: c, folder: folder, store: &store{path: c.File, folder: folder}}
}

// Grant is the set of secrets that a connection may resolve. The zero Grant allows none.
type Grant struct {
	everything bool
	references []string
}

// Allows reports whether a reference to a secret may be resolved.
func (g Grant) Allows(reference string) bool {
	return g.everything || slices.Contains(g.references, reference)
}

// Everything returns a Grant for every reference. It is for configurations that the person is
// typing now.
func Everything() Grant { return Grant{everything: true} }

// Check returns the secrets that connection c may resolve, if all its asks are allowed or it
// has none.
// Errors: KindDenied for a connection that is not trusted, with the command that allows it;
// those of the trust file (KindDenied, KindInvalid, KindUnsupported); KindInternal for a
// connector with an invalid schema.
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

// Endpoint returns the telemetry endpoint of the project; "" = it has none.
// Errors: those of Check.
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

// State says whether a person allowed an Ask.
type State string

const (
	StateNew     State = "new"
	StateChanged State = "changed"
	StateTrusted State = "trusted"
)

// Item is an Ask and whether it is allowed.
type Item struct {
	Ask
	State State `json:"state"`
	// Was is the What that was allowed for the same key before; set when State is StateChanged.
	Was string `json:"was,omitempty"`
}

// Items returns all asks of a project: those of its connections in the order of loam.yaml,
// then telemetry, the language model, and the roots of sources. find returns the connector of a connection; a
// connection without a connector cannot be used, has no asks, and is in missing with the error.
// Errors: those of Check, except for asks that are not allowed.
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
	asks = append(asks, t.rootAsks(p)...)
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

// compare returns each Ask with its State, given the records of the trust file.
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

// Accept records that the person allows these asks. With more, earlier permissions of the
// project stay, else they are removed.
// Errors: KindDenied for a trust file that cannot be written or that others may write,
// KindInvalid for a damaged one, KindUnsupported for one of a newer Loam, KindConflict with
// Retry while another process changes it; those of ctx.
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

// AcceptOwn allows all asks of a connection that the person has just configured.
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

// Revoke removes all permissions of the project, and returns their number.
// Errors: those of Accept.
func (t *Trust) Revoke(ctx context.Context) (n int, err error) {
	err = t.store.change(ctx, func(known []record) []record {
		n = len(known)
		return nil
	})
	return n, err
}

// Allowed is a permission in the trust file, for display.
type Allowed struct {
	Kind  Kind      `json:"kind"`
	Where string    `json:"where"`
	What  string    `json:"what"`
	At    time.Time `json:"at"`
}

// Folder is a project folder with its permissions.
type Folder struct {
	Project string    `json:"project"`
	Allowed []Allowed `json:"allowed"`
}

// List returns every project folder with permissions on this machine, ordered by path; an
// empty list, not nil, if there is none.
// Errors: those of the trust file, see Check.
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

// refusal returns the error for asks that are not allowed, with the command that allows them.
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

// clip shortens a text of the project for an error message.
func clip(s string) string {
	const most = 160
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
