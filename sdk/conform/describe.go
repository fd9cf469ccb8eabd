package conform

import (
	"context"
	"encoding/json"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// describeLimit bounds Describe, which needs no I/O.
const describeLimit = 100 * time.Millisecond

func describeChecks(mode Mode) []check {
	checks := []check{
		{"quick", describeQuick},
		{"identity", describeIdentity},
		{"schema", describeSchema},
		{"dialects", describeDialects},
		{"dialect_of_server", describeServerDialect},
		{"capabilities", describeCapabilities},
	}
	if mode == Binary {
		checks = append(checks, check{"manifest", describeManifest})
	}
	return checks
}

func describeQuick(p *probe) {
	s := p.subject()
	best := time.Hour
	for range 5 { // the machine may be busy once
		started := time.Now()
		var err error
		p.within(patience, "describe", func() { _, err = s.describe(p.ctx) })
		p.must("describe", err)
		best = min(best, time.Since(started))
	}
	if best > describeLimit {
		p.errorf("describe takes %s; the limit is %s", best, describeLimit)
	}
}

// pattern compiles an expression at its first use, so that programs that link the suite and do not
// run it pay nothing.
func pattern(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

var (
	idForm      = pattern(`^([a-z0-9][a-z0-9-]*/)?[a-z0-9][a-z0-9-]*$`)
	versionForm = pattern(`^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$`)
)

func describeIdentity(p *probe) {
	p.subject()
	d := p.run.description
	if !idForm().MatchString(d.ID) {
		p.errorf("id %q is not name or namespace/name in lower case", d.ID)
	}
	if !versionForm().MatchString(d.Version) {
		p.errorf("version %q is no semantic version without \"v\"", d.Version)
	}
	for name, value := range map[string]string{"display name": d.DisplayName, "license": d.License, "sdk": d.SDK} {
		if strings.TrimSpace(value) == "" {
			p.errorf("the %s is missing", name)
		}
	}
}

// schemaNode has the parts of a configuration schema that the suite reads.
type schemaNode struct {
	Type                 string                 `json:"type"`
	Description          string                 `json:"description"`
	Properties           map[string]*schemaNode `json:"properties"`
	Required             []string               `json:"required"`
	AdditionalProperties *bool                  `json:"additionalProperties"`
	Secret               bool                   `json:"x-secret"`
}

func (p *probe) schema() *schemaNode {
	p.subject()
	var schema schemaNode
	if err := json.Unmarshal(p.run.description.ConfigSchema, &schema); err != nil {
		p.fatalf("the configuration schema is no JSON object: %v", err)
	}
	return &schema
}

func describeSchema(p *probe) {
	schema := p.schema()
	if schema.Type != "object" {
		p.errorf("the configuration schema is of type %q, not object", schema.Type)
	}
	p.checkNode("", schema)
}

func (p *probe) checkNode(prefix string, node *schemaNode) {
	if node.AdditionalProperties == nil || *node.AdditionalProperties {
		p.errorf("object %q allows unknown keys: a misspelt key would go unnoticed", strings.TrimSuffix(prefix, "."))
	}
	for name, property := range node.Properties {
		path := prefix + name
		if property.Description == "" {
			p.errorf("%s has no description", path)
		}
		if property.Secret && property.Type != "string" {
			p.errorf("%s is a secret of type %q, not string", path, property.Type)
		}
		if property.Type == "object" {
			p.checkNode(path+".", property)
		}
	}
	for _, name := range node.Required {
		if node.Properties[name] == nil {
			p.errorf("%s%s is required and no property", prefix, name)
		}
	}
}

func describeDialects(p *probe) {
	p.subject()
	if err := dialect.ValidateBy(p.run.description.Dialects, p.run.description.ContractMinor); err != nil {
		p.errorf("%v", err)
	}
}

// dialectOfServer returns the dialect of the shared session's server.
func (p *probe) dialectOfServer() *dialect.Dialect {
	info := p.shareSession().Server()
	d := info.DialectOf(p.run.description.Dialects)
	if d == nil {
		p.fatalf("no dialect fits %s %s", info.Product, info.Version)
	}
	return d
}

func describeServerDialect(p *probe) {
	d := p.dialectOfServer()
	if own := p.shareSession().Server().Dialect; own != nil {
		if err := own.Validate(); err != nil {
			p.errorf("the session's own dialect: %v", err)
		}
	}
	p.remark("dialect %s", d.Name)
}

// describeCapabilities checks that a session implements exactly the declared capabilities. Over
// the wire, the client builds sessions from the declaration: there a missing capability is detected
// by calling it.
func describeCapabilities(p *probe) {
	session := p.shareSession()
	c := p.run.description.Capabilities
	_, explainer := session.(sdk.Explainer)
	_, validator := session.(sdk.Validator)
	_, profiler := session.(sdk.Profiler)
	_, logger := session.(sdk.QueryLogger)
	_, canceler := session.(sdk.QueryCanceler)
	canceler = canceler && (p.run.mode == InProcess || c.CancelQuery) // over the wire the host's session has it always
	for _, ability := range []struct {
		name                  string
		declared, implemented bool
		call                  func() error
	}{
		{"Explain", c.Explain, explainer, func() error { _, err := session.(sdk.Explainer).Explain(p.ctx, sdk.ExplainRequest{}); return err }},
		{"Validate", c.Validate, validator, func() error {
			_, err := session.(sdk.Validator).Validate(p.ctx, sdk.ValidateRequest{})
			return err
		}},
		{"Profile", c.Profile, profiler, func() error {
			return session.(sdk.Profiler).Profile(p.ctx, sdk.ProfileRequest{}, &profileCollector{p: p})
		}},
		{"QueryLog", c.QueryLog, logger, func() error {
			return session.(sdk.QueryLogger).QueryLog(p.ctx, sdk.QueryLogRequest{}, &logCollector{p: p})
		}},
		{"CancelQuery", c.CancelQuery, canceler, func() error {
			running, err := session.(sdk.QueryCanceler).CancelQuery(p.ctx, "no-such-statement")
			if running || err != nil {
				p.errorf("canceling a statement that does not exist gives %v and %v; it is no error", running, err)
			}
			return nil
		}},
	} {
		switch {
		case ability.declared && !ability.implemented:
			p.errorf("capability %s is declared, but the session does not implement it", ability.name)
		case !ability.declared && ability.implemented:
			p.errorf("the session implements %s, but the capability is not declared", ability.name)
		case ability.declared:
			p.within(patience, ability.name, func() {
				if err := ability.call(); p.kind(err) == sdk.KindUnsupported {
					p.errorf("capability %s is declared, but the call says: %v", ability.name, err)
				}
			})
		}
	}
	if c.ReadOnly == sdk.ReadOnlyUnspecified {
		p.errorf("Capabilities.ReadOnly says nothing of what stops a write")
	}
	if c.MemoryBytes < 0 {
		p.errorf("Capabilities.MemoryBytes is %d", c.MemoryBytes)
	}
	if c.MaxStreams < 0 {
		p.errorf("Capabilities.MaxStreams is %d", c.MaxStreams)
	}
}

// describeManifest compares Describe of the running program with its manifest.
func describeManifest(p *probe) {
	p.subject()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	manifest, err := p.run.target.manifest(ctx)
	p.must("manifest", err)
	if diff := difference(manifest.Description, p.run.description); diff != "" {
		p.errorf("the manifest and Describe differ (-manifest +Describe):\n%s", diff)
	}
}
