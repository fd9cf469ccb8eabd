package skill

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
)

// front returns a file with lines in its frontmatter.
func front(lines string, body ...string) string {
	return "---\nname: close-month\ndescription: Close the books.\n" + lines + "---\n\n" + strings.Join(append(body, "# Close\n"), "\n")
}

// A skill is written as it was read, and what Loam does not read stays.
func TestWriteIsTheInverseOfParse(t *testing.T) {
	t.Parallel()
	s := &Skill{
		Name: "close-month", Description: "Close: the \"books\".", Version: "1.2.3-rc.1", Author: "Ada", Category: "finance", ExpectedOutcome: "Closed.",
		Prerequisites: []string{"access to billing"}, Tags: []string{"month", "no"}, Metadata: map[string]string{"owner": "true"}, Created: "2026-11-20T10:00:00Z",
		Agent: true, Reviewed: true, Body: "# Close\n\n1. See [steps](steps/one.md).\n",
	}
	file, err := Write(s, []byte(front("license: MIT # ours\nallowed-tools: [Bash]\ntags: [old]\n")))
	if err != nil {
		t.Fatal(err)
	}
	got, err := Parse("close-month", file)
	if diff := cmp.Diff(s, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	for _, kept := range []string{"license: MIT # ours\n", "allowed-tools: [Bash]\n"} {
		if !strings.Contains(string(file), kept) {
			t.Errorf("%q is gone:\n%s", kept, file)
		}
	}
	if again, err := Write(got, file); err != nil || string(again) != string(file) {
		t.Errorf("written twice: %v\n%s", err, cmp.Diff(string(file), string(again)))
	}
	bare, err := Write(&Skill{Name: "close-month", Description: "d", Body: "b"}, file)
	if err != nil || strings.Contains(string(bare), "version") || !strings.Contains(string(bare), "license") {
		t.Errorf("%v:\n%s", err, bare)
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, file, want string }{
		{"an agent's own", front(""), ""},
		{"one prerequisite", front("prerequisites: access\ntags:\n"), ""},
		{"a byte order mark and CRLF", "\ufeff" + strings.ReplaceAll(front(""), "\n", "\r\n"), ""},
		{"links", front("", "[a](b.md) [c](https://x.test/y) [d](#e) ![f](./g/h.png) `[code](../x)`\n```\n[code](/etc/passwd)\n```\n[z]: sub/y.md"), ""},
		{"no frontmatter", "# Close\n", "no frontmatter"},
		{"no end", "---\nname: close-month\n", "no end"},
		{"another name", strings.Replace(front(""), "close-month", "close-year", 1), "the folder is close-month"},
		{"no description", strings.Replace(front(""), "Close the books.", "", 1), "description is empty"},
		{"a long description", strings.Replace(front(""), "Close the books.", strings.Repeat("x", 1025), 1), "1025 characters"},
		{"no text", "---\nname: close-month\ndescription: d\n---\n", "content is empty"},
		{"a long text", front("", strings.Repeat("y", 50_001)), "the limit is 50000"},
		{"10 MB", front("", strings.Repeat("y", 10<<20)), "the limit is 262144"},
		{"no version", front("version: v1\n"), "is no version"},
		{"a text for a list", front("tags: {a: b}\n"), "tags cannot have this value"},
		{"a text for yes", front("reviewed: perhaps\n"), "reviewed cannot have this value"},
		{"21 tags", front("tags: [" + strings.Repeat("a, ", 20) + "a]\n"), "tags has 21 entries"},
		{"a long tag", front("tags: [" + strings.Repeat("a", 51) + "]\n"), "a tag has 51 characters"},
		{"a list of keys", "---\n- a\n---\n\nb\n", "no list of keys"},
		{"a key twice", front("reviewed: false\nreviewed: true\n"), "a key twice"},
		{"a bomb", front("a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n"), "anchors"},
		{"depth", front("a: " + strings.Repeat("[", 40) + strings.Repeat("]", 40) + "\n"), "levels"},
		{"a tag of YAML", front("a: !!binary eA==\n"), "tags"},
		{"a direction mark", front("", "a\u202eb"), "that nobody sees"},
		{"an escape", front("", "a\x1b[31mb"), "that nobody sees"},
		{"an unseen description", strings.Replace(front(""), "Close the", "Close\u200b the", 1), "that nobody sees"},
		{"no UTF-8", front("", "\xff"), "no text in UTF-8"},
		{"NUL", front("", "\x00"), "no text in UTF-8"},
		{"a link up", front("", "[a](../other/SKILL.md)"), "leads out of the folder"},
		{"a link up below", front("", "[a](b/%2e%2e/../../c)"), "leads out of the folder"},
		{"an absolute link", front("", "[a](/etc/passwd)"), "leads out of the folder"},
		{"a file's link", front("", "![a](file:///etc/passwd)"), "leads out of the folder"},
		{"a host's link", front("", "[a](//x.test/y)"), "leads out of the folder"},
		{"a definition", front("", "[a]: <../b>"), "leads out of the folder"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, err := Parse("close-month", []byte(tt.file))
			if tt.want == "" && (err != nil || s.Name != "close-month") || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("%+v, %v, want %q", s, err, tt.want)
			}
			if kind := sdk.KindOf(err); err != nil && kind != sdk.KindInvalid && kind != sdk.KindLimit {
				t.Errorf("%v is of kind %s", err, kind)
			}
		})
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a", "close-month", "0", strings.Repeat("a", 64)} {
		if err := CheckName(name); err != nil {
			t.Error(err)
		}
	}
	for _, name := range []string{
		"", ".", "..", "a/b", `a\b`, "../a", "A", "Close", "a_b", "a--b", "-a", "a-", "a b", "ä", "a\u202e", "a\n", strings.Repeat("a", 65), "analyze", "define", "loam-analytics", "skill.md",
	} {
		if err := CheckName(name); sdk.KindOf(err) != sdk.KindInvalid {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// A review changes one key, and taking it back restores the file.
func TestMark(t *testing.T) {
	t.Parallel()
	file := []byte(front("# mine\nlicense: MIT\n"))
	reviewed, err := Mark("close-month", file, true)
	if err != nil || string(reviewed) != strings.Replace(string(file), "license: MIT\n", "license: MIT\nreviewed: true\n", 1) {
		t.Errorf("%v\n%s", err, reviewed)
	}
	if again, err := Mark("close-month", reviewed, true); err != nil || &again[0] != &reviewed[0] {
		t.Errorf("marked twice: %v", err)
	}
	if back, err := Mark("close-month", reviewed, false); err != nil || string(back) != string(file) {
		t.Errorf("%v\n%s", err, back)
	}
	if s, _ := Parse("close-month", file); s.Trust() != TrustPerson {
		t.Errorf("trust %s", s.Trust())
	}
	if _, err := Mark("other", file, true); sdk.KindOf(err) != sdk.KindInvalid {
		t.Error(err)
	}
}
