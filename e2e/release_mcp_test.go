package e2e

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// follows validates a document by the rules of testdata/release.
func follows(t *testing.T, rules, document string) []byte {
	t.Helper()
	schema, err := jsonschema.NewCompiler().Compile(filepath.Join("testdata", "release", rules))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err == nil {
		err = schema.Validate(value)
	}
	if err != nil {
		t.Errorf("%s: %v", document, err)
	}
	return text
}

// TestReleaseBundle installs the bundle as a desktop client does: it replaces the variables
// of the manifest and starts what that says.
func TestReleaseBundle(t *testing.T) {
	t.Parallel()
	dir, to := newRelease(t), t.TempDir()
	files := unpack(t, filepath.Join(dir, "loam_"+releaseVersion+"_"+nativePlatform+".mcpb"), to)
	var manifest struct {
		Server struct {
			EntryPoint string `json:"entry_point"`
			MCPConfig  struct {
				Command string
				Args    []string
				Env     map[string]string
			} `json:"mcp_config"`
		}
		Compatibility struct{ Platforms []string }
		UserConfig    map[string]struct{ Required bool } `json:"user_config"`
	}
	unmarshal(t, follows(t, "manifest.schema.json", filepath.Join(to, "manifest.json")), &manifest)
	system, _, _ := strings.Cut(nodePlatform(), "-")
	if !slices.Contains(files, manifest.Server.EntryPoint) || !slices.Equal(manifest.Compatibility.Platforms, []string{system}) {
		t.Errorf("the entry point is %s, the platforms are %v", manifest.Server.EntryPoint, manifest.Compatibility.Platforms)
	}
	shop := demoProject(t)
	replaced := func(text string) string {
		return regexp.MustCompile(`\$\{[^}]*\}`).ReplaceAllStringFunc(text, func(variable string) string {
			name := strings.TrimSuffix(strings.TrimPrefix(variable, "${"), "}")
			key, configured := strings.CutPrefix(name, "user_config.")
			switch {
			case name == "__dirname":
				return to
			case configured && manifest.UserConfig[key].Required:
				return shop
			}
			t.Errorf("%s has no value", variable)
			return ""
		})
	}
	started := manifest.Server.MCPConfig
	args := make([]string, len(started.Args))
	for i, arg := range started.Args {
		args[i] = replaced(arg)
	}
	cmd := exec.CommandContext(t.Context(), replaced(started.Command), args...)
	cmd.Dir, cmd.Env = "/", []string{"HOME=" + t.TempDir(), "PATH=/usr/bin:/bin", "LOAM_TRUST=1"}
	for name, value := range started.Env {
		cmd.Env = append(cmd.Env, name+"="+replaced(value))
	}
	s := client(t, &mcp.CommandTransport{Command: cmd})
	r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "sql_execution", Arguments: map[string]any{"connectionId": "shop", "sql": "select count(*) from orders"}})
	if err != nil || r.IsError {
		t.Errorf("a statement: %+v, %v", r, err)
	}
}

// TestReleaseServerJSON compares server.json with what it names: package, bundles, and the
// commands that clients are to run.
func TestReleaseServerJSON(t *testing.T) {
	t.Parallel()
	dir := newRelease(t)
	var server struct {
		Name, Version string
		Packages      []struct {
			RegistryType, Identifier, Version, FileSHA256 string
			PackageArguments                              []struct{ Value string }
		}
	}
	unmarshal(t, follows(t, "server.schema.json", filepath.Join(dir, "server.json")), &server)
	if server.Version != releaseVersion {
		t.Errorf("the version is %s", server.Version)
	}
	kinds := map[string]int{}
	for _, p := range server.Packages {
		kinds[p.RegistryType]++
		if p.Version != releaseVersion {
			t.Errorf("%s has version %s", p.Identifier, p.Version)
		}
		if p.RegistryType == "mcpb" {
			if sum := sumOf(t, filepath.Join(dir, path.Base(p.Identifier))); sum != p.FileSHA256 || !strings.Contains(p.Identifier, "/v"+releaseVersion+"/") {
				t.Errorf("%s has the checksum %s, not %s", p.Identifier, sum, p.FileSHA256)
			}
			continue
		}
		to := t.TempDir()
		unpack(t, filepath.Join(dir, strings.NewReplacer("@", "", "/", "-").Replace(p.Identifier)+"-"+p.Version+".tgz"), to)
		text, err := os.ReadFile(filepath.Join(to, "package", "package.json"))
		if err != nil {
			t.Fatal(err)
		}
		var npm struct{ Name, Version, MCPName string }
		if err := json.Unmarshal(text, &npm); err != nil || npm.Name != p.Identifier || npm.Version != p.Version || npm.MCPName != server.Name {
			t.Errorf("package.json has %+v (%v), server.json %s", npm, err, server.Name)
		}
		args := []string{}
		for _, a := range p.PackageArguments {
			args = append(args, a.Value)
		}
		if help := loam(t, to, append(args, "--help")...); help.code != 0 || !slices.Equal(args, []string{"mcp", "stdio"}) {
			t.Errorf("loam %v --help: %s", args, help.stderr)
		}
	}
	if kinds["npm"] != 1 || kinds["mcpb"] == 0 {
		t.Errorf("the packages are %v", kinds)
	}
	if image, err := os.ReadFile("../Dockerfile"); err != nil || !strings.Contains(string(image), `io.modelcontextprotocol.server.name="`+server.Name+`"`) {
		t.Errorf("the image has another name than %s (%v)", server.Name, err)
	}
}
