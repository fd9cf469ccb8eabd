SELECT NULL AS n, emptyArrayToSingle(emptyArrayUInt8()) AS one
