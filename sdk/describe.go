package sdk

import (
	"context"
	"encoding/json"
	"time"

	"github.com/loam-data/loam/sdk/dialect"
)

// ContractMinor is the minor version of contract v1 that this SDK speaks.
const ContractMinor = 1

// SDKVersion is the version of this SDK, as Description.SDK reports it.
const SDKVersion = "0.1.0"

// Description describes a connector without a connection. It is the content of
// the static manifest beside the binary.
type Description struct {
	ID, Version, SDK     string
	ContractMinor        int
	DisplayName, License string
	Capabilities         Capabilities
	Dialects             []dialect.Dialect
	ConfigSchema         json.RawMessage
	EnvPassthrough       []string
}

// Describe returns the connector's description.
func (c *Connector) Describe() Description {
	return Description{
		ID: c.ID, Version: c.Version, SDK: "go/" + SDKVersion, ContractMinor: ContractMinor,
		DisplayName: c.DisplayName, License: c.License, Capabilities: c.Capabilities,
		Dialects: c.Dialects, ConfigSchema: c.Config.Schema, EnvPassthrough: c.EnvPassthrough,
	}
}

// Diagnose checks a configuration offline: by its schema and, if that passes,
// by ValidateConfig.
func (c *Connector) Diagnose(config Config) []Diagnostic {
	found := c.Config.Validate(config)
	if len(found) == 0 && c.ValidateConfig != nil {
		found = c.ValidateConfig(config)
	}
	return found
}

// TestConnection runs the connector's staged checks; for a connector without
// Test, "config" and "open".
func (c *Connector) TestConnection(ctx context.Context, req OpenRequest, report func(TestStep)) error {
	if c.Test != nil {
		return c.Test(ctx, req, report)
	}
	started := time.Now()
	step := TestStep{Name: "config"}
	for _, d := range c.Diagnose(req.Config) {
		if d.Severity == SeverityError {
			step.Err = Errorf(KindInvalid, SourceHost, "%s: %s", d.Path, d.Summary).WithHint("%s", d.Detail)
			break
		}
		step.Warning, step.Detail = true, d.Path+": "+d.Summary
	}
	step.Elapsed = time.Since(started)
	report(step)
	if step.Err != nil {
		return nil //nolint:nilerr // the step carries it
	}
	started = time.Now()
	session, err := c.Open(ctx, req)
	if err != nil {
		report(TestStep{Name: "open", Elapsed: time.Since(started), Err: AsError(err, SourceConnector)})
		return nil
	}
	info := session.Server()
	step = TestStep{Name: "open", Elapsed: time.Since(started), Detail: info.Product + " " + info.Version}
	if info.State != "" {
		step.Detail += ", " + string(info.State)
	}
	report(step)
	return session.Close(ctx)
}
