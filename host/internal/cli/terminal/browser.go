package terminal

import (
	"net/url"
	"os/exec"
	"runtime"

	"github.com/loam-data/loam/sdk"
)

// IsWebAddress reports whether text is the address of a web page, which a system opens
// with a browser and no other program.
func IsWebAddress(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && u.User == nil
}

// openers are the programs that open an address in the person's browser.
var openers = map[string][]string{"darwin": {"open"}, "windows": {"rundll32", "url.dll,FileProtocolHandler"}}

// OpenBrowser opens a web address in the person's browser and does not wait for it.
// Errors: KindInvalid for any other address, KindUnavailable without a browser.
func OpenBrowser(address string) error {
	if !IsWebAddress(address) {
		return sdk.Errorf(sdk.KindInvalid, sdk.SourceHost, "%q is no web address", address).WithHint("report this to the author of the connector")
	}
	opener, ok := openers[runtime.GOOS]
	if !ok {
		opener = []string{"xdg-open"}
	}
	cmd := exec.Command(opener[0], append(opener[1:len(opener):len(opener)], address)...)
	err := cmd.Start()
	if err == nil {
		err = cmd.Process.Release() // it may live as long as the browser
	}
	if err != nil {
		return sdk.Errorf(sdk.KindUnavailable, sdk.SourceHost, "no browser can be opened: %w", err).WithHint("open the address yourself")
	}
	return nil
}
