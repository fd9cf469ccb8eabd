SELECT s, finalizeAggregation(a) AS total FROM sums ORDER BY s
