package sdk_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/loam-data/loam/sdk"
)

func TestASecretIsNeverSeen(t *testing.T) {
	t.Parallel()
	const canary = "canary-5e1f"
	s := sdk.NewSecret(canary)
	holder := struct {
		Secret  sdk.Secret
		Pointer *sdk.Secret
		Map     map[string]sdk.Secret
		Config  sdk.Config
	}{s, &s, map[string]sdk.Secret{"password": s}, sdk.Config{Secrets: map[string]sdk.Secret{"password": s}}}

	var out bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d"} {
		fmt.Fprintf(&out, verb+verb+"\n", s, holder)
	}
	for _, handler := range []slog.Handler{slog.NewTextHandler(&out, nil), slog.NewJSONHandler(&out, nil)} {
		slog.New(handler).Info("opened", "secret", s, "pointer", &s, "holder", holder)
	}
	text, err := json.Marshal(holder)
	if err != nil {
		t.Fatal(err)
	}
	out.Write(text)
	fmt.Fprintf(&out, "%v", fmt.Errorf("login with %v failed", s))

	for _, form := range []string{canary, fmt.Sprintf("%x", canary), fmt.Sprintf("%X", canary), fmt.Sprintf("%d", []byte(canary))} {
		if strings.Contains(out.String(), form) {
			t.Errorf("the output shows the secret as %q:\n%s", form, out.String())
		}
	}
	if s.Reveal() != canary || s.IsZero() || !(sdk.Secret{}).IsZero() {
		t.Error("Reveal or IsZero is wrong")
	}
}
