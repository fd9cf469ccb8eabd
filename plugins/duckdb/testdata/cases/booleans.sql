SELECT true AS yes, false AS no, CAST(NULL AS BOOLEAN) AS unknown
