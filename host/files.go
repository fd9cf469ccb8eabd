package host

import (
	"context"
	"path/filepath"
	"time"

	"github.com/loam-data/loam/host/internal/collect"
	"github.com/loam-data/loam/host/internal/file"
	"github.com/loam-data/loam/host/internal/project"
)

// newCollect makes the collection of the project's files, whose memory and runs exist.
func (a *application) newCollect(folder string) *collect.Service {
	// The project has a state folder of its own also where the state is elsewhere.
	own := []string{project.WikiPath(folder), project.SemanticPath(folder), string(project.StateFolder(folder))}
	return collect.New(collect.Config{
		Dir: folder, Tenant: filepath.Base(folder), State: string(a.own), Own: own, Roots: a.roots,
		Connections: a.connections, Chunks: a.chunks, Runs: a.runs, Refresh: a.fileIndex.Refresh, Secrets: a.knowSecrets, Redact: a.remembered.Redacted,
		Learn: a.remembered.LearnFile, Forget: a.remembered.ForgetFile, LearnFrom: a.learnFrom, Now: time.Now, Logger: a.log,
	})
}

// roots are the folders of sources.roots in loam.yaml now, each with whether it may be read.
func (a *application) roots(ctx context.Context) (all []collect.Root, err error) {
	current, err := a.project.Current(ctx)
	if err != nil {
		return nil, err
	}
	for _, dir := range current.Sources.Roots {
		real := file.Real(dir) // what is asked about is what is opened
		all = append(all, collect.Root{Dir: real, Denied: a.trust.Root(current, real)})
	}
	return all, nil
}
