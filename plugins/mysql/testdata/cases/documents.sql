SELECT id, doc, JSON_VALUE(doc, '$.a') AS a FROM {types}.documents ORDER BY id
