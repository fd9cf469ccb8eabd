package snowflake

import (
	"io"

	"github.com/snowflakedb/gosnowflake"

	// Before the driver: it looks at the environment as it starts.
	_ "github.com/loam-data/loam/plugins/snowflake/internal/quiet"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/network"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// version of the connector; it moves with Loam's.
const version = sdk.SDKVersion

var life = sqlkit.Lifecycle[config]{Problems: (*config).problems, New: newSession}

// Connector returns the connector for Snowflake.
func Connector() *sdk.Connector {
	silence()
	return life.Warehouse(sdk.Connector{
		ID:          "snowflake",
		Version:     version,
		DisplayName: "Snowflake",
		License:     "Apache-2.0",
		// The service is reached by HTTPS, in many companies through a proxy that asks for a password.
		EnvPassthrough: network.ProxyVariables,
		Capabilities: sdk.Capabilities{
			ReadOnly:     sdk.ReadOnlySession,
			CostEstimate: true,
			Billing:      sdk.BillingTime,
			CancelQuery:  true,
			Authenticate: true,
			Tags:         sdk.TagRules{MaxTags: 32, MaxBytes: maxTag / 4, Characters: "*"},
		},
		Dialects:     Dialects(),
		Config:       sdk.ConfigOf[config]("snowflake").Reader(newReader("<database>", "<warehouse>")...),
		Authenticate: authenticate,
	})
}

// silence keeps the driver from printing: what it has to say is in its errors.
func silence() {
	logger := gosnowflake.GetLogger()
	logger.SetOutput(io.Discard)
	for _, level := range []string{"panic", "off"} { // off alone leaves what it logs with a context
		_ = logger.SetLogLevel(level) // it has both
	}
}
