package conform

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/loam-data/loam/sdk"
)

func configChecks() []check {
	return []check{
		{"valid", configValid},
		{"missing", configMissing},
		{"unknown", configUnknown},
		{"wrong_type", configWrongType},
		{"secret_in_the_open", configSecret},
		{"no_object", configNoObject},
		{"offline", configOffline},
	}
}

// diagnose returns the summaries of the findings that are errors, by path.
func (p *probe) diagnose(config sdk.Config) map[string]string {
	s := p.subject()
	var found []sdk.Diagnostic
	var err error
	p.within(patience, "the check of the configuration", func() { found, err = s.diagnose(p.ctx, config) })
	p.must("a wrong configuration is data, not an error", err)
	p.watchDiagnostics(found)
	errors := map[string]string{}
	for _, d := range found {
		if d.Summary == "" || strings.Contains(d.Summary, "\n") {
			p.errorf("the finding at %q has no summary of one line: %q", d.Path, d.Summary)
		}
		if d.Severity == sdk.SeverityError {
			errors[d.Path] = d.Summary
		}
	}
	return errors
}

// object returns the target's configuration for a check to change.
func (p *probe) object() map[string]any {
	object := map[string]any{}
	if len(p.run.target.Config.JSON) > 0 {
		if err := json.Unmarshal(p.run.target.Config.JSON, &object); err != nil {
			p.fatalf("Target.Config.JSON: %v", err)
		}
	}
	return object
}

func (p *probe) config(object map[string]any) sdk.Config {
	raw, err := json.Marshal(object)
	p.must("Target.Config.JSON", err)
	return sdk.Config{JSON: raw, Secrets: maps.Clone(p.run.target.Config.Secrets)}
}

// wantFinding checks that a configuration has an error at path, and that opening it is KindInvalid.
func (p *probe) wantFinding(what, path string, config sdk.Config) {
	found := p.diagnose(config)
	if _, ok := found[path]; !ok {
		p.errorf("%s: no finding at %q, only at %q", what, path, slices.Sorted(maps.Keys(found)))
	}
	s := p.subject()
	p.within(patience, "open", func() {
		session, err := s.open(p.ctx, p.request(config))
		if err == nil {
			p.must("close", session.Close(p.ctx))
		}
		p.want("open with "+what, err, sdk.KindInvalid)
	})
}

func configValid(p *probe) {
	for path, summary := range p.diagnose(p.run.target.Config) {
		p.errorf("the target's own configuration is refused at %q: %s", path, summary)
	}
}

func configMissing(p *probe) {
	schema := p.schema()
	if len(schema.Required) == 0 {
		p.skipf("no key is required")
	}
	for _, name := range schema.Required {
		config := p.config(p.object())
		if schema.Properties[name] != nil && schema.Properties[name].Secret {
			delete(config.Secrets, name)
		} else {
			object := p.object()
			delete(object, name)
			config = p.config(object)
		}
		p.wantFinding(name+" missing", name, config)
	}
}

func configUnknown(p *probe) {
	const key = "conform_no_such_key"
	object := p.object()
	object[key] = true
	p.wantFinding("an unknown key", key, p.config(object))
}

func configWrongType(p *probe) {
	wrong := map[string]any{"string": 1, "integer": "one", "number": "one", "boolean": "yes", "array": "one", "object": "one"}
	for name, property := range p.schema().Properties {
		if property.Secret {
			continue
		}
		object := p.object()
		object[name] = wrong[property.Type]
		p.wantFinding(name+" of the wrong type", name, p.config(object))
	}
}

// configSecret: a secret in the configuration itself is refused, because configurations are in files.
func configSecret(p *probe) {
	found := false
	for name, property := range p.schema().Properties {
		if property.Secret {
			found = true
			object := p.object()
			object[name] = "in the open"
			p.wantFinding("the secret "+name+" in the configuration", name, p.config(object))
		}
	}
	if !found {
		p.undeclared("the connector takes no secrets")
	}
}

func configNoObject(p *probe) {
	for _, raw := range []string{`[]`, `"text"`, `{`} {
		if len(p.diagnose(sdk.Config{JSON: []byte(raw), Secrets: p.run.target.Config.Secrets})) == 0 {
			p.errorf("%s passes for a configuration", raw)
		}
	}
}

// configOffline: the check of a configuration must not connect to the server.
func configOffline(p *probe) {
	p.require(p.run.target.Unreachable != nil, "Unreachable")
	const limit = 250 * time.Millisecond
	best := time.Hour
	for range 3 { // the machine may be busy once
		started := time.Now()
		for path, summary := range p.diagnose(*p.run.target.Unreachable) {
			p.fatalf("Target.Unreachable must be a sound configuration; refused at %q: %s", path, summary)
		}
		best = min(best, time.Since(started))
	}
	if best > limit {
		p.errorf("checking a configuration takes %s; the limit is %s", best, limit)
	}
}
