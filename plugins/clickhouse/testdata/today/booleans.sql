SELECT true AS yes, false AS no, CAST(NULL AS Nullable(Bool)) AS missing, [true, false] AS both
