package wire

import (
	pb "github.com/loam-data/loam/proto/connector/v1"
	"github.com/loam-data/loam/sdk"
)

func encodePrompt(p sdk.Prompt) *pb.AuthenticatePrompt {
	return &pb.AuthenticatePrompt{Url: text(p.URL), Code: text(p.Code), ExpiresUnixUs: unixMicros(p.Expires)}
}

func decodePrompt(p *pb.AuthenticatePrompt) sdk.Prompt {
	return sdk.Prompt{URL: p.GetUrl(), Code: p.GetCode(), Expires: timeOf(p.GetExpiresUnixUs())}
}

func encodeCredentials(c sdk.Credentials) *pb.AuthenticateDone {
	return &pb.AuthenticateDone{
		Secrets: encodeConfig(sdk.Config{Secrets: c.Secrets}).Secrets, User: text(c.User), ExpiresUnixUs: unixMicros(c.Expires),
	}
}

func decodeCredentials(c *pb.AuthenticateDone) sdk.Credentials {
	return sdk.Credentials{
		Secrets: decodeConfig(&pb.Config{Secrets: c.GetSecrets()}).Secrets, User: c.GetUser(), Expires: timeOf(c.GetExpiresUnixUs()),
	}
}
