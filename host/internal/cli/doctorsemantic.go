package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semanticquery"
	"github.com/loam-data/loam/sdk"
)

// maxLayerProblems is how many problems of a connection's layer are shown.
const maxLayerProblems = 5

// semantic looks at what a connection's files define. A connection without files
// has nothing that could be wrong.
func (d *doctor) semantic(ctx context.Context, c connection.Connection) {
	subject := "semantic layer " + string(c.ID)
	files, err := d.rooms.Layer.Files(ctx, c.ID)
	if err != nil {
		d.found(subject, "", err)
		return
	}
	if len(files.List)+len(files.Problems) == 0 {
		return
	}
	if _, err := d.rooms.Catalogs.Of(string(c.ID)).Latest(); sdk.KindOf(err) == sdk.KindNotFound && needTables(files.List) {
		d.warn(subject, "files describe tables, and the connection was never scanned", "loam scan "+string(c.ID))
	}
	report, err := d.rooms.Semantic.Validate(ctx, semanticquery.ValidateRequest{Connection: c.ID})
	if err != nil {
		d.found(subject, "", err)
		return
	}
	for _, r := range report.Connections {
		d.layer(subject, c, r)
	}
}

// needTables reports whether files change sources that only a scan finds.
func needTables(files []*model.File) bool {
	return slices.ContainsFunc(files, func(f *model.File) bool {
		return slices.ContainsFunc(f.Sources, func(s model.SourceDef) bool { return s.Table.Value == "" && s.SQL.Value == "" && !s.Shard })
	})
}

func (d *doctor) layer(subject string, c connection.Connection, r semanticquery.ConnectionReport) {
	mend := "loam sl validate -c " + string(c.ID)
	if r.Error != "" {
		d.found(subject, "", sdk.Errorf(sdk.KindInvalid, sdk.SourceHost, "%s", strings.TrimSuffix(r.Error, ".")).WithHint("run %s", mend))
		return
	}
	if len(r.Problems) == 0 {
		d.found(subject, fmt.Sprintf("%s, %s, %s", plural(r.Files, "file"), plural(r.Defined, "source"), plural(r.Measures, "measure")), nil)
	}
	for i, p := range r.Problems {
		if i == maxLayerProblems {
			d.warn(subject, fmt.Sprintf("%d more problems", len(r.Problems)-i), mend)
			break
		}
		text := p.Place() + ": " + p.Text()
		if p.Severity == semanticquery.SeverityWarning {
			d.warn(subject, text, mend)
			continue
		}
		wrong := sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%s", text).WithHint("mend it, then run %s", mend)
		if len(p.Candidates) > 0 && !strings.Contains(text, p.Candidates[0]) {
			wrong.Candidates = p.Candidates
		}
		d.found(subject, "", wrong)
	}
}

// layerFolders looks for files that no connection reads.
func (d *doctor) layerFolders(current *project.Project) {
	dir := project.SemanticPath(filepath.Dir(current.File))
	entries, err := os.ReadDir(dir)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			d.found("semantic layer", "", sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "%s cannot be read: %w", dir, err).WithHint("mend the folder's permissions"))
		}
		return
	}
	var ids []string
	for _, c := range current.Connections.All() {
		ids = append(ids, string(c.ID))
	}
	for _, e := range entries {
		name := e.Name()
		switch _, err := current.Connections.Get(connection.ID(name)); {
		case err == nil && e.IsDir() || strings.HasPrefix(name, "."):
		case e.IsDir():
			mend := "name it after a connection, or remove it"
			if near := connection.Nearest(name, ids); len(near) > 0 {
				mend = "rename it to " + strings.Join(near, " or ") + ", or remove it"
			}
			d.warn("semantic layer", fmt.Sprintf("semantic-layer/%s belongs to no connection: nothing reads its files", name), mend)
		case strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml"):
			d.warn("semantic layer", fmt.Sprintf("semantic-layer/%s is in no connection's folder: nothing reads it", name), "move it to semantic-layer/CONNECTION/")
		}
	}
}
