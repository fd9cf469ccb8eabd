package tool

import (
	"strings"
	"testing"

	"github.com/loam-data/loam/host/internal/caller"
)

// The one decision about a tool, for listing as for calling.
func TestDecide(t *testing.T) {
	t.Parallel()
	reads, writes := subject{"look", "research", true}, subject{"remember", "memory", false}
	research := Selection{Toolsets: []string{"research"}}
	both := Selection{Toolsets: []string{"research", "memory"}}
	with := func(s Selection, change func(*Selection)) Selection {
		change(&s)
		return s
	}
	for _, tt := range []struct {
		name   string
		chosen Selection
		grant  caller.Grant
		tool   subject
		why    string // a part of it; "" = it is on
	}{
		{"its toolset is on", research, caller.Grant{}, reads, ""},
		{"its toolset is off", research, caller.Grant{}, writes, `the toolset "memory", which the server must be started with: --toolsets research,memory`},
		{"nothing is on", Selection{}, caller.Grant{}, reads, "--toolsets research"},
		{"it alone is on", Selection{Tools: []string{"remember"}}, caller.Grant{}, writes, ""},
		{"another one is on", Selection{Tools: []string{"forget"}}, caller.Grant{}, writes, "must be started with"},
		{"excluded from its toolset", with(both, func(s *Selection) { s.ExcludeTools = []string{"remember"} }), caller.Grant{}, writes, "--exclude-tools"},
		{"excluded, and named", Selection{Tools: []string{"remember"}, ExcludeTools: []string{"remember"}}, caller.Grant{}, writes, "--exclude-tools"},
		{"another one is excluded", with(both, func(s *Selection) { s.ExcludeTools = []string{"forget"} }), caller.Grant{}, writes, ""},
		{"read-only, and it reads", with(both, func(s *Selection) { s.ReadOnly = true }), caller.Grant{}, reads, ""},
		{"read-only, and it writes", with(both, func(s *Selection) { s.ReadOnly = true }), caller.Grant{}, writes, "--read-only"},
		{"read-only, and it is named", Selection{Tools: []string{"remember"}, ReadOnly: true}, caller.Grant{}, writes, "--read-only"},
		{"the token is for its toolset", both, caller.Grant{Toolsets: []string{"research"}}, reads, ""},
		{"the token is for another one", both, caller.Grant{Toolsets: []string{"research"}}, writes, `the toolset "memory", and the token is for research alone`},
		{"the token is for both", both, caller.Grant{Toolsets: []string{"research", "memory"}}, writes, ""},
		{"the token is for what the server has not", research, caller.Grant{Toolsets: []string{"memory"}}, writes, "must be started with"},
		{"named beside the toolsets, not for the token", Selection{Tools: []string{"remember"}}, caller.Grant{Toolsets: []string{"research"}}, writes, "the token is for research alone"},
		{"excluded before the token is looked at", with(both, func(s *Selection) { s.ExcludeTools = []string{"remember"} }), caller.Grant{Toolsets: []string{"research"}}, writes, "--exclude-tools"},
		{"connections are another matter", research, caller.Grant{Connections: []string{"shop"}}, reads, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if why := decide(tt.chosen, tt.grant, tt.tool); (why == "") != (tt.why == "") || !strings.Contains(why, tt.why) {
				t.Errorf("%q, want %q", why, tt.why)
			}
		})
	}
}
