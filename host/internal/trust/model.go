package trust

import (
	"slices"

	"github.com/loam-data/loam/host/internal/project"
)

// Model returns the language model that reads the texts of the project's memory, and a Grant for its API key; the
// zero LLM if memory.planner is not llm.
// Errors: those of Check.
func (t *Trust) Model(p *project.Project) (project.LLM, Grant, error) {
	asks, err := t.modelAsks(p)
	switch {
	case err != nil:
		return project.LLM{}, Grant{}, err
	case len(asks) == 0:
		return project.LLM{}, Grant{}, nil
	case t.Everything:
		return p.Memory.LLM, Everything(), nil
	}
	known, err := t.store.records()
	if err != nil {
		return project.LLM{}, Grant{}, err
	}
	missing := slices.DeleteFunc(compare(asks, known), func(i Item) bool { return i.State == StateTrusted })
	if len(missing) > 0 {
		return project.LLM{}, Grant{}, t.refusal("the language model of memory", missing)
	}
	var g Grant
	for _, a := range asks {
		if a.reference != "" {
			g.references = append(g.references, a.reference)
		}
	}
	return p.Memory.LLM, g, nil
}

// modelAsks returns the asks for the language model: it gets the texts of the memory, and its API key.
func (t *Trust) modelAsks(p *project.Project) (asks []Ask, err error) {
	m := p.Memory.LLM
	if p.Memory.Planner != "llm" {
		return nil, nil
	}
	destination := m.Kind + " " + m.BaseURL + " model=" + valueText(m.Model)
	digest := func(kind Kind, parts ...any) string {
		return digestOf(kind, append([]any{"memory.llm", m.Kind, m.BaseURL, m.Model}, parts...)...)
	}
	add := func(a Ask) { asks = append(asks, a) }
	what := "texts to remember → " + destination
	add(Ask{
		Kind: KindModel, Where: "memory.llm.base_url", What: what, Why: "sends what is to be remembered there, and names of tables and columns",
		brief: what, digest: digest(KindModel),
	})
	if m.APIKey != "" {
		err = t.secret(m.APIKey, "memory.llm.api_key", destination, digest, add)
	}
	return asks, err
}
