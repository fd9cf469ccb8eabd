package edit

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
)

var (
	servers = []string{"mcpServers", "loam"}
	table   = []string{"mcp_servers", "loam"}
	entry   = Entry{{"command", "/opt/loam"}, {"args", []string{"mcp", "stdio"}}}
	other   = map[Format]Entry{
		JSON: {{"type", "http"}, {"headers", Entry{{"Authorization", "Bearer ${T}"}}}},
		TOML: {{"type", "http"}, {"enabled", true}},
	}
)

// set is Set of the entry, which must succeed.
func set(t *testing.T, f Format, text string, path []string, e Entry, last *Undo) (string, Undo) {
	t.Helper()
	after, undo, err := Set(f, []byte(text), path, e, last)
	if err != nil {
		t.Fatalf("set in %q: %v", text, err)
	}
	return string(after), undo
}

func TestSetAndRemove(t *testing.T) {
	t.Parallel()
	const loam = `"loam": {"command": "/opt/loam", "args": ["mcp", "stdio"]}`
	lines := func(indent, unit string) string {
		return `"loam": {` + "\n" + indent + unit + `"command": "/opt/loam",` + "\n" + indent + unit + `"args": ["mcp", "stdio"]` + "\n" + indent + "}"
	}
	for _, c := range []struct {
		name         string
		format       Format
		before, want string
	}{
		{"nothing", JSON, "", "{\n  \"mcpServers\": {\n    " + lines("    ", "  ") + "\n  }\n}\n"},
		{"empty lines", JSON, "\n \n", "{\n  \"mcpServers\": {\n    " + lines("    ", "  ") + "\n  }\n}\n"},
		{"empty object", JSON, "{}", "{\n  \"mcpServers\": {\n    " + lines("    ", "  ") + "\n  }\n}"},
		{"empty object in lines", JSON, "{\n}\n", "{\n  \"mcpServers\": {\n    " + lines("    ", "  ") + "\n  }\n}\n"},
		{"byte order mark", JSON, bom + "{}\n", bom + "{\n  \"mcpServers\": {\n    " + lines("    ", "  ") + "\n  }\n}\n"},
		{"one line", JSON, `{"a": 1, "mcpServers": {"x": {}}}`, `{"a": 1, "mcpServers": {"x": {}, ` + loam + `}}`},
		{"one line without blanks", JSON, `{"a":1}`, `{"a":1,"mcpServers":{"loam":{"command":"/opt/loam","args":["mcp","stdio"]}}}`},
		{"one line, empty", JSON, `{"a": 1, "mcpServers": {}}` + "\n", `{"a": 1, "mcpServers": {` + loam + "}}\n"},
		{
			"tabs, others, after", JSON,
			"{\n\t\"mcpServers\": {\n\t\t\"x\": {\"command\": \"y\"}\n\t},\n\t\"z\": [1, 2]\n}",
			"{\n\t\"mcpServers\": {\n\t\t\"x\": {\"command\": \"y\"},\n\t\t" + lines("\t\t", "\t") + "\n\t},\n\t\"z\": [1, 2]\n}",
		},
		{
			"four blanks, missing container", JSON, "{\n    \"a\": true\n}\n",
			"{\n    \"a\": true,\n    \"mcpServers\": {\n        " + lines("        ", "    ") + "\n    }\n}\n",
		},
		{
			"comments behind the last", JSON, "{\n  \"mcpServers\": {\n    \"x\": {} // the old one, {\n    /* , off: \"y\": {} */\n  }\n}\n",
			"{\n  \"mcpServers\": {\n    \"x\": {}, // the old one, {\n    /* , off: \"y\": {} */\n    " + lines("    ", "  ") + "\n  }\n}\n",
		},
		{
			"trailing comma and comments", JSON, "{\n  \"mcpServers\": {\n    \"x\": {} /* a, b */, // c\n  },\n}\n",
			"{\n  \"mcpServers\": {\n    \"x\": {} /* a, b */, // c\n    " + lines("    ", "  ") + ",\n  },\n}\n",
		},
		{
			"comment alone", JSON, "{\n  // none yet\n  \"mcpServers\": { // here\n  }\n}",
			"{\n  // none yet\n  \"mcpServers\": { // here\n    " + lines("    ", "  ") + "\n  }\n}",
		},
		{
			"brace on the last line", JSON, "{\n  \"a\": 1}",
			"{\n  \"a\": 1,\n  \"mcpServers\": {\n    " + lines("    ", "  ") + "\n  }}",
		},
		{
			"carriage returns", JSON, "{\r\n  \"mcpServers\": { \"x\": 1 } // c\r\n}\r\n",
			"{\r\n  \"mcpServers\": { \"x\": 1, " + loam + " } // c\r\n}\r\n",
		},
		{
			"carriage returns, lines", JSON, "{\r\n  \"a\": 1 // c\r\n}\r\n",
			"{\r\n  \"a\": 1, // c\r\n  \"mcpServers\": {\r\n    " + strings.ReplaceAll(lines("    ", "  "), "\n", "\r\n") + "\r\n  }\r\n}\r\n",
		},
		{"no table", TOML, "", "[mcp_servers.loam]\ncommand = \"/opt/loam\"\nargs = [\"mcp\", \"stdio\"]\n"},
		{"keys, no newline", TOML, "# mine\nmodel = \"o\"", "# mine\nmodel = \"o\"\n\n[mcp_servers.loam]\ncommand = \"/opt/loam\"\nargs = [\"mcp\", \"stdio\"]"},
		{"empty line at the end", TOML, "[a]\n\n", "[a]\n\n[mcp_servers.loam]\ncommand = \"/opt/loam\"\nargs = [\"mcp\", \"stdio\"]\n"},
		{
			"other servers, carriage returns", TOML, "[mcp_servers.x]\r\nurl = \"u\" # c\r\n",
			"[mcp_servers.x]\r\nurl = \"u\" # c\r\n\r\n[mcp_servers.loam]\r\ncommand = \"/opt/loam\"\r\nargs = [\"mcp\", \"stdio\"]\r\n",
		},
		{
			"dotted keys, byte order mark", TOML, bom + "mcp_servers.x.url = \"u\"\n",
			bom + "mcp_servers.x.url = \"u\"\n\n[mcp_servers.loam]\ncommand = \"/opt/loam\"\nargs = [\"mcp\", \"stdio\"]\n",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			path := servers
			if c.format == TOML {
				path = table
			}
			after, undo := set(t, c.format, c.before, path, entry, nil)
			if diff := cmp.Diff(c.want, after); diff != "" {
				t.Errorf("after (-want +got):\n%s", diff)
			}
			if again, _ := set(t, c.format, after, path, entry, &undo); again != after {
				t.Errorf("a second time changed the file to %q", again)
			}
			changed, undo := set(t, c.format, after, path, other[c.format], &undo)
			back, undo := set(t, c.format, changed, path, entry, &undo)
			if back != after {
				t.Errorf("there and back: %q", back)
			}
			removed, err := Remove(c.format, []byte(back), path, undo)
			if diff := cmp.Diff(c.before, string(removed)); diff != "" || err != nil {
				t.Errorf("removed, %v (-want +got):\n%s", err, diff)
			}
		})
	}
}

