SELECT * FROM (VALUES ('{"a": [1, 2.50, "x"], "b": null}'::JSON), ('null'), ('"text"'), ('12345678901234567890'), (NULL)) t(doc)
