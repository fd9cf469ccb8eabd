SELECT '{"a":1,"b":[1,null],"c":{"d":"x","e":{"f":2.5}},"g":true}'::JSON AS j, '{"a":1,"z":"2024-02-29"}'::JSON(a Int8, z Date) AS typed, '{}'::JSON AS empty, ['{"k":"v"}'::JSON] AS list
