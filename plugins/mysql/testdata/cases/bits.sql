SELECT * FROM {types}.bits ORDER BY b64
