#!/bin/sh
# Freezes the contract as a minor version: freeze.sh 1.0
# Before the first release of that minor it may be run again; afterwards never.
set -eu
cd "$(dirname "$0")"
version=$1
cp ../connector/v1/connector.proto "$version.proto"
protoc --proto_path=. --descriptor_set_out="$version.binpb" "$version.proto"
