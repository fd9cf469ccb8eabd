package main

import (
	"cmp"
	"context"
	"debug/buildinfo"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
)

const loamModule = "github.com/loam-data/loam"

// program is a program of an archive with the modules that are linked into it.
type program struct {
	entry
	sum     string // SHA-256
	goVer   string
	modules []debug.Module // by path; without those of this repository
}

// inventory is all that an archive has.
type inventory struct {
	programs []program
	modules  []debug.Module // of all programs, by path
}

func readInventory(entries []entry) (inventory, error) {
	var i inventory
	for _, e := range entries {
		if !e.program {
			continue
		}
		info, err := buildinfo.ReadFile(e.file)
		if err != nil {
			return inventory{}, fmt.Errorf("%s: %w", e.file, err)
		}
		p := program{entry: e, goVer: strings.TrimPrefix(info.GoVersion, "go")}
		if p.sum, _, err = digest(e.file); err != nil {
			return inventory{}, err
		}
		for _, m := range info.Deps {
			linked := *cmp.Or(m.Replace, m)
			if m.Path == loamModule+"/sdk" || m.Path == loamModule+"/proto" {
				continue
			}
			p.modules = append(p.modules, debug.Module{Path: linked.Path, Version: linked.Version})
		}
		i.programs = append(i.programs, p)
		i.modules = append(i.modules, p.modules...)
	}
	slices.SortFunc(i.modules, func(a, b debug.Module) int { return cmp.Compare(a.Path, b.Path) })
	i.modules = slices.CompactFunc(i.modules, func(a, b debug.Module) bool { return a.Path == b.Path })
	return i, nil
}

var licenseFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents|third[-_ ]?party)[^/]*$`)

// licenses are the licences and notices of all modules and of Go's library, which ask to
// be passed on with the programs.
func (r *release) licenses(ctx context.Context, i inventory) ([]entry, error) {
	args := []string{"list", "-m", "-f", "{{.Path}}\t{{with .Replace}}{{.Dir}}{{else}}{{.Dir}}{{end}}"}
	for _, m := range i.modules {
		args = append(args, m.Path)
	}
	listed, err := output(ctx, r.root, "go", args...)
	if err != nil {
		return nil, err
	}
	goroot, err := output(ctx, r.root, "go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	var entries []entry
	for line := range strings.Lines(listed + "\nstd\t" + goroot) {
		module, folder, _ := strings.Cut(strings.TrimSpace(line), "\t")
		files, err := os.ReadDir(folder)
		if err != nil {
			return nil, fmt.Errorf("the licence of %s: %w", module, err)
		}
		found := len(entries)
		for _, file := range files {
			if licenseFile.MatchString(file.Name()) && file.Type().IsRegular() {
				entries = append(entries, entry{name: path.Join("licenses", module, file.Name()), file: filepath.Join(folder, file.Name())})
			}
		}
		if len(entries) == found {
			return nil, fmt.Errorf("module %s has no licence in %s", module, folder)
		}
	}
	return entries, nil
}
