SELECT '' AS empty, 'naïve café 東京 🎉' AS letters, CAST(NULL AS Nullable(String)) AS missing, unhex('FF00C3') AS raw, toFixedString('ab', 4) AS padded, 'a\0b\tc\nd"e\\f' AS controls
