package wire

import (
	"encoding/json"

	"google.golang.org/protobuf/types/known/structpb"

	pb "github.com/loam-data/loam/proto/connector/v1"
	"github.com/loam-data/loam/sdk"
)

// HostInfo is the host's description of itself to a connector.
type HostInfo struct {
	Version       string
	ContractMinor int
	// Features names additions of a later minor version that the host understands.
	Features []string
}

func encodeHostInfo(h HostInfo) *pb.DescribeRequest {
	return &pb.DescribeRequest{
		HostVersion: text(h.Version), ProtocolMinor: small(h.ContractMinor), HostFeatures: texts(h.Features),
	}
}

func encodeDescription(d sdk.Description) (*pb.DescribeResponse, error) {
	schema, err := encodeSchema(d.ConfigSchema)
	if err != nil {
		return nil, err
	}
	return &pb.DescribeResponse{
		Id: text(d.ID), Version: text(d.Version), Sdk: text(d.SDK), ProtocolMinor: small(d.ContractMinor),
		DisplayName: text(d.DisplayName), License: text(d.License),
		Capabilities: encodeCapabilities(d.Capabilities), Dialects: convert(d.Dialects, encodeDialect),
		ConfigSchema: schema, EnvPassthrough: texts(d.EnvPassthrough),
	}, nil
}

func decodeDescription(d *pb.DescribeResponse) (sdk.Description, error) {
	schema, err := decodeSchema(d.GetConfigSchema())
	if err != nil {
		return sdk.Description{}, err
	}
	return sdk.Description{
		ID: d.GetId(), Version: d.GetVersion(), SDK: d.GetSdk(), ContractMinor: int(d.GetProtocolMinor()),
		DisplayName: d.GetDisplayName(), License: d.GetLicense(),
		Capabilities: decodeCapabilities(d.GetCapabilities()), Dialects: convert(d.GetDialects(), decodeDialect),
		ConfigSchema: schema, EnvPassthrough: d.GetEnvPassthrough(),
	}, nil
}

// encodeSchema turns a JSON object into a Struct. Numbers become doubles, and
// the order of keys is lost; a schema needs neither.
func encodeSchema(raw json.RawMessage) (*structpb.Struct, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	var object map[string]any
	if err := json.Unmarshal(raw, &object); err != nil || object == nil {
		return nil, sdk.Errorf(sdk.KindInternal, sdk.SourceConnector, "the configuration schema is not a JSON object")
	}
	schema, err := structpb.NewStruct(object)
	if err != nil {
		return nil, sdk.Errorf(sdk.KindInternal, sdk.SourceConnector, "the configuration schema cannot be sent: %w", err)
	}
	return schema, nil
}

// decodeSchema returns the JSON with its keys sorted, so that equal schemas are
// equal bytes.
func decodeSchema(schema *structpb.Struct) (json.RawMessage, error) {
	if schema == nil {
		return nil, nil
	}
	raw, err := json.Marshal(schema.AsMap())
	if err != nil { // a NaN, which JSON cannot hold
		return nil, sdk.Errorf(sdk.KindInternal, sdk.SourceConnector, "the configuration schema is not JSON: %w", err)
	}
	return raw, nil
}

func encodeCapabilities(c sdk.Capabilities) *pb.Capabilities {
	return &pb.Capabilities{
		ReadOnly: pb.ReadOnlyLevel(c.ReadOnly), Explain: c.Explain, Validate: c.Validate, Profile: c.Profile,
		QueryLog: c.QueryLog, CostEstimate: c.CostEstimate, ServerCancel: c.ServerCancel,
		IncrementalScan: c.IncrementalScan, Params: c.Params, MaxStreams: small(c.MaxStreams), Features: texts(c.Features),
		MemoryBytes: c.MemoryBytes, Billing: text(string(c.Billing)), CancelQuery: c.CancelQuery, Tags: encodeTagRules(c.Tags),
		Authenticate: c.Authenticate,
	}
}

func encodeTagRules(r sdk.TagRules) *pb.TagRules {
	if r.MaxTags <= 0 {
		return nil
	}
	return &pb.TagRules{
		MaxTags: small(r.MaxTags), MaxKeyChars: small(r.MaxKeyChars), MaxValueChars: small(r.MaxValueChars),
		MaxBytes: small(r.MaxBytes), Characters: text(r.Characters), LowerCase: r.LowerCase,
	}
}

func decodeTagRules(r *pb.TagRules) sdk.TagRules {
	return sdk.TagRules{
		MaxTags: int(r.GetMaxTags()), MaxKeyChars: int(r.GetMaxKeyChars()), MaxValueChars: int(r.GetMaxValueChars()),
		MaxBytes: int(r.GetMaxBytes()), Characters: r.GetCharacters(), LowerCase: r.GetLowerCase(),
	}
}

func decodeCapabilities(c *pb.Capabilities) sdk.Capabilities {
	return sdk.Capabilities{
		ReadOnly: decodeReadOnly(c.GetReadOnly()), Explain: c.GetExplain(), Validate: c.GetValidate(), Profile: c.GetProfile(),
		QueryLog: c.GetQueryLog(), CostEstimate: c.GetCostEstimate(), ServerCancel: c.GetServerCancel(),
		IncrementalScan: c.GetIncrementalScan(), Params: c.GetParams(), MaxStreams: int(c.GetMaxStreams()), Features: c.GetFeatures(),
		MemoryBytes: c.GetMemoryBytes(), Billing: sdk.Billing(c.GetBilling()), CancelQuery: c.GetCancelQuery(),
		Tags: decodeTagRules(c.GetTags()), Authenticate: c.GetAuthenticate(),
	}
}

func decodeReadOnly(l pb.ReadOnlyLevel) sdk.ReadOnlyLevel {
	if l < 0 || l > pb.ReadOnlyLevel_READ_ONLY_LEVEL_ENGINE {
		return sdk.ReadOnlyUnspecified
	}
	return sdk.ReadOnlyLevel(l)
}
