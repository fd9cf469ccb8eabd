package arch

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// What a project may run or send is decided in one place, host/target.go, which
// asks package trust. Each line of this table is a way past it; what is listed may
// go it, and says why.
var pastTrust = []struct {
	way     *regexp.Regexp
	allowed map[string]string
}{
	{regexp.MustCompile(`connector\.Target\{[^}]`), map[string]string{
		"host/target.go": "makes targets of connections that are trusted",
	}},
	{regexp.MustCompile(`\.ValidateConfig\(`), map[string]string{
		"host/internal/cli/project/add.go":      "starts the connector that the person just typed",
		"host/internal/connector/supervisor.go": "forwards the call of the one above",
	}},
	{regexp.MustCompile(`\.Granting\(`), map[string]string{
		"host/target.go":                     "grants what is trusted, and in typedSecrets everything",
		"host/console.go":                    "resolves the tokens of the console, which are compared with what people type and sent nowhere",
		"host/internal/conformance/check.go": "resolves variables and files that a fixture names, which the person names with --fixture",
	}},
	{regexp.MustCompile(`\btypedSecrets\(`), map[string]string{
		"host/target.go":   "declares it",
		"host/commands.go": "hands it to loam connection add",
	}},
	{regexp.MustCompile(`services\.Secrets\b`), map[string]string{
		"host/internal/cli/project/add.go":      "resolves what the person just typed",
		"host/internal/cli/project/location.go": "resolves the URL that the person just typed",
		"host/internal/cli/project/publish.go":  "resolves the passphrase that the person just typed a reference to",
	}},
	{regexp.MustCompile(`\.Telemetry\.Endpoint\b`), map[string]string{
		"host/internal/trust/check.go":               "returns it when it is trusted",
		"host/internal/project/setting/effective.go": "shows it, and sends nothing",
		"host/internal/project/setting/key.go":       "shows where it comes from, and sends nothing",
	}},
	{regexp.MustCompile(`\.Memory\.LLM\b`), map[string]string{
		"host/internal/trust/model.go": "returns it when it is trusted",
		"host/application.go":          "names the variable of its key, and sends nothing",
	}},
	{regexp.MustCompile(`\bexec\.(Command(Context)?\(|Cmd\{)|\bos\.StartProcess\(`), map[string]string{
		"host/internal/secret/command.go":       "runs a reference that was granted",
		"host/internal/connector/runner.go":     "runs the connector of a target",
		"host/internal/daemon/start.go":         "runs this program again",
		"host/internal/cli/command/editor.go":   "runs the editor of the person, from their own environment",
		"host/internal/cli/terminal/browser.go": "opens the page of a sign-in in the browser, for --open",
		"host/internal/demo/memory.go":          "runs this program again",
		"host/internal/conformance/admin.go":    "runs the command of a fixture, which the person names with --fixture",
	}},
	{regexp.MustCompile(`\bnet\.Dial|\bDialer\{|\bhttp\.(Get|Post|NewRequest|DefaultClient|Client\{)`), map[string]string{
		"host/internal/connector/program.go":           "reaches a connector under a debugger, which the environment names",
		"host/internal/daemon/health.go":               "asks this machine's own server",
		"host/internal/console/consoletest/browser.go": "asks the server of a test, in tests alone",
		"host/internal/install/fetch/client.go":        "fetches the connector that the person installs",
		"host/internal/publish/registry/remote.go":     "asks the registry of the connector that the person installs or pushes",
		"host/internal/extract/client.go":              "asks the model that application.model returns when it is trusted",
	}},
}

func TestNoWayAroundTrust(t *testing.T) {
	used := map[string]bool{}
	for _, path := range goFiles(t) {
		rel, err := filepath.Rel(root(t), path)
		if err != nil {
			t.Fatal(err)
		}
		if rel = filepath.ToSlash(rel); !strings.HasPrefix(rel, "host/") || strings.HasSuffix(rel, "_test.go") {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range pastTrust {
			if !p.way.Match(text) {
				continue
			}
			if _, ok := p.allowed[rel]; !ok {
				t.Errorf("%s goes past trust: it matches %s; go through application.target, or say in this test why it may", rel, p.way)
			}
			used[p.way.String()+rel] = true
		}
	}
	for _, p := range pastTrust {
		for rel := range p.allowed {
			if !used[p.way.String()+rel] {
				t.Errorf("%s does not match %s any more: take it out of the table", rel, p.way)
			}
		}
	}
}
