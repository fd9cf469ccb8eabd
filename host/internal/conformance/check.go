// Package conformance runs sdk/conform on a connector's program, as the file check.yaml describes
// it. It is for connectors in any language.
package conformance

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/conformance/question"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/connector"
	"github.com/loam-data/loam/host/internal/secret"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/conform"
)

// Request says what to check.
type Request struct {
	// Installed is the connector; for one without a manifest only Binary is set.
	Installed connector.Installed
	// Fixture is the content of check.yaml; nil = only the checks that need no connection run.
	Fixture *Fixture
	// Cases are globs of "group/check"; nil = all checks.
	Cases []string
	// Level selects the checks that the level needs; "" = all.
	Level conform.Level
	// Requests is the number of random requests of the semantic layer.
	Requests int
	// CheckLimit bounds one check, Limit all of them; 0 = no bound.
	CheckLimit, Limit time.Duration
	// Started and Ended are called before and after each group; see conform.Options.
	Started func(group string, checks int)
	Ended   func(group string, results []conform.Result)
}

// describeLimit bounds the time that a program takes to print its manifest.
const describeLimit = 10 * time.Second

// Describe verifies the files of a connector. For a program without a manifest, it adds the
// description that the program prints, if it prints one.
// Errors: those of connector.Verify.
func Describe(ctx context.Context, c connector.Installed) (connector.Installed, error) {
	if c.Manifest != "" {
		return c, connector.Verify(c)
	}
	ctx, cancel := context.WithTimeout(ctx, describeLimit)
	defer cancel()
	if manifest, err := conform.ManifestOf(ctx, conform.Target{Binary: c.Binary}); err == nil {
		c.Name, c.Description = manifest.Description.ID, manifest.Description
	}
	return c, nil
}

// settle is the largest conform.Pace.Settle; with a short limit of a check it is a third of that.
const settle = 10 * time.Second

// Check runs the checks. Their failures are in the report, not in the error.
// Errors: KindInvalid for an invalid fixture, and for Cases that match no check; KindCanceled.
func Check(ctx context.Context, req Request) (*Report, error) {
	stray, err := os.MkdirTemp("", "loam-check-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(stray)
	target, err := req.target(ctx, stray)
	if err != nil {
		return nil, err
	}
	selected := 0
	begun := time.Now()
	results := conform.Examine(ctx, target, conform.Options{
		Select:     req.selects,
		CheckLimit: req.CheckLimit,
		Limit:      req.Limit,
		Started:    func(group string, checks int) { selected += checks; req.Started(group, checks) },
		Ended:      req.Ended,
	})
	switch {
	case ctx.Err() != nil:
		return nil, &sdk.Error{Kind: sdk.KindCanceled, Source: sdk.SourceCaller, Msg: "cancelled", Err: ctx.Err()}
	case selected == 0:
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "no check is named %s", strings.Join(req.Cases, " or ")).
			WithHint("write group/check, such as types/* or dialect/sum")
	}
	return newReport(&req, &target, results, time.Since(begun)), nil
}

// selects reports whether the request includes a check.
func (r *Request) selects(group, check string) bool {
	if r.Level != "" && !r.Level.Needs(group) {
		return false
	}
	return len(r.Cases) == 0 || slices.ContainsFunc(r.Cases, func(glob string) bool {
		matched, _ := filepath.Match(glob, group+"/"+check) // CheckGlob has seen it
		return matched || glob == group
	})
}

// target returns the conform.Target of the request.
func (r *Request) target(ctx context.Context, stray string) (conform.Target, error) {
	c, f := r.Installed, r.Fixture
	target := conform.Target{
		Binary: c.Binary, Command: c.Argv, Manifest: c.Manifest, Environment: passed(c.Description.EnvPassthrough),
		Pace: conform.Pace{Settle: min(settle, max(r.CheckLimit/3, time.Second))}, Named: named, Requests: r.Requests,
	}
	stolen := filepath.Join(stray, "stolen")
	if len(c.Description.Dialects) > 0 {
		d := &c.Description.Dialects[0]
		target.Attacks, target.Unsaid = conform.Corpus(d, "", stolen, ""), conform.Unsaid(d)
	}
	if f != nil && c.Description.ID == "" {
		return target, sdk.Errorf(sdk.KindInvalid, sdk.SourceConnector, "%s has no manifest, and does not write one", c.Binary).
			WithHint("write connector.json beside it; without --fixture the checks run that need no connection")
	}
	target.Request = question.Requests(nil)
	if f == nil {
		target.Offline, target.Server = true, "embedded: no fixture"
		return target, nil
	}
	attacks, err := f.attacks()
	if err != nil {
		return target, err
	}
	target.Attacks = append(target.Attacks, attacks...)
	if target.Fixture.Tables, err = f.tables(); err != nil {
		return target, err
	}
	if target.Reach, err = f.reach(stray); err != nil {
		return target, err
	}
	target.Request = question.Requests(target.Fixture.Tables)
	if f.Cases != "" {
		if target.Cases, err = conform.LoadCases(os.DirFS(f.file(f.Cases)), f.others()...); err != nil {
			return target, f.invalid(f.path, "cases: %w", err)
		}
	}
	target.Server, target.SkipsBy = f.Server, f.skips()
	target.RowsSQL, target.TextSQL, target.SlowSQL, target.SessionSQL = numbered(f.RowsSQL), numbered(f.TextSQL), f.SlowSQL, f.SessionSQL
	target.Fixture.Reread, target.Fixture.Running = f.reread(f.Reread, stray), f.running()
	target.Fixture.End, target.Fixture.Disconnect = f.does(f.End), f.does(f.Disconnect)
	if err := r.configure(ctx, &target); err != nil {
		return target, err
	}
	return target, f.setUp(ctx)
}

