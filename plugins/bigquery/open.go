package bigquery

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"cloud.google.com/go/bigquery"
	"google.golang.org/api/iterator"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/network"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// reachAccount is the step that finds the credentials and asks for a token.
func (s *Session) reachAccount(ctx context.Context, steps *sqlkit.Steps) bool {
	return steps.Run("credentials", func(step *sdk.TestStep) error {
		if err := s.connect(); err != nil {
			return err
		}
		step.Detail = "Application Default Credentials"
		if !s.cfg.Credentials.IsZero() {
			step.Detail = "service account key"
		}
		if s.cfg.Impersonate != "" {
			step.Detail += ", acting as " + s.cfg.Impersonate
		}
		_, err := s.signer.token(ctx)
		return err
	})
}

// login sends a first request.
func (s *Session) login(ctx context.Context) sqlkit.Login {
	l := sqlkit.Login{Secured: !s.cfg.plain(), Detail: "encrypted, certificate checked against the authorities of this machine"}
	if s.cfg.plain() {
		l.Warning, l.Detail = true, "not encrypted: the endpoint is an http address"
	}
	l.Err = s.Run(ctx, (*call).ping)
	return l
}

// examine learns who the account is, where the data are, and what the account may do.
func (s *Session) examine(ctx context.Context) error {
	if err := s.connect(); err != nil {
		return err
	}
	return s.Run(ctx, func(c *call, ctx context.Context) error {
		if err := c.locate(ctx); err != nil {
			return err
		}
		var rights []sdk.Diagnostic
		wait := start(func() error {
			rights = c.rights(ctx)
			return nil
		})
		err := c.identify(ctx)
		if failed := wait(); err == nil {
			err = failed
		}
		s.Authority("a dry run whose statement type is SELECT, the same text as one job, no destination", "", rights)
		return err
	})
}

// start runs f in a goroutine, so that the round trips of independent requests overlap.
// Concurrency: the caller calls wait, which returns the error of f.
func start(f func() error) (wait func() error) {
	done := make(chan error, 1)
	go func() { done <- guarded(f) }()
	return func() error { return <-done }
}

// locate sets the client's location to that of the connection's dataset.
func (c *call) locate(ctx context.Context) error {
	if c.s.client.Location != "" || c.s.cfg.Dataset == "" {
		return nil
	}
	found, err := c.s.client.Dataset(c.s.cfg.Dataset).Metadata(ctx)
	if err != nil {
		return err
	}
	c.s.client.Location = found.Location
	return nil
}

// identify asks the service who the account is.
func (c *call) identify(ctx context.Context) error {
	s := c.s
	found, err := c.dryRun(ctx, "SELECT 1", nil)
	if err != nil {
		return err
	}
	s.client.Location = cmp.Or(s.client.Location, found.job.Location())
	s.Info = sdk.ServerInfo{
		Product: "BigQuery", Version: "2", CurrentUser: found.job.Email(), Database: s.cfg.Project,
		DefaultCatalog: s.cfg.Project, DefaultSchema: s.cfg.Dataset, State: sdk.StateRunning,
	}
	return nil
}

// writes are permissions that a reader should not have, with what they allow.
// Source: the manual's page "BigQuery IAM roles and permissions".
var writes = []struct{ permission, allows string }{
	{"bigquery.tables.updateData", "change the rows of tables"},
	{"bigquery.tables.update", "change tables"},
	{"bigquery.tables.delete", "delete tables"},
	{"bigquery.tables.create", "create tables"},
	{"bigquery.datasets.create", "create datasets"},
	{"bigquery.datasets.delete", "delete datasets"},
	{"bigquery.routines.create", "create functions"},
	{"bigquery.connections.use", "send statements to other databases"},
}

// rights tells what the account may do beyond reading: in the project, and in a
// table of the first dataset, where rights of datasets show.
func (c *call) rights(ctx context.Context) []sdk.Diagnostic {
	var more []string
	wait := start(func() (err error) {
		more, err = c.testTable(ctx)
		return err
	})
	held, err := c.testProject(ctx)
	if failed := wait(); err == nil {
		held, err = append(held, more...), failed
	}
	var found []sdk.Diagnostic
	warn := func(summary, detail string) {
		found = append(found, sdk.Diagnostic{Severity: sdk.SeverityWarning, Summary: summary, Detail: detail})
	}
	if err != nil {
		warn("the rights of the account could not be examined: "+sqlkit.Failed(ctx, err, nativeError).Error(),
			"have the Cloud Resource Manager API enabled in the project, or see that the account has roles/bigquery.jobUser and roles/bigquery.dataViewer only")
	}
	for _, w := range writes {
		if slices.Contains(held, w.permission) {
			warn("the account can "+w.allows+" ("+w.permission+")", "give the connection an account with roles/bigquery.jobUser and roles/bigquery.dataViewer only")
		}
	}
	return found
}

func permissions() (names []string) {
	for _, w := range writes {
		names = append(names, w.permission)
	}
	return names
}

// testProject asks the Resource Manager which permissions the account has in the
// whole project.
func (c *call) testProject(ctx context.Context) ([]string, error) {
	base := "https://cloudresourcemanager.googleapis.com"
	if c.s.cfg.Endpoint != "" {
		base = c.s.cfg.base()
	}
	var answer struct{ Permissions []string }
	_, err := network.PostJSON(ctx, c.s.http.Transport, base+"/v1/projects/"+c.s.cfg.Project+":testIamPermissions", nil, map[string]any{"permissions": permissions()}, &answer)
	return answer.Permissions, err
}

// testTable asks which permissions the account has in some table.
func (c *call) testTable(ctx context.Context) ([]string, error) {
	t, err := c.sample(ctx)
	if t == nil {
		return nil, err
	}
	return t.IAM().TestPermissions(ctx, []string{"bigquery.tables.updateData", "bigquery.tables.update", "bigquery.tables.delete"})
}

// sample returns some table of the connection's dataset, nil where there is none.
func (c *call) sample(ctx context.Context) (*bigquery.Table, error) {
	if c.s.anyDataset() == "" {
		return nil, nil
	}
	tables := c.s.client.Dataset(c.s.anyDataset()).Tables(ctx)
	tables.PageInfo().MaxSize = 1
	t, err := tables.Next()
	if errors.Is(err, iterator.Done) {
		return nil, nil
	}
	return t, err
}

// testRead has a look at a table planned, which is free.
func (c *call) testRead(ctx context.Context, step *sdk.TestStep) error {
	dataset := c.s.anyDataset()
	if dataset == "" {
		first, err := c.s.client.Datasets(ctx).Next()
		if step.Warning = errors.Is(err, iterator.Done); step.Warning {
			step.Detail = "the account can see no dataset"
			return nil
		}
		if err == nil {
			step.Detail = "datasets can be seen, such as " + first.DatasetID
		}
		return err
	}
	t, err := c.sample(ctx)
	if err != nil {
		return err
	}
	if t == nil {
		step.Warning, step.Detail = true, "the account can read no table or view of "+dataset
		step.Statements = newReader(c.s.cfg.Project, dataset)
		return nil
	}
	name := quote(dataset) + "." + quote(t.TableID)
	step.Detail = "tables and views can be read, such as " + name
	_, err = c.dryRun(ctx, "SELECT * FROM "+name, nil)
	return err
}
