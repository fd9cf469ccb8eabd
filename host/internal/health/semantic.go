package health

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/semantic/binding"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semanticquery/validation"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// maxLayerProblems is how many problems of a connection's layer are shown.
const maxLayerProblems = 5

// semantic looks at what a connection's files define. A connection without files
// has nothing that could be wrong.
func (k *check) semantic(ctx context.Context, c connection.Connection) {
	subject := "semantic layer " + string(c.ID)
	files, err := k.service.config.Layer.Files(ctx, c.ID)
	if err != nil {
		k.found(subject, "", err)
		return
	}
	counts := countLayer(files)
	if counts == nil {
		return
	}
	if _, err := k.service.config.Catalogs.Of(string(c.ID)).Latest(); sdk.KindOf(err) == sdk.KindNotFound && needTables(files.List) {
		k.warn(subject, "files describe tables, and the connection was never scanned", "loam scan "+string(c.ID))
	}
	report, err := k.service.config.Semantic.Validate(ctx, validation.Request{Connection: c.ID})
	if err != nil {
		k.found(subject, "", err)
		return
	}
	for _, r := range report.Connections {
		if len(r.Problems) == 0 && r.Error == "" {
			k.found(subject, text.Count(counts.Files, "file")+": "+counts.Text(), nil)
		}
		k.layer(subject, c, r)
	}
}

// needTables reports whether files change sources that only a scan finds.
func needTables(files []*model.File) bool {
	return slices.ContainsFunc(files, func(f *model.File) bool {
		return slices.ContainsFunc(f.Sources, func(s model.SourceDef) bool { return s.Table.Value == "" && s.SQL.Value == "" && !s.Shard })
	})
}

// layer tells what is wrong with it.
func (k *check) layer(subject string, c connection.Connection, r validation.ConnectionReport) {
	mend := "loam sl validate -c " + string(c.ID)
	if r.Error != "" {
		k.found(subject, "", sdk.Errorf(sdk.KindInvalid, sdk.SourceHost, "%s", strings.TrimSuffix(r.Error, ".")).WithHint("run %s", mend))
		return
	}
	all := slices.Clone(r.Problems)
	slices.SortStableFunc(all, func(a, b binding.Problem) int { return cmp.Compare(a.Severity, b.Severity) }) // errors first
	for i, p := range all {
		if i == maxLayerProblems {
			k.warn(subject, fmt.Sprintf("%d more problems", len(all)-i), mend)
			break
		}
		text := p.Place() + ": " + p.Text()
		if p.Severity == binding.SeverityWarning {
			k.warn(subject, text, mend)
			continue
		}
		wrong := sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%s", text).WithHint("mend it, then run %s", mend)
		if len(p.Candidates) > 0 && !strings.Contains(text, p.Candidates[0]) {
			wrong.Candidates = p.Candidates
		}
		k.found(subject, "", wrong)
	}
}

// strangers looks for files that no connection reads.
func (k *check) strangers(ctx context.Context, all []connection.Connection) {
	ids := make([]connection.ID, len(all))
	names := make([]string, len(all))
	for i, c := range all {
		ids[i], names[i] = c.ID, string(c.ID)
	}
	strangers, err := k.service.config.Layer.Strangers(ctx, ids)
	if err != nil {
		k.found("semantic layer", "", err)
	}
	for _, name := range strangers {
		mend := "put it into the folder of a connection, or remove it"
		if near := sqlkit.Nearest(name, names); len(near) > 0 {
			mend = "rename it to " + strings.Join(near, " or ") + ", or remove it"
		}
		k.warn("semantic layer", "semantic-layer/"+name+" belongs to no connection: nothing reads it", mend)
	}
}
