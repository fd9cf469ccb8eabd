package mcpserver

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	sdkmcp "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/loam-data/loam/host/internal/discover"
	"github.com/loam-data/loam/sdk"
)

// writer writes prompts that name what was asked for.
type writer struct{}

func (writer) Subject(_ context.Context, name string) (string, error) {
	if name != "orders" {
		e := sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "nobody wrote about a subject %q", name)
		e.Candidates = []string{"orders"}
		return "", e.WithHint("complete the argument")
	}
	return "subject " + name, nil
}
func (writer) Term(_ context.Context, name string) (string, error)   { return "term " + name, nil }
func (writer) Number(_ context.Context, name string) (string, error) { return "number " + name, nil }

func (writer) Subjects(_ context.Context, prefix string) ([]string, error) {
	return namesWith(prefix, "orders", "order_items").Names, nil
}
func (writer) Terms(context.Context, string) ([]string, error) { return make([]string, 250), nil }
func (writer) Numbers(context.Context, string) ([]string, error) {
	return nil, sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "the folder cannot be read")
}

// A prompt is written when it is asked for, over every transport and in every era.
func TestPrompts(t *testing.T) {
	t.Parallel()
	for _, l := range lines {
		t.Run(l.String(), func(t *testing.T) {
			t.Parallel()
			config := newWorld().config()
			config.Guide = writer{}
			c := connect(t, l, config, nil)
			list, err := c.ListPrompts(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, p := range list.Prompts {
				name := p.Name
				for _, a := range p.Arguments {
					name += fmt.Sprintf(" %s %v", a.Name, a.Required)
				}
				names = append(names, name)
			}
			if diff := cmp.Diff([]string{"analyze subject true", "check_number number true", "define term true", "riding"}, names); diff != "" {
				t.Errorf("prompts (-want +got):\n%s", diff)
			}
			for _, tt := range []struct{ name, argument, value, want string }{
				{"analyze", "subject", "orders", "subject orders"}, {"define", "term", "churn", "term churn"}, {"check_number", "number", "n", "number n"},
			} {
				r, err := c.GetPrompt(t.Context(), &sdkmcp.GetPromptParams{Name: tt.name, Arguments: map[string]string{tt.argument: tt.value}})
				if err != nil {
					t.Fatal(err)
				}
				if text, ok := r.Messages[0].Content.(*sdkmcp.TextContent); !ok || text.Text != tt.want || r.Messages[0].Role != "user" {
					t.Errorf("%s: %+v", tt.name, r.Messages[0])
				}
			}
			complete := func(name, argument, value string) (*sdkmcp.CompleteResult, error) {
				return c.Complete(t.Context(), &sdkmcp.CompleteParams{
					Ref: &sdkmcp.CompleteReference{Type: "ref/prompt", Name: name}, Argument: sdkmcp.CompleteParamsArgument{Name: argument, Value: value},
				})
			}
			if r, err := complete("analyze", "subject", "order_"); err != nil || fmt.Sprint(r.Completion.Values) != "[order_items]" {
				t.Errorf("completion: %+v, %v", r, err)
			}
			if r, err := complete("define", "term", ""); err != nil || len(r.Completion.Values) != discover.MaxNames || r.Completion.Total != 250 || !r.Completion.HasMore {
				t.Errorf("completion of many: %+v, %v", r, err)
			}
			if r, err := complete("analyze", "other", ""); err != nil || len(r.Completion.Values) != 0 {
				t.Errorf("an unknown argument: %+v, %v", r, err)
			}
			if _, err := complete("check_number", "number", ""); err == nil || !strings.Contains(err.Error(), "cannot be read") {
				t.Errorf("a completion that fails: %v", err)
			}
		})
	}
}

func TestPromptRefusals(t *testing.T) {
	t.Parallel()
	config := newWorld().config()
	config.Guide = writer{}
	ask := asking(t, startHTTP(t, config), true)
	_, refusal := ask("prompts/get", `{"name":"analyze","arguments":{"subject":"ordrs"}}`)
	for _, want := range []string{`"code":-32602`, `nobody wrote about a subject`, `"candidates":["orders"]`, `"hint":"complete the argument"`} {
		if !strings.Contains(refusal, want) {
			t.Errorf("no %s in %s", want, refusal)
		}
	}
}
