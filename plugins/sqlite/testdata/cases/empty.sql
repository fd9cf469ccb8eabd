SELECT '' AS text, x'' AS bytes, NULL AS none UNION ALL SELECT 'x', x'01', NULL
