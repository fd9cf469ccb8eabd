package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/loam-data/loam/sdk/wire"
)

const connectorPrefix = "loam-connector-"

// stage returns the folder with the programs of a platform.
func (r *release) stage(p platform) string { return filepath.Join(r.out, "build", p.String()) }

// build fills the stages. The programs of this machine come first, whether the release has
// them or not: they write the manifests, the completions and the manual pages of all.
func (r *release) build(ctx context.Context) error {
	if err := os.RemoveAll(filepath.Join(r.out, "build")); err != nil {
		return err
	}
	if r.native != "" {
		if err := r.adopt(); err != nil {
			return err
		}
	} else if err := r.make(ctx, native, "connectors"); err != nil {
		return err
	} else if err := r.make(ctx, native, filepath.Join(r.stage(native), "loam")); err != nil {
		return err
	}
	for _, p := range r.platforms {
		if p == native {
			continue
		}
		if err := r.make(ctx, p, "programs"); err != nil {
			return err
		}
		if err := r.manifests(p); err != nil {
			return err
		}
		if err := r.make(ctx, p, filepath.Join(r.stage(p), "loam")); err != nil { // it knows the connectors' checksums
			return err
		}
	}
	return nil
}

// make builds a target of the Makefile for a platform. Connectors that need C are left out
// where this machine cannot compile it.
func (r *release) make(ctx context.Context, p platform, target string) error {
	args := []string{"--no-print-directory", "BIN=" + r.stage(p), "VERSION=" + r.version, target}
	if r.connectors != nil {
		args = append(args, "CONNECTORS="+strings.Join(r.connectors, " "))
	}
	if p != native {
		args = append(args, "links=")
	}
	cmd := exec.CommandContext(ctx, "make", args...)
	cmd.Dir = r.root
	// Without the commit, which an archive of the sources does not have, and without C wherever none is needed.
	cmd.Env = append(os.Environ(), "GOOS="+p.os, "GOARCH="+p.arch, "CGO_ENABLED=0", "GOFLAGS=-buildvcs=false")
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("make %s for %s: %w", filepath.Base(target), p, err)
	}
	return nil
}

// adopt copies the programs that make build left in a folder.
func (r *release) adopt() error {
	if err := os.MkdirAll(r.stage(native), 0o755); err != nil {
		return err
	}
	names := []string{"loam" + native.exe()}
	manifests, err := filepath.Glob(filepath.Join(r.native, connectorPrefix+"*.json"))
	if err != nil {
		return err
	}
	for _, manifest := range manifests {
		id := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(manifest), connectorPrefix), ".json")
		if r.wants(id) {
			names = append(names, filepath.Base(manifest), connectorPrefix+id+native.exe())
		}
	}
	for _, name := range names {
		content, err := os.ReadFile(filepath.Join(r.native, name))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(r.stage(native), name), content, 0o755); err != nil {
			return err
		}
	}
	return nil
}

func (r *release) wants(connector string) bool {
	for _, id := range r.connectors {
		if id == connector {
			return true
		}
	}
	return r.connectors == nil
}

// manifests writes those of a platform whose programs cannot run here: what the connector
// of this machine says of itself, with the program of that platform.
func (r *release) manifests(p platform) error {
	programs, err := filepath.Glob(filepath.Join(r.stage(p), connectorPrefix+"*"))
	if err != nil {
		return err
	}
	for _, program := range programs {
		id := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(program), connectorPrefix), p.exe())
		content, err := os.ReadFile(filepath.Join(r.stage(native), connectorPrefix+id+".json"))
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("connector %s has no manifest: it was not built for %s", id, native)
		} else if err != nil {
			return err
		}
		text, err := retarget(content, p, program)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(r.stage(p), connectorPrefix+id+".json"), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// retarget returns a manifest for the program of another platform.
func retarget(manifest []byte, p platform, program string) ([]byte, error) {
	m, err := wire.DecodeManifest(manifest)
	if err != nil {
		return nil, err
	}
	sum, size, err := digest(program)
	if err != nil {
		return nil, err
	}
	m.Targets = map[string]wire.Target{p.String(): {Path: filepath.Base(program), SHA256: sum, Size: size}}
	return wire.EncodeManifest(m)
}
