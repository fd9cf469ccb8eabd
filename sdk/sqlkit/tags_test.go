package sqlkit

import (
	"strings"
	"testing"
)

func TestTags(t *testing.T) {
	t.Parallel()
	for want, tags := range map[string]map[string]string{
		"":                                {},
		"principal='ada.l_1-x'":           {"principal": "ada.l_1-x"},
		"client='x%20y',principal='ada'":  {"principal": "ada", "client": "x y"},
		"p='%2A%2F%20drop%20table%20t'":   {"p": "*/ drop table t"},
		"p='%27%5C%22%3D%2C%0A%00%2B%23'": {"p": "'\\\"=,\n\x00+#"},
		"%21p='%C3%A4%FF'":                {"!p": "ä\xff"},
	} {
		if got := Tags(tags, "%s='%s'", ","); got != want {
			t.Errorf("%q: got %s, want %s", tags, got, want)
		}
	}
	var every strings.Builder
	for c := range 256 {
		every.WriteByte(byte(c))
	}
	got := Tags(map[string]string{every.String(): every.String()}, "%s=%s", " ")
	const plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~%"
	if left := strings.Trim(strings.Replace(got, "=", "", 1), plain); left != "" {
		t.Errorf("%q is left as it is", left)
	}
}
