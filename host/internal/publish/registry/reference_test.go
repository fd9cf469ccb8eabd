package registry

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
)

var someDigest = "sha256:" + strings.Repeat("a", 64)

func TestParse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Reference{
		"oci://r.example/acme/foodb:0.3.1":                {Registry: "r.example", Repository: "acme/foodb", Version: "0.3.1"},
		"oci://127.0.0.1:5000/foodb:1":                    {Registry: "127.0.0.1:5000", Repository: "foodb", Version: "1"},
		"oci://r.example/acme/foodb@" + someDigest:        {Registry: "r.example", Repository: "acme/foodb", Version: someDigest},
		"oci://r.example/foodb@" + someDigest + "/a/b.gz": {Registry: "r.example", Repository: "foodb", Version: someDigest, File: "a/b.gz"},
		"oci://r.example/foodb:1/index.json":              {Registry: "r.example", Repository: "foodb", Version: "1", File: "index.json"},
		"oci:./out/layout:0.3.1":                          {Layout: "./out/layout", Version: "0.3.1"},
		`oci:C:\layout:0.3.1/a.gz`:                        {Layout: `C:\layout`, Version: "0.3.1", File: "a.gz"},
	} {
		got, err := Parse(text)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", text, err, diff)
		}
		if got.String() != text {
			t.Errorf("%s is written as %s", text, got)
		}
	}
	for _, text := range []string{
		"oci://r.example/acme/foodb", "oci://r.example", "oci://", "oci:", "oci:folder", "folder:1", "https://r.example/a:1", "", "oci::1", "oci:folder:..", "oci:folder:1/../x", "oci:folder:1//x",
		"oci://r.example/UPPER:1", "oci://r.example/a/../b:1", "oci://user:secret@r.example/a:1", "oci://r.example/a@sha256:short", "oci://r.example/a:1/b@c",
	} {
		if got, err := Parse(text); sdk.KindOf(err) != sdk.KindInvalid {
			t.Errorf("%s is %+v, %v", text, got, err)
		}
	}
}

func TestBeside(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"foodb/1.tar.gz": "oci://r.example/a:1/x/foodb/1.tar.gz", "../1.tar.gz": "", "/etc/passwd": "", "https://r.example/b": "", `a\b`: "", "": "", ".": "",
	} {
		r, err := Reference{Registry: "r.example", Repository: "a", Version: "1", File: "x/index.json"}.Beside(name)
		if want == "" && sdk.KindOf(err) != sdk.KindDenied || want != "" && (err != nil || r.String() != want) {
			t.Errorf("%q is %s, %v", name, r, err)
		}
	}
}
