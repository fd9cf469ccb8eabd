package trust

import (
	"strings"
	"testing"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/connector"
	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/sdk"
)

// TestModel: a language model is asked about with its key, and refused until both are allowed; another address, model
// or key is another question.
func TestModel(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	of := func(planner string, m project.LLM) *project.Project {
		none, err := connection.New(nil)
		if err != nil {
			t.Fatal(err)
		}
		return &project.Project{Connections: none, Memory: project.Memory{Planner: planner, LLM: m}}
	}
	asked := func(p *project.Project) []Item {
		items, _, err := f.Items(p, func(connection.Connection) (connector.Installed, error) { return connector.Installed{}, nil })
		if err != nil {
			t.Fatal(err)
		}
		return items
	}
	allowed := project.LLM{Kind: "openai", BaseURL: "https://models.example/v1", Model: "m", APIKey: "env:MODEL_KEY"}
	if m, g, err := f.Model(of("rules", allowed)); err != nil || m != (project.LLM{}) || g.Allows("env:MODEL_KEY") || len(asked(of("rules", allowed))) != 0 {
		t.Errorf("with rules: %+v %v", m, err)
	}
	items := asked(of("llm", allowed))
	if len(items) != 2 || items[0].Kind != KindModel || items[0].State != StateNew || !strings.Contains(items[0].What, "https://models.example/v1") ||
		items[1].Kind != KindVariable || !strings.Contains(items[1].What, "env:MODEL_KEY → openai https://models.example/v1") {
		t.Errorf("%+v", items)
	}
	_, _, err := f.Model(of("llm", allowed))
	if e := sdk.AsError(err, sdk.SourceHost); e == nil || e.Kind != sdk.KindDenied || !strings.Contains(e.Hint, "loam trust") || !strings.Contains(e.Msg, "memory.llm.base_url") {
		t.Errorf("before it is allowed: %v", err)
	}
	if err := f.Accept(t.Context(), []Ask{items[0].Ask}, false); err != nil {
		t.Fatal(err)
	}
	if _, _, err := f.Model(of("llm", allowed)); sdk.KindOf(err) != sdk.KindDenied {
		t.Errorf("without its key: %v", err)
	}
	if err := f.Accept(t.Context(), []Ask{items[1].Ask}, true); err != nil {
		t.Fatal(err)
	}
	m, g, err := f.Model(of("llm", allowed))
	if err != nil || m != allowed || !g.Allows("env:MODEL_KEY") || g.Allows("env:OTHER") {
		t.Errorf("%+v %v", m, err)
	}
	for _, change := range []func(*project.LLM){
		func(m *project.LLM) { m.BaseURL = "https://elsewhere.example/v1" },
		func(m *project.LLM) { m.Kind = "anthropic" },
		func(m *project.LLM) { m.Model = "other" },
		func(m *project.LLM) { m.APIKey = "env:OTHER" },
		func(m *project.LLM) { m.APIKey = "keyring:MODEL_KEY" },
		func(m *project.LLM) { m.APIKey = "cmd:pass show model" },
	} {
		changed := allowed
		change(&changed)
		if _, _, err := f.Model(of("llm", changed)); sdk.KindOf(err) != sdk.KindDenied || !strings.Contains(err.Error(), "memory.llm") {
			t.Errorf("%+v: %v", changed, err)
		}
	}
	if inside := (project.LLM{Kind: "openai", BaseURL: allowed.BaseURL, Model: "m", APIKey: "file:key"}); len(asked(of("llm", inside))) != 1 {
		t.Error("a file of the project is the project's")
	}
	f.Everything = true
	if _, g, err := f.Model(of("llm", allowed)); err != nil || !g.Allows("env:MODEL_KEY") {
		t.Errorf("with everything allowed: %v", err)
	}
}
