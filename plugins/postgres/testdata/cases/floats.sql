SELECT * FROM (VALUES
  (0.1::float8, 0.1::float4), ('NaN', 'NaN'), ('Infinity', 'Infinity'), ('-Infinity', '-Infinity'),
  (1.7976931348623157e308, 3.4028235e38), (5e-324, 1e-45), (-0.0, 16777216), (NULL, NULL)) AS t (double, single)
