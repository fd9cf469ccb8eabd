package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// serverName is the server's name in the registry of MCP, which compares it with
// package.json and with the image's label.
const serverName = "io.github.loam-data/loam"

const (
	description = "Context for data agents: read-only SQL, search and approved measures over your warehouses"
	projectHint = "The folder of a Loam project, which has a loam.yaml: loam connect or loam demo makes one"
	repository  = "https://github.com/loam-data/loam"
)

// bundle is manifest.json of an MCP bundle.
// Source: github.com/modelcontextprotocol/mcpb, MANIFEST.md, version 0.3.
type bundle struct {
	ManifestVersion string               `json:"manifest_version"`
	Name            string               `json:"name"`
	DisplayName     string               `json:"display_name"`
	Version         string               `json:"version"`
	Description     string               `json:"description"`
	Author          map[string]string    `json:"author"`
	Repository      map[string]string    `json:"repository"`
	License         string               `json:"license"`
	Server          bundleServer         `json:"server"`
	ToolsGenerated  bool                 `json:"tools_generated"` // the project says which there are
	Compatibility   bundleCompatibility  `json:"compatibility"`
	UserConfig      map[string]userInput `json:"user_config"`
}

type bundleServer struct {
	Type       string        `json:"type"`
	EntryPoint string        `json:"entry_point"`
	MCPConfig  bundleCommand `json:"mcp_config"`
}

type bundleCommand struct {
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env"`
}

type bundleCompatibility struct {
	Platforms []string `json:"platforms"`
}

type userInput struct {
	Type        string `json:"type"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Required    bool   `json:"required"`
}

// mcpb makes the bundle of each platform, which a desktop client installs with one click. A
// bundle cannot tell architectures apart, so that there is one for each.
func (r *release) mcpb(all []contents) (files []string, err error) {
	for _, c := range all {
		program := "bin/loam" + c.platform.exe()
		manifest, err := json.MarshalIndent(bundle{
			ManifestVersion: "0.3", Name: "loam", DisplayName: "Loam", Version: r.version, Description: description, License: "Apache-2.0",
			Author: map[string]string{"name": "Loam", "url": repository}, Repository: map[string]string{"type": "git", "url": repository + ".git"},
			Server: bundleServer{Type: "binary", EntryPoint: program, MCPConfig: bundleCommand{
				Command: "${__dirname}/" + program, Args: []string{"mcp", "stdio"}, Env: map[string]string{"LOAM_PROJECT_DIR": "${user_config.project_dir}"},
			}},
			ToolsGenerated: true,
			Compatibility:  bundleCompatibility{[]string{nodeSystems[c.platform.os]}},
			UserConfig:     map[string]userInput{"project_dir": {Type: "directory", Title: "Project folder", Description: projectHint, Required: true}},
		}, "", "  ")
		if err != nil {
			return nil, err
		}
		file := r.name(c.platform) + ".mcpb"
		own := []entry{{name: "manifest.json", content: append(manifest, '\n')}, {name: "LICENSE", file: filepath.Join(r.root, "LICENSE")}}
		if err := writeArchive(filepath.Join(r.out, file), slices.Concat(own, c.programs, c.licenses), r.time); err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	return files, nil
}

// registryServer is server.json of the registry of MCP.
// Source: github.com/modelcontextprotocol/registry, server.schema.json of 2025-12-11.
type registryServer struct {
	Schema      string            `json:"$schema"`
	Name        string            `json:"name"`
	Title       string            `json:"title"`
	Description string            `json:"description"`
	Repository  map[string]string `json:"repository"`
	Version     string            `json:"version"`
	Packages    []registryPackage `json:"packages"`
}

type registryPackage struct {
	RegistryType         string             `json:"registryType"`
	RegistryBaseURL      string             `json:"registryBaseUrl,omitempty"`
	Identifier           string             `json:"identifier"`
	Version              string             `json:"version"`
	FileSHA256           string             `json:"fileSha256,omitempty"`
	Transport            map[string]string  `json:"transport"`
	PackageArguments     []registryArgument `json:"packageArguments,omitempty"`
	EnvironmentVariables []registryVariable `json:"environmentVariables,omitempty"`
}

type registryArgument struct {
	Type  string `json:"type"`
	Value string `json:"value"`
}

type registryVariable struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	IsRequired  bool   `json:"isRequired"`
	Format      string `json:"format"`
}

// registry makes server.json, which names the npm package and the bundles with their
// checksums.
func (r *release) registry(npm string, bundles []string) (string, error) {
	stdio := map[string]string{"type": "stdio"}
	server := registryServer{
		Schema: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
		Name:   serverName, Title: "Loam", Description: description, Version: r.version,
		Repository: map[string]string{"url": repository, "source": "github"},
		Packages: []registryPackage{{
			RegistryType: "npm", RegistryBaseURL: "https://registry.npmjs.org", Identifier: npm, Version: r.version, Transport: stdio,
			PackageArguments:     []registryArgument{{"positional", "mcp"}, {"positional", "stdio"}},
			EnvironmentVariables: []registryVariable{{Name: "LOAM_PROJECT_DIR", Description: projectHint, IsRequired: true, Format: "filepath"}},
		}},
	}
	for _, file := range bundles {
		sum, _, err := digest(filepath.Join(r.out, file))
		if err != nil {
			return "", err
		}
		server.Packages = append(server.Packages, registryPackage{
			RegistryType: "mcpb", Identifier: fmt.Sprintf("%s/releases/download/v%s/%s", repository, r.version, file), Version: r.version, FileSHA256: sum, Transport: stdio,
		})
	}
	text, err := json.MarshalIndent(server, "", "  ")
	if err != nil {
		return "", err
	}
	const name = "server.json"
	return name, os.WriteFile(filepath.Join(r.out, name), append(text, '\n'), 0o644)
}
