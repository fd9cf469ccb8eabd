package host

import (
	"context"
	"fmt"
	"os"
	"path"
	"time"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/change/form"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/extract"
	"github.com/loam-data/loam/host/internal/memory"
	"github.com/loam-data/loam/host/internal/planner"
	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/host/internal/review"
	"github.com/loam-data/loam/host/internal/savedquery"
	"github.com/loam-data/loam/host/internal/secret"
	"github.com/loam-data/loam/host/internal/token"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// newMemory makes the memory of the project in a folder. Nothing is opened before it is used.
func (a *application) newMemory(folder string) *memory.Service {
	return memory.New(memory.Config{
		Dir: folder, State: string(a.own), User: os.Getenv(wikiUser),
		Settings: a.memorySettings,
		Store:    a.decided, Engine: change.New(change.Config{Dir: folder, Store: a.decided, Kinds: form.Kinds(), Now: time.Now, Logger: a.log}),
		Warehouses: a.warehouses, Layer: a.layer, Query: a.query, Wiki: a.wiki, Index: a.index, Texts: a.chunks, Queries: a.savedReads,
		Known: func(text string) string { return token.Redact(a.scrubber.Scrub(text)) },
		Plan:  planner.Make,
		Model: extract.New(extract.Config{
			Model: a.model, Now: time.Now, Logger: a.log,
			Store: func(ctx context.Context) (extract.Store, error) {
				kept, err := a.decided.Get(ctx)
				if err != nil {
					return nil, err
				}
				return kept, nil
			},
		}),
		Now: time.Now, Logger: a.log,
	})
}

// recordDecisions puts decisions about joins into the log of reviews. The decisions are in their file by then: a failure
// to record them is a warning.
func (a *application) recordDecisions(ctx context.Context, all []review.Event) {
	events := make([]change.Event, len(all))
	for i, e := range all {
		events[i] = change.Event{By: e.By, Verb: e.Verb, Detail: e.Detail}
	}
	if err := a.remembered.Engine.Record(context.WithoutCancel(ctx), events...); err != nil {
		a.log.Warn("decisions about joins are not in the log of reviews", "error", err)
	}
}

// maxSaved bounds the saved queries of a connection whose statements are read for the impact of a change.
const maxSaved = 500

// savedReads returns the saved queries of a connection with the tables that their statements read.
func (a *application) savedReads(ctx context.Context, id connection.ID) (all []memory.SavedQuery, err error) {
	items, err := a.saved.Items(ctx)
	if err != nil {
		return nil, err
	}
	w, err := a.warehouses.Choose(ctx, id)
	if err != nil {
		return nil, err
	}
	known, _ := w.Known(ctx) // without its connector there is no dialect
	var statements []string
	for _, item := range items {
		q := item.Query
		if item.Connection != w.ID || q == nil || len(all) == maxSaved {
			continue
		}
		statements = append(statements, sampled(q, known.Dialect()))
		all = append(all, memory.SavedQuery{
			Name: item.Name, Path: path.Join("queries", string(item.Connection), item.Name+".sql"),
			Says: q.Title + "\n" + q.Description + "\n" + q.Constraints,
		})
	}
	for i, reads := range a.findings.Reads(ctx, w.ID, statements) {
		all[i].Reads = reads
	}
	return all, nil
}

// sampled returns the statement of a saved query with all optional parts and a value in each placeholder; "" = it cannot
// be read.
func sampled(q *savedquery.Query, d *dialect.Dialect) string {
	if d == nil {
		return ""
	}
	t, err := savedquery.Read(q.SQL, d)
	if err != nil {
		return ""
	}
	sql, err := q.Sample(t, d, true)
	if err != nil {
		return ""
	}
	return sql
}

// memorySettings are those of loam.yaml now.
func (a *application) memorySettings(ctx context.Context) (project.Memory, error) {
	current, err := a.project.Current(ctx)
	if err != nil {
		return project.Memory{}, err
	}
	return current.Memory, nil
}

// learnFrom names the repositories whose files always teach.
func (a *application) learnFrom(ctx context.Context) ([]string, error) {
	settings, err := a.memorySettings(ctx)
	return settings.LearnFrom, err
}

// knowSecrets resolves the secrets of the connections that are trusted, so that texts are kept without them. notes name
// the connections whose secrets are not known.
func (a *application) knowSecrets(ctx context.Context) (notes []string) {
	all, err := a.project.Connections(ctx)
	if err != nil {
		return []string{"The secrets of the connections are not known (" + sdk.AsError(err, sdk.SourceHost).Msg + "): only what looks like a secret is taken out."}
	}
	for _, c := range all.All() {
		if err := a.knowSecretsOf(ctx, c); err != nil {
			notes = append(notes, fmt.Sprintf("The secrets of connection %s are not known (%s): of them only what looks like a secret is taken out.", c.ID, sdk.AsError(err, sdk.SourceHost).Msg))
		}
	}
	return notes
}

func (a *application) knowSecretsOf(ctx context.Context, c connection.Connection) error {
	installed, err := a.registry.Find(c.Connector, c.Path)
	if err != nil {
		return err
	}
	split, err := connection.SplitConfig(c, installed.Description.ConfigSchema, secret.IsReference)
	if err != nil || len(split.References) == 0 {
		return err
	}
	_, err = a.request(ctx, c, installed, func(s connection.Secrets) connection.Secrets { return s })
	return err
}
