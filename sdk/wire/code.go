package wire

import (
	"google.golang.org/grpc/status"

	pb "github.com/loam-data/loam/proto/connector/v1"
)

// ErrorCode returns the native code (sdk.Error.Code) of a call's status, ""
// where there is none: for interceptors, which see statuses only.
func ErrorCode(err error) string {
	for _, detail := range status.Convert(err).Details() {
		if info, ok := detail.(*pb.ErrorInfo); ok {
			return info.GetCode()
		}
	}
	return ""
}