// Somebody edited around the entry: only what is ours goes.
func TestRemoveAfterEdits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		format Format
		before string
		edit   func(string) string
		want   string
	}{
		{
			"a server behind ours", JSON, "{}", func(s string) string {
				return strings.Replace(s, "]\n    }\n", "]\n    },\n    \"y\": {}\n", 1)
			}, "{\n  \"mcpServers\": {\n    \"y\": {}\n  }\n}",
		},
		{"written anew by the client", JSON, `{"a":1}`, func(s string) string {
			return "{\n  \"a\": 2,\n  \"mcpServers\": {\n    \"loam\": {\"args\": [\"mcp\",\"stdio\"], \"command\": \"/opt/loam\"}\n  }\n}"
		}, "{\n  \"a\": 2\n}"},
		{"a comment before ours", JSON, `{"mcpServers": {"x": 1}}`, func(s string) string {
			return strings.Replace(s, `"loam"`, `/* mine */ "loam"`, 1)
		}, `{"mcpServers": {"x": 1 /* mine */ }}`},
		{"a comment in the container we made", JSON, "{\n  \"a\": 1\n}", func(s string) string {
			return strings.Replace(s, `{`+"\n    ", "{ // keep\n    ", 1)
		}, "{\n  \"a\": 1,\n  \"mcpServers\": { // keep\n    }\n}"},
		{"a table behind ours", TOML, "a = 1\n", func(s string) string {
			return strings.Replace(s, "[mcp", "# note\n[mcp", 1) + "# about b\n[b]\n"
		}, "a = 1\n\n# note\n# about b\n[b]\n"},
		{"a table below ours", TOML, "a = 1\n", func(s string) string {
			return s + "\n[mcp_servers.loam.tools.x]\nmode = \"ask\"\n\n[b]\n"
		}, "a = 1\n\n[b]\n"},
		{"a key under ours", TOML, "[z]\nq = 1\n", func(s string) string { return s + "enabled = false\n" }, "[z]\nq = 1\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			path := servers
			if c.format == TOML {
				path = table
			}
			after, undo := set(t, c.format, c.before, path, entry, nil)
			edited := c.edit(after)
			if edited == after {
				t.Fatal("the edit changed nothing")
			}
			removed, err := Remove(c.format, []byte(edited), path, undo)
			if diff := cmp.Diff(c.want, string(removed)); diff != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
			again, err := Remove(c.format, removed, path, undo)
			if err != nil || !bytes.Equal(again, removed) {
				t.Errorf("removed again: %q, %v", again, err)
			}
		})
	}
}

