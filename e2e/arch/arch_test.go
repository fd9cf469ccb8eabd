// Package arch tests the rules of imports that the compiler does not: who may import
// whom, how large files and functions are, and that the host names no
// warehouse. Run it with -count=1: a cached pass says nothing.
package arch

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/loam-data/loam"

type pkg struct {
	ImportPath string
	Imports    []string
	Deps       []string
	Standard   bool
}

func packages(t *testing.T) map[string]pkg {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", "-json=ImportPath,Imports,Deps,Standard", "./...", "./sdk/...", "./proto/...")
	cmd.Dir = root(t)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	all := map[string]pkg{}
	for dec := json.NewDecoder(out); ; {
		var p pkg
		if err := dec.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		all[p.ImportPath] = p
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	return all
}

func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// A rule says what the packages under a path may import of the module, and
// which foreign modules. A nil foreign list means any.
type rule struct {
	path    string
	own     []string
	foreign []string
}

var rules = []rule{
	{path: "sdk/dialect", own: nil, foreign: []string{}},
	{path: "sdk", own: []string{"sdk/dialect"}, foreign: []string{}},
	{path: "sdk/readonly", own: []string{"sdk", "sdk/dialect"}, foreign: []string{}},
	{path: "sdk/sqlkit", own: []string{"sdk", "sdk/dialect", "sdk/readonly"}, foreign: []string{}},
	{path: "sdk/reach", own: []string{"sdk", "sdk/dialect", "sdk/sqlkit"}, foreign: []string{}},
	{path: "sdk/network", own: []string{"sdk", "sdk/sqlkit"}, foreign: []string{"golang.org/x/crypto"}},
	{path: "proto/connector/v1", own: nil, foreign: []string{"google.golang.org/grpc", "google.golang.org/protobuf"}},
	{path: "sdk/wire", own: []string{"sdk", "sdk/dialect", "proto/connector/v1"}, foreign: []string{"google.golang.org/grpc", "google.golang.org/protobuf", "google.golang.org/genproto", "github.com/hashicorp/go-plugin", "github.com/hashicorp/go-hclog"}},
	{path: "sdk/offspring"},
	{path: "sdk/heap"},
	{path: "sdk/peer", own: []string{"sdk"}, foreign: []string{"google.golang.org/grpc", "golang.org/x/sys"}},
	{path: "sdk/serve", own: []string{"sdk", "sdk/dialect", "sdk/wire", "sdk/offspring", "sdk/heap", "sdk/peer"}, foreign: []string{"google.golang.org/grpc", "google.golang.org/protobuf", "github.com/hashicorp/go-plugin", "github.com/hashicorp/go-hclog"}},
	{path: "host/internal/secret", own: []string{"sdk", "host/internal/file", "host/internal/text"}},
	{path: "host/internal/trust", own: []string{"sdk", "host/internal/connection", "host/internal/connector", "host/internal/file", "host/internal/project", "host/internal/secret", "host/internal/text"}, foreign: []string{}},
	{path: "host/internal/text", own: nil, foreign: []string{"golang.org/x/text"}},
	{path: "host/internal/text/diff", own: nil, foreign: []string{"github.com/aymanbagabas/go-udiff"}},
	{path: "host/internal/search", own: []string{"sdk", "host/internal/text"}, foreign: []string{}},
	{path: "host/internal/search/archive", own: []string{"sdk", "host/internal/file"}, foreign: []string{"golang.org/x/sys"}},
	{path: "host/internal/search/value", own: []string{"sdk", "host/internal/search/archive"}, foreign: []string{}},
	{path: "host/internal/file", own: nil, foreign: []string{"golang.org/x/sys"}},
	{path: "host/internal/daemon", own: []string{"sdk", "host/internal/file"}, foreign: []string{"golang.org/x/sys"}},
	{path: "host/internal/catalog", own: []string{"sdk", "sdk/dialect", "sdk/sqlkit", "host/internal/text", "host/internal/file"}, foreign: []string{"github.com/klauspost/compress"}},
	{path: "host/internal/relationship", own: []string{"sdk", "sdk/dialect", "host/internal/text", "host/internal/file"}, foreign: []string{}},
	{path: "host/internal/foreignkey", own: []string{"sdk", "host/internal/catalog", "host/internal/connection", "host/internal/flight", "host/internal/relationship"}, foreign: []string{}},
	{path: "host/internal/review", own: []string{"sdk", "sdk/dialect", "sdk/sqlkit", "host/internal/catalog", "host/internal/change", "host/internal/connection", "host/internal/foreignkey", "host/internal/relationship", "host/internal/text"}, foreign: []string{}},
	{path: "host/internal/health", own: []string{"sdk", "sdk/sqlkit", "host/internal/agents", "host/internal/catalog", "host/internal/connection", "host/internal/connector", "host/internal/daemon", "host/internal/failure", "host/internal/history", "host/internal/indexer", "host/internal/memory", "host/internal/project", "host/internal/relationship", "host/internal/review", "host/internal/semantic/layer", "host/internal/semantic/binding", "host/internal/semantic/model", "host/internal/semanticquery", "host/internal/semanticquery/validation", "host/internal/store", "host/internal/telemetry/otlp", "host/internal/text", "host/internal/trust", "host/internal/wiki"}, foreign: []string{}},
	{path: "host/internal/failure", own: []string{"sdk"}, foreign: []string{}},
	{path: "host/internal/usage", own: []string{"sdk", "host/internal/caller", "host/internal/history", "host/internal/project", "host/internal/store"}, foreign: []string{}},
	{path: "host/internal/flight", own: []string{"sdk"}, foreign: []string{}},
	{path: "host/internal/folder", own: []string{"sdk", "host/internal/file", "host/internal/flight"}, foreign: []string{"golang.org/x/sys"}},
	{path: "host/internal/assertion", own: []string{"sdk", "sdk/dialect", "host/internal/semantic/expression", "host/internal/text", "host/internal/text/markdown"}, foreign: []string{"github.com/yuin/goldmark", "github.com/blevesearch/snowballstem", "golang.org/x/text"}},
	{path: "host/internal/change/form", own: []string{"sdk", "host/internal/change", "host/internal/text"}, foreign: []string{"gopkg.in/yaml.v3"}},
	{path: "host/internal/wiki", own: []string{"sdk", "sdk/sqlkit", "host/internal/folder", "host/internal/text"}, foreign: []string{"gopkg.in/yaml.v3"}},
	{path: "host/internal/store", own: []string{"sdk"}},
	{path: "host/internal/job", own: []string{"sdk", "host/internal/catalog", "host/internal/change", "host/internal/connection", "host/internal/run"}, foreign: []string{}},
	{path: "host/internal/run", own: []string{"sdk", "host/internal/caller", "host/internal/change", "host/internal/file", "host/internal/store"}, foreign: []string{}},
	{path: "host/internal/change", own: []string{"sdk", "host/internal/file", "host/internal/store"}, foreign: []string{}},
	{path: "host/internal/chunk", own: []string{"sdk", "host/internal/change", "host/internal/store"}, foreign: []string{}},
	{path: "host/internal/collect", own: []string{"sdk", "host/internal/assertion", "host/internal/caller", "host/internal/change", "host/internal/chunk", "host/internal/connection", "host/internal/file", "host/internal/run", "host/internal/text"}, foreign: []string{}},
	{path: "host/internal/note", own: []string{"sdk", "host/internal/caller", "host/internal/search", "host/internal/store", "host/internal/text"}, foreign: []string{}},
	{path: "host/internal/workspace", own: []string{"sdk", "host/internal/caller", "host/internal/change", "host/internal/connection", "host/internal/note", "host/internal/project", "host/internal/search", "host/internal/store", "host/internal/text", "host/internal/tokens"}, foreign: []string{}},
	{path: "host/internal/collect/ignore", own: nil, foreign: []string{}},
	{path: "host/internal/connection", own: []string{"sdk", "sdk/sqlkit", "host/internal/store", "host/internal/text"}},
	{path: "host/internal/publish/archive", own: []string{"sdk", "host/internal/text"}, foreign: []string{"golang.org/x/text"}},
	{path: "host/internal/publish/signature", own: []string{"sdk", "host/internal/text"}, foreign: []string{"aead.dev/minisign"}},
	{path: "host/internal/publish/index", own: []string{"sdk", "host/internal/publish/signature", "host/internal/text"}, foreign: []string{"github.com/Masterminds/semver"}},
	{path: "host/internal/project", own: []string{"sdk", "sdk/sqlkit", "host/internal/file", "host/internal/connection", "host/internal/install/policy", "host/internal/secret", "host/internal/text"}},
	{path: "host/internal/install", own: []string{"sdk", "sdk/dialect", "sdk/readonly", "sdk/wire", "host/internal/connector", "host/internal/project", "host/internal/file", "host/internal/publish/archive", "host/internal/publish/index", "host/internal/publish/signature", "host/internal/install/fetch", "host/internal/install/lockfile", "host/internal/install/machine", "host/internal/install/policy", "host/internal/text"}, foreign: []string{}},
	{path: "host/internal/install/policy", own: []string{"sdk"}, foreign: []string{}},
	{path: "host/internal/install/lockfile", own: []string{"sdk", "host/internal/file"}, foreign: []string{}},
	{path: "host/internal/install/fetch", own: []string{"sdk", "host/internal/publish/registry"}, foreign: []string{}},
	{path: "host/internal/install/machine", own: []string{"sdk", "host/internal/file", "host/internal/publish/archive"}, foreign: []string{}},
	{path: "host/internal/publish/release", own: []string{"sdk", "sdk/wire", "sdk/conform", "host/internal/conformance", "host/internal/file", "host/internal/publish/archive", "host/internal/publish/signature", "host/internal/publish/index", "host/internal/install/fetch"}, foreign: []string{}},
	{path: "host/internal/publish/registry", own: []string{"sdk", "host/internal/file", "host/internal/text"}, foreign: []string{}},
	{path: "host/internal/caller", own: nil, foreign: []string{}},
	{path: "host/internal/tokens", own: nil, foreign: []string{}},
	{path: "host/internal/token", own: []string{"sdk", "sdk/sqlkit", "host/internal/caller", "host/internal/file", "host/internal/text"}, foreign: []string{}},
	{path: "host/internal/connector", own: []string{"sdk", "sdk/dialect", "sdk/sqlkit", "sdk/wire", "sdk/offspring", "sdk/peer", "host/internal/caller"}},
	{path: "host/internal/conformance", own: []string{"sdk", "sdk/conform", "sdk/conform/corpus", "host/internal/conformance/question", "host/internal/connection", "host/internal/connector", "host/internal/secret"}, foreign: []string{"gopkg.in/yaml.v3"}},
	{path: "host/internal/conformance/question", own: []string{"sdk", "sdk/conform", "sdk/dialect", "host/internal/semantic/compile", "host/internal/semantic/model", "host/internal/semantic/oracle", "host/internal/semantic/refusal"}, foreign: []string{"gopkg.in/yaml.v3"}},
	{path: "host/internal/scaffold", own: []string{"sdk", "sdk/dialect"}, foreign: []string{}},
	{path: "host/internal/telemetry", own: nil, foreign: []string{}},
	{path: "host/internal/telemetry/otlp", own: []string{"sdk", "host/internal/telemetry"}, foreign: []string{"go.opentelemetry.io/otel", "github.com/prometheus/client_golang"}},
	{path: "host/internal/history", own: []string{"sdk", "sdk/dialect", "host/internal/caller", "host/internal/store"}, foreign: []string{}},
	{path: "host/internal/warehouse", own: []string{"sdk", "sdk/dialect", "host/internal/connection"}, foreign: []string{}},
	{path: "host/internal/query", own: []string{"host/internal/caller", "sdk", "sdk/dialect", "sdk/readonly", "host/internal/connection", "host/internal/warehouse", "host/internal/telemetry"}, foreign: []string{}},
	{path: "host/internal/indexer", own: []string{"sdk", "host/internal/catalog", "host/internal/chunk", "host/internal/connection", "host/internal/file", "host/internal/relationship", "host/internal/search", "host/internal/search/value", "host/internal/semantic/layer", "host/internal/semantic/listing", "host/internal/text", "host/internal/wiki"}},
	{path: "host/internal/scan", own: []string{"sdk", "sdk/dialect", "sdk/readonly", "sdk/sqlkit", "host/internal/catalog", "host/internal/connection", "host/internal/relationship", "host/internal/telemetry", "host/internal/warehouse"}},
	{path: "host/internal/scan/privacy", own: []string{"sdk", "sdk/dialect", "sdk/sqlkit", "host/internal/catalog", "host/internal/text"}, foreign: []string{}},
	{path: "host/internal/semantic/expression", own: []string{"sdk", "sdk/dialect"}, foreign: []string{}},
	{path: "host/internal/semantic/model", own: []string{"sdk", "sdk/dialect", "sdk/readonly", "sdk/sqlkit", "host/internal/flight", "host/internal/semantic/expression", "host/internal/text"}, foreign: []string{"gopkg.in/yaml.v3"}},
	{path: "host/internal/semantic/plan", own: []string{"sdk", "sdk/dialect", "host/internal/semantic/expression"}, foreign: []string{}},
	{path: "host/internal/semantic/statement", own: []string{"sdk", "sdk/dialect", "host/internal/semantic/expression", "host/internal/semantic/plan"}, foreign: []string{}},
	{path: "host/internal/semantic/refusal", own: []string{"sdk", "host/internal/semantic/expression", "host/internal/semantic/model"}, foreign: []string{}},
	{path: "host/internal/semantic/timerange", own: []string{"sdk/dialect", "host/internal/semantic/expression", "host/internal/semantic/refusal", "host/internal/text"}, foreign: []string{}},
	{path: "host/internal/semantic/request", own: []string{"sdk/dialect", "sdk/sqlkit", "host/internal/semantic/expression", "host/internal/semantic/refusal", "host/internal/semantic/timerange", "host/internal/text"}, foreign: []string{}},
	{path: "host/internal/semantic/compile", own: []string{"sdk", "sdk/dialect", "sdk/readonly", "sdk/sqlkit", "host/internal/semantic/expression", "host/internal/semantic/model", "host/internal/semantic/plan", "host/internal/semantic/refusal", "host/internal/semantic/request", "host/internal/semantic/statement", "host/internal/semantic/timerange"}, foreign: []string{}},
	{path: "host/internal/semantic/claim", own: []string{"sdk", "sdk/dialect", "host/internal/semantic/compile", "host/internal/semantic/expression", "host/internal/semantic/model", "host/internal/semantic/plan", "host/internal/semantic/statement"}, foreign: []string{}},
	{path: "host/internal/semantic/layer", own: []string{"sdk", "sdk/dialect", "host/internal/catalog", "host/internal/connection", "host/internal/file", "host/internal/folder", "host/internal/foreignkey", "host/internal/relationship", "host/internal/flight", "host/internal/semantic/model"}, foreign: []string{}},
	{path: "host/internal/semantic/listing", own: []string{"sdk", "host/internal/search", "host/internal/semantic/expression", "host/internal/semantic/model"}, foreign: []string{}},
	{path: "host/internal/semantic/binding", own: []string{"host/internal/change", "sdk", "sdk/dialect", "host/internal/connection", "host/internal/query", "host/internal/warehouse", "host/internal/semantic/compile", "host/internal/semantic/layer", "host/internal/semantic/model", "host/internal/semantic/refusal"}, foreign: []string{}},
	{path: "host/internal/semanticquery/validation", own: []string{"sdk", "sdk/dialect", "host/internal/caller", "host/internal/catalog", "host/internal/connection", "host/internal/query", "host/internal/warehouse", "host/internal/scan/privacy", "host/internal/semantic/binding", "host/internal/semantic/claim", "host/internal/semantic/compile", "host/internal/semantic/expression", "host/internal/semantic/layer", "host/internal/semantic/model", "host/internal/semantic/refusal", "host/internal/semantic/request"}, foreign: []string{}},
	{path: "host/internal/semanticquery", own: []string{"host/internal/change", "sdk", "sdk/dialect", "sdk/sqlkit", "host/internal/catalog", "host/internal/connection", "host/internal/query", "host/internal/warehouse", "host/internal/semantic/binding", "host/internal/semantic/compile", "host/internal/semantic/refusal", "host/internal/semantic/request", "host/internal/semantic/expression", "host/internal/semantic/layer", "host/internal/semantic/model"}},
	{path: "host/internal/approved", own: []string{"sdk", "sdk/dialect", "sdk/sqlkit", "host/internal/connection", "host/internal/finding", "host/internal/history", "host/internal/query", "host/internal/savedquery", "host/internal/savedquery/library", "host/internal/telemetry", "host/internal/text", "host/internal/text/ranking", "host/internal/warehouse"}, foreign: []string{}},
	{path: "host/internal/ask", own: []string{"sdk", "sdk/dialect", "sdk/sqlkit", "host/internal/caller", "host/internal/catalog", "host/internal/connection", "host/internal/finding", "host/internal/history", "host/internal/project", "host/internal/query", "host/internal/scan/privacy", "host/internal/semantic/expression", "host/internal/semantic/plan", "host/internal/semantic/refusal", "host/internal/semantic/request", "host/internal/semantic/statement", "host/internal/store", "host/internal/warehouse"}, foreign: []string{"github.com/dustin/go-humanize"}},
	{path: "host/internal/discover", own: []string{"host/internal/assertion", "host/internal/caller", "host/internal/change", "host/internal/chunk", "host/internal/history", "host/internal/note", "sdk", "sdk/dialect", "sdk/sqlkit", "host/internal/catalog", "host/internal/connection", "host/internal/foreignkey", "host/internal/indexer", "host/internal/relationship", "host/internal/scan/privacy", "host/internal/search", "host/internal/search/value", "host/internal/semantic/listing", "host/internal/semantic/model", "host/internal/statement", "host/internal/text", "host/internal/warehouse", "host/internal/wiki"}},
	{path: "host/internal/assemble", own: []string{"sdk", "sdk/dialect", "host/internal/caller", "host/internal/catalog", "host/internal/connection", "host/internal/foreignkey", "host/internal/indexer", "host/internal/relationship", "host/internal/search", "host/internal/semantic/listing", "host/internal/semantic/model", "host/internal/text", "host/internal/tokens", "host/internal/warehouse", "host/internal/wiki"}, foreign: []string{}},
	{path: "host/internal/text/markdown", own: nil, foreign: []string{}},
	{path: "host/internal/assemble/guide", own: []string{"sdk", "sdk/sqlkit", "host/internal/caller", "host/internal/change", "host/internal/connection", "host/internal/indexer", "host/internal/savedquery/library", "host/internal/semantic/expression", "host/internal/semantic/layer", "host/internal/semantic/listing", "host/internal/semantic/model", "host/internal/text/markdown", "host/internal/tokens", "host/internal/warehouse", "host/internal/wiki"}, foreign: []string{}},
	{path: "host/internal/redact", own: nil, foreign: []string{}},
	{path: "host/internal/extract", own: []string{"sdk", "host/internal/assertion", "host/internal/text"}, foreign: []string{}},
	{path: "host/internal/planner", own: []string{"sdk", "sdk/dialect", "host/internal/assertion", "host/internal/change", "host/internal/change/form", "host/internal/semantic/compile", "host/internal/semantic/expression", "host/internal/semantic/model", "host/internal/semantic/request", "host/internal/snippet", "host/internal/text", "host/internal/wiki"}, foreign: []string{"gopkg.in/yaml.v3"}},
	{path: "host/internal/savedquery", own: []string{"sdk", "sdk/dialect", "sdk/readonly", "host/internal/semantic/expression", "host/internal/text"}, foreign: []string{"gopkg.in/yaml.v3"}},
	{path: "host/internal/skill", own: []string{"sdk", "host/internal/folder", "host/internal/text"}, foreign: []string{"github.com/Masterminds/semver", "gopkg.in/yaml.v3"}},
	{path: "host/internal/skillset", own: []string{"sdk", "sdk/sqlkit", "host/internal/change", "host/internal/skill", "host/internal/store", "host/internal/text", "host/internal/text/ranking", "host/internal/tokens"}, foreign: []string{}},
	{path: "host/internal/text/ranking", own: []string{"host/internal/text"}, foreign: []string{}},
	{path: "host/internal/savedquery/library", own: []string{"sdk", "host/internal/connection", "host/internal/folder", "host/internal/savedquery"}, foreign: []string{}},
	{path: "host/internal/statement", own: []string{"sdk/dialect"}, foreign: []string{}},
	{path: "host/internal/finding", own: []string{"sdk", "sdk/dialect", "sdk/sqlkit", "host/internal/caller", "host/internal/catalog", "host/internal/connection", "host/internal/foreignkey", "host/internal/history", "host/internal/relationship", "host/internal/scan/privacy", "host/internal/semantic/expression", "host/internal/semantic/layer", "host/internal/semantic/model", "host/internal/semantic/refusal", "host/internal/statement", "host/internal/warehouse"}, foreign: []string{"golang.org/x/text"}},
	{path: "host/internal/snippet", own: []string{"sdk", "sdk/dialect", "sdk/sqlkit", "host/internal/semantic/expression", "host/internal/semantic/model", "host/internal/text"}, foreign: []string{"gopkg.in/yaml.v3"}},
	{path: "host/internal/agents", own: []string{"sdk", "sdk/sqlkit", "host/internal/file"}, foreign: []string{}},
	{path: "host/internal/agents/edit", own: []string{"sdk"}, foreign: []string{"github.com/tailscale/hujson", "github.com/pelletier/go-toml/v2"}},
	{path: "host/internal/agents/skill", own: nil, foreign: []string{}},
	{path: "host/internal/memory", own: []string{"sdk", "sdk/dialect", "host/internal/assertion", "host/internal/caller", "host/internal/catalog", "host/internal/change", "host/internal/change/form", "host/internal/chunk", "host/internal/connection", "host/internal/extract", "host/internal/file", "host/internal/indexer", "host/internal/planner", "host/internal/project", "host/internal/query", "host/internal/redact", "host/internal/run", "host/internal/savedquery", "host/internal/search", "host/internal/semantic/compile", "host/internal/semantic/expression", "host/internal/semantic/layer", "host/internal/semantic/model", "host/internal/semantic/request", "host/internal/store", "host/internal/text", "host/internal/text/diff", "host/internal/warehouse", "host/internal/wiki", "host/internal/skill", "host/internal/tokens"}, foreign: []string{"github.com/klauspost/compress", "gopkg.in/yaml.v3"}},
	{path: "host/internal/project/setting", own: []string{"host/internal/connection", "host/internal/history", "host/internal/project", "host/internal/telemetry/otlp"}, foreign: []string{}},
	{path: "host/internal/console", own: []string{"sdk", "host/internal/caller", "host/internal/change", "host/internal/telemetry"}, foreign: []string{"golang.org/x/time"}},
	{path: "host/internal/console/page", own: []string{"sdk", "host/internal/change", "host/internal/text"}, foreign: []string{"github.com/dustin/go-humanize"}},
	{path: "host/internal/console/asset", own: nil, foreign: []string{}},
	{path: "host/internal/console/code", own: []string{"sdk", "host/internal/file"}, foreign: []string{}},
	{path: "host/internal/console/chart", own: []string{"sdk", "host/internal/text"}, foreign: []string{}},
	{path: "host/internal/console/er", own: nil, foreign: []string{}},
	{path: "host/internal/console/markdown", own: []string{"host/internal/text", "host/internal/text/markdown"}, foreign: []string{"github.com/yuin/goldmark"}},
	{path: "host/internal/console/result", own: []string{"sdk", "host/internal/console/page", "host/internal/query", "host/internal/text"}, foreign: []string{}},
	{path: "host/internal/console/shown", own: []string{"sdk", "host/internal/change", "host/internal/console/chart", "host/internal/console/page", "host/internal/console/result", "host/internal/query", "host/internal/semantic/refusal", "host/internal/semanticquery"}, foreign: []string{}},
	{path: "host/internal/mcpserver", own: []string{"sdk", "host/internal/assemble", "host/internal/ask", "host/internal/change", "host/internal/collect", "host/internal/memory", "host/internal/connection", "host/internal/query", "host/internal/catalog", "host/internal/discover", "host/internal/semantic/refusal", "host/internal/semantic/request", "host/internal/semanticquery", "host/internal/telemetry", "host/internal/text/markdown", "host/internal/caller", "host/internal/token", "host/internal/tokens", "host/internal/warehouse", "host/internal/finding", "host/internal/approved", "host/internal/skill", "host/internal/skillset", "host/internal/job", "host/internal/run", "host/internal/project", "host/internal/workspace", "host/internal/health", "host/internal/usage", "host/internal/semanticquery/validation"}},
}

func TestImportsGoDownwards(t *testing.T) {
	all := packages(t)
	for _, r := range rules {
		p, ok := all[module+"/"+r.path]
		if !ok {
			t.Errorf("package %s is gone: change the rules", r.path)
			continue
		}
		for _, imp := range p.Imports {
			checkImport(t, r, imp, all[imp].Standard)
		}
	}
}

func checkImport(t *testing.T, r rule, imp string, standard bool) {
	t.Helper()
	if own, ok := strings.CutPrefix(imp, module+"/"); ok {
		inside := strings.HasPrefix(own, r.path+"/")
		if !inside && !slices.Contains(r.own, own) {
			t.Errorf("%s imports %s: not one of %v", r.path, own, r.own)
		}
		return
	}
	if standard || r.foreign == nil {
		return
	}
	if !slices.ContainsFunc(r.foreign, func(m string) bool { return imp == m || strings.HasPrefix(imp, m+"/") }) {
		t.Errorf("%s imports %s: not one of %v", r.path, imp, r.foreign)
	}
}

func TestWalls(t *testing.T) {
	all := packages(t)
	for path, p := range all {
		own, ok := strings.CutPrefix(path, module+"/")
		if !ok {
			continue
		}
		for _, imp := range p.Imports {
			target, _ := strings.CutPrefix(imp, module+"/")
			switch {
			case target == "proto/connector/v1" && own != "sdk/wire":
				t.Errorf("%s imports the generated contract: only sdk/wire may", own)
			case strings.HasPrefix(own, "plugins/") && strings.HasPrefix(target, "host"):
				t.Errorf("%s imports %s: a connector never imports the host", own, target)
			case strings.HasPrefix(own, "plugins/") && strings.HasPrefix(target, "plugins/") && !sameTree(own, target):
				t.Errorf("%s imports %s: a connector never imports another", own, target)
			case strings.HasPrefix(own, "host") && strings.HasPrefix(target, "plugins/"):
				t.Errorf("%s imports %s: the host links no connector", own, target)
			case strings.HasPrefix(own, "e2e") && strings.HasPrefix(target, "host"):
				t.Errorf("%s imports %s: end-to-end tests are black box", own, target)
			}
		}
	}
	for _, driver := range []string{"github.com/jackc/pgx/v5", "github.com/duckdb/duckdb-go-bindings", "github.com/go-sql-driver/mysql", "github.com/ClickHouse/clickhouse-go/v2", "github.com/snowflakedb/gosnowflake"} {
		if slices.Contains(all[module+"/cmd/loam"].Deps, driver) {
			t.Errorf("the host links %s", driver)
		}
	}
	for path := range all {
		// Arrow, which the clients of Snowflake and BigQuery link, imports constraints: it has no code.
		if strings.HasPrefix(path, "golang.org/x/exp") && path != "golang.org/x/exp/constraints" {
			t.Errorf("%s is in the graph", path)
		}
	}
}

func sameTree(a, b string) bool {
	return strings.Split(a, "/")[1] == strings.Split(b, "/")[1]
}

func TestUseCasesDoNotImportEachOther(t *testing.T) {
	all := packages(t)
	useCases := []string{"semanticquery", "scan", "memory", "collect", "discover", "agents", "review", "assemble", "ask", "approved", "job", "skillset", "usage", "workspace"}
	for _, a := range useCases {
		for _, b := range useCases {
			if a != b && slices.Contains(all[module+"/host/internal/"+a].Imports, module+"/host/internal/"+b) {
				t.Errorf("use case %s imports use case %s", a, b)
			}
		}
	}
}

// A group of commands uses the packages beside the groups and no other group: only the
// messages of trust and mcp are printed by others too.
func TestGroupsOfCommands(t *testing.T) {
	groups := []string{"catalog", "mcp", "memory", "project", "query", "search", "secret", "skills", "trust", "workspace"}
	apart(t, module+"/host/internal/cli/", groups, map[string][]string{"mcp": {"trust"}, "project": {"mcp", "trust"}})
}

// A group of pages of the console uses the packages beside the groups and no other group, and no other edge.
func TestGroupsOfPages(t *testing.T) {
	groups := []string{"catalog", "health", "history", "query", "review", "saved", "search", "semantic", "wiki"}
	apart(t, module+"/host/internal/console/", groups, nil)
	for path, p := range packages(t) {
		for _, edge := range []string{"mcpserver", "cli"} {
			if strings.HasPrefix(path, module+"/host/internal/console") && slices.ContainsFunc(p.Imports, func(imp string) bool { return strings.HasPrefix(imp, module+"/host/internal/"+edge) }) {
				t.Errorf("%s imports the edge %s", path, edge)
			}
		}
	}
}

// apart tests that the packages of an edge do not import each other, but for those that shared names.
func apart(t *testing.T, edge string, groups []string, shared map[string][]string) {
	t.Helper()
	all := packages(t)
	for _, a := range groups {
		if _, ok := all[edge+a]; !ok {
			t.Errorf("the group %s is gone: change this test", a)
		}
		for _, b := range groups {
			if slices.Contains(all[edge+a].Imports, edge+b) && !slices.Contains(shared[a], b) {
				t.Errorf("the group %s imports the group %s", a, b)
			}
		}
	}
}

// A file is named after its content, except in the sdk, where a package can be one noun. A suffix such as _linux is no
// other name. Tests of a whole package have its name.
func TestNoFileIsNamedAfterItsFolder(t *testing.T) {
	for _, path := range goFiles(t) {
		rel, err := filepath.Rel(root(t), path) // a checkout may lie in a folder called sdk
		if err != nil {
			t.Fatal(err)
		}
		dir, file := filepath.Split(filepath.ToSlash(rel))
		name, _, _ := strings.Cut(strings.TrimSuffix(file, ".go"), "_")
		if !strings.HasPrefix(dir, "sdk/") && !strings.HasSuffix(file, "_test.go") && name == filepath.Base(dir) {
			t.Errorf("%s is named after its folder", rel)
		}
	}
}

func goFiles(t *testing.T) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(root(t), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") || d.Name() == "bin" || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, ".pb.go") {
			files = append(files, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestSizes(t *testing.T) {
	const maxFile, maxTestFile, maxFunction = 600, 900, 80
	for _, path := range goFiles(t) {
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		test := strings.HasSuffix(path, "_test.go")
		limit := maxFile
		if test {
			limit = maxTestFile
		}
		if lines := set.File(file.Pos()).LineCount(); lines > limit {
			t.Errorf("%s has %d lines; the limit is %d", path, lines, limit)
		}
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || f.Body == nil || test {
				continue
			}
			if lines := logicLines(set, f); lines > maxFunction {
				t.Errorf("%s: %s has %d lines; the limit is %d", path, f.Name.Name, lines, maxFunction)
			}
		}
	}
}

// logicLines counts the lines of a function without those of the literals in it,
// and of calls that are given literals only: data is as long as it is.
func logicLines(set *token.FileSet, f *ast.FuncDecl) int {
	span := func(n ast.Node) int { return set.Position(n.End()).Line - set.Position(n.Pos()).Line }
	lines := span(f) + 1
	ast.Inspect(f.Body, func(n ast.Node) bool {
		data := false
		switch n := n.(type) {
		case *ast.CompositeLit:
			data = true
		case *ast.CallExpr:
			data = !slices.ContainsFunc(n.Args, func(arg ast.Expr) bool {
				_, ok := arg.(*ast.BasicLit)
				return !ok
			})
		}
		if data {
			lines -= span(n)
		}
		return !data
	})
	return lines
}

var warehouse = regexp.MustCompile(`(?i)\b(postgres|postgresql|snowflake|bigquery|mysql|mariadb|clickhouse|duckdb|sqlserver|mssql|sqlite)\b`)

// The state store is on SQLite; everything else of the host must not know that
// any warehouse exists.
func TestHostNamesNoWarehouse(t *testing.T) {
	for _, path := range goFiles(t) {
		rel, err := filepath.Rel(root(t), path)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(rel, "host/") || strings.HasSuffix(rel, "_test.go") || strings.HasPrefix(rel, "host/internal/store/") {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			if warehouse.MatchString(line) {
				t.Errorf("%s:%d names a warehouse: %s", rel, i+1, strings.TrimSpace(line))
			}
		}
	}
}

func TestOnlyMainExits(t *testing.T) {
	for _, path := range goFiles(t) {
		if strings.HasSuffix(path, "_test.go") || strings.Contains(path, "/e2e/") {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "\npackage main\n") {
			continue
		}
		if strings.Contains(string(text), "os.Exit(") && !strings.Contains(path, "/sdk/serve/") {
			t.Errorf("%s calls os.Exit: only a main may", path)
		}
	}
}

// TestShortNamesWhatItLeavesOut: what a test leaves out with -short is named, so that
// make test and make test-short can list it.
func TestShortNamesWhatItLeavesOut(t *testing.T) {
	for _, path := range goFiles(t) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		asks, names := strings.Contains(string(text), "testing"+".Short()"), strings.Contains(string(text), `"-short`+`: `)
		if asks && !names {
			t.Errorf("%s asks whether tests are short and does not name what is left out then (docs/testing.md)", path)
		}
	}
}

// One package spells SELECT: what the semantic layer asks is a plan until then.
func TestOnePrinterOfStatements(t *testing.T) {
	clause := regexp.MustCompile("[\"`][^\"`\n]*\\b(SELECT|FROM|UNION ALL|GROUP BY) [^\"`\n]*[\"`]")
	for _, folder := range []string{"compile", "claim", "plan", "model"} {
		files, err := filepath.Glob(filepath.Join(root(t), "host/internal/semantic", folder, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v, %d files", folder, err, len(files))
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for i, line := range strings.Split(string(text), "\n") {
				if code, _, _ := strings.Cut(line, "//"); clause.MatchString(code) {
					t.Errorf("%s:%d writes SQL: %s", file, i+1, strings.TrimSpace(line))
				}
			}
		}
	}
}
