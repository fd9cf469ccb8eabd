package bigquery

import (
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/network"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// version of the connector; it moves with Loam's.
const version = sdk.SDKVersion

var life = sqlkit.Lifecycle[config]{Problems: (*config).problems, New: newSession}

// Connector returns the connector for BigQuery.
func Connector() *sdk.Connector {
	return life.Warehouse(sdk.Connector{
		ID:          "bigquery",
		Version:     version,
		DisplayName: "BigQuery",
		License:     "Apache-2.0",
		// Where Google's own tools keep the credentials of a user or a machine.
		EnvPassthrough: append([]string{"GOOGLE_APPLICATION_CREDENTIALS", "CLOUDSDK_CONFIG"}, network.ProxyVariables...),
		Capabilities: sdk.Capabilities{
			ReadOnly:     sdk.ReadOnlySession,
			CostEstimate: true,
			CancelQuery:  true,
			Billing:      sdk.BillingBytes,
			// Labels of a job; two of them are the connector's own.
			// Source: the manual's page "Requirements for labels".
			Tags: sdk.TagRules{MaxTags: 62, MaxKeyChars: 63, MaxValueChars: 63, Characters: "_-", LowerCase: true},
		},
		Dialects: Dialects(),
		Config:   sdk.ConfigOf[config]("bigquery").Reader(newReader("<project>", "<dataset>")...),
	})
}