// A value that somebody else wrote comes back, also when ours was changed twice.
func TestReplaced(t *testing.T) {
	t.Parallel()
	for format, before := range map[Format]string{
		JSON: "{\n  \"mcpServers\": {\n    \"loam\" : {\"url\": \"mine\"}, // c\n    \"x\": 1\n  }\n}",
		TOML: "[mcp_servers.loam] # mine\nurl = \"mine\"\n# c\n\n[x]\n",
	} {
		path := servers
		if format == TOML {
			path = table
		}
		after, undo := set(t, format, before, path, entry, nil)
		after, undo = set(t, format, after, path, other[format], &undo)
		for _, text := range []string{after, strings.Replace(after, "http", "https", 1)} {
			removed, err := Remove(format, []byte(text), path, undo)
			if diff := cmp.Diff(before, string(removed)); diff != "" || err != nil {
				t.Errorf("%s: %v (-want +got):\n%s", format, err, diff)
			}
		}
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		format     Format
		kind       sdk.Kind
		line       int
	}{
		{"cut off", "{\n  \"a\": {\n", JSON, sdk.KindInvalid, 3},
		{"two commas", "{\n  \"a\": 1,,\n}", JSON, sdk.KindInvalid, 2},
		{"bad string", "{\n\n  \"a\": \"hunter2\\q\"\n}", JSON, sdk.KindInvalid, 3},
		{"a list", "[]", JSON, sdk.KindInvalid, 1},
		{"container is text", "{\n  \"mcpServers\": \"x\"\n}", JSON, sdk.KindInvalid, 2},
		{"container is null", "{\"mcpServers\": null}", JSON, sdk.KindInvalid, 1},
		{"twice", "{\n\"mcpServers\": {},\n\"mcpServers\": {}\n}", JSON, sdk.KindInvalid, 3},
		{"too deep", "{\"a\": \"[\\\"[\", // [\n\"b\": " + strings.Repeat("[", 10_000_000), JSON, sdk.KindInvalid, 2},
		{"no value", "a = 1\nb =\n", TOML, sdk.KindInvalid, 2},
		{"table twice", "[a]\n[a]\n", TOML, sdk.KindInvalid, 2},
		{"table is text", "mcp_servers = \"x\"\n", TOML, sdk.KindInvalid, 1},
		{"inline tables", "mcp_servers = {x = {}}\n", TOML, sdk.KindUnsupported, 0},
		{"ours inline", "[mcp_servers]\nloam = {}\n", TOML, sdk.KindUnsupported, 0},
		{"infinite", "a = inf\n", TOML, sdk.KindUnsupported, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			path := servers
			if c.format == TOML {
				path = table
			}
			_, _, err := Set(c.format, []byte(c.text), path, entry, nil)
			e := sdk.AsError(err, sdk.SourceHost)
			if err == nil || e.Kind != c.kind || e.Pos.Line != c.line {
				t.Errorf("%v: kind %s, line %d; want %s, line %d", err, e.Kind, e.Pos.Line, c.kind, c.line)
			}
			if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("the error quotes the file: %v", err)
			}
		})
	}
	if _, _, err := Set(JSON, nil, servers, Entry{{"command", "/a\xff"}}, nil); sdk.KindOf(err) != sdk.KindUnsupported {
		t.Errorf("a path that is no UTF-8: %v", err)
	}
}

// FuzzEdit: whatever file is taken, setting and removing gives it back, and the
// entry can be taken out without knowing how it came in.
func FuzzEdit(f *testing.F) {
	for _, text := range []string{"{}", "{\"a\":[1,{\"b\":null}],}", "// c\n{\n\t\"mcpServers\":{/**/}\n}\r\n", "[a]\nb = '''\n[x]\n'''", "a.b=1\n[[c]]\n"} {
		f.Add(text, true)
		f.Add(text, false)
	}
	f.Fuzz(func(t *testing.T, text string, toml bool) {
		format, path := JSON, servers
		if toml {
			format, path = TOML, table
		}
		if _, found, err := Find(format, []byte(text), path); found || err != nil {
			return
		}
		after, undo, err := Set(format, []byte(text), path, entry, nil)
		if err != nil {
			return
		}
		back, err := Remove(format, after, path, undo)
		if err != nil || string(back) != text {
			t.Errorf("%q became %q and came back as %q, %v", text, after, back, err)
		}
		if bare, err := Remove(format, after, path, Undo{Made: undo.Made}); err != nil {
			t.Errorf("%q became %q, and could not be taken out by structure: %q, %v", text, after, bare, err)
		}
	})
}
