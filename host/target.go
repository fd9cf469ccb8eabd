package host

import (
	"cmp"
	"context"
	"maps"
	"os"
	"runtime"
	"time"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/connector"
	"github.com/loam-data/loam/host/internal/extract"
	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/host/internal/trust"
	"github.com/loam-data/loam/sdk"
)

// newTrust is what the person at this machine trusts the project in folder with.
func newTrust(folder string) *trust.Trust {
	home, _ := os.UserHomeDir() // without one, trust says so when it is needed
	return trust.New(trust.Config{
		Dir: folder, File: trust.Path(runtime.GOOS, home, os.Getenv), Everything: os.Getenv(trust.Variable) == "1", Now: time.Now,
	})
}

// Lease lends a session of a connection; see connector.Supervisor.
func (a *application) Lease(ctx context.Context, c connection.Connection) (sdk.Session, func(), error) {
	target, err := a.target(c)
	if err != nil {
		return nil, nil, err
	}
	leasing, span := lease(ctx, c)
	lent, err := a.supervisor.Lease(leasing, target)
	if err != nil {
		span.End(string(sdk.KindOf(err)))
		return nil, nil, err
	}
	span.End("")
	return lent.Session, lent.Release, nil
}

// test runs the staged checks of a connection; see connector.Supervisor.
func (a *application) test(ctx context.Context, c connection.Connection, step func(sdk.TestStep)) error {
	target, err := a.target(c)
	if err != nil {
		return err
	}
	return a.supervisor.TestConnection(ctx, target, step)
}

// resume is test, and may resume what is suspended.
func (a *application) resume(ctx context.Context, c connection.Connection, step func(sdk.TestStep)) error {
	target, err := a.target(c)
	if err != nil {
		return err
	}
	open := target.Open
	target.Open = func(ctx context.Context) (sdk.OpenRequest, error) {
		req, err := open(ctx)
		req.Resume = true
		return req, err
	}
	return a.supervisor.TestConnection(ctx, target, step)
}

// signIn has the connector of a connection sign a person in. A secret that is not there
// yet is left out: the sign-in may be what gives it.
func (a *application) signIn(ctx context.Context, c connection.Connection, prompt func(sdk.Prompt) error) (sdk.Credentials, error) {
	target, err := a.target(c)
	if err != nil {
		return sdk.Credentials{}, err
	}
	target.Open = func(ctx context.Context) (sdk.OpenRequest, error) {
		req, err := a.request(ctx, c, target.Installed, func(s connection.Secrets) connection.Secrets { return present{s} })
		maps.DeleteFunc(req.Config.Secrets, func(_ string, value sdk.Secret) bool { return value.IsZero() })
		return req, err
	}
	credentials, err := a.supervisor.Authenticate(ctx, target, prompt)
	a.scrubber.Add(sdk.Config{Secrets: credentials.Secrets})
	return credentials, err
}

// present resolves a reference to a secret that is not there as the zero Secret.
type present struct{ connection.Secrets }

func (p present) Resolve(ctx context.Context, reference string) (sdk.Secret, error) {
	value, err := p.Secrets.Resolve(ctx, reference)
	if sdk.KindOf(err) == sdk.KindNotFound {
		return sdk.Secret{}, nil
	}
	return value, err
}

// request resolves what a connector needs to open a connection, if it is trusted now.
func (a *application) request(ctx context.Context, c connection.Connection, with connector.Installed, reading func(connection.Secrets) connection.Secrets) (sdk.OpenRequest, error) {
	grant, err := a.trust.Check(c, with)
	if err != nil {
		return sdk.OpenRequest{}, err
	}
	r, err := connection.OpenRequest(ctx, c, with.Description.ConfigSchema, reading(a.secrets.Granting(grant.Allows)))
	a.scrubber.Add(r.Config)
	return r, err
}

// target is a configured connection as the supervisor needs it. It is the one way
// to a connector's process and to secrets, and refuses what is not trusted; the
// check is repeated when the connection is opened, because files that a command
// names may have changed since. Secrets are resolved then, not before.
func (a *application) target(c connection.Connection) (connector.Target, error) {
	installed, err := a.registry.Find(c.Connector, c.Path)
	if err != nil {
		return connector.Target{}, err
	}
	if _, err := a.trust.Check(c, installed); err != nil {
		return connector.Target{}, err
	}
	needed := installed.Description.Capabilities.MemoryBytes // of an engine inside the connector
	c.Limits.Memory = cmp.Or(c.Limits.Memory, needed)
	return connector.Target{
		ID: string(c.ID), Installed: installed, Isolated: c.Isolated() || c.Isolation == "" && needed > 0,
		Concurrency: c.Limits.OrDefault().Concurrency, Memory: c.Limits.Memory, Fingerprint: c.Fingerprint(),
		Open: func(ctx context.Context) (sdk.OpenRequest, error) {
			return a.request(ctx, c, installed, func(s connection.Secrets) connection.Secrets { return s })
		},
	}, nil
}

// LastKnown is what was last known of a connection; one that is not trusted is
// known to fail.
func (a *application) LastKnown(ctx context.Context, c connection.Connection) (connection.State, error) {
	state, err := a.known.LastKnown(ctx, c)
	installed, missing := a.registry.Find(c.Connector, c.Path)
	if missing != nil {
		return state, err // whoever asks hears of that from the connector
	}
	if _, refused := a.trust.Check(c, installed); refused != nil {
		state.Failure, state.FailedAt = sdk.AsError(refused, sdk.SourceHost), time.Now()
	}
	return state, err
}

// endpoint is where telemetry goes, which is nowhere while the project's receiver
// is not trusted.
func (a *application) endpoint(current *project.Project) string {
	endpoint, err := a.trust.Endpoint(current)
	if err != nil {
		e := sdk.AsError(err, sdk.SourceHost)
		a.log.Warn("telemetry is not sent", "error", e.Msg, "hint", e.Hint)
	}
	return endpoint
}

// model is the language model that reads what is to be remembered, if it is trusted now, with its key.
func (a *application) model(ctx context.Context) (extract.Model, error) {
	current, err := a.project.Current(ctx)
	if err != nil {
		return extract.Model{}, err
	}
	m, grant, err := a.trust.Model(current)
	if err != nil {
		return extract.Model{}, err
	}
	out := extract.Model{Kind: m.Kind, BaseURL: m.BaseURL, Name: m.Model, Timeout: m.Timeout, DailyTokens: int64(m.DailyTokens)}
	if m.APIKey != "" {
		out.Key, err = a.secrets.Granting(grant.Allows).Resolve(ctx, m.APIKey)
		a.scrubber.Add(sdk.Config{Secrets: map[string]sdk.Secret{"api_key": out.Key}})
	}
	return out, err
}

// typedSecrets resolves every reference: those that the person just typed.
func (a *application) typedSecrets() connection.Secrets {
	return a.secrets.Granting(trust.Everything().Allows)
}

// supply gives a reference to a secret its value for this process. Whether a connection may
// resolve the reference is still a question of trust.
func (a *application) supply(reference string, value sdk.Secret) {
	a.secrets.Supply(reference, value)
	a.scrubber.Add(sdk.Config{Secrets: map[string]sdk.Secret{"supplied": value}})
}
