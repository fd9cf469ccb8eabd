package bigquery

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// config is the configuration of a connection.
type config struct {
	Project        string        `json:"project" doc:"Project that runs and pays for the statements, and has the datasets" url:"host" required:"true"`
	Dataset        string        `json:"dataset" doc:"Dataset whose tables need no dataset in front" url:"database"`
	Datasets       []string      `json:"datasets" doc:"Datasets of the project to scan; without it, the connection's own, or else all that the account sees in its location" harmless:"true"`
	Location       string        `json:"location" doc:"Location of the datasets, such as EU or us-east1; without it, that of the dataset"`
	Credentials    sdk.Secret    `json:"credentials" doc:"Service account key, the JSON text itself; without it, the Application Default Credentials of this machine"`
	Impersonate    string        `json:"impersonate" doc:"Service account to act as, by its e-mail address"`
	QuotaProject   string        `json:"quota_project" doc:"Project whose quota the requests count against, where it is another one"`
	Endpoint       string        `json:"endpoint" doc:"Address of the service, for private access or a test server; without it, https://bigquery.googleapis.com"`
	MaxGiBBilled   int           `json:"max_gib_billed" doc:"Most GiB that one statement may bill, 0 for no limit; requests may ask for less" default:"100" min:"0"`
	Timeout        time.Duration `json:"statement_timeout" doc:"Longest time for one statement in the service, such as 30s or 5m; requests may ask for less"`
	ConnectTimeout time.Duration `json:"connect_timeout" doc:"Longest time to sign in" default:"30s"`
}

const service = "https://bigquery.googleapis.com"

// problems finds what the schema cannot say.
func (c *config) problems() []sdk.Diagnostic {
	var found sqlkit.Problems
	found.Require("project", c.Project)
	for _, field := range []struct {
		path  string
		names []string
	}{{"project", []string{c.Project}}, {"dataset", []string{c.Dataset}}, {"datasets", c.Datasets}, {"location", []string{c.Location}}} {
		odd := slices.ContainsFunc(field.names, func(name string) bool { return strings.ContainsAny(name, "`\\/ \n") })
		found.Wrong(odd, field.path, "has a character that no such name has")
	}
	found.RequireNames("datasets", c.Datasets)
	u, err := url.Parse(c.base())
	found.Wrong(err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http", "endpoint", "must be an address such as "+service)
	return found
}

// base is the address of the service, without a slash at its end.
func (c *config) base() string {
	if c.Endpoint == "" {
		return service
	}
	return strings.TrimSuffix(c.Endpoint, "/")
}

// scanned are the datasets that the configuration names.
func (c *config) scanned() []string {
	if len(c.Datasets) == 0 && c.Dataset != "" {
		return []string{c.Dataset}
	}
	return c.Datasets
}

// budget returns the bytes that a statement may bill whose request asks for a
// budget, 0 = none.
func (c *config) budget(asked int64) int64 {
	most := int64(c.MaxGiBBilled) << 30
	if asked > 0 && (most == 0 || asked < most) {
		return asked
	}
	return most
}

// newReader returns the statements that let an account read one dataset.
func newReader(project, dataset string) []string {
	return []string{
		"GRANT `roles/bigquery.jobUser` ON PROJECT `" + project + "` TO 'serviceAccount:<reader>'",
		"GRANT `roles/bigquery.dataViewer` ON SCHEMA `" + project + "`.`" + dataset + "` TO 'serviceAccount:<reader>'",
	}
}
