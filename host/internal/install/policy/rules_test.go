package policy

import (
	"testing"

	"github.com/loam-data/loam/sdk"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	signed := Policy{Trust: []string{"signed"}}
	keys := Policy{Keys: map[string][]string{"acme/*": {"KEY"}}}
	for name, c := range map[string]struct {
		rules Rules
		level Level
		key   string
		want  string
	}{
		"nothing is restricted":           {Rules{}, Pinned, "", ""},
		"bundled is part of the host":     {Rules{Machine: Policy{Trust: []string{}}}, Bundled, "", ""},
		"unsigned on a machine of signed": {Rules{Machine: signed}, Pinned, "", `connector "acme/foodb" is refused: its trust is "pinned" and /etc/loam/policy.yaml allows only: signed`},
		"a project cannot widen":          {Rules{Machine: signed, Project: Policy{Trust: []string{"signed", "path"}}}, Path, "", `connector "acme/foodb" is refused: its trust is "path" and /etc/loam/policy.yaml allows only: signed`},
		"a project narrows":               {Rules{Project: signed}, Path, "", `connector "acme/foodb" is refused: its trust is "path" and connector_policy of loam.yaml allows only: signed`},
		"no path":                         {Rules{Machine: Policy{NoPath: true}}, Path, "", `connector "acme/foodb" is refused: /etc/loam/policy.yaml allows no connector by path`},
		"the named key":                   {Rules{Machine: keys}, Signed, "KEY", ""},
		"another key":                     {Rules{Machine: keys}, Signed, "OTHER", `connector "acme/foodb" is refused: /etc/loam/policy.yaml does not allow key OTHER to sign it`},
		"a namespace without keys":        {Rules{Machine: Policy{Keys: map[string][]string{"other/*": {"KEY"}}}}, Signed, "KEY", `connector "acme/foodb" is refused: /etc/loam/policy.yaml does not allow key KEY to sign it`},
		"a project's key beside another":  {Rules{Machine: keys, Project: Policy{Keys: map[string][]string{"acme/*": {"OTHER"}}}}, Signed, "KEY", `connector "acme/foodb" is refused: connector_policy of loam.yaml does not allow key KEY to sign it`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := c.rules.Check("acme/foodb", c.level, c.key)
			switch {
			case c.want == "" && err != nil:
				t.Fatal(err)
			case c.want != "" && (err == nil || err.Error() != c.want || sdk.KindOf(err) != sdk.KindDenied):
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
	}
}

func TestGrants(t *testing.T) {
	t.Parallel()
	keys := Policy{Keys: map[string][]string{"acme/*": {"KEY"}}}
	if !(Rules{Machine: keys}).Grants("acme/foodb", "KEY") {
		t.Error("the machine's policy names the key, and it is asked about")
	}
	if (Rules{Project: keys}).Grants("acme/foodb", "KEY") {
		t.Error("a project granted trust to its own key")
	}
	if (Rules{Machine: keys}).Grants("other/foodb", "KEY") {
		t.Error("a key signs for another namespace")
	}
}
