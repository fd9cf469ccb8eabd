// Package quiet sets what Snowflake's driver reads from the environment as it starts.
// It imports nothing that the driver does not, and its path sorts before the driver's:
// Go initialises it first.
package quiet

import "os"

func init() {
	for name, value := range map[string]string{
		"SF_DISABLE_MINICORE":                  "true", // loads no native library, where the build tag minicore_disabled is not set
		"SNOWFLAKE_DISABLE_PLATFORM_DETECTION": "true", // asks no metadata server of a cloud
	} {
		_ = os.Setenv(name, value) // fails for names with = or NUL alone
	}
}
