package trust

import (
	"fmt"

	"github.com/loam-data/loam/host/internal/file"
	"github.com/loam-data/loam/host/internal/project"
)

// Root returns an error unless agents may have folders below a root of sources.roots indexed. A root inside the project
// folder belongs to the project and needs no permission.
// Errors: those of Check.
func (t *Trust) Root(p *project.Project, root string) error {
	if t.Everything {
		return nil
	}
	asks := t.rootAsks(&project.Project{Sources: project.Sources{Roots: []string{root}}})
	if len(asks) == 0 {
		return nil
	}
	known, err := t.store.records()
	if err != nil {
		return err
	}
	if item := compare(asks, known)[0]; item.State != StateTrusted {
		return t.refusal("the folder "+asks[0].gist, []Item{item})
	}
	return nil
}

// rootAsks returns the asks for the roots outside the project folder: what is in them can be found by agents.
func (t *Trust) rootAsks(p *project.Project) (asks []Ask) {
	for i, root := range p.Sources.Roots {
		if _, ok := file.Within(t.Dir, root); ok {
			continue
		}
		real := file.Real(root)
		what := "agents find what is in " + real
		asks = append(asks, Ask{
			Kind: KindFile, Where: fmt.Sprintf("sources.roots[%d]", i), What: what, Why: "reads outside the project folder",
			brief: what, gist: real, digest: digestOf(KindFile, "sources.roots", real),
		})
	}
	return asks
}