// configure sets the configurations of the target, with resolved secrets.
func (r *Request) configure(ctx context.Context, target *conform.Target) (err error) {
	f := r.Fixture
	own := map[string]any{}
	maps.Copy(own, f.Config)
	for key, reference := range f.Secrets {
		put(own, key, reference)
	}
	if target.Config, err = r.resolve(ctx, own); err != nil {
		return err
	}
	for _, other := range []struct {
		keys map[string]any
		into **sdk.Config
	}{{words(f.WrongSecrets), &target.WrongSecret}, {f.Unreachable, &target.Unreachable}, {f.Writer, &target.Writer}} {
		if len(other.keys) == 0 {
			continue
		}
		changed := maps.Clone(own)
		for key, value := range other.keys {
			put(changed, key, value)
		}
		config, err := r.resolve(ctx, changed)
		if err != nil {
			return err
		}
		*other.into = &config
	}
	return nil
}

// put sets a dotted key. It copies nested objects, which other configurations share.
func put(object map[string]any, key string, value any) {
	first, rest, nested := strings.Cut(key, ".")
	if !nested {
		object[key] = value
		return
	}
	inner := map[string]any{}
	if old, ok := object[first].(map[string]any); ok {
		maps.Copy(inner, old)
	}
	put(inner, rest, value)
	object[first] = inner
}

func words(texts map[string]string) map[string]any {
	all := map[string]any{}
	for key, text := range texts {
		all[key] = text
	}
	return all
}

// resolve returns a configuration with its secrets, as for a connection of a project in the
// fixture's folder.
func (r *Request) resolve(ctx context.Context, config map[string]any) (sdk.Config, error) {
	resolver := secret.New(r.Fixture.dir(), os.Environ(), slog.New(slog.DiscardHandler)).Granting(plain)
	request, err := connection.OpenRequest(ctx, connection.Connection{
		ID: connection.ID(filepath.Base(r.Fixture.path)), Connector: r.Installed.Name, Dir: r.Fixture.dir(), Config: config,
	}, r.Installed.Description.ConfigSchema, resolver)
	return request.Config, err
}

// plain reports whether a reference names a variable or a file. A fixture may not use a command
// or the key ring.
func plain(reference string) bool {
	ref, ok := secret.Parse(reference)
	return ok && (ref.Scheme == secret.Variable || ref.Scheme == secret.File)
}

// passed returns the environment variables that a connector declares, as "name=value".
func passed(names []string) (environment []string) {
	for _, name := range names {
		if value, ok := os.LookupEnv(name); ok {
			environment = append(environment, name+"="+value)
		}
	}
	return environment
}

// named returns the key of the fixture for a field of conform.Target.
func named(field string) string {
	known := map[string]string{
		"Skips": "skips", "Server": "server", "WrongSecret": "wrong_secrets", "Unreachable": "unreachable", "RowsSQL": "rows_sql", "TextSQL": "text_sql",
		"SlowSQL": "slow_sql", "Attacks": "attacks", "Fixture.Tables": "tables", "Fixture.Reread": "reread", "Fixture.Running": "running",
		"Fixture.End": "end", "Fixture.Disconnect": "disconnect", "Through": "config.host and config.port", "Reach": "reach", "Reach.Reread": "reach.reread",
		"Reach.Statements": "reach.statements", "Reach.Statements (the harmless ones)": "reach.statements (the harmless ones)",
	}
	if key, ok := known[field]; ok {
		return key + " of check.yaml"
	}
	return fmt.Sprintf("%s (which check.yaml cannot say)", field)
}

// Files are what the checks of a connector read, but for what they write themselves: the
// program, its manifest and the files that these name, the fixture and its files. One that
// is not there is among them.
func Files(c connector.Installed, fixture string) (all []string) {
	all = slices.Concat([]string{c.Binary, c.Manifest}, slices.Sorted(maps.Keys(c.Files)))
	if fixture == "" {
		return all
	}
	all = append(all, fixture)
	f, err := ReadFixture(fixture)
	if err != nil {
		return all // it is read again when it changes
	}
	for _, name := range f.named() {
		all = append(all, f.file(name))
	}
	if f.Cases != "" {
		cases, _ := filepath.Glob(filepath.Join(f.file(f.Cases), "*")) // the pattern is sound
		all = append(append(all, f.file(f.Cases)), cases...)
	}
	return all
}

// CheckGlobs returns an error for an invalid pattern. Errors: KindInvalid.
func CheckGlobs(globs []string) error {
	for _, glob := range globs {
		if _, err := filepath.Match(glob, ""); err != nil {
			return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%q is no pattern: %w", glob, err)
		}
	}
	return nil
}
