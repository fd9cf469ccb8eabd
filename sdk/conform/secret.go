package conform

import (
	"errors"
	"fmt"
	"strings"

	"github.com/loam-data/loam/sdk"
)

// watch records a text that contains a secret, for the group "secret".
func (p *probe) watch(where, text string) {
	for _, secret := range p.run.secrets {
		if strings.Contains(text, secret) {
			p.run.mu.Lock()
			p.run.leaks = append(p.run.leaks, fmt.Sprintf("%s shows a secret: %s", where, strings.ReplaceAll(text, secret, "‹secret›")))
			p.run.mu.Unlock()
			return
		}
	}
}

func (p *probe) watchError(err error) {
	for e := err; e != nil; e = errors.Unwrap(e) {
		p.watch("an error", e.Error())
		if e, ok := e.(*sdk.Error); ok { //nolint:errorlint // each link of the chain is looked at by itself
			p.watch("an error", strings.Join(append([]string{e.Op, e.Msg, e.Hint, e.Code, e.QueryID}, e.Candidates...), " "))
		}
	}
}

func (p *probe) watchDiagnostics(found []sdk.Diagnostic) {
	for _, d := range found {
		p.watch("a diagnostic", strings.Join([]string{d.Path, d.Summary, d.Detail}, " "))
	}
}

func (p *probe) watchStep(step sdk.TestStep) {
	p.watch("a step of the connection test", strings.Join(append([]string{step.Name, step.Detail}, step.Statements...), " "))
	if step.Err != nil {
		p.watchError(step.Err)
	}
}

func secretChecks(mode Mode) []check {
	checks := []check{
		{"texts", func(p *probe) {
			p.needSecrets()
			p.provokeTexts()
			p.run.mu.Lock()
			defer p.run.mu.Unlock()
			for _, leak := range p.run.leaks {
				p.errorf("%s", leak)
			}
		}},
		{"logs", func(p *probe) {
			p.needSecrets()
			p.provokeTexts()
			for line := range strings.Lines(p.logText()) {
				for _, secret := range p.run.secrets {
					if strings.Contains(line, secret) {
						p.errorf("a log line shows a secret: %s", strings.ReplaceAll(strings.TrimSpace(line), secret, "‹secret›"))
					}
				}
			}
		}},
	}
	if mode == Binary {
		checks = append(checks, check{"process", secretInProcess})
	}
	return checks
}

// needSecrets skips a check of a connector without secrets; it fails if the connector takes secrets
// and Target.Config has none.
func (p *probe) needSecrets() {
	if len(p.run.secrets) > 0 {
		return
	}
	p.subject()
	if strings.Contains(string(p.run.description.ConfigSchema), `"x-secret"`) {
		p.fatalf("Target.Config has no secret of %d or more characters, but the connector takes secrets: configure one to watch for", minSecret)
	}
	p.undeclared("the connector takes no secrets")
}

// provokeTexts makes the connector produce the texts that are most likely to contain secrets.
func (p *probe) provokeTexts() {
	s := p.subject()
	configs := []sdk.Config{p.run.target.Config}
	if wrong, ok := p.run.target.wrongSecret(); ok {
		configs = append(configs, wrong)
	}
	if p.run.target.Unreachable != nil {
		configs = append(configs, *p.run.target.Unreachable)
	}
	for _, config := range configs {
		p.within(patience, "the connection test", func() {
			found, err := s.diagnose(p.ctx, config)
			p.watchDiagnostics(found)
			p.watchError(err)
			p.watchError(s.test(p.ctx, p.request(config), p.watchStep))
			session, err := s.open(p.ctx, p.request(config))
			p.watchError(err)
			if err == nil {
				info := session.Server()
				p.watch("the server's description", strings.Join([]string{info.Product, info.Version, info.CurrentUser, info.Database, info.ReadOnlyMechanism}, " "))
				p.watchDiagnostics(info.Warnings)
				p.must("close", session.Close(p.ctx))
			}
		})
	}
	_, err := p.try(sdk.ExecuteRequest{SQL: "this is no statement"})
	p.watchError(err)
}

// logText returns the connector's log so far.
func (p *probe) logText() string {
	if child, ok := p.run.shared.(*process); ok {
		return child.stderr.String() + p.run.logs.String()
	}
	return p.run.logs.String()
}

func firstLine(sql string) string {
	line, rest, _ := strings.Cut(strings.TrimSpace(sql), "\n")
	const longest = 100
	if len(line) > longest {
		return line[:longest] + "…"
	}
	if rest != "" {
		return line + " …"
	}
	return line
}
