package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// npmPackage is package.json as far as this program writes it.
type npmPackage struct {
	Name                 string            `json:"name"`
	Version              string            `json:"version"`
	MCPName              string            `json:"mcpName,omitempty"` // of server.json, which the registry of MCP compares
	Description          string            `json:"description"`
	License              string            `json:"license"`
	Homepage             string            `json:"homepage,omitempty"`
	Repository           json.RawMessage   `json:"repository"`
	Keywords             []string          `json:"keywords,omitempty"`
	Bin                  map[string]string `json:"bin,omitempty"`
	Engines              map[string]string `json:"engines,omitempty"`
	OS                   []string          `json:"os,omitempty"`
	CPU                  []string          `json:"cpu,omitempty"`
	PreferUnplugged      bool              `json:"preferUnplugged,omitempty"` // a program in a zip does not run
	OptionalDependencies map[string]string `json:"optionalDependencies,omitempty"`
}

// Platforms as Node.js names them.
var (
	nodeSystems = map[string]string{"linux": "linux", "darwin": "darwin", "windows": "win32"}
	nodeArchs   = map[string]string{"amd64": "x64", "arm64": "arm64"}
)

// npm makes a package with the programs of each platform, and the wrapper that depends on
// all of them: npm installs the one that fits. name is the wrapper's.
func (r *release) npm(all []contents) (name string, files []string, err error) {
	var wrapper npmPackage
	content, err := os.ReadFile(filepath.Join(r.root, "npm", "package.json"))
	if err != nil {
		return "", nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&wrapper); err != nil {
		return "", nil, fmt.Errorf("npm/package.json: %w", err)
	}
	wrapper.Version, wrapper.OptionalDependencies = r.version, map[string]string{}
	license := entry{name: "LICENSE", file: filepath.Join(r.root, "LICENSE")}
	for _, c := range all {
		system, arch := nodeSystems[c.platform.os], nodeArchs[c.platform.arch]
		p := npmPackage{
			Name: wrapper.Name + "-" + system + "-" + arch, Version: r.version, Description: wrapper.Name + " for " + system + " on " + arch,
			License: wrapper.License, Homepage: wrapper.Homepage, Repository: wrapper.Repository,
			OS: []string{system}, CPU: []string{arch}, PreferUnplugged: true,
		}
		wrapper.OptionalDependencies[p.Name] = r.version
		file, err := r.npmTarball(p, c.programs, c.licenses, []entry{license})
		if err != nil {
			return "", nil, err
		}
		files = append(files, file)
	}
	file, err := r.npmTarball(wrapper, []entry{
		license,
		{name: "README.md", file: filepath.Join(r.root, "npm", "README.md")},
		{name: "loam.js", file: filepath.Join(r.root, "npm", "loam.js"), program: true},
	})
	return wrapper.Name, append(files, file), err
}

// npmTarball writes a package as npm pack does: its files below package/, its name from
// the package's.
func (r *release) npmTarball(p npmPackage, lists ...[]entry) (string, error) {
	text, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return "", err
	}
	lists = append(lists, []entry{{name: "package.json", content: append(text, '\n')}})
	file := strings.NewReplacer("@", "", "/", "-").Replace(p.Name) + "-" + r.version + ".tgz"
	return file, writeArchive(filepath.Join(r.out, file), below("package", lists...), r.time)
}
