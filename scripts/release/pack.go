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

// pack makes the archive of each platform and its bill of materials, and returns their names.
func (r *release) pack(ctx context.Context) (files []string, err error) {
	common, err := r.documents(ctx)
	if err != nil {
		return nil, err
	}
	for _, p := range r.platforms {
		programs, err := r.programs(p)
		if err != nil {
			return nil, err
		}
		name := fmt.Sprintf("loam_%s_%s", r.version, p)
		inventory, err := readInventory(programs)
		if err != nil {
			return nil, err
		}
		licenses, err := r.licenses(ctx, inventory)
		if err != nil {
			return nil, err
		}
		listing, err := r.listing(p, programs)
		if err != nil {
			return nil, err
		}
		entries := slices.Concat(programs, licenses, []entry{listing}, common)
		for i := range entries {
			entries[i].name = path.Join(name, entries[i].name)
		}
		archive := name + ".tar.gz"
		if p.os == "windows" {
			archive = name + ".zip"
		}
		if err := writeArchive(filepath.Join(r.out, archive), entries, r.time); err != nil {
			return nil, err
		}
		bill := name + ".cdx.json"
		if err := r.writeBill(filepath.Join(r.out, bill), p, inventory); err != nil {
			return nil, err
		}
		files = append(files, archive, bill)
	}
	return files, nil
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
