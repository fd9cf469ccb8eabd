package host

import (
	"context"
	"time"

	"github.com/loam-data/loam/host/internal/note"
	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/host/internal/query"
	"github.com/loam-data/loam/host/internal/workspace"
)

// newWorkspace makes the workspace of the project, whose memory exists. Nothing is opened before it is used.
func (a *application) newWorkspace() *workspace.Service {
	return workspace.New(workspace.Config{
		Notes: a.notes, Settings: a.workspaceSettings, Secrets: a.knowSecrets, Redact: a.remembered.Redacted,
		Connections: a.connections, Decides: a.remembered.MayDecide, Now: time.Now,
	})
}

// workspaceSettings are those of loam.yaml now.
func (a *application) workspaceSettings(ctx context.Context) (project.Workspace, error) {
	current, err := a.project.Current(ctx)
	if err != nil {
		return project.Workspace{}, err
	}
	return current.Workspace, nil
}

// newNotes makes the notes of the project.
func (a *application) newNotes() *note.Engine { return note.New(a.decided, a.own.NoteIndex()) }

// advised runs statements, and adds to the hint of an error what a reviewed remediation says.
type advised struct {
	query *query.Service
	notes *workspace.Service
}

// Run implements the runners of the edges.
func (r advised) Run(ctx context.Context, req query.Request, sink query.Sink) (query.Summary, error) {
	summary, err := r.query.Run(ctx, req, sink)
	if err != nil {
		err = r.notes.Advise(ctx, err)
	}
	return summary, err
}
