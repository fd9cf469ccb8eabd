SELECT 1 AS one, 9007199254740993 AS beyond, -9223372036854775808 AS least, 0.1 AS tenth, 'naïve 東京' AS text, x'00ff41' AS bytes, NULL AS none
