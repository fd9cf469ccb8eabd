package main

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// shells are the completions of an archive and the places where systems look for them.
var shells = map[string]string{
	"bash": "share/bash-completion/completions/loam", "zsh": "share/zsh/site-functions/_loam",
	"fish": "share/fish/vendor_completions.d/loam.fish", "powershell": "share/powershell/loam.ps1",
}

// contents is what the files of one platform have in common.
type contents struct {
	platform  platform
	programs  []entry
	licenses  []entry
	inventory inventory
}

// pack makes the files of each platform and of all, and returns their names.
func (r *release) pack(ctx context.Context) (files []string, err error) {
	common, err := r.documents(ctx)
	if err != nil {
		return nil, err
	}
	var all []contents
	for _, p := range r.platforms {
		c, err := r.contents(ctx, p)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
		archive, err := r.archive(c, common)
		if err != nil {
			return nil, err
		}
		bill := r.name(p) + ".cdx.json"
		if err := r.writeBill(filepath.Join(r.out, bill), p, c.inventory); err != nil {
			return nil, err
		}
		files = append(files, archive, bill)
	}
	wrapper, packages, err := r.npm(all)
	if err != nil {
		return nil, err
	}
	bundles, err := r.mcpb(all)
	if err != nil {
		return nil, err
	}
	server, err := r.registry(wrapper, bundles)
	return slices.Concat(files, packages, bundles, []string{server}), err
}

// name begins the names of the files of a platform.
func (r *release) name(p platform) string { return fmt.Sprintf("loam_%s_%s", r.version, p) }

func (r *release) contents(ctx context.Context, p platform) (c contents, err error) {
	c.platform = p
	if c.programs, err = r.programs(p); err != nil {
		return c, err
	}
	if c.inventory, err = readInventory(c.programs); err != nil {
		return c, err
	}
	c.licenses, err = r.licenses(ctx, c.inventory)
	return c, err
}

func (r *release) archive(c contents, common []entry) (string, error) {
	listing, err := r.listing(c.platform, c.programs)
	if err != nil {
		return "", err
	}
	name := r.name(c.platform)
	file := name + ".tar.gz"
	if c.platform.os == "windows" {
		file = name + ".zip"
	}
	return file, writeArchive(filepath.Join(r.out, file), below(name, c.programs, c.licenses, []entry{listing}, common), r.time)
}

// below puts entries into a folder.
func below(folder string, lists ...[]entry) []entry {
	all := slices.Concat(lists...)
	for i := range all {
		all[i].name = path.Join(folder, all[i].name)
	}
	return all
}

// programs lists the host and the connectors of a platform with their manifests, in the
// places where the host finds them.
func (r *release) programs(p platform) ([]entry, error) {
	entries := []entry{{name: "bin/loam" + p.exe(), file: filepath.Join(r.stage(p), "loam"+p.exe()), program: true}}
	found, err := filepath.Glob(filepath.Join(r.stage(p), connectorPrefix+"*"))
	if err != nil {
		return nil, err
	}
	for _, file := range found {
		entries = append(entries, entry{name: "lib/loam/connectors/" + filepath.Base(file), file: file, program: !strings.HasSuffix(file, ".json")})
	}
	return entries, nil
}

// documents are the files that every archive has.
func (r *release) documents(ctx context.Context) ([]entry, error) {
	entries := []entry{
		{name: "LICENSE", file: filepath.Join(r.root, "LICENSE")},
		{name: "README.md", file: filepath.Join(r.root, "README.md")},
		{name: "share/systemd/loam.service", file: filepath.Join(r.root, "packaging", "loam.service")},
	}
	host := filepath.Join(r.stage(native), "loam"+native.exe())
	for shell, place := range shells {
		script, err := output(ctx, "", host, "completion", shell)
		if err != nil {
			return nil, err
		}
		entries = append(entries, entry{name: place, content: []byte(script + "\n")})
	}
	manual := filepath.Join(r.out, "build", "man1")
	if err := os.Setenv("SOURCE_DATE_EPOCH", fmt.Sprint(r.time.Unix())); err != nil { // of the pages
		return nil, err
	}
	if _, err := output(ctx, "", host, "docs", "man", manual); err != nil {
		return nil, err
	}
	pages, err := filepath.Glob(filepath.Join(manual, "*.1"))
	if err != nil {
		return nil, err
	}
	for _, page := range pages {
		entries = append(entries, entry{name: "share/man/man1/" + filepath.Base(page), file: page})
	}
	return entries, nil
}

// listing names the connectors that an archive has, and those that it lacks.
func (r *release) listing(p platform, programs []entry) (entry, error) {
	all, err := filepath.Glob(filepath.Join(r.root, "cmd", connectorPrefix+"*"))
	if err != nil {
		return entry{}, err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Loam %s for %s\n\n", r.version, p)
	var left []string
	for _, folder := range all {
		program := filepath.Base(folder)
		id := strings.TrimPrefix(program, connectorPrefix)
		if slices.ContainsFunc(programs, func(e entry) bool { return path.Base(e.name) == program+p.exe() }) {
			fmt.Fprintf(&b, "%s\n", id)
		} else if r.wants(id) {
			left = append(left, id)
		}
	}
	for _, id := range left {
		fmt.Fprintf(&b, "\nNot in this archive: %s. It links C and C++ and is built on its own platform alone:\nmake connector-%s, then copy bin/%s%s* to lib/loam/connectors.\n", id, id, connectorPrefix, id)
	}
	return entry{name: "CONNECTORS.txt", content: []byte(b.String())}, nil
}
