package project

import (
	"errors"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/connector"
	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/sdk"
)

// newWizard returns a wizard that is given answers, and what it prints.
func newWizard(t *testing.T, answers string, unseen ...string) (wizard, *strings.Builder) {
	t.Helper()
	all, err := connection.New([]connection.Connection{{ID: "foodb"}, {ID: "foodb_2"}})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	questions := terminal.NewQuestions(strings.NewReader(answers), &out, func() (string, error) {
		if len(unseen) == 0 {
			return "", errors.New("nothing else is to be asked unseen")
		}
		answer := unseen[0]
		unseen = unseen[1:]
		return answer, nil
	})
	return wizard{questions, &project.Project{Dir: t.TempDir(), File: "loam.yaml", Connections: all}}, &out
}

func TestWizardChoosesAConnector(t *testing.T) {
	t.Parallel()
	all := []connector.Installed{{Name: "bar"}, {Name: "broken", Err: errors.New("damaged")}, {Name: "foodb"}}
	for answers, want := range map[string][2]string{
		"foodb\n": {"foodb"}, "2\n": {"foodb"}, "0\n3\nbroken\n\n1\n": {"bar"},
		"foodb://reader:hush@db/sales\n": {"", "foodb://reader:hush@db/sales"}, "env:DATABASE_URL\n": {"", "env:DATABASE_URL"},
	} {
		w, out := newWizard(t, answers)
		name, location, err := w.connector(t.Context(), all)
		if got := [2]string{name, location}; got != want || err != nil {
			t.Errorf("%q: %q, %v", answers, got, err)
		}
		if strings.Contains(out.String(), "broken") || strings.Contains(out.String(), "hush") {
			t.Errorf("%q prints %q", answers, out)
		}
	}
	w, _ := newWizard(t, "")
	if _, _, err := w.connector(t.Context(), all[1:2]); sdk.KindOf(err) != sdk.KindNotFound {
		t.Errorf("no connector to choose: %v", err)
	}
}

func TestWizardNamesTheConnection(t *testing.T) {
	t.Parallel()
	for answers, want := range map[string]connection.ID{"\n": "foodb_3", "sales\n": "sales", "Sales\nfoodb\nx\n": "x"} {
		w, out := newWizard(t, answers)
		if id, err := w.id(t.Context(), "foodb"); id != want || err != nil || !strings.Contains(out.String(), "[foodb_3]") {
			t.Errorf("%q: %q, %v, %q", answers, id, err, out)
		}
	}
}

const wizardSchema = `{"type":"object","required":["database"],"properties":{
	"host":{"type":"string","description":"Server","default":"localhost","x-url":"host","x-order":1},
	"port":{"type":"integer","description":"TCP port","default":5432,"x-url":"port","x-order":2},
	"database":{"type":"string","description":"Database","x-url":"database","x-order":3},
	"password":{"type":"string","description":"Password","x-secret":true,"x-url":"password","x-order":4},
	"ssh":{"type":"object","required":["key"],"x-order":5,"properties":{"key":{"type":"string","x-secret":true}}},
	"schemas":{"type":"array","x-order":6}}}`

func TestWizardAsksForKeys(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answers, unseen string
		located         bool
		values, secrets map[string]string
	}{
		"defaults":       {"\n\nsales\n\n", "", false, map[string]string{"database": "sales"}, nil},
		"required":       {"db\nmany\n5433\n\nsales\n\n", "hush", false, map[string]string{"host": "db", "port": "5433", "database": "sales"}, map[string]string{"password": "hush"}},
		"reference":      {"\n\nsales\n\n", "env:PASSWORD", false, map[string]string{"database": "sales", "password": "env:PASSWORD"}, nil},
		"beside a URL":   {"sales\n\n", "hush", true, map[string]string{"database": "sales"}, map[string]string{"password": "hush"}},
		"others":         {"\n\nsales\nnone=1\nssh.key=hush\nssh.key=env:KEY\nschemas=a,b\n\n", "", false, map[string]string{"database": "sales", "ssh.key": "env:KEY", "schemas": "a,b"}, nil},
		"another answer": {"\n\nsales\npassword=hush\npassword=env:PASSWORD\n\n", "hush", false, map[string]string{"database": "sales", "password": "env:PASSWORD"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, out := newWizard(t, c.answers, c.unseen)
			p := place{values: map[string]string{}, found: connector.Installed{Name: "foodb", Description: sdk.Description{ConfigSchema: []byte(wizardSchema)}}}
			if err := w.keys(t.Context(), &p, c.located); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.values, p.values); diff != "" {
				t.Errorf("values (-want +got):\n%s", diff)
			}
			secrets := map[string]string{}
			for key, value := range p.secrets {
				secrets[key] = value.Reveal()
			}
			if !maps.Equal(secrets, c.secrets) {
				t.Errorf("secrets %v, want %v", secrets, c.secrets)
			}
			if strings.Contains(out.String(), "hush") || !c.located && !strings.Contains(out.String(), "  TCP port\nport [5432]: ") {
				t.Errorf("it prints\n%s", out)
			}
		})
	}
}

// Every question can be the last one.
func TestWizardIsCanceled(t *testing.T) {
	t.Parallel()
	w, _ := newWizard(t, "db\n")
	p := place{values: map[string]string{}, found: connector.Installed{Description: sdk.Description{ConfigSchema: []byte(wizardSchema)}}}
	if err := w.keys(t.Context(), &p, false); sdk.KindOf(err) != sdk.KindCanceled {
		t.Errorf("a key: %v", err)
	}
	for _, answer := range []string{"", "n\n"} {
		w, out := newWizard(t, answer)
		c := connection.Connection{ID: "w", Connector: "foodb", Config: map[string]any{"host": "db", "password": "file:~/secret"}}
		err := w.confirm(t.Context(), c)
		if sdk.KindOf(err) != sdk.KindCanceled || !strings.Contains(sdk.AsError(err, sdk.SourceHost).Hint, "nothing was written") {
			t.Errorf("%q: %v", answer, err)
		}
		if !strings.Contains(out.String(), "config.host: db\n  config.password: file:~/secret\n") {
			t.Errorf("it prints\n%s", out)
		}
	}
}
