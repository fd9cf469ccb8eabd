package memory

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/planner"
	"github.com/loam-data/loam/host/internal/semantic/layer"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/warehouse"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// view is the state of the project that a run works with.
type view struct {
	planner *planner.View
	// hidden are the paths of the pages that the author of the text cannot see.
	hidden map[string]bool
	// The fields below are of the connection, zero without one.
	warehouse warehouse.Warehouse
	dialect   *dialect.Dialect
	state     *layer.State
}

// view looks at the project as it is now.
func (j *job) view(ctx context.Context) (*view, error) {
	s := j.service
	pages, hidden, err := s.pages(ctx)
	if err != nil {
		return nil, err
	}
	folder, err := j.policy.folder(s.User)
	if err != nil {
		return nil, err
	}
	v := &view{hidden: hidden, planner: &planner.View{
		Pages: pages, Body: s.Wiki.Body, Content: without(hidden, s.Engine.Read), Folder: folder,
		Own: func(path string, content []byte) bool {
			own, err := s.Engine.Own(ctx, path, content)
			return err == nil && own
		},
		Learned: func(kind change.Kind, connection, target string) []change.Change {
			return slices.DeleteFunc(s.learned(ctx, kind, connection, target), func(c change.Change) bool { return hidden[c.Path] })
		},
	}}
	all, err := s.Warehouses.Connections(ctx)
	if err != nil {
		return nil, err
	}
	for _, c := range all.All() {
		if string(c.ID) != j.connection {
			v.planner.Others = append(v.planner.Others, string(c.ID))
		}
	}
	if j.connection == "" {
		return v, nil
	}
	one, err := all.Get(connection.ID(j.connection))
	if err != nil { // it was taken out since the text was accepted
		return nil, err
	}
	v.warehouse = s.Warehouses.Of(one)
	known, _ := v.warehouse.Known(ctx) // a layer can be read without the connector
	v.dialect = known.Dialect()
	if v.state, err = s.Layer.Current(ctx, one.ID, v.dialect); err != nil {
		return nil, err
	}
	v.planner.Model, v.planner.Dialect = v.state.Model, v.dialect
	v.planner.Values = v.values
	return v, nil
}

// folder returns the folder of the pages that are written.
// Errors: KindInvalid for pages of a user while none is named.
func (p policy) folder(user string) (string, error) {
	switch {
	case p.Scope != "user":
		return "wiki/global", nil
	case user == "":
		return "", sdk.Errorf(sdk.KindInvalid, sdk.SourceHost, "memory.scope in loam.yaml is user, and no user is named").
			WithHint("set LOAM_USER, or memory.scope: global")
	}
	return path.Join("wiki/user", user), nil
}

// learned returns the applied and pending changes of a target. What cannot be read is as none: the
// engine refuses a proposal that is known.
func (s *Service) learned(ctx context.Context, kind change.Kind, connection, target string) []change.Change {
	all, err := s.Engine.List(ctx, change.Filter{
		States: []change.State{change.Pending, change.Applied, change.Draft}, Kind: kind, Connection: connection, Target: target,
	})
	if err != nil {
		s.Logger.WarnContext(ctx, "what was said before cannot be read", "error", err)
		return nil
	}
	return all.Changes
}

// values returns the values that a column had when it was scanned, or those of its definition.
func (v *view) values(source, column string) (values []string, whole bool) {
	of, err := v.planner.Model.FindSource(source)
	if err != nil {
		return nil, false
	}
	for i := range of.Dimensions {
		if d := &of.Dimensions[i]; (d.Column == column || d.Name == column) && len(d.Values) > 0 {
			return d.Values, true
		}
	}
	p := v.profile(of)
	if p == nil || withheld(p, column) {
		return nil, false
	}
	stats := p.Column(column)
	if stats == nil {
		return nil, false
	}
	return stats.Values, stats.Complete && stats.ValuesComplete
}

// profile returns what a scan counted of a source's table; nil = nothing.
func (v *view) profile(of *model.Source) *catalog.Profile {
	if v.state == nil || v.state.Snapshot == nil || !of.Scanned {
		return nil
	}
	at, ok := v.state.Snapshot.Position(of.Table)
	if !ok {
		return nil
	}
	p, err := v.state.Snapshot.Profile(at)
	if err != nil {
		return nil // a damaged profile is told of where it is asked for
	}
	return p
}

func withheld(p *catalog.Profile, column string) bool {
	return slices.ContainsFunc(p.Withheld, func(w catalog.Withheld) bool { return w.Column == column })
}

// version identifies what a text is planned against: pages, the connection's files and snapshot, and
// the policy.
func (s *Service) version(ctx context.Context, id string) (string, error) {
	pages, err := s.Wiki.View(ctx)
	if err != nil {
		return "", err
	}
	p, err := s.policy(ctx)
	if err != nil {
		return "", err
	}
	parts := []string{pages.Version, p.Review, p.Scope}
	if p.Planner == "llm" {
		parts = append(parts, p.LLM.Kind, p.LLM.BaseURL, p.LLM.Model)
	}
	for _, kind := range slices.Sorted(maps.Keys(p.Policy)) {
		parts = append(parts, kind, p.Policy[kind])
	}
	if id != "" {
		all, err := s.Warehouses.Connections(ctx)
		if err != nil {
			return "", err
		}
		c, err := all.Get(connection.ID(id))
		if err != nil {
			return "", err
		}
		known, _ := s.Warehouses.Of(c).Known(ctx)
		state, err := s.Layer.Current(ctx, c.ID, known.Dialect())
		if err != nil {
			return "", err
		}
		parts = append(parts, string(state.Files.Version[:]))
		if state.Snapshot != nil {
			parts = append(parts, state.Snapshot.Content)
		}
	}
	return hex.EncodeToString(hashOf(parts...)[:16]), nil
}

// holds reports whether the index has files as they are now.
func (s *Service) holds(ctx context.Context, paths []string) (bool, error) {
	state, err := s.Index.Current(ctx)
	if err != nil {
		return false, err
	}
	defer state.Release()
	for _, name := range paths {
		content, err := s.Engine.Read(name)
		if err != nil {
			return false, err
		}
		if content == nil { // what is gone is not looked for
			continue
		}
		sum := sha256.Sum256(content)
		if page, ok := strings.CutPrefix(name, "wiki/"); ok {
			p, err := state.Pages.Page(pageKey(page))
			// One of another path stands before it, and one that cannot be read is found nowhere.
			if sdk.KindOf(err) == sdk.KindNotFound || err == nil && p.Path == page && p.Content != sum {
				return false, nil
			}
			continue
		}
		id, below, ok := overlay(name)
		if !ok {
			continue
		}
		files := state.Semantic[connection.ID(id)].Files
		if files == nil || !slices.ContainsFunc(files.List, func(f *model.File) bool {
			return f.Path == below && f.Hash == model.Hash(sum[:len(model.Hash{})])
		}) {
			return false, nil
		}
	}
	return true, nil
}

// pageKey returns the key of a page by its path below the wiki's folder.
func pageKey(name string) string {
	name = strings.TrimSuffix(name, ".md")
	if key, ok := strings.CutPrefix(name, "global/"); ok {
		return key
	}
	parts := strings.SplitN(name, "/", 3) // user/<id>/key
	return parts[len(parts)-1]
}

// overlay splits the path of a file of the semantic layer into its connection and what is below.
func overlay(name string) (id, below string, ok bool) {
	name, ok = strings.CutPrefix(name, "semantic-layer/")
	if !ok {
		return "", "", false
	}
	return strings.Cut(name, "/")
}
